"""Migrating a study's judgments to another version of its scheme, in pieces that others can write between.

The new revisions are stored beside the old ones, numbered 0 and so known to nobody (``Annotation.every``). When all
are there, one short step numbers them, lets them count instead of the old ones, and gives the study its new version.
What was judged meanwhile is found in that step, and migrated too. Broken off and begun again, it goes on behind what is
stored already.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, NamedTuple, Self

from django.db.models import OuterRef, QuerySet, Subquery

from annotation_platform.annotations.models import Annotation, Draft
from annotation_platform.annotations.services import store_judgments
from annotation_platform.core.reasons import Reason, as_data, from_data
from annotation_platform.core.schemes import ItemShape, Scheme
from annotation_platform.core.schemes.migration import (
    MigratedValues,
    SchemeChanges,
    migrate_draft,
    migrate_values,
    unanswered,
)
from annotation_platform.jobs.transactions import Write
from annotation_platform.studies.models import Assignment, SchemeVersion, Study
from annotation_platform.studies.selectors import item_shapes

JUDGMENTS_AT_ONCE = 500
UNDER_WAY = 0  # the revision number of what is still being migrated

Steps = Callable[[int, int], None]
"""Hears how many judgments were just done, and how many there are."""


@dataclass(frozen=True)
class MigrationCounts:
    """What became, or would become, of a study's judgments."""

    judgments: int = 0
    """Current judgments before."""
    whole: int = 0
    """Of these: migrated with all they said …"""
    partly: int = 0
    """… migrated with a part of it …"""
    left: int = 0
    """… and those of which nothing fits: they stay under the old version and count no more."""
    incomplete: int = 0
    """Migrated, but the new version requires an answer that they do not have."""
    earlier_rules: int = 0
    """Migrated with an answer that the new version would not accept today; it is kept, and marked."""
    drafts: int = 0
    lost: Mapping[str, int] = field(default_factory=dict)
    """Aspect and reason → how many values did not migrate."""

    @property
    def lines(self) -> list[str]:
        """The counts in words, as reasons."""
        lines = [Reason("annotations.migrated_whole", whole=self.whole, judgments=self.judgments)]
        for code, count in (
            ("annotations.migrated_partly", self.partly),
            ("annotations.migrated_nothing", self.left),
            ("annotations.migrated_incomplete", self.incomplete),
            ("annotations.migrated_earlier_rules", self.earlier_rules),
        ):
            if count:
                lines.append(Reason(code, count=count))
        lines += [Reason("annotations.values_lost", count=count, what=what) for what, count in self.lost.items()]
        if self.drafts:
            lines.append(Reason("annotations.migrated_drafts", count=self.drafts))
        return [*lines]

    def as_data(self) -> dict[str, Any]:
        return asdict(self) | {"lost": as_data([*self.lost.items()])}

    @classmethod
    def of_data(cls, stored: Mapping[str, Any]) -> Self:
        return cls(**{**stored, "lost": dict(from_data(stored["lost"]))})


class _Migrated(NamedTuple):
    """A judgment, and what migrates of it."""

    judgment: Annotation
    result: MigratedValues
    shape: ItemShape


class _Tally:
    """What became of judgments so far: how many of each kind, and why values did not migrate."""

    def __init__(self) -> None:
        self._kinds: Counter[str] = Counter()
        self._lost: Counter[Reason] = Counter()

    def plus(self, migrated: Sequence[_Migrated], scheme: Scheme, times: int = 1) -> "_Tally":
        tally = _Tally()
        tally._kinds, tally._lost = self._kinds.copy(), self._lost.copy()
        for each in migrated:
            for kind in _kinds(each, scheme):
                tally._kinds[kind] += times
            for key, why in each.result.lost.items():
                aspect = key.partition(".")[0]
                tally._lost[Reason("annotations.value_lost", aspect=aspect, why=why)] += times
        return tally

    def counts(self, drafts: int) -> MigrationCounts:
        lost: dict[str, int] = {**dict((+self._lost).most_common())}
        return MigrationCounts(**self._kinds, drafts=drafts, lost=lost)


class JudgmentMigration:
    """The judgments and drafts of a study on their way to another version of its scheme."""

    def __init__(self, study: Study, changes: SchemeChanges, version: SchemeVersion) -> None:
        self.version = version
        self._study, self._changes = study, changes
        self._scheme, self._shapes = version.scheme(), item_shapes(study, version.scheme())
        self._seen: set[int] = set()
        self._tally = _Tally()

    def count(self, progress: Steps) -> MigrationCounts:
        """Count only."""
        current = self._counting()
        for some in _chunks(current):
            self._tally = self._tally.plus(self._look_at(some), self._scheme)
            progress(len(some), len(current))
        return self._tally.counts(Draft.objects.filter(item__study=self._study).count())

    def migrate(self, write: Write, progress: Steps, finish: Callable[[MigrationCounts], None]) -> None:
        """Migrate all, and call ``finish`` in the transaction in which the new revisions begin to count."""
        while (gone := write(partial(self._try_to_finish, finish))) is not None:
            self._forget(gone)
            current = self._counting()
            for some in _chunks(current - self._seen):
                migrated, gone = write(partial(self._store, some))
                self._forget(gone)
                self._tally = self._tally.plus(migrated, self._scheme)
                self._seen.update(some)
                progress(len(some), len(current))

    def _forget(self, gone: set[int]) -> None:
        """Take back what was noted of judgments that count no more; they may count again one day."""
        gone = gone & self._seen
        self._tally = self._tally.plus(self._look_at(sorted(gone)), self._scheme, -1)
        self._seen -= gone

    def _counting(self) -> set[int]:
        return set(counting(self._study).values_list("pk", flat=True))

    def _look_at(self, keys: Sequence[int]) -> list[_Migrated]:
        found = []
        for judgment in Annotation.given.filter(pk__in=keys).order_by("pk"):
            shape = self._shapes[judgment.item_id]
            result = migrate_values(judgment.values, new=self._scheme, changes=self._changes, shape=shape)
            found.append(_Migrated(judgment, result, shape))
        return found

    def _store(self, keys: Sequence[int]) -> tuple[list[_Migrated], set[int]]:
        """Store the new revisions of judgments, but for those that are there already.

        Also the judgments that were migrated before and are replaced by these: their new revisions are gone.
        """
        migrated = self._look_at(keys)
        items = {each.judgment.item_id for each in migrated}
        gone = self._drop_replaced(under_way(self._study).filter(item__in=items))
        there = set(under_way(self._study).filter(carried_from__in=keys).values_list("carried_from", flat=True))
        missing = [each for each in migrated if each.result.values and each.judgment.pk not in there]
        revisions = [(_revision(each, self.version), each.shape) for each in missing]
        store_judgments(scheme=self._scheme, judgments=revisions)
        return migrated, gone

    def _drop_replaced(self, revisions: QuerySet[Annotation]) -> set[int]:
        """Drop new revisions of judgments that count no more; the keys of these judgments."""
        replaced = revisions.filter(carried_from__is_current=False)
        gone = set(replaced.values_list("carried_from", flat=True))
        revisions.filter(carried_from__in=gone).delete()
        return {key for key in gone if key}

    def _try_to_finish(self, finish: Callable[[MigrationCounts], None]) -> set[int] | None:
        """Let the new revisions count; unless many judgments are left to migrate: then those that count no more."""
        # The study before its places, as whoever opens a batch or changes the overlap does.
        Study.every.select_for_update(no_key=True).get(pk=self._study.pk)
        places = Assignment.objects.filter(hit__batch__study=self._study).select_for_update(of=("self",))
        list(places.order_by("pk").values_list("pk"))  # a submission under way is in before, or sees the new version
        current = self._counting()
        self._drop_replaced(under_way(self._study))
        gone, new = self._seen - current, current - self._seen
        if len(new) > JUDGMENTS_AT_ONCE:
            return gone
        tally = self._tally.plus(self._look_at(sorted(gone)), self._scheme, -1)
        migrated, _ = self._store(sorted(new))
        tally = tally.plus(migrated, self._scheme)
        counting(self._study).update(is_current=False)
        under_way(self._study).update(is_current=True, revision=_last_revision() + 1)
        finish(tally.counts(_migrate_drafts(self._study, self._changes)))
        return None


def counting(study: Study) -> QuerySet[Annotation]:
    """The judgments of a study that count, under the version that it has."""
    return Annotation.given.current().filter(item__study=study, scheme_version=study.scheme_version_id)


def under_way(study: Study) -> QuerySet[Annotation]:
    """Revisions of a study that are being migrated."""
    return Annotation.every.filter(item__study=study, revision=UNDER_WAY)


def clear(study: Study, write: Write) -> None:
    """Forget what was being migrated."""
    while some := list(under_way(study).values_list("pk", flat=True)[:JUDGMENTS_AT_ONCE]):
        write(Annotation.every.filter(pk__in=some).delete)


def _chunks(keys: set[int]) -> Iterator[list[int]]:
    ordered = sorted(keys)
    return (ordered[first : first + JUDGMENTS_AT_ONCE] for first in range(0, len(ordered), JUDGMENTS_AT_ONCE))


def _kinds(migrated: _Migrated, scheme: Scheme) -> Iterator[str]:
    result = migrated.result
    yield "judgments"
    yield "left" if not result.values else "partly" if result.lost else "whole"
    if result.values and unanswered(result.values, scheme, migrated.shape):
        yield "incomplete"
    if result.broken:
        yield "earlier_rules"


def _revision(migrated: _Migrated, version: SchemeVersion) -> Annotation:
    old = migrated.judgment
    return Annotation(
        assignment_id=old.assignment_id,
        item_id=old.item_id,
        annotator_id=old.annotator_id,
        revision=UNDER_WAY,
        is_current=False,
        scheme_version=version,
        values=migrated.result.values,
        under_earlier_rule=sorted(migrated.result.broken),
        presented=old.presented,
        seconds=old.seconds,
        created_at=old.created_at,
        carried_from=old,
        is_check=old.is_check,
    )


def _last_revision() -> Subquery:
    """The number of the last revision of a judgment by the same person in the same place."""
    same = Annotation.every.filter(
        assignment=OuterRef("assignment"), item=OuterRef("item"), annotator=OuterRef("annotator")
    )
    return Subquery(same.order_by("-revision").values("revision")[:1])


def _migrate_drafts(study: Study, changes: SchemeChanges) -> int:
    drafts = list(Draft.objects.filter(item__study=study).select_for_update(of=("self",)).order_by("pk"))
    changed = [draft for draft in drafts if migrate_draft(draft.values, changes) != draft.values]
    for draft in changed:
        draft.values = migrate_draft(draft.values, changes)
        draft.version += 1  # a page that was open before must not save over it
    Draft.objects.bulk_update(changed, ["values", "version"], batch_size=1_000)
    return len(drafts)
