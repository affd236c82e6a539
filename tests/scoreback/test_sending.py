"""Scores go to real sockets: each program's own API, once, as often as it takes, and no further than one may."""

from collections.abc import Iterator
from copy import deepcopy
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotation_platform.accounts.models import Event
from annotation_platform.accounts.verbs import Verb
from annotation_platform.annotations.migrating import migrate_scheme
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.jobs.contract import run_job
from annotation_platform.jobs.outbox import posting
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoreback import sending as job
from annotation_platform.scoreback import services
from annotation_platform.scoreback.models import ScoreDestination, ScoreSending, SentScore, What
from annotation_platform.scoreback.previewing import preview_of
from annotation_platform.scoreback.sending import SENDINGS
from annotation_platform.studies.models import Study
from tests.factories import OPERATOR
from tests.scoreback.worlds import destination_for, judged_study, send, traces_of
from tests.servers import score_takers
from tests.servers.score_takers import ScoreTakers

pytestmark = [pytest.mark.django_db, pytest.mark.storage]
State = SentScore.State


@pytest.fixture(scope="module")
def studies(module_db: None) -> dict[str, Study]:
    return {tool: judged_study(tool) for tool in ("langfuse", "phoenix", "langsmith", "otel")}


@pytest.fixture(autouse=True)
def private_addresses(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.WEBHOOK_PRIVATE_ADDRESSES = True
    monkeypatch.setattr(job, "SHORT_WAITS", (0.01, 0.01))


@pytest.fixture
def takers() -> Iterator[ScoreTakers]:
    with ScoreTakers() as server:
        yield server


def test_the_same_aspects_go_back_after_the_scheme_has_other_keys(takers: ScoreTakers) -> None:
    study = judged_study("langfuse")
    destination = destination_for(study, "langfuse", takers.url, aspects=["tone"])
    definition = deepcopy(study.scheme_version.definition)
    quality, tone, why = definition["aspects"]
    quality["key"], tone["key"], why["explains"] = "stars", "mood", ["stars"]
    renamings = ["quality = stars", "tone = mood"]
    migrate_scheme(study=study, definition=definition, renamings=renamings, actor=OPERATOR)
    destination = ScoreDestination.objects.get(pk=destination.pk)
    assert destination.aspects == ["mood"]
    send(destination)
    assert {each["name"] for each in takers.scores["langfuse"].values()} == {"mood"}
    event = Event.objects.filter(verb=Verb.SCORES_DESTINATION_SAVED).latest("pk")
    assert event.change["aspects"] == ["tone", "mood"]


def test_no_scores_of_an_aspect_that_is_gone_are_to_go_back(takers: ScoreTakers) -> None:
    study = judged_study("langfuse")
    before = Study.objects.select_related("scheme_version").get(pk=study.pk)
    definition = deepcopy(study.scheme_version.definition)
    definition["aspects"][1]["key"] = "mood"
    migrate_scheme(study=study, definition=definition, renamings=["tone = mood"], actor=OPERATOR)
    with pytest.raises(InvalidInputError, match="tone"):
        destination_for(before, "langfuse", takers.url, aspects=["tone"])


def test_langfuse_gets_the_mean_of_numbers_and_the_label_of_most(
    studies: dict[str, Study], takers: ScoreTakers
) -> None:
    study = studies["langfuse"]
    sending = send(destination_for(study, "langfuse", takers.url, with_comments=True))
    assert (sending.status, sending.counts) == (JobStatus.DONE, {"sent": 4, "refused": 0})
    traces = {each.trace: each for each in traces_of(study)}
    kept = list(takers.scores["langfuse"].values())
    assert {each["traceId"] for each in kept} == traces.keys()
    stars = next(each for each in kept if each["name"] == "quality")
    assert (stars["value"], stars["dataType"], stars["observationId"]) == (
        *(pytest.approx(11 / 3, abs=1e-6), "NUMERIC"),
        traces[stars["traceId"]].span,
    )
    assert stars["comment"] == "A: A says so.\n\nB: B says so.\n\nC: C says so."
    assert stars["metadata"] == {"study": study.slug, "judgments": 3}
    tone = next(each for each in kept if each["name"] == "tone")
    assert (tone["value"], tone["dataType"]) == ("Dry", "CATEGORICAL")
    assert "comment" not in tone  # no text explains it


def test_phoenix_gets_each_judgment_as_an_annotation_of_its_span(
    studies: dict[str, Study], takers: ScoreTakers
) -> None:
    study = studies["phoenix"]
    send(destination_for(study, "phoenix", takers.url, aspects=["quality"], what=What.EACH))
    kept = list(takers.scores["phoenix"].values())
    assert len(kept) == 6
    assert {each["span_id"] for each in kept} == {each.span for each in traces_of(study)}
    found = {each["metadata"]["annotator"]: each["result"] for each in kept}
    assert found == {"A": {"score": 5, "label": "5"}, "B": {"score": 4, "label": "4"}, "C": {"score": 2, "label": "2"}}
    assert {each["annotator_kind"] for each in kept} == {"HUMAN"}


def test_langsmith_gets_feedback_under_ids_of_ours(studies: dict[str, Study], takers: ScoreTakers) -> None:
    study = studies["langsmith"]
    send(destination_for(study, "langsmith", takers.url, aspects=["quality"]))
    (first, second) = takers.scores["langsmith"].values()
    assert (first["score"], first["key"], first["session_id"]) == (3.6667, "quality", traces_of(study)[0].project)
    assert {first["run_id"], second["run_id"]} == {each.span for each in traces_of(study)}


def test_spans_of_opentelemetry_are_known_to_langfuse_and_phoenix(
    studies: dict[str, Study], takers: ScoreTakers
) -> None:
    study = studies["otel"]
    for program in ("langfuse", "phoenix"):
        send(destination_for(study, program, takers.url))
        assert len(takers.scores[program]) == 4
    assert preview_of(destination_for(study, "langsmith", takers.url)).traced == 0


@pytest.mark.parametrize("program", ["langfuse", "phoenix", "langsmith"])
def test_what_is_there_is_not_sent_again_and_what_changed_takes_its_place(
    studies: dict[str, Study], takers: ScoreTakers, program: str
) -> None:
    destination = destination_for(studies[program], program, takers.url, aspects=["quality"])
    assert preview_of(destination).to_send == 2
    send(destination)
    asked = len(takers.requests)
    assert send(destination).counts == {"sent": 0, "refused": 0}
    assert len(takers.requests) == asked
    assert dict(preview_of(destination).counts) == {"there": 2}
    changed = destination_for(studies[program], program, takers.url, aspects=["quality"], with_comments=True)
    assert dict(preview_of(changed).counts) == {"changed": 2}
    assert send(changed).counts == {"sent": 2, "refused": 0}
    kept = list(takers.scores[program].values())
    assert len(kept) == 2  # and not four
    assert "A says so." in str(kept[0])


def test_another_server_or_account_gets_all_of_it(
    studies: dict[str, Study], takers: ScoreTakers, monkeypatch: pytest.MonkeyPatch
) -> None:
    def destination(takers: ScoreTakers, public_key: str = score_takers.PUBLIC) -> ScoreDestination:
        return destination_for(studies["langfuse"], "langfuse", takers.url, aspects=["quality"], public_key=public_key)

    send(destination(takers))
    with ScoreTakers() as other:
        there = destination(other)
        assert dict(preview_of(there).counts) == {"new": 2}
        assert send(there).counts == {"sent": 2, "refused": 0}
        assert len(other.scores["langfuse"]) == 2
        assert dict(preview_of(there).counts) == {"there": 2}
        monkeypatch.setattr(score_takers, "PUBLIC", "pk-lf-of-another")
        other.scores["langfuse"].clear()
        of_another = destination(other, "pk-lf-of-another")
        assert dict(preview_of(of_another).counts) == {"new": 2}
        assert send(of_another).counts == {"sent": 2, "refused": 0}
        assert len(other.scores["langfuse"]) == 2


def test_a_refused_score_is_noted_with_the_words_and_the_others_go(
    studies: dict[str, Study], takers: ScoreTakers
) -> None:
    study = studies["phoenix"]
    takers.unknown = {traces_of(study)[0].span}
    destination = destination_for(study, "phoenix", takers.url, aspects=["quality"])
    sending = send(destination)
    assert (sending.status, sending.counts) == (JobStatus.DONE, {"sent": 1, "refused": 1})
    refused = destination.scores.get(state=State.REFUSED)
    assert refused.status == 404
    assert "do not exist" in refused.reply
    takers.unknown = set()
    assert send(destination).counts == {"sent": 1, "refused": 0}  # a later sending tries it again


def test_a_wrong_key_ends_it_at_the_first_score(studies: dict[str, Study], takers: ScoreTakers) -> None:
    for program in ("langfuse", "phoenix", "langsmith"):
        before = len(takers.requests)
        sending = send(destination_for(studies[program], program, takers.url, secret="wrong"))
        assert sending.status == JobStatus.FAILED
        assert "does not accept the key" in str(sending.error)
        assert len(takers.requests) == before + 1
        assert not sending.scores.exists()


@pytest.mark.parametrize("mood", [(429, 0.02), 503, "cut"], ids=str)
def test_a_short_rest_is_waited_for(studies: dict[str, Study], takers: ScoreTakers, mood: Any) -> None:
    takers.moods += [None, mood]
    sending = send(destination_for(studies["langfuse"], "langfuse", takers.url))
    assert (sending.status, sending.counts["sent"], len(takers.scores["langfuse"])) == (JobStatus.DONE, 4, 4)


def test_a_long_rest_is_a_pause_after_which_it_goes_on_where_it_was(
    studies: dict[str, Study], takers: ScoreTakers
) -> None:
    takers.moods += [None, (429, 3_600)]
    sending = send(destination_for(studies["langfuse"], "langfuse", takers.url))
    assert (sending.status, sending.counts["sent"], sending.failures) == (JobStatus.PAUSED, 1, 1)
    assert sending.due_at is not None
    assert timezone.now() + timedelta(minutes=59) < sending.due_at < timezone.now() + timedelta(minutes=61)
    job.resume_due()
    sending.refresh_from_db()
    assert sending.status == JobStatus.PAUSED  # not yet
    ScoreSending.objects.update(due_at=timezone.now())
    job.resume_due()
    assert sending.pk in SENDINGS.rows.hand_out()
    run_job(SENDINGS, sending.pk)
    sending.refresh_from_db()
    assert (sending.status, sending.counts["sent"], sending.failures) == (JobStatus.DONE, 4, 0)
    assert len(takers.requests) == 5  # the first one did not go twice


def test_a_server_that_stays_broken_is_given_up(
    studies: dict[str, Study], takers: ScoreTakers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job, "PAUSES", [timedelta(0)])
    takers.moods += [500] * 6
    sending = send(destination_for(studies["langfuse"], "langfuse", takers.url))
    assert "out of order" in str(sending.error)
    job.resume_due()
    run_job(SENDINGS, sending.pk)
    sending.refresh_from_db()
    assert sending.status == JobStatus.FAILED
    assert "still takes nothing" in str(sending.error)


def test_a_silent_server_is_not_waited_for(
    studies: dict[str, Study], takers: ScoreTakers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job, "SHORT_WAITS", ())
    monkeypatch.setattr(job, "post", lambda *given, **named: posting.post(*given, **named, whole_seconds=0.2))
    takers.moods.append("silent")
    sending = send(destination_for(studies["langfuse"], "langfuse", takers.url))
    assert sending.status == JobStatus.PAUSED
    assert "no whole answer" in str(sending.error)


def test_private_addresses_are_not_reached_unless_the_operator_allows_them(
    studies: dict[str, Study], takers: ScoreTakers, settings: Any
) -> None:
    destination = destination_for(studies["langfuse"], "langfuse", takers.url)
    settings.WEBHOOK_PRIVATE_ADDRESSES = False
    with pytest.raises(InvalidInputError):
        destination_for(studies["langfuse"], "langfuse", "https://127.0.0.1")
    assert send(destination).counts["sent"] == 0
    assert not takers.requests


def test_very_many_refusals_end_it(
    studies: dict[str, Study], takers: ScoreTakers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job, "MOST_REFUSED", 2)
    takers.moods += [400, 400]
    sending = send(destination_for(studies["langfuse"], "langfuse", takers.url))
    assert (sending.status, sending.counts) == (JobStatus.FAILED, {"sent": 0, "refused": 2})


@pytest.mark.django_db(transaction=True)
def test_a_paused_one_goes_on_at_once_or_is_stopped(takers: ScoreTakers) -> None:
    destination = destination_for(judged_study("langfuse"), "langfuse", takers.url)
    takers.moods.append((429, 3_600))
    sending = send(destination)
    services.resume_sending(sending=sending, actor=OPERATOR)
    run_job(SENDINGS, sending.pk)
    sending.refresh_from_db()
    assert (sending.status, sending.counts["sent"], sending.done) == (JobStatus.DONE, 4, 4)
    with pytest.raises(ConflictError):
        services.stop_sending(sending=sending, actor=OPERATOR)
    with pytest.raises(ConflictError):
        services.resume_sending(sending=sending, actor=OPERATOR)
    last = services.request_sending(destination=destination, actor=OPERATOR)
    services.stop_sending(sending=last, actor=OPERATOR)
    last.refresh_from_db()
    assert last.status == JobStatus.FAILED


def test_only_one_sending_is_under_way(studies: dict[str, Study], takers: ScoreTakers) -> None:
    destination = destination_for(studies["langfuse"], "langfuse", takers.url)
    first = services.request_sending(destination=destination, actor=OPERATOR)
    assert services.request_sending(destination=destination, actor=OPERATOR) == first
    with pytest.raises(ConflictError):
        services.delete_destination(destination=destination, actor=OPERATOR)
    services.stop_sending(sending=first, actor=OPERATOR)
    assert services.request_sending(destination=destination, actor=OPERATOR) != first


def test_events_tell_what_was_sent_and_never_the_key(studies: dict[str, Study], takers: ScoreTakers) -> None:
    study = studies["langfuse"]
    destination = destination_for(study, "langfuse", takers.url)
    send(destination)
    events = Event.objects.filter(study=study.pk, verb__startswith="scores.")
    assert [each.verb for each in events.order_by("pk")] == [
        *(Verb.SCORES_DESTINATION_SAVED, Verb.SCORES_SENDING_REQUESTED, Verb.SCORES_SENT)
    ]
    assert events.get(verb=Verb.SCORES_SENT).change["sent"] == [None, 4]
    assert "sk-of" not in str([each.change for each in events])
    assert "sk-of" not in destination.encrypted_secret


def test_a_key_does_not_follow_to_another_address(studies: dict[str, Study], takers: ScoreTakers) -> None:
    destination_for(studies["langfuse"], "langfuse", takers.url)
    with pytest.raises(InvalidInputError, match="former address"):
        destination_for(studies["langfuse"], "langfuse", "https://example.org", secret="")


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"aspects": []}, "at least one"),
        ({"aspects": ["why"]}, "no aspect"),
        ({"secret": ""}, "Enter the key"),
        ({"secret": "a b"}, "without blanks"),
        ({"public_key": ""}, "Public key"),
        ({"what": "all"}, "none of what"),
    ],
)
def test_what_cannot_be_is_refused(studies: dict[str, Study], wrong: dict[str, Any], why: str) -> None:
    with pytest.raises(InvalidInputError, match=why):
        destination_for(studies["langfuse"], "langfuse", "https://example.org", **wrong)


def test_keys_are_encrypted_anew_with_the_others(studies: dict[str, Study]) -> None:
    before = destination_for(studies["langfuse"], "langfuse", "https://example.org").encrypted_secret
    assert services.rotate_keys() >= 1
    assert studies["langfuse"].score_destinations.get(program="langfuse").encrypted_secret != before
