"""Every service that writes is told who acts, and leaves an event of each deed."""

import ast
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.models import Event
from annotation_platform.annotations.services import drop_change, save_draft, send_message, switch_hints
from annotation_platform.annotations.taking import take_task
from annotation_platform.core.schemes import preset
from annotation_platform.releases.services import request_export
from annotation_platform.scoring.connections import save_connection
from annotation_platform.scoring.models import ModelConnection
from annotation_platform.scoring.services import choose_run, pause_run, resume_run, set_scoring, start_run
from annotation_platform.scoring.trials import request_trial
from annotation_platform.studies import services as studies
from annotation_platform.studies.building import build_study
from annotation_platform.studies.invitations import create_invitation, join_as_guest, mail_invitation
from annotation_platform.studies.models import Member, Role, Study
from tests.factories import UserFactory, judgment, make_corpus, study_with_judgments

ROOT = Path(__file__).resolve().parents[2] / "annotation_platform"
NOT_SERVICES = {"core", "demo"}  # knows no database; makes what it writes for a database of its own
APPS = sorted(path.parent.name for path in ROOT.glob("*/apps.py") if path.parent.name not in NOT_SERVICES)
NO_SERVICES = {"admin", "apps", "forms", "management", "migrations", "models", "sentences", "templatetags", "urls"}
WRITING = {"bulk_create", "bulk_update", "get_or_create", "update_or_create", "_raw_delete", "delete", "save"}
WITH_FIELDS = {"create", "update"}  # dictionaries have an update, too

PIECE_OF_MAKING = "a piece of making a study or corpus that nobody sees yet; Arrival.end records that it is there"
OWN_ROW = "the row itself says who and when, and changes nothing for anybody else"
DERIVED = "computed from what is stored; who asked for it is recorded where it was asked for"
PART = "a part of a deed that its caller records"
OLD = "it is over for as long as it was to be kept; nobody decides it"
QUEUE = "the queue itself; who asked for a job, or wrote a mail, is recorded where that was done"
SAME_SECRET = "the same secrets, encrypted with another key; nothing changes for anybody"

WITHOUT_ACTOR = {
    "accounts.events.keep_pseudonym": PART,
    "accounts.events.forget_person": PART,
    "corpus.services.begin_corpus": PIECE_OF_MAKING,
    "corpus.services.fill_corpus": PIECE_OF_MAKING,
    "studies.clearing.clear": "what nobody sees any more; who deletes a study is recorded",
    "studies.services.making.create_study": PIECE_OF_MAKING,
    "studies.services.making.freeze_scheme": "versions belong to no study; who makes or migrates a study is recorded",
    "studies.services.opening.launch_imported": PIECE_OF_MAKING,
    "studies.services.opening.store_filled_places": PIECE_OF_MAKING,
    "studies.services.claiming.renew_lease": "nobody decides it: the holder of a task looks at a page",
    "studies.services.claiming.lease_assignment": PART,
    "studies.services.mirroring.mark_mirrored": PIECE_OF_MAKING,
    "studies.services.overlap.even_out_left_behind": "goes on with a change whose maker is recorded",
    "studies.services.planning.plan_batches": PIECE_OF_MAKING,
    "studies.services.planning.plan_single_items": PIECE_OF_MAKING,
    "annotations.migrating.clear_left_behind": "what nobody has seen; who asked for it is recorded",
    "annotations.services.hints.carry_hints": PART,
    "annotations.services.hints.dismiss_hint": OWN_ROW,
    "annotations.threads.mark_read": OWN_ROW,
    "annotations.services.drafts.forget_repetition": OWN_ROW,
    "annotations.services.hints.log_hint": OWN_ROW,
    "annotations.services.drafts.save_draft": OWN_ROW,
    "annotations.services.storing.store_judgments": PART,
    "annotations.taking.count_again": PART,
    "annotations.services.storing.store_revision": PART,
    "imports.drafts.choose": "a form that only its owner sees; what is then asked for is recorded",
    "imports.uploads.append_part": OWN_ROW,
    "scoring.estimates": DERIVED,
    "scoring.gateway": DERIVED,
    "scoring.methods": DERIVED,
    "scoring.scheme_following": PART,
    "scoring.suspicions": DERIVED,
    "api.frame.keeping.keep": "the reply to a request, for when it is sent again; what it did is recorded",
    "crowd.checks.services.acting.apply_rule": "the study's rule acts: it records that itself, as the worker",
    "crowd.checks.services.acting.mark_read": OWN_ROW,
    "crowd.monitor.jobs.find_watched": DERIVED,
    "crowd.monitor.jobs.look": "nobody decides it: somebody looks at a page",
    "crowd.monitor.measuring.measure": DERIVED,
    "crowd.monitor.pastes.note_paste": OWN_ROW,
    "crowd.providers.prolific.calls.make_calls": "carries out orders; who gave them is recorded",
    "crowd.providers.prolific.connecting.rotate_secrets": SAME_SECRET,
    "crowd.providers.prolific.made.note_made": PART,
    "crowd.providers.prolific.participants.services.forget_old_files": OLD,
    "crowd.providers.prolific.participants.services.rotate_files": SAME_SECRET,
    "crowd.providers.prolific.polling": "what Prolific says of submissions, taken over when it is asked or tells",
    "crowd.providers.results_file.services.let_files_arrive": "goes on with an import; who asked for it is recorded",
    "crowd.providers.vault.identities.keep_arriving": PART,
    "crowd.providers.vault.identities.keep_identity": PART,
    "crowd.providers.vault.identities.let_arrive": PART,
    "crowd.providers.vault.identities.rotate": SAME_SECRET,
    "crowd.rounds.services.keys.compare_again": DERIVED,
    "crowd.rounds.services.verdicts.write_item_notes": PART,
    "crowd.takeout.services.forget": OLD,
    "crowd.talk.notifications": "mails of what was written; who wrote it is recorded",
    "crowd.talk.services.announcements.dismiss_announcement": OWN_ROW,
    "jobs": QUEUE,
    "scoreback.sending.send": "carries out a sending; who asked for it is recorded",
    "scoreback.services.back_into_the_queue": PART,
    "scoreback.services.rotate_keys": SAME_SECRET,
    "scoring.trials.try_connection": "what a server was found to take; nobody decides it",
    "accounts.sessions.forget_old_sessions": "they ended by themselves; nobody decides it",
    "accounts.tokens.token_of": "a program shows its token; when it did last is noted",
    "releases.freeze.annotators.name_annotators": PART,
    "releases.freeze.archive.zip_of": DERIVED,
    "releases.freeze.changes": DERIVED,
    "releases.freeze.comparing.jobs.request_comparison": DERIVED,
    "releases.freeze.forgetting.forget_participants": PART,
    "releases.freeze.packing.find_unpacked": DERIVED,
    "releases.freeze.packing.pack": DERIVED,
    "releases.freeze.jobs.freeze": "the worker's part; who asked for the release and settled it is recorded",
    "studies.own_places.place_of_their_own": PART,
    "analysis.explorer": DERIVED,
    "analysis.snapshots.jobs.find_unmeasured": DERIVED,
    "analysis.snapshots.jobs.forget_old_jobs": DERIVED,
    "analysis.snapshots.late": DERIVED,
    "analysis.snapshots.taking": DERIVED,
    "webhooks.queueing.tell": "a message about a deed that its caller records",
    "webhooks.sending.deliver": "sends what was queued by a deed that is recorded",
    "webhooks.sending.forget_old_deliveries": OLD,
    "webhooks.services.rotate_keys": SAME_SECRET,
}
"""What writes and is told of no actor, each with its reason: functions, and modules as a whole."""

FOLLOWERS = {
    "crowd.checks.services.evaluating.follow_task",
    "crowd.monitor.pastes.carry_pastes",
    "crowd.pacing.limits.carry_limits",
}
"""What an app below calls after a deed of its own, which it records, and tells who acted, whether it matters or not."""


def functions() -> Iterator[tuple[str, ast.FunctionDef, dict[str, ast.FunctionDef]]]:
    """Every public function of all apps, with its full name and the functions beside it."""
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            if NO_SERVICES & set(parts):
                continue
            beside = {each.name: each for each in ast.parse(path.read_text()).body if isinstance(each, ast.FunctionDef)}
            for name, function in beside.items():
                if not name.startswith("_"):
                    yield ".".join([*parts, name]), function, beside


def writes(function: ast.FunctionDef, beside: dict[str, ast.FunctionDef], seen: frozenset[str] = frozenset()) -> bool:
    """Whether it, or a private function beside it that it uses, calls what writes rows."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            called = node.func.attr
            if called in WRITING or (called in WITH_FIELDS and node.keywords and not node.args):
                return True
    used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and node.id.startswith("_")}
    return any(writes(beside[name], beside, seen | {name}) for name in (used & set(beside)) - seen)


def parameters(function: ast.FunctionDef) -> set[str]:
    return {each.arg for each in (*function.args.args, *function.args.kwonlyargs)}


def test_whoever_writes_is_told_who_acts() -> None:
    untold = {
        name
        for name, function, beside in functions()
        if writes(function, beside) and not {"actor", "request"} & parameters(function)
    }
    excused = {name for name in untold for excuse in WITHOUT_ACTOR if f"{name}.".startswith(f"{excuse}.")}
    assert sorted(untold - excused) == []
    unused = {excuse for excuse in WITHOUT_ACTOR if not any(f"{name}.".startswith(f"{excuse}.") for name in untold)}
    assert sorted(unused) == []


def test_whoever_is_told_who_acts_must_be_told_and_uses_it() -> None:
    for name, function, _beside in functions():
        if "actor" not in parameters(function) or ".account_deletion." in name or name in FOLLOWERS:
            continue
        optional = dict(zip((each.arg for each in function.args.kwonlyargs), function.args.kw_defaults, strict=True))
        assert optional.get("actor") is None, name
        used = [node for node in ast.walk(function) if isinstance(node, ast.Name) and node.id == "actor"]
        assert used, name


@pytest.fixture
def owner(db: None) -> Any:
    return UserFactory()


@pytest.fixture
def acts(owner: Any) -> Actor:
    return Actor.person(owner.pk, address="192.0.2.7")


def verbs(study: Study, acts: Actor) -> list[str]:
    """What the actor did in the study, in order; nothing in it was done by anybody else."""
    done = Event.objects.filter(study=study.pk).order_by("pk")
    assert {(each.user_id, each.address) for each in done} <= {(acts.user_id, acts.address)}
    return [each.verb for each in done]


def test_the_life_of_a_study_leaves_one_event_of_each_deed(owner: Any, acts: Actor) -> None:
    study = build_study(owner=owner, name="Owls", corpus=make_corpus(), definition=preset("ebr"), actor=acts)
    batch = study.batches.get()
    studies.rename_study(study=study, name="Barn owls", actor=acts)
    studies.rename_study(study=study, name="Barn owls", actor=acts)  # changes nothing
    studies.set_welcome(study=study, about="Welcome.", task_minutes=5, pay="", actor=acts)
    switch_hints(study=study, on=False, actor=acts)
    studies.open_batch(batch=batch, actor=acts)
    studies.change_overlap(study=study, overlap=1, actor=acts)
    studies.change_time_limit(study=study, minutes=90, actor=acts)
    studies.set_deadline(batch=batch, deadline_at=timezone.now() + timedelta(days=1), actor=acts)
    annotator = studies.add_member(study=study, role=Role.ANNOTATOR, user=UserFactory(), actor=acts)
    place = take_task(annotator=annotator, actor=acts)
    take_task(annotator=annotator, actor=acts)  # the one they hold already
    studies.extend_lease(assignment=place, minutes=5, actor=acts)
    send_message(assignment=place, author=annotator, text="A word.", actor=acts)
    studies.return_assignment(assignment=place, annotator=annotator, actor=acts)
    take_task(annotator=annotator, actor=acts)
    studies.finish_batch(batch=batch, because="by hand", actor=acts)
    studies.keep_batch_open(batch=batch, actor=acts)
    studies.close_batch(batch=batch, because="by hand", actor=acts)
    studies.close_batch(batch=batch, because="by hand", actor=acts)  # it is closed already
    studies.reopen_batch(batch=batch, actor=acts)
    studies.remove_member(member=annotator, actor=acts)  # who gives the task back
    studies.restore_member(member=annotator, actor=acts)
    studies.hand_over(admin=study.members.get(user=owner), to=annotator, actor=acts)
    studies.archive_study(study=study, actor=acts)
    studies.restore_study(study=study, actor=acts)
    studies.delete_study(study=study, typed_name="Barn owls", actor=acts)

    assert verbs(study, acts) == [
        "member.joined",
        "study.created",
        *["study.changed"] * 3,
        "batch.opened",
        *["study.changed"] * 2,
        "batch.deadline_changed",
        "member.added",
        *["task.taken", "task.extended", "task.message_sent", "task.given_back", "task.taken"],
        *["batch.finishing", "batch.kept_open", "batch.closed", "batch.reopened"],
        *["task.given_back", "member.removed", "member.restored"],
        *["member.role_changed"] * 2,
        *["study.archived", "study.restored", "study.deleted"],
    ]


def test_invitations_leave_events_too(owner: Any, acts: Actor) -> None:
    study = build_study(owner=owner, name="Owls", corpus=make_corpus(), definition=preset("ebr"), actor=acts)
    Event.objects.all()._raw_delete("default")
    invitation = create_invitation(study=study, role=Role.ANNOTATOR, actor=acts)
    mail_invitation(invitation=invitation, email="ada@example.org", link="https://…", actor=acts)
    studies.revoke_invitation(invitation=invitation, actor=acts)
    studies.revoke_invitation(invitation=invitation, actor=acts)  # once is enough
    assert verbs(study, acts) == ["member.invited", "member.invitation_mailed", "member.invitation_revoked"]
    assert "ada@example.org" not in str(list(Event.objects.values()))


def test_a_guest_acts_as_who_they_are_from_then_on(db: None) -> None:
    study = study_with_judgments()
    invitation = create_invitation(study=study, role=Role.ANNOTATOR, actor=Actor.operator("invite"))
    guest = join_as_guest(invitation=invitation, name="Ada", actor=Actor.person(None, address="192.0.2.7"))
    done = Event.objects.filter(user=guest.user).order_by("pk")
    assert [(each.verb, each.address) for each in done] == [
        ("account.created", "192.0.2.7"),
        ("member.joined", "192.0.2.7"),
    ]
    assert "Ada" not in str(list(Event.objects.values()))


def test_scoring_and_exports_leave_events_without_secrets(owner: Any, acts: Actor) -> None:
    study = study_with_judgments()
    member: Member = studies.add_member(study=study, role=Role.ADMIN, user=owner, actor=acts)
    Event.objects.all()._raw_delete("default")
    connection = ModelConnection(study=study, name="Ours", base_url="http://127.0.0.1:9/v1", model="m")
    save_connection(connection=connection, key="sk-very-secret", actor=acts)
    request_trial(connection=connection, actor=acts)
    set_scoring(study=study, scorer="distilled", prompt_template="", budget=None, connection="Ours", actor=acts)
    set_scoring(study=study, scorer="distilled", prompt_template="", budget=None, actor=acts)
    run = start_run(study=study, actor=acts)
    assert start_run(study=study, actor=acts) == run  # the active one
    pause_run(run=run, actor=acts)
    run.refresh_from_db()
    resume_run(run=run, actor=acts)
    run.status = run.Status.DONE
    run.save()
    choose_run(run=run, actor=acts)
    request_export(study=study, requested_by=member, format="csv", actor=acts)
    request_export(study=study, requested_by=member, format="csv", actor=acts)  # a double click

    assert verbs(study, acts) == [
        *["connection.saved", "connection.tried", "study.changed", "study.changed"],
        *["run.started", "run.paused", "run.resumed", "run.chosen", "export.requested"],
    ]
    saved = Event.objects.get(verb="connection.saved")
    assert saved.change["key"] == [None, "replaced"]
    assert "secret" not in str(list(Event.objects.values()))


def test_dropping_a_change_is_recorded_and_a_draft_is_not(owner: Any, acts: Actor) -> None:
    study = study_with_judgments(annotators=1, close=False)
    annotator = study.members.get(pseudonym="A")
    place = annotator.assignments.first()
    assert place is not None
    item = place.hit.items.first()
    assert item is not None
    Event.objects.all()._raw_delete("default")
    save_draft(annotator=annotator, item=item, values=judgment(reasons="…"), seconds=1.0, version=0)
    assert not Event.objects.exists()

    mine = Actor.person(annotator.user_id)
    drop_change(actor=mine, assignment_id=place.pk, position=item.position)
    drop_change(actor=mine, assignment_id=place.pk, position=item.position)  # nothing is left to drop
    assert verbs(study, mine) == ["task.change_dropped"]
