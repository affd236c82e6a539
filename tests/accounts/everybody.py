"""Every address of ours, an open study that each has something of, and somebody in each role to ask for them."""

from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import get_resolver, reverse
from django.utils import timezone

from annotation_platform.accounts.models import User
from annotation_platform.accounts.personal_links import link_token
from annotation_platform.analysis.models import PaperBundle
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.crowd.checks.models import CheckAction
from annotation_platform.crowd.consent.services import publish_text
from annotation_platform.crowd.providers.prolific.orders import approve
from annotation_platform.crowd.providers.results_file.models import ResultsFile
from annotation_platform.crowd.rounds.models import Verdict
from annotation_platform.crowd.rounds.services import decide_without_attempt
from annotation_platform.crowd.takeout.services import request_takeout
from annotation_platform.crowd.talk.models import Audience
from annotation_platform.crowd.talk.services.announcements import announce
from annotation_platform.crowd.talk.services.faq import add_entry
from annotation_platform.crowd.talk.services.wishes import stop_token
from annotation_platform.imports.models import ImportJob
from annotation_platform.releases.freeze.rights import give_right
from annotation_platform.releases.freeze.services import make_link
from annotation_platform.releases.freeze.services import token_of as link_to_release
from annotation_platform.releases.models import Export, Release
from annotation_platform.scoring.models import ModelConnection, ScoringRun, SuspiciousPassage
from annotation_platform.studies.invitations import create_invitation, mail_token, token_of
from annotation_platform.studies.models import Item, Member, Role
from annotation_platform.studies.services import claim_assignment
from annotation_platform.webhooks.services import add_webhook, send_test
from tests.crowd.checks.pieces import add_some
from tests.crowd.providers.participants import as_export, held, there
from tests.crowd.providers.pieces import connected, submission
from tests.crowd.rounds.pieces import new_round
from tests.factories import OPERATOR, MemberFactory, open_study
from tests.scoreback.worlds import destination_for
from tests.translations.pseudo import Data, texts_in_the_database, texts_of_presets

JAPANESE = {"HTTP_ACCEPT_LANGUAGE": "ja"}
# What tests and the frame say beside what is stored, and the value of a setting.
ADDED = {"Mine", "gone.csv", "make demo-reset", "English", "auto"}
ACCOUNT_PAGES = [
    "account_login",
    "account_signup",
    "account_logout",
    "account_reset_password",
    "account_reset_password_done",
    "account_reset_password_from_key_done",
    "account_email",
    "account_change_password",
    "account_email_verification_sent",
    "account_inactive",
]
OURS = sorted(
    name
    for name in get_resolver().reverse_dict
    # tests/api/test_access.py goes through the addresses for programs.
    if isinstance(name, str) and not name.startswith(("account_", "socialaccount_", "api_"))
)


def parameters_of(name: str) -> set[str]:
    ((_, parameters), *_), *_ = get_resolver().reverse_dict[name]
    return set(parameters)


@pytest.fixture(scope="module")
def people(module_db: None) -> dict[str, Any]:
    """An open study, with somebody in each role and a stranger; the annotator holds a place."""
    study = open_study(name="Mine")
    people = {role: MemberFactory(study=study, role=Role(role)) for role in Role.values}
    people["stranger"] = MemberFactory(study=open_study(name="Of others"), role=Role.ADMIN)
    people["place"] = claim_assignment(annotator=people["annotator"], actor=OPERATOR)
    people["invitation"] = create_invitation(study=study, role=Role.ANNOTATOR, actor=OPERATOR)
    people["came"] = submission(connected(study))
    people["participants"] = held(people["came"].connection, as_export(there(1, "session01")))
    people["order"] = approve(submission=people["came"], actor=OPERATOR)
    publish_text(study=study, texts={"en": "What is stored.", "ja": "保存するもの。"}, actor=OPERATOR)
    people["results"] = ResultsFile.objects.create(name="gone.csv", study=study, owner=people["admin"].user)
    people["guest"] = User.objects.create_guest("Guest")
    people["import"] = ImportJob.objects.create(
        owner=people["admin"].user, format="table", files=[{"name": "gone.csv", "size": 1}]
    )
    people["export"] = Export.objects.create(study=study, requested_by=people["admin"], format="csv")
    people["connection"] = ModelConnection.objects.create(study=study, name="Ours", base_url="http://x/v1", model="m")
    people["run"] = ScoringRun.objects.create(study=study, method="ebr", scorer="distilled", status="failed")
    people["passage"] = SuspiciousPassage.objects.create(run=people["run"], item=people["place"].hit.items.first())
    snapshot = take_snapshot(study=study, resamples=1)
    people["bundle"] = PaperBundle.objects.create(study=study, snapshot=snapshot, requested_by=people["admin"])
    release = Release.objects.create(
        study=study,
        requested_by=people["admin"],
        number=1,
        status=Release.Status.DONE,
        frozen_at=timezone.now(),
        digest="0" * 64,  # of a folder that is not there, and not the one of all releases
    )
    people["link"] = make_link(release=release, created_by=people["admin"], days=1, actor=OPERATOR)
    people["right"] = give_right(release=release, email="aya@example.org", created_by=people["admin"], actor=OPERATOR)
    people["announcement"] = announce(
        author=people["researcher"], text="2026", audience=Audience.ALL, by_mail=False, actor=OPERATOR
    )
    people["webhook"], _ = add_webhook(
        study=study, address="https://example.org/", kinds=["batch.closed"], actor=OPERATOR
    )
    destination_for(study, "langfuse", "https://example.org", aspects=["correct"])
    people["hook message"] = send_test(endpoint=people["webhook"], actor=OPERATOR)
    texts = {"question_en": "", "answer_en": "", "question_ja": "1", "answer_ja": "2"}
    people["entry"] = add_entry(study=study, actor=OPERATOR, **texts)
    people["round"] = new_round(study, title="R1")
    people["attempt"] = decide_without_attempt(
        round_=people["round"],
        member=people["annotator"],
        verdict=Verdict.PASSED,
        by=people["researcher"],
        actor=OPERATOR,
    )
    people["takeout"] = request_takeout(user=people["annotator"].user, actor=OPERATOR)
    (people["check"],) = add_some(study, 1)
    people["check action"] = CheckAction.objects.create(
        annotator=people["annotator"], action="warn", because="…", judged=1, failed=1, last_result=1
    )
    people["addresses"] = addresses_of(people)
    people["sessions"] = {who: session_of(people[who]) for who in [*Role.values, "stranger"]}
    return people


@pytest.fixture(scope="module")
def data(people: dict[str, Any]) -> Data:
    """What of the pages no translation is to touch."""
    return Data([*texts_in_the_database(), *texts_of_presets(), *ADDED])


def address(name: str, people: dict[str, Any]) -> str:
    """The address of that name, filled in with what belongs to ``people``."""
    return people["addresses"][name]


def addresses_of(people: dict[str, Any]) -> dict[str, str]:
    """Of each name, with what belongs to ``people`` in it, which is looked for once."""
    place = people["place"]
    item = place.hit.items.first()
    invitation = token_of(people["invitation"])
    usual = {
        "slug": people["admin"].study.slug,
        "number": 1,
        "annotator": people["annotator"].pk,
        "member": people["annotator"].pk,
        "assignment": place.pk,
        "position": 1,
        "role": "annotator",
        "aspect": "completeness",
        "program": "langfuse",
        "name": "pairs",
        "kind": "csv",
        "method": "ebr",
        "action": "pause",
        "other": people["run"].pk,
        "format": "csv",
        "path": "data/items.csv",
        "tool": "argilla",
        "hit": place.hit_id,
        "message": people["hook message"].pk,
        "token": invitation,
        "pk": place.pk,
    }
    tokens = {
        **dict.fromkeys(("shared_release", "download_shared_release"), link_to_release(people["link"])),
        **dict.fromkeys(("prolific_arriving", "prolific_hook"), people["came"].connection.address_token),
        "come_back": link_token(people["guest"], actor=OPERATOR),
        "stop_mail": stop_token(people["guest"]),
        "join_by_mail": mail_token(people["invitation"], "somebody@example.org"),
    }
    keys = _keys_of(people, item)
    found = {}
    for name in OURS:
        filled_in = usual | {"token": tokens.get(name, invitation), "pk": keys.get(name, place.pk)}
        if name == "change_member":
            filled_in["action"] = "remove"
        found[name] = reverse(name, kwargs={parameter: filled_in[parameter] for parameter in parameters_of(name)})
    return found


def _keys_of(people: dict[str, Any], item: Item) -> dict[str, int]:
    """What stands as ``pk`` in the addresses in which it is not the annotator's place."""
    return {
        "item": item.pk,
        **dict.fromkeys(("study_connection", "try_study_connection"), people["connection"].pk),
        "revoke_release_link": people["link"].pk,
        "revoke_release_right": people["right"].pk,
        "erase_person": people["came"].member.pk,
        "prolific_submission": people["came"].pk,
        "prolific_participants_file": people["participants"].pk,
        "results_file_read": people["results"].pk,
        **dict.fromkeys(("settle_call", "publish_prolific_study"), people["order"].pk),
        "download_my_data": people["takeout"].pk,
        **dict.fromkeys(("study_webhook", "send_webhook_again"), people["webhook"].pk),
        "revoke_invitation": people["invitation"].pk,
        **dict.fromkeys(("check", "retire_check"), people["check"].pk),
        "new_check": item.answer.pk,
        **dict.fromkeys(("work_note", "undo_check_action"), people["check action"].pk),
        "change_member": people["researcher"].pk,
        "download_export": people["export"].pk,
        "download_bundle": people["bundle"].pk,
        "import_job": people["import"].pk,
        "dismiss_passage": people["passage"].pk,
        **dict.fromkeys(("dismiss_announcement", "end_announcement"), people["announcement"].pk),
        **dict.fromkeys(("faq_entry", "move_faq_entry", "remove_faq_entry"), people["entry"].pk),
        **dict.fromkeys(
            (
                *("round", "open_round", "end_round", "round_key", "round_key_file", "round_item_key"),
                *("round_by_hand", "begin_round"),
            ),
            people["round"].pk,
        ),
        **dict.fromkeys(("review_attempt", "my_attempt"), people["attempt"].pk),
        **dict.fromkeys(("run", "change_run", "compare_runs"), people["run"].pk),
    }


def path_of(name: str, people: dict[str, Any]) -> str:
    """The same, also of a page about one's account."""
    return address(name, people) if name in OURS else reverse(name)


def session_of(member: Member) -> str:
    client = Client()
    client.force_login(member.user)
    return client.cookies[settings.SESSION_COOKIE_NAME].value


def signed_in(people: dict[str, Any], who: str, **options: Any) -> Client:
    client = Client(**options)
    client.cookies[settings.SESSION_COOKIE_NAME] = people["sessions"][who]
    return client
