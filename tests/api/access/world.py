"""A study with something of everything, people in every role, and where each address is about one of its rows."""

import json
from contextlib import suppress
from datetime import timedelta
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import NoReverseMatch, reverse
from django.utils import timezone

from annotation_platform.accounts.models import ApiToken, User
from annotation_platform.accounts.scopes import NAMES as SCOPES
from annotation_platform.accounts.tokens import create_token, revoke_token
from annotation_platform.analysis.models import PaperBundle
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.models import SchemeMigration
from annotation_platform.corpus.models import Corpus
from annotation_platform.crowd.adjudication.services import adjudicate
from annotation_platform.crowd.checks.models import CheckAction
from annotation_platform.crowd.pay.services import collect_payment, correct
from annotation_platform.crowd.providers.prolific.orders import pay_bonuses
from annotation_platform.crowd.providers.results_file.services import take_over
from annotation_platform.crowd.rounds.models import Verdict
from annotation_platform.crowd.rounds.services import decide_without_attempt
from annotation_platform.crowd.talk.models import Audience
from annotation_platform.crowd.talk.services.announcements import announce
from annotation_platform.crowd.talk.services.faq import add_entry
from annotation_platform.imports.drafts import receive_files
from annotation_platform.imports.uploads import begin_upload
from annotation_platform.releases.freeze.rights import give_right
from annotation_platform.releases.freeze.services import make_link
from annotation_platform.releases.models import Export, Release
from annotation_platform.scoreback.services import save_destination
from annotation_platform.scoring.models import ModelConnection, ScoringRun, SuspiciousPassage
from annotation_platform.studies.invitations import create_invitation
from annotation_platform.studies.models import Role
from annotation_platform.studies.service_accounts import ROLES as OF_PROGRAMS
from annotation_platform.studies.service_accounts import create_service_token
from annotation_platform.studies.services import claim_assignment
from annotation_platform.webhooks.services import add_webhook, send_test
from tests.api.access.line import OF_STUDY, Line, World
from tests.api.clients import token_for
from tests.crowd.checks.pieces import add_some
from tests.crowd.pay.paying import agree
from tests.crowd.providers.participants import as_export, held, there
from tests.crowd.providers.pieces import connected, submission
from tests.crowd.providers.results import as_csv, row
from tests.crowd.rounds.pieces import new_round
from tests.factories import OPERATOR, MemberFactory, UserFactory, judgment, open_study


def built() -> World:
    study = open_study(name="Owls")
    roles = {"annotator": Role.ANNOTATOR, "researcher": Role.RESEARCHER, "admin": Role.ADMIN}
    members = {name: MemberFactory(study=study, role=role) for name, role in roles.items()}
    MemberFactory(study=study, role=Role.ADMIN)  # so that nobody is the last one
    MemberFactory(study=open_study(name="Finches"), role=Role.RESEARCHER)
    people = {name: member.user for name, member in members.items()}
    people |= {"stranger": UserFactory(), "operator": UserFactory(is_staff=True)}
    Corpus.objects.filter(pk=study.corpus_id).update(owner=people["researcher"])
    task = claim_assignment(annotator=members["annotator"], actor=OPERATOR)
    invitation = create_invitation(study=study, role=Role.ANNOTATOR, actor=OPERATOR)
    run = ScoringRun.objects.create(study=study, method="ebr", scorer="distilled", status="failed")
    snapshot = take_snapshot(study=study, resamples=1)
    passage = SuspiciousPassage.objects.create(run=run, item=task.hit.items.first())
    connection = ModelConnection.objects.create(
        study=study, created_by=members["admin"].user, name="Ours", base_url="https://m.example.org/v1", model="m"
    )
    bundle = PaperBundle.objects.create(study=study, snapshot=snapshot, requested_by=members["admin"])
    export = Export.objects.create(study=study, requested_by=members["admin"], format="csv")
    release = Release.objects.create(
        study=study, requested_by=members["admin"], number=1, status="done", frozen_at=timezone.now()
    )
    right = give_right(release=release, email="aya@example.org", created_by=members["admin"], actor=OPERATOR)
    link = make_link(release=release, created_by=members["admin"], days=1, actor=OPERATOR)
    webhook, _ = add_webhook(study=study, address="https://example.org/", kinds=["batch.closed"], actor=OPERATOR)
    message = send_test(endpoint=webhook, actor=OPERATOR)
    save_destination(
        study=study,
        program="langfuse",
        address="https://example.org",
        aspects=["correct"],
        public_key="pk",
        secret="sk",
        actor=OPERATOR,
    )
    migration = SchemeMigration.objects.create(study=study, wanted="count", text="", before=study.scheme_version)
    announcement = announce(
        author=members["admin"], text="Welcome.", audience=Audience.ALL, by_mail=False, actor=OPERATOR
    )
    agree(study)
    correct(member=members["annotator"], amount=100, reason="Thanks.", actor=OPERATOR)
    payment = collect_payment(study=study, actor=OPERATOR)
    entry = add_entry(
        study=study, question_en="When?", answer_en="On Friday.", question_ja="", answer_ja="", actor=OPERATOR
    )
    round_ = new_round(study)
    attempt = decide_without_attempt(
        round_=round_, member=members["annotator"], verdict=Verdict.PASSED, by=members["admin"], actor=OPERATOR
    )
    (check,) = add_some(study, 1)
    action = CheckAction.objects.create(
        annotator=members["annotator"], action="warn", because="Read on.", judged=1, failed=1, last_result=1
    )
    visit = submission(connected(study))
    participants = held(visit.connection, as_export(there(1, visit.external_id)))
    order = pay_bonuses(connection=visit.connection, lines=[(visit, 100)], actor=OPERATOR)[0]
    assert people["researcher"] is not None
    upload, _ = begin_upload(owner=people["researcher"], name="b.csv", size=3, digest="", actor=OPERATOR)
    imported = receive_files(
        owner=people["researcher"],
        uploads=[SimpleUploadedFile("a.csv", b"question\nWhy?\n")],
        target="study",
        actor=OPERATOR,
    )
    results = take_over(
        name="batch.csv", content=as_csv(row(1)), with_rejected=False, owner=people["researcher"], actor=OPERATOR
    )
    of_platform = ModelConnection.objects.create(name="All", base_url="https://m.example.org/v1", model="m")
    judged = task.hit.items.order_by("pk")[0]
    adjudicate(
        item=judged,
        adjudicator=members["admin"],
        raw=judgment(),
        scheme_signature=study.scheme_version.signature,
        actor=OPERATOR,
    )
    in_study = {"slug": study.slug}
    named: dict[str, dict[str, Any]] = {
        "study": in_study,
        "member": in_study | {"pk": members["annotator"].pk},
        "invitation": in_study | {"pk": invitation.pk},
        "batch": in_study | {"number": 1},
        "task": {"pk": task.pk},
        "item": {"pk": task.pk, "position": 1},
        "corpus": {"pk": study.corpus_id},
        "key": {"key": "ebr"},
        "assignment": in_study | {"pk": task.pk},
        "run": in_study | {"pk": run.pk},
        "runs": in_study | {"pk": run.pk, "other": run.pk},
        "passage": in_study | {"pk": passage.pk},
        "connection": in_study | {"pk": connection.pk},
        "bundle": in_study | {"pk": bundle.pk},
        "snapshot": in_study | {"pk": snapshot.pk},
        "section": in_study | {"section": "krippendorff_alpha"},
        "export": in_study | {"pk": export.pk},
        "file": in_study | {"number": 1, "path": "data/items.csv"},
        "link": in_study | {"number": 1, "pk": link.pk},
        "tool": in_study | {"number": 1, "tool": "argilla"},
        "right": in_study | {"number": 1, "pk": right.pk},
        "webhook": in_study | {"pk": webhook.pk},
        "message": in_study | {"pk": webhook.pk, "message": message.pk},
        "migration": in_study | {"pk": migration.pk},
        "thread": in_study | {"annotator": members["annotator"].pk, "assignment": task.pk},
        "submission": in_study | {"pk": task.pk, "member": members["annotator"].pk},
        "announcement": in_study | {"pk": announcement.pk},
        "visit": in_study | {"pk": visit.pk},
        "order": in_study | {"pk": order.pk},
        "participants": in_study | {"pk": participants.pk},
        "check": in_study | {"pk": check.pk},
        "action": in_study | {"pk": action.pk},
        "line": in_study | {"number": payment.number, "line": payment.lines.get().pk},
        "late": in_study | {"task": task.hit_id, "annotator": members["annotator"].pk},
        "entry": in_study | {"pk": entry.pk},
        "round": in_study | {"pk": round_.pk},
        "round item": in_study | {"pk": round_.pk, "number": 1},
        "attempt": in_study | {"pk": attempt.pk},
        "judged": in_study | {"pk": judged.pk},
        "results file": {"pk": results.pk},
        "connection of the platform": {"pk": of_platform.pk},
        "own round": {"pk": round_.pk},
        "own attempt": {"pk": attempt.pk},
        "own announcement": {"pk": announcement.pk},
        "job": {"name": f"run-{run.pk}"},
        "program": in_study | {"program": "langfuse"},
        "import": {"pk": imported.pk},
        "upload": {"pk": upload.pk},
        "method": in_study | {"method": "judge"},
        "chart": in_study | {"aspect": "completeness", "name": "aspects"},
        "plan chart": {"name": "plan-curve"},
        "none": {},
    }
    tokens = {(name, scope): token_for(user, scope) for name, user in people.items() for scope in SCOPES}
    for role in OF_PROGRAMS:
        for scope in SCOPES:
            how = {"name": f"A pipeline of {scope}", "role": role, "scopes": [scope], "actor": OPERATOR}
            tokens[f"{OF_STUDY}{role}", scope] = create_service_token(study=study, **how)[1]
    void = _void(members["admin"].user)
    ApiToken.objects.update(last_used_at=timezone.now() + timedelta(hours=1))  # or each request would note it anew
    return World(study, task, people, tokens, named, void)


def _void(user: User) -> dict[str, str]:
    """Tokens that open nothing any more, of somebody who may do everything; and one that never did."""
    expired, expired_secret = create_token(user=user, name="Old", scopes=["admin", "annotate"], days=1, actor=OPERATOR)
    ApiToken.objects.filter(pk=expired.pk).update(expires_at=timezone.now())
    revoked, revoked_secret = create_token(user=user, name="Lost", scopes=["admin", "annotate"], actor=OPERATOR)
    revoke_token(token=revoked, actor=OPERATOR)
    closed = UserFactory(is_staff=True)
    closed_secret = token_for(closed)
    User.objects.filter(pk=closed.pk).update(is_active=False)
    return {
        "expired": expired_secret,
        "revoked": revoked_secret,
        "of a closed account": closed_secret,
        "made up": "ap_12345678_made-up",
    }


ABOUT = {
    **dict.fromkeys(("api_invitations", "api_revoke_invitation"), "invitation"),
    **dict.fromkeys(("api_extend_lease", "api_free_assignment"), "assignment"),
    **dict.fromkeys(("api_connection", "api_try_connection"), "connection"),
    "api_dismiss_passage": "passage",
    "api_bundle_file": "bundle",
    **dict.fromkeys(("api_passages", "api_run_scores", "api_run_labels", "api_run_item_scores"), "run"),
    **dict.fromkeys(("api_run", "api_pause_run", "api_stop_run", "api_resume_run", "api_choose_run"), "run"),
    **dict.fromkeys(("api_webhook", "api_rotate_webhook", "api_test_webhook", "api_deliveries"), "webhook"),
    **dict.fromkeys(("api_snapshot", "api_snapshot_changes"), "snapshot"),
    "api_end_announcement": "announcement",
    "api_begin_round": "own round",
    "api_own_attempt": "own attempt",
    "api_dismiss_announcement": "own announcement",
    **dict.fromkeys(("api_round", "api_open_round", "api_end_round", "api_move_round_up", "api_attempts"), "round"),
    "api_round_item": "round item",
    **dict.fromkeys(("api_round_items", "api_confirm_round", "api_decide_by_hand"), "round"),
    **dict.fromkeys(("api_faq_entry", "api_move_faq_entry_up", "api_move_faq_entry_down"), "entry"),
    **dict.fromkeys(("api_attempt", "api_decide_attempt"), "attempt"),
    **dict.fromkeys(("api_adjudicate", "api_make_check", "api_item"), "judged"),
    "api_results_file": "results file",
    **dict.fromkeys(("api_platform_connection", "api_try_platform_connection"), "connection of the platform"),
    **dict.fromkeys(("api_check", "api_retire_check", "api_use_check"), "check"),
    "api_undo_check_action": "action",
    **dict.fromkeys(("api_submission", "api_approve_submission", "api_reject_submission"), "visit"),
    "api_bonus_of_submission": "visit",
    **dict.fromkeys(("api_participants_file", "api_participants_comparison"), "participants"),
    "api_store_participants": "participants",
    **dict.fromkeys(("api_order", "api_settle_order", "api_order_again", "api_publish_study"), "order"),
    **dict.fromkeys(("api_export", "api_export_file"), "export"),
    "api_scheme_migration": "migration",
    "api_plan_chart": "plan chart",
    **dict.fromkeys(("api_import", "api_import_preview", "api_check_import", "api_store_import"), "import"),
    "api_upload": "upload",
    "api_corpus": "corpus",
    "api_revoke_release_link": "link",
    "api_revoke_release_right": "right",
}
"""What an address with the key of a row in a study is about, where it is no member."""


def address_of(line: Line, world: World) -> str:
    if line.name not in world.addresses:
        world.addresses[line.name] = _address_of(line, world)
    return world.addresses[line.name]


def _address_of(line: Line, world: World) -> str:
    if line.name in ABOUT:
        with suppress(NoReverseMatch):
            return reverse(line.name, kwargs=world.named[ABOUT[line.name]])
    for kwargs in world.named.values():
        with suppress(NoReverseMatch):
            return reverse(line.name, kwargs=kwargs)
    raise LookupError(line.name)


def ask(client: Client, line: Line, world: World) -> Any:
    address, body = address_of(line, world), line.body(world)
    if line.name == "api_corpora" and line.method == "POST":
        return client.post(f"{address}?name=Rows", '{"question": "Why?"}', content_type="application/x-ndjson")
    if line.name == "api_imports" and line.method == "POST":
        return client.post(address, {"files": [SimpleUploadedFile("b.csv", b"question\nWhy?\n")]})
    if line.name == "api_participants_files" and line.method == "POST":
        return client.post(address, {"file": SimpleUploadedFile("b.csv", b"Submission id,Participant id,Status\n")})
    if line.name == "api_results_files" and line.method == "POST":
        return client.post(address, {"file": SimpleUploadedFile("b.csv", as_csv(row(1)))})
    data = "" if line.method == "GET" else json.dumps(body)
    return client.generic(line.method, address, data, content_type="application/json", headers={"if-match": "*"})
