"""What all endpoints do alike: problems, languages, kept replies, versions, cursors, lines, limits, tokens."""

import json
from base64 import b64encode
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone
from django.utils.translation import gettext, override

from annotation_platform.accounts.models import ApiToken, Event
from annotation_platform.accounts.tokens import revoke_token
from annotation_platform.annotations.models import Annotation
from annotation_platform.api.frame.problems import OTHER, TITLES
from annotation_platform.api.frame.views import ApiView, Deprecation
from annotation_platform.api.models import KeptReply
from annotation_platform.studies.models import Member, Role, Study
from annotation_platform.studies.services import claim_assignment
from tests.api.clients import program, send, token_for, with_token
from tests.api.holds import held_by_another
from tests.factories import OPERATOR, MemberFactory, UserFactory, open_study, study_with_judgments, submit

pytestmark = pytest.mark.xdist_group("api-habits")


@pytest.fixture(scope="module")
def study(module_db: None) -> Study:
    return study_with_judgments(name="Owls", annotators=2)


@pytest.fixture(scope="module")
def admin(study: Study) -> Member:
    return MemberFactory(study=study, role=Role.ADMIN)


@pytest.fixture
def client(db: None, admin: Member) -> Client:
    return program(admin.user)


def problem(reply: Any, status: int, code: str) -> dict[str, Any]:
    assert (reply.status_code, reply["Content-Type"]) == (status, "application/problem+json")
    told: dict[str, Any] = reply.json()
    assert (told["status"], told["code"]) == (status, code)
    assert told["detail"]
    return told


def test_a_problem_is_told_in_the_language_that_is_asked_for(admin: Member, db: None) -> None:
    english = problem(send(program(admin.user), "GET", "/studies/nowhere"), 404, "studies.no_study")
    client = program(admin.user, **{"accept-language": "ja"})
    japanese = problem(send(client, "GET", "/studies/nowhere"), 404, "studies.no_study")
    assert english["detail"].isascii()
    assert not japanese["detail"].isascii()
    assert (english["title"], japanese["title"]) == ("Not there", "ありません")


def test_every_title_of_a_problem_is_told_in_japanese() -> None:
    with override("ja"):
        assert [title for title in (*TITLES.values(), OTHER) if gettext(title).isascii()] == []


def test_wrong_fields_are_told_each_by_its_path(client: Client) -> None:
    reply = send(client, "POST", "/studies", {"name": "x" * 300, "corpus": 1, "scheme": {"nonsense": 1}})
    told = problem(reply, 422, "api.fields_wrong")
    assert {each["field"] for each in told["errors"]} == {"name", "scheme.nonsense"}


@pytest.mark.parametrize(
    "body",
    [
        *("{", '{"name": NaN}', "[" * 100_000, '"\\ud800'),
        *('{"name": 1e999}', '{"a": [{"b": -1e999}]}', f'{{"name": {"9" * 400}}}'),
    ],
)
def test_a_body_that_is_no_json_is_refused(client: Client, body: str) -> None:
    reply = client.generic("POST", "/api/v1/schemes/check", body, content_type="application/json")
    problem(reply, 400, "api.body_unread")


@pytest.mark.parametrize("body", ['{"text": "a\\u0000"}', '{"text": "\\ud800"}', '{"a\\u0000": 1}'])
def test_a_body_that_cannot_be_stored_is_refused(client: Client, body: str) -> None:
    reply = client.generic("POST", "/api/v1/schemes/check", body, content_type="application/json")
    problem(reply, 422, "api.body_unstorable")


@pytest.mark.parametrize("body", ["[]", "7", '"text"', "null"])
def test_a_body_that_is_no_object_is_refused(client: Client, body: str) -> None:
    reply = client.generic("POST", "/api/v1/schemes/check", body, content_type="application/json")
    assert reply.status_code == 422


def test_what_is_not_there_is_a_problem_too(client: Client) -> None:
    problem(send(client, "GET", "/nothing"), 404, "api.no_address")
    problem(send(Client(), "GET", "/nothing"), 404, "api.no_address")


def test_an_address_with_nul_is_a_problem_too(client: Client) -> None:
    problem(client.get("/api/v1/studies/owls%00"), 404, "api.no_address")
    problem(client.post("/api/v1/studies/owls%00/snapshots"), 404, "api.no_address")


def test_a_reply_is_given_again_to_the_same_key(client: Client, study: Study) -> None:
    body = {"role": "annotator", "note": "Class of 2026"}
    path = f"/studies/{study.slug}/invitations"
    replies = [send(client, "POST", path, body, **{"idempotency-key": "one"}) for _ in range(2)]
    assert [reply.status_code for reply in replies] == [201, 201]
    assert replies[0].content == replies[1].content
    assert "Idempotent-Replay" not in replies[0]
    assert replies[1]["Idempotent-Replay"] == "true"
    assert study.invitations.filter(note="Class of 2026").count() == 1


def test_a_key_is_for_one_request_only(client: Client, study: Study) -> None:
    path, key = f"/studies/{study.slug}/invitations", {"idempotency-key": "two"}
    send(client, "POST", path, {"note": "a"}, **key)
    problem(send(client, "POST", path, {"note": "b"}, **key), 422, "api.key_used")
    problem(send(client, "POST", "/schemes/check", {"note": "a"}, **key), 422, "api.key_used")


def test_a_refusal_is_kept_as_well(client: Client) -> None:
    replies = [send(client, "POST", "/schemes/check", {"text": "{"}, **{"idempotency-key": "three"}) for _ in "12"]
    for reply in replies:
        problem(reply, 422, "api.scheme_wrong")
    assert replies[1]["Idempotent-Replay"] == "true"


def test_a_key_whose_request_has_not_ended_is_refused(client: Client, admin: Member) -> None:
    send(client, "POST", "/schemes/check", {"preset": "ebr"}, **{"idempotency-key": "four"})
    KeptReply.objects.update(status=None)
    with held_by_another(f"reply {admin.user_id} four"):
        reply = send(client, "POST", "/schemes/check", {"preset": "ebr"}, **{"idempotency-key": "four"})
        problem(reply, 409, "api.key_in_flight")


def test_a_key_whose_process_died_is_taken_up_again(client: Client, study: Study) -> None:
    path, key = f"/studies/{study.slug}/invitations", {"idempotency-key": "six"}
    send(client, "POST", path, {"note": "a"}, **key)
    KeptReply.objects.update(status=None)
    problem(send(client, "POST", path, {"note": "b"}, **key), 422, "api.key_used")
    replies = [send(client, "POST", path, {"note": "a"}, **key) for _ in range(2)]
    assert [reply.status_code for reply in replies] == [201, 201]
    assert ["Idempotent-Replay" in reply for reply in replies] == [False, True]
    assert study.invitations.filter(note="a").count() == 2  # the first one was not known to be done


def test_a_key_is_free_again_after_a_day_and_others_have_theirs(client: Client, admin: Member, study: Study) -> None:
    key = {"idempotency-key": "five"}
    send(client, "POST", "/schemes/check", {"preset": "ebr"}, **key)
    other = program(MemberFactory(study=study, role=Role.RESEARCHER).user)
    assert send(other, "POST", "/schemes/check", {"preset": "flat"}, **key).status_code != 422
    KeptReply.objects.update(begun_at=timezone.now() - timedelta(days=1, seconds=1))
    assert "Idempotent-Replay" not in send(client, "POST", "/schemes/check", {"preset": "ebr"}, **key)


@pytest.mark.parametrize("key", ["", "a b", "x" * 256])
def test_a_key_that_cannot_be_is_refused(client: Client, key: str) -> None:
    reply = send(client, "POST", "/schemes/check", {"preset": "ebr"}, **{"idempotency-key": key})
    problem(reply, 422, "api.key_wrong")


def test_a_change_needs_what_was_read(client: Client, study: Study) -> None:
    path = f"/studies/{study.slug}"
    problem(send(client, "PATCH", path, {"pay": "1 EUR"}), 428, "api.version_needed")
    read = send(client, "GET", path)
    changed = send(client, "PATCH", path, {"pay": "1 EUR"}, **{"if-match": read["ETag"]})
    assert (changed.status_code, changed.json()["pay"]) == (200, "1 EUR")
    problem(send(client, "PATCH", path, {"pay": "2 EUR"}, **{"if-match": read["ETag"]}), 412, "api.version_differs")
    again = send(client, "PATCH", path, {"pay": "2 EUR"}, **{"if-match": changed["ETag"]})
    assert again.json()["pay"] == "2 EUR"


def test_what_moves_while_people_work_makes_no_other_version(client: Client, admin: Member) -> None:
    study = open_study(name="Finches")
    MemberFactory(study=study, role=Role.RESEARCHER, user=admin.user)
    where = f"/studies/{study.slug}/batches/1"
    read = send(client, "GET", where)
    task = claim_assignment(annotator=MemberFactory(study=study), actor=OPERATOR)
    for item in task.hit.items.all():
        submit(task, item)
    again = send(client, "GET", where)
    assert again.json()["submitted"] == read.json()["submitted"] + 1
    deadline = {"deadline_at": "2100-01-01T00:00:00Z"}
    changed = send(client, "PATCH", where, deadline, **{"if-match": read["ETag"]})
    assert changed.status_code == 200
    stale = send(client, "PATCH", where, {"deadline_at": None}, **{"if-match": read["ETag"]})
    problem(stale, 412, "api.version_differs")


def test_what_two_set_up_at_once_is_the_first_ones(client: Client, study: Study) -> None:
    where = f"/studies/{study.slug}/score-destinations/langfuse"
    new = {"address": "https://example.org", "public_key": "pk", "secret": "sk", "aspects": ["correct"]}
    problem(send(client, "PUT", where, new, **{"if-match": "*"}), 412, "api.version_differs")
    made = send(client, "PUT", where, new, **{"if-none-match": "*"})
    assert made.status_code == 200
    problem(send(client, "PUT", where, new, **{"if-none-match": "*"}), 412, "api.version_differs")
    other_key = send(client, "PUT", where, new | {"secret": "other"}, **{"if-match": made["ETag"]})
    assert other_key["ETag"] != made["ETag"], "another key is another version"
    problem(send(client, "PUT", where, new, **{"if-match": made["ETag"]}), 412, "api.version_differs")
    assert send(client, "PUT", where, new).status_code == 200, "as before there were versions of it"


def test_a_list_is_read_page_by_page(client: Client, study: Study) -> None:
    whole = send(client, "GET", f"/studies/{study.slug}/judgments?limit=500").json()
    assert whole["next"] is None
    found, following = [], f"/api/v1/studies/{study.slug}/judgments?limit=7"
    while following:
        page = client.get(following).json()
        found += page["results"]
        following = page["next"]
    assert found == whole["results"]
    assert len(found) == 48


LONG_LIMIT = f"limit=000000500{'0' * 5_000}"
NESTED_CURSOR = f"cursor={b64encode(b'[' * 3_000).decode()}"


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=501", LONG_LIMIT, "limit=²", "cursor=!", "cursor=eyJ9", "cursor=LTE=", NESTED_CURSOR],
    ids=lambda query: query[:16],
)
def test_a_cursor_or_limit_that_cannot_be_is_refused(client: Client, study: Study, query: str) -> None:
    assert send(client, "GET", f"/studies/{study.slug}/judgments?{query}").status_code == 422


def test_fields_are_chosen(client: Client, study: Study) -> None:
    page = send(client, "GET", f"/studies/{study.slug}/judgments?fields=id,values&limit=2").json()
    assert [set(row) for row in page["results"]] == [{"id", "values"}] * 2
    problem(send(client, "GET", f"/studies/{study.slug}/judgments?fields=secret"), 422, "api.field_unknown")


def test_fields_of_one_object_and_of_a_list_that_comes_whole_are_chosen(client: Client, study: Study) -> None:
    address = f"/studies/{study.slug}"
    whole = send(client, "GET", address)
    some = send(client, "GET", f"{address}?fields=name,overlap")
    assert some.json() == {"name": study.name, "overlap": study.overlap}
    assert some["ETag"] == whole["ETag"], "a change goes with it all the same"
    presets = send(client, "GET", "/schemes?fields=key").json()["results"]
    assert {"key": "ebr"} in presets
    for strange in (address, f"{address}/batches/1", "/schemes"):
        problem(send(client, "GET", f"{strange}?fields=secret"), 422, "api.field_unknown")


def test_a_list_comes_as_lines(client: Client, study: Study) -> None:
    whole = send(client, "GET", f"/studies/{study.slug}/judgments?limit=500").json()["results"]
    reply = send(client, "GET", f"/studies/{study.slug}/judgments", accept="application/x-ndjson")
    assert reply["Content-Type"] == "application/x-ndjson"
    assert [json.loads(line) for line in b"".join(reply.streaming_content).splitlines()] == whole


def test_lines_of_judgments_are_the_entries_of_pages(client: Client, study: Study) -> None:
    """They are made another way: whatever a field may hold."""
    first, second, third, *others = Annotation.objects.filter(item__study=study).order_by("pk")
    moment = datetime(2026, 2, 28, 23, 59, 59, tzinfo=UTC)
    Annotation.objects.filter(pk=first.pk).update(seconds=None, created_at=moment, presented=[2, 1, 3])
    Annotation.objects.filter(pk=second.pk).update(seconds=0.1, created_at=moment.replace(microsecond=1200))
    Annotation.objects.filter(pk=third.pk).update(values={"reasons": "梟 “says” \\ \n {x} % 🦉"}, seconds=1e-7)
    Member.objects.filter(pk=others[0].annotator_id).update(pseudonym='A "quoted" 名')
    for query in ("which=all", "fields=id,values", "fields=created_at,annotator,seconds"):
        path = f"/studies/{study.slug}/judgments?limit=500&{query}"
        reply = send(client, "GET", path, accept="application/x-ndjson")
        lines = [json.loads(line) for line in b"".join(reply.streaming_content).splitlines()]
        assert lines == send(client, "GET", path).json()["results"]


def test_who_asks_too_often_is_told_when_to_go_on(client: Client, settings: Any) -> None:
    settings.API_REQUESTS_A_MINUTE = 2
    cache.clear()
    replies = [send(client, "GET", "/schemes") for _ in range(3)]
    assert [reply.status_code for reply in replies] == [200, 200, 429]
    assert [reply["RateLimit-Remaining"] for reply in replies] == ["1", "0", "0"]
    problem(replies[-1], 429, "api.too_many_requests")
    assert 1 <= int(replies[-1]["Retry-After"]) <= 61


def test_who_is_refused_counts_and_is_told_the_limit(study: Study, db: None, settings: Any) -> None:
    settings.API_REQUESTS_A_MINUTE = 2
    cache.clear()
    unknown, reader = with_token("nonsense"), with_token(token_for(MemberFactory(study=study).user, "read"))
    for client, refusal, path in ((unknown, 401, "/studies"), (reader, 403, "/studies")):
        method = "GET" if refusal == 401 else "POST"
        replies = [send(client, method, path, {"name": "x"} if method == "POST" else None) for _ in range(3)]
        assert [reply.status_code for reply in replies] == [refusal, refusal, 429]
        assert [reply["RateLimit-Remaining"] for reply in replies] == ["1", "0", "0"]


def test_what_is_to_go_is_marked(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Deprecation" not in send(client, "GET", "/schemes")
    monkeypatch.setattr(ApiView, "deprecation", Deprecation(since=date(2026, 1, 1), sunset=date(2026, 7, 1)))
    reply = send(client, "GET", "/schemes")
    assert reply["Deprecation"] == f"@{int(datetime(2026, 1, 1, tzinfo=UTC).timestamp())}"
    assert reply["Sunset"] == "Wed, 01 Jul 2026 00:00:00 GMT"


def test_a_token_is_kept_as_a_hash_and_its_use_is_noted(admin: Member, db: None) -> None:
    secret = token_for(admin.user, "read")
    token = ApiToken.objects.get(user=admin.user, scopes=["read"])
    assert secret not in str(vars(token))
    assert token.last_used_at is None
    client = with_token(secret)
    send(client, "GET", "/studies")
    token.refresh_from_db()
    used = token.last_used_at
    assert used is not None
    send(client, "GET", "/studies")
    token.refresh_from_db()
    assert token.last_used_at == used


def test_a_token_opens_nothing_once_it_is_revoked_or_too_old_or_its_owner_may_not_sign_in(db: None) -> None:
    user = UserFactory()
    secret = token_for(user, "read", days=1)
    client, token = with_token(secret), ApiToken.objects.get(user=user)
    assert send(client, "GET", "/studies").status_code == 200
    ApiToken.objects.update(expires_at=timezone.now())
    problem(send(client, "GET", "/studies"), 401, "api.token_not_valid")
    ApiToken.objects.update(expires_at=None)
    user.is_active = False
    user.save()
    problem(send(client, "GET", "/studies"), 401, "api.token_not_valid")
    user.is_active = True
    user.save()
    revoke_token(token=token, actor=OPERATOR)
    problem(send(client, "GET", "/studies"), 401, "api.token_not_valid")


def test_a_browser_needs_the_mark_of_our_pages(admin: Member, db: None) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(admin.user)
    assert send(client, "GET", "/studies").status_code == 200
    assert send(client, "POST", "/schemes/check", {"preset": "ebr"}).status_code == 403
    client.get("/my-account/")
    mark = client.cookies["csrftoken"].value
    reply = send(client, "POST", "/schemes/check", {"preset": "ebr"}, **{"x-csrftoken": mark})
    assert reply.status_code == 200


def test_the_history_says_by_which_token(client: Client, study: Study, admin: Member) -> None:
    send(client, "POST", f"/studies/{study.slug}/invitations", {})
    event = Event.objects.filter(study=study.pk).latest("pk")
    assert event.via == f"token {ApiToken.objects.filter(user=admin.user).latest('pk').prefix}"
    newest = send(client, "GET", f"/studies/{study.slug}/events?limit=1").json()["results"][0]
    assert (newest["verb"], newest["who"], newest["via"]) == ("member.invited", admin.pseudonym, event.via)


def test_a_study_of_others_is_as_if_it_were_not_there(client: Client) -> None:
    other = open_study(name="Finches")
    assert send(client, "GET", f"/studies/{other.slug}").json() == {**send(client, "GET", "/studies/nowhere").json()}


def test_a_slash_at_the_end_makes_no_difference(client: Client, study: Study) -> None:
    path = f"/studies/{study.slug}"
    assert send(client, "GET", f"{path}/").json() == send(client, "GET", path).json()
    page = send(client, "GET", f"{path}/judgments/?limit=7").json()
    assert page == send(client, "GET", f"{path}/judgments?limit=7").json()
    assert send(client, "POST", f"{path}/invitations/", {}).status_code == 201
    problem(send(client, "GET", "/nothing/"), 404, "api.no_address")
    problem(send(Client(), "GET", f"{path}/"), 401, "api.not_signed_in")


def test_a_slash_at_the_end_lets_no_browser_by_without_the_mark_of_our_pages(admin: Member, db: None) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(admin.user)
    assert send(browser, "POST", "/schemes/check/", {"preset": "ebr"}).status_code == 403
