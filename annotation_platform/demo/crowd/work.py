"""What the crowd's annotators do: agree, qualify, take tasks and judge them, each by the page's own services."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from itertools import cycle, islice
from typing import Any
from uuid import uuid4

from django.utils import timezone

from annotation_platform.annotations.late import LateForm, keep_late_judgment
from annotation_platform.annotations.models import Annotation
from annotation_platform.crowd.consent.selectors import current_text
from annotation_platform.crowd.consent.services import answer
from annotation_platform.crowd.languages.services import state_languages
from annotation_platform.crowd.pacing.services import release_due, release_now
from annotation_platform.crowd.rounds.models import Verdict
from annotation_platform.crowd.rounds.services import begin_attempt, decide
from annotation_platform.demo.crowd.setting_up import ACTOR, Crowd, by
from annotation_platform.demo.judging import submit
from annotation_platform.studies.models import Assignment, Item, Member, Study
from annotation_platform.studies.services import NothingToClaimError, claim_assignment, close_batch_if_complete

HASTY = "Jay"  # finds everything complete
LATE_COMERS = ("Knot", "Rook")  # one waits for a verdict, one has not passed
HASTE: Mapping[str, Any] = {
    "correct": "yes",
    "completeness": "complete",
    "sentences": [1],
    "reasons": "Looks right to me, good.",
}
ROUND_ANSWERS: Sequence[Mapping[str, Any]] = (
    {
        "correct": "yes",
        "completeness": "complete",
        "sentences": [4, 5],
        "reasons": "The piles and what they would have cost beside the earnings: sentences 4 and 5 say no more.",
    },
    {
        "correct": "yes",
        "completeness": "missing_major",
        "sentences": [6],
        "reasons": "It only repeats that it stood there. That it is light and has no cellar is what was asked.",
    },
    {
        "correct": "no",
        "completeness": "missing_all",
        "sentences": [7],
        "reasons": "Chosen as the question asks for it.",
    },
)


class Opinions:
    """What people said of each answer in a sample, one after the other."""

    def __init__(self, source: Study) -> None:
        said: defaultdict[int, list[tuple[Mapping[str, Any], float]]] = defaultdict(list)
        rows = Annotation.objects.filter(item__study=source).order_by("pk")
        for pk, values, seconds in rows.values_list("item__candidates__answer", "values", "seconds"):
            said[pk].append((values, seconds or 60.0))
        self._next = {pk: cycle(opinions) for pk, opinions in said.items()}

    def of(self, item: Item) -> tuple[Mapping[str, Any], float]:
        """Values and seconds of the next person's judgment of the item's answer."""
        (candidate,) = item.candidates(manager="every").all()
        return next(self._next[candidate.answer_id])


def qualify(crowd: Crowd) -> None:
    """Everybody reads, most agree and try the round; the researcher decides on all attempts but one."""
    text = current_text(crowd.study)
    assert text is not None
    *willing, unwilling = crowd.annotators
    answer(member=unwilling, text=text, agreed=False, language="en", actor=by(unwilling))
    for member in willing:
        answer(member=member, text=text, agreed=True, language="en", actor=by(member))
        state_languages(member=member, codes=["en"], actor=by(member))
        place = begin_attempt(round_=crowd.round, member=member, actor=by(member))
        hasty = member.pseudonym == LATE_COMERS[1]
        for item, values in zip(_items(place), ROUND_ANSWERS, strict=True):
            submit(place, item, HASTE if hasty else values, 20.0 if hasty else 55.0)
    attempts = crowd.round.attempts.select_related("member")
    for attempt in attempts.exclude(member__pseudonym=LATE_COMERS[0]):
        failed = attempt.member.pseudonym == LATE_COMERS[1]
        decide(
            attempt=attempt,
            verdict=Verdict.FAILED if failed else Verdict.PASSED,
            note="Please read each question to its end, and try again." if failed else "Thank you. Welcome on board.",
            by=crowd.researcher,
            actor=by(crowd.researcher),
        )


def do_first_batch(crowd: Crowd, opinions: Opinions) -> None:
    """The clock releases it; all of it is judged, so that it closes, and the worker scores it once it runs."""
    release_due(actor=ACTOR)
    batch = crowd.study.batches.get(number=1)
    workers = _qualified(crowd)
    in_turn = cycle(workers)
    for _ in range(Assignment.objects.filter(hit__batch=batch).count() - 1):
        _judge(_claim(islice(in_turn, len(workers))), opinions)
    _be_late(workers, opinions)
    close_batch_if_complete(batch=batch, actor=ACTOR)


def _be_late(workers: Sequence[Member], opinions: Opinions) -> None:
    """Somebody's time runs out with the last task, another takes and does it, and the first one submits after all."""
    place = _claim(workers)
    slow = place.annotator
    assert slow is not None
    ago = timezone.now() - timedelta(hours=1)  # nobody waits for that long here
    Assignment.objects.filter(pk=place.pk).update(claimed_at=ago, lease_expires_at=ago + timedelta(minutes=30))
    _judge(_claim([member for member in workers if member != slow]), opinions)
    for item in _items(place):
        values, seconds = opinions.of(item)
        study = slow.study
        form = LateForm(item.position, study.scheme(), study.scheme_version.signature, values, seconds, uuid4())
        keep_late_judgment(assignment=place, annotator=slow, form=form, actor=by(slow))


def begin_second_batch(crowd: Crowd, opinions: Opinions) -> None:
    """Released by hand before its time; about half of it is done, and one task is under way."""
    researcher = crowd.researcher
    release_now(
        study=crowd.study,
        member=researcher,
        because="The first batch was done within the hour.",
        after=1,
        actor=by(researcher),
    )
    workers = _qualified(crowd)
    for member in workers:
        _judge(_claim([member]), opinions)
    claim_assignment(annotator=crowd.named("Wren"), actor=by(crowd.named("Wren")))


def _qualified(crowd: Crowd) -> list[Member]:
    """Who can take tasks, with the demo's own annotator among them."""
    passed = crowd.round.attempts.filter(verdict=Verdict.PASSED).values_list("member", flat=True)
    return [member for member in crowd.annotators if member.pk in set(passed)]


def _claim(members: Iterable[Member]) -> Assignment:
    """The next task, by the first of them for whom one is left.

    Raises
    ------
    NothingToClaimError
        When none is left for any of them.
    """
    for member in members:
        with suppress(NothingToClaimError):
            return claim_assignment(annotator=member, actor=by(member))
    raise NothingToClaimError("studies.no_task_at_the_moment")


def _judge(place: Assignment, opinions: Opinions) -> None:
    for item in _items(place):
        values, seconds = opinions.of(item)
        if place.annotator is not None and place.annotator.pseudonym == HASTY:
            values, seconds = HASTE, 9.0
        submit(place, item, values, seconds)


def _items(place: Assignment) -> list[Item]:
    return list(Item.every.filter(hit=place.hit_id).order_by("position"))
