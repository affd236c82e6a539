"""What holds at every address of ours, so also at one that is added tomorrow: guards, access, no inline script."""

from html.parser import HTMLParser
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
from annotation_platform.scoreback.services import save_destination
from annotation_platform.scoring.models import ModelConnection, ScoringRun, SuspiciousPassage
from annotation_platform.studies.invitations import create_invitation, mail_token, token_of
from annotation_platform.studies.models import Member, Role
from annotation_platform.studies.services import claim_assignment
from annotation_platform.webhooks.services import add_webhook, send_test
from tests.crowd.checks.pieces import add_some
from tests.crowd.providers.pieces import connected, submission
from tests.crowd.rounds.pieces import new_round
from tests.factories import OPERATOR, MemberFactory, open_study

pytestmark = [pytest.mark.django_db, pytest.mark.xdist_group("every address")]  # one process builds its world once

FOR_EVERYBODY = {
    *("home", "health", "demo_sign_in", "scheme_schema", "set_language", "join", "join_by_mail", "come_back"),
    *("shared_release", "download_shared_release", "prolific_arriving", "prolific_hook", "stop_mail"),
}
# Whoever has the role anywhere, or an invitation.
FOR_ITS_OWN_KIND = {
    *("work", "my_account", "personal_link", "build_study", "plan", "import_study", "import_corpus"),
    *("my_rounds", "read_results_file", "my_messages", "mail_wishes", "my_data", "ask_for_my_data", "earnings"),
    "earnings_file",
    *("my_submissions", "my_tokens", "given_releases"),
}
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


class Parts(HTMLParser):
    """Collects what a strict policy would not run: inline scripts, styles, and handlers."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.inline: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        names = dict(attributes)
        is_data = names.get("type") == "application/json"  # never run
        if tag == "style" or (tag == "script" and "src" not in names and not is_data):
            self.inline.append(f"<{tag}>")
        self.inline += [
            f"<{tag} {name}={value!r}>"
            for name, value in attributes
            if name == "style" or name.startswith(("on", "hx-on")) or (value or "").startswith("javascript:")
        ]


@pytest.fixture(scope="module")
def people(module_db: None) -> dict[str, Any]:
    """An open study, with somebody in each role and a stranger; the annotator holds a place."""
    study = open_study(name="Mine")
    people = {role: MemberFactory(study=study, role=Role(role)) for role in Role.values}
    people["stranger"] = MemberFactory(study=open_study(name="Of others"), role=Role.ADMIN)
    people["place"] = claim_assignment(annotator=people["annotator"], actor=OPERATOR)
    people["invitation"] = create_invitation(study=study, role=Role.ANNOTATOR, actor=OPERATOR)
    people["came"] = submission(connected(study))
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
        study=study, requested_by=people["admin"], number=1, status=Release.Status.DONE, frozen_at=timezone.now()
    )
    people["link"] = make_link(release=release, created_by=people["admin"], days=1, actor=OPERATOR)
    people["right"] = give_right(release=release, email="aya@example.org", created_by=people["admin"], actor=OPERATOR)
    people["announcement"] = announce(
        author=people["researcher"], text="2026", audience=Audience.ALL, by_mail=False, actor=OPERATOR
    )
    people["webhook"], _ = add_webhook(
        study=study, address="https://example.org/", kinds=["batch.closed"], actor=OPERATOR
    )
    save_destination(
        study=study,
        program="langfuse",
        address="https://example.org",
        aspects=["correct"],
        public_key="pk",
        secret="sk",
        actor=OPERATOR,
    )
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
    people["addresses"] = {name: address_of(name, people) for name in OURS}
    people["sessions"] = {who: session_of(people[who]) for who in [*Role.values, "stranger"]}
    return people


def address(name: str, people: dict[str, Any]) -> str:
    """The address of that name, filled in with what belongs to ``people``."""
    return people["addresses"][name]


def address_of(name: str, people: dict[str, Any]) -> str:
    place = people["place"]
    study = people["admin"].study
    by_parameter = {
        "slug": study.slug,
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
        "action": "remove" if name == "change_member" else "pause",
        "other": people["run"].pk,
        "format": "csv",
        "path": "data/items.csv",
        "tool": "argilla",
        "hit": place.hit_id,
        "message": people["hook message"].pk,
        "token": {
            **dict.fromkeys(("shared_release", "download_shared_release"), link_to_release(people["link"])),
            **dict.fromkeys(("prolific_arriving", "prolific_hook"), people["came"].connection.address_token),
            "come_back": link_token(people["guest"], actor=OPERATOR),
            "stop_mail": stop_token(people["guest"]),
            "join_by_mail": mail_token(people["invitation"], "somebody@example.org"),
        }.get(name, token_of(people["invitation"])),
        "pk": {
            "item": place.hit.items.first().pk,
            **dict.fromkeys(("study_connection", "try_study_connection"), people["connection"].pk),
            "revoke_release_link": people["link"].pk,
            "revoke_release_right": people["right"].pk,
            "erase_person": people["came"].member.pk,
            "prolific_submission": people["came"].pk,
            "results_file_read": people["results"].pk,
            **dict.fromkeys(("settle_call", "publish_prolific_study"), people["order"].pk),
            "download_my_data": people["takeout"].pk,
            **dict.fromkeys(("study_webhook", "send_webhook_again"), people["webhook"].pk),
            "revoke_invitation": people["invitation"].pk,
            **dict.fromkeys(("check", "retire_check"), people["check"].pk),
            "new_check": place.hit.items.first().answer.pk,
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
        }.get(name, place.pk),
    }
    return reverse(name, kwargs={parameter: by_parameter[parameter] for parameter in parameters_of(name)})


def session_of(member: Member) -> str:
    client = Client()
    client.force_login(member.user)
    return client.cookies[settings.SESSION_COOKIE_NAME].value


def signed_in(people: dict[str, Any], who: str, **options: Any) -> Client:
    client = Client(**options)
    client.cookies[settings.SESSION_COOKIE_NAME] = people["sessions"][who]
    return client


@pytest.mark.parametrize("name", OURS)
def test_a_visitor_is_sent_to_sign_in(name: str, people: dict[str, Any]) -> None:
    for response in (Client().get(address(name, people)), Client().post(address(name, people))):
        if name in FOR_EVERYBODY:
            assert response.status_code in (200, 302, 403, 404, 405, 422)
        elif response.status_code != 405:
            assert response.status_code == 302
            assert response.url.startswith(reverse("account_login"))


@pytest.mark.parametrize("name", [name for name in OURS if name not in FOR_EVERYBODY | FOR_ITS_OWN_KIND])
def test_somebody_from_another_study_finds_nothing(name: str, people: dict[str, Any]) -> None:
    client = signed_in(people, "stranger")
    for response in (client.get(address(name, people)), client.post(address(name, people))):
        assert response.status_code in (404, 405)


@pytest.mark.parametrize("name", [name for name in OURS if {"slug", "pk"} <= parameters_of(name)])
def test_nobody_gets_at_the_rows_of_another_study_under_the_address_of_their_own(
    name: str, people: dict[str, Any]
) -> None:
    client, own = signed_in(people, "stranger"), people["stranger"].study
    path = address(name, people).replace(f"/studies/{people['admin'].study.slug}/", f"/studies/{own.slug}/")
    for response in (client.get(path), client.post(path)):
        assert response.status_code in (404, 405)


@pytest.mark.parametrize("name", OURS)
def test_a_post_without_its_csrf_token_is_refused(name: str, people: dict[str, Any]) -> None:
    client = signed_in(people, "admin", enforce_csrf_checks=True)
    response = client.post(address(name, people))
    assert response.status_code in (403, 405)
    if response.status_code == 405:
        assert "POST" not in response.headers["Allow"]


@pytest.mark.parametrize("name", [*OURS, *ACCOUNT_PAGES])
def test_the_policy_is_strict_and_the_page_needs_nothing_else(name: str, people: dict[str, Any]) -> None:
    path = address(name, people) if name in OURS else reverse(name)
    for client in (Client(), *(signed_in(people, role) for role in Role.values)):
        response = client.get(path)
        assert response.status_code < 500
        policy = dict(part.split(" ", 1) for part in response.headers["Content-Security-Policy"].split("; "))
        assert policy["default-src"] == "'none'"
        assert policy["script-src"] == policy["style-src"] == "'self'"
        assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
        assert policy["form-action"] == "'self'"
        assert "unsafe" not in str(policy)
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        if response.headers.get("Content-Type", "").startswith("text/html"):
            assert Parts(response.content.decode()).inline == []


@pytest.mark.parametrize("name", ["home", "health", "scheme_schema"])
def test_whoever_watches_a_server_may_ask_for_the_head_alone(client: Client, name: str) -> None:
    response = client.head(reverse(name))
    assert (response.status_code, response.content) == (200, b"")


def test_the_head_of_an_invitation_takes_nobody_in(people: dict[str, Any]) -> None:
    """Mail programs look at links before anybody clicks."""
    path, study = address("join", people), people["admin"].study
    before = study.members.count()
    assert signed_in(people, "stranger").head(path).status_code == 405
    assert study.members.count() == before


def test_an_address_that_is_not_there_has_the_policy_too(client: Client) -> None:
    response = client.get("/nowhere/")
    assert response.status_code == 404
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]


def test_a_wrong_address_leads_back_to_the_start(client: Client) -> None:
    page = client.get("/nowhere/").content.decode()
    assert "There is no page at this address" in page
    assert f'href="{reverse("home")}"' in page


def test_a_stale_form_says_what_to_do(people: dict[str, Any]) -> None:
    client = signed_in(people, "annotator", enforce_csrf_checks=True)
    page = client.post(address("take", people), {"csrfmiddlewaretoken": "old"}).content.decode()
    assert "Go back, load it again" in page
    assert "DEBUG" not in page


def test_signing_in_for_a_form_does_not_end_on_an_empty_page(people: dict[str, Any]) -> None:
    """The form met an expired session, and the sign-in leads back to where it was sent."""
    response = signed_in(people, "annotator").get(address("take", people))
    assert response.status_code == 405
    assert response.headers["Allow"] == "POST"
    assert "repeat your last step" in response.content.decode()
