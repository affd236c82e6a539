"""Carrying a study's judgments over to another version of its scheme, in pieces that others can write between.

The new revisions are stored beside the old ones, numbered 0 and so known to nobody (``Annotation.every``). When all
are there, one short step numbers them, lets them count instead of the old ones, and gives the study its new version.
What was judged meanwhile is found in that step, and carried too.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import partial
from typing import Any, NamedTuple

from django.conf import settings
from django.db import DatabaseError
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from annotation_platform.annotations.models import Annotation, Draft
from annotation_platform.annotations.services import store_judgments
from annotation_platform.core.errors import ConflictError
from annotation_platform.core.schemes import ItemShape, Scheme
from annotation_platform.core.schemes.migration import Carried, SchemeChanges, carry_draft, carry_over, unanswered
from annotation_platform.jobs.transactions import Write, in_short_transaction
from annotation_platform.studies.models import Assignment, SchemeVersion, Study
from annotation_platform.studies.selectors import item_shapes

JUDGMENTS_AT_ONCE = 500
UNDER_WAY = 0  # the revision number of what is still being carried


class AdoptionUnderWayError(ConflictError):
    """Another version of the scheme is being adopted at this moment."""

    def __init__(self) -> None:
        super().__init__("annotations.adoption_under_way")


@contextmanager
def alone_at(study: Study) -> Iterator[Write]:
    """Keep others from carrying the study's judgments; write in here with what this gives.

    What was not finished is cleared away afterwards, and what a killed process left is cleared by the next one.

    Raises
    ------
    AdoptionUnderWayError
        When somebody else is at it, here or once this stood still for too long.
    """
    at = timezone.now()
    stale = at - timedelta(seconds=settings.RUN_STALE_AFTER_SECONDS)
    mine = Study.objects.filter(Q(adopting_at=None) | Q(adopting_at__lt=stale), pk=study.pk)
    if not in_short_transaction(lambda: mine.update(adopting_at=at)):
        raise AdoptionUnderWayError

    def write(work: Callable[[], Any]) -> Any:
        nonlocal at
        now = timezone.now()

        def alive() -> Any:
            if not Study.objects.filter(pk=study.pk, adopting_at=at).update(adopting_at=now):
                raise AdoptionUnderWayError
            return work()

        result = in_short_transaction(alive)
        at = now
        return result

    try:
        _clear(study, write)
        yield write
    finally:
        with suppress(DatabaseError, AdoptionUnderWayError):  # somebody else has it by now, or the sweep clears it
            if Study.objects.filter(pk=study.pk, adopting_at=at).exists():
                _clear(study, write)
                write(lambda: Study.objects.filter(pk=study.pk).update(adopting_at=None))


def clear_left_behind() -> None:
    """Clear away what killed processes left."""
    stale = timezone.now() - timedelta(seconds=settings.RUN_STALE_AFTER_SECONDS)
    for study in Study.objects.filter(adopting_at__lt=stale):
        with suppress(AdoptionUnderWayError), alone_at(study):
            pass


class _Carried(NamedTuple):
    """A judgment, and what carries over of it."""

    judgment: Annotation
    result: Carried
    shape: ItemShape


class _Last(NamedTuple):
    """What an attempt to finish came to: what it carried, and what counts no more though it was carried before."""

    is_finished: bool
    carried: Sequence[_Carried]
    gone: Set[int]


class Move:
    """The judgments and drafts of a study on their way to another version of its scheme.

    ``kinds`` counts what became of the judgments, ``lost`` why values did not carry over.
    """

    def __init__(self, study: Study, changes: SchemeChanges, version: SchemeVersion) -> None:
        self.kinds: Counter[str] = Counter()
        self.lost: Counter[str] = Counter()
        self.drafts = 0
        self.version = version
        self._study, self._changes = study, changes
        self._scheme, self._shapes = version.scheme(), item_shapes(study)
        self._seen: set[int] = set()

    def rehearse(self) -> None:
        """Count only."""
        for some in _chunks(self._counting()):
            self._note(self._look_at(some))
        self.drafts = Draft.objects.filter(item__study=self._study).count()

    def carry_out(self, write: Write) -> None:
        """Carry all over, and give the study its new version."""
        while not (last := write(self._try_to_finish)).is_finished:
            self._note(last.carried, last.gone)
            for some in _chunks(self._counting() - self._seen):
                self._note(write(partial(self._store, some)))
        self._note(last.carried, last.gone)

    def _counting(self) -> set[int]:
        """The judgments that count under the old version."""
        return set(self._old().values_list("pk", flat=True))

    def _old(self) -> QuerySet[Annotation]:
        return Annotation.objects.current().filter(
            item__study=self._study, scheme_version=self._study.scheme_version_id
        )

    def _look_at(self, keys: Sequence[int]) -> list[_Carried]:
        found = []
        for judgment in Annotation.objects.filter(pk__in=keys).order_by("pk"):
            shape = self._shapes[judgment.item_id]
            result = carry_over(judgment.values, new=self._scheme, changes=self._changes, shape=shape)
            found.append(_Carried(judgment, result, shape))
        return found

    def _store(self, keys: Sequence[int]) -> list[_Carried]:
        carried = self._look_at(keys)
        revisions = [(_revision(each, self.version), each.shape) for each in carried if each.result.values]
        store_judgments(scheme=self._scheme, judgments=revisions)
        return carried

    def _try_to_finish(self) -> _Last:
        """Let the new revisions count, unless many judgments are left to carry."""
        places = Assignment.objects.filter(hit__batch__study=self._study).select_for_update().order_by("pk")
        list(places.values_list("pk"))  # a submission under way is in before, or sees the new version
        counting = self._counting()
        under_way(self._study).filter(carried_from__is_current=False).delete()
        gone, new = self._seen - counting, counting - self._seen
        if len(new) > JUDGMENTS_AT_ONCE:
            return _Last(False, [], gone)
        carried = self._store(sorted(new))
        self._old().update(is_current=False)
        under_way(self._study).update(is_current=True, revision=_last_revision() + 1)
        self.drafts = _carry_drafts(self._study, self._changes)
        Study.objects.filter(pk=self._study.pk).update(scheme_version=self.version, adopting_at=None)
        return _Last(True, carried, gone)

    def _note(self, carried: Sequence[_Carried], gone: Set[int] = frozenset()) -> None:
        self._seen.update(each.judgment.pk for each in carried)
        self._count(carried, 1)
        self._count(self._look_at(sorted(gone)), -1)
        self._seen -= gone

    def _count(self, carried: Sequence[_Carried], times: int) -> None:
        for each in carried:
            for kind in _kinds(each, self._scheme):
                self.kinds[kind] += times
            for key, reason in each.result.lost.items():
                self.lost[f"{key.partition('.')[0]}: {reason}"] += times


def under_way(study: Study) -> QuerySet[Annotation]:
    """Revisions of a study that are being carried over."""
    return Annotation.every.filter(item__study=study, revision=UNDER_WAY)


def _clear(study: Study, write: Write) -> None:
    while some := list(under_way(study).values_list("pk", flat=True)[:JUDGMENTS_AT_ONCE]):
        write(Annotation.every.filter(pk__in=some).delete)


def _chunks(keys: set[int]) -> Iterator[list[int]]:
    ordered = sorted(keys)
    return (ordered[first : first + JUDGMENTS_AT_ONCE] for first in range(0, len(ordered), JUDGMENTS_AT_ONCE))


def _kinds(carried: _Carried, scheme: Scheme) -> Iterator[str]:
    result = carried.result
    yield "all"
    yield "left" if not result.values else "partly" if result.lost else "whole"
    if result.values and unanswered(result.values, scheme, carried.shape):
        yield "incomplete"
    if result.broken:
        yield "earlier_rules"


def _revision(carried: _Carried, version: SchemeVersion) -> Annotation:
    old = carried.judgment
    return Annotation(
        assignment_id=old.assignment_id,
        item_id=old.item_id,
        annotator_id=old.annotator_id,
        revision=UNDER_WAY,
        is_current=False,
        scheme_version=version,
        values=carried.result.values,
        under_earlier_rule=sorted(carried.result.broken),
        presented=old.presented,
        seconds=old.seconds,
        created_at=old.created_at,
        carried_from=old,
    )


def _last_revision() -> Subquery:
    """The number of the last revision of a judgment by the same person in the same place."""
    same = Annotation.every.filter(
        assignment=OuterRef("assignment"), item=OuterRef("item"), annotator=OuterRef("annotator")
    )
    return Subquery(same.order_by("-revision").values("revision")[:1])


def _carry_drafts(study: Study, changes: SchemeChanges) -> int:
    drafts = list(Draft.objects.filter(item__study=study))
    changed = [draft for draft in drafts if carry_draft(draft.values, changes) != draft.values]
    for draft in changed:
        draft.values = carry_draft(draft.values, changes)
        draft.version += 1  # a page that was open before must not save over it
    Draft.objects.bulk_update(changed, ["values", "version"], batch_size=1_000)
    return len(drafts)
