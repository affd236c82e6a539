"""Which snapshot a page shows, which of its sections, in which words; and whether the world has moved on since."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import starmap
from typing import Any, NamedTuple, TypeVar

from django.db.models import F, Max, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce, Greatest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation_platform import __version__
from annotation_platform.accounts.language import in_language
from annotation_platform.analysis.measuring.certainty import is_rough, rough
from annotation_platform.analysis.measuring.figures import (
    AspectHead,
    Counts,
    MainFigures,
    MainNumbers,
    SectionFigures,
)
from annotation_platform.analysis.models import AgreementSnapshot, SnapshotSection
from annotation_platform.analysis.snapshots.words import headline_words
from annotation_platform.analysis.topics import collected
from annotation_platform.core.errors import NotThereError
from annotation_platform.core.text import format_numbers
from annotation_platform.scoring.methods import method_title
from annotation_platform.scoring.models import Method
from annotation_platform.scoring.selectors import counted_runs, people_read_labels_since
from annotation_platform.server.compiled_queries import CompiledQuery
from annotation_platform.studies.models import FINISHED_STATES, Batch, SetAside, Study

T = TypeVar("T")
FIGURES: dict[str, SectionFigures[Any]] = collected("figures", "FIGURES")


def closed_batches(study: Study) -> list[int]:
    """Numbers of the batches that take no more judgments."""
    closed = Batch.objects.filter(study=study, state__in=FINISHED_STATES)
    return list(closed.order_by("number").values_list("number", flat=True))


# That of the run whose scores were chosen; then by run: with several workers, the snapshot of an older run may be
# stored after that of a newer one. The data may also come back to what an older snapshot measured.
NEWEST_FIRST = (F("run__is_chosen").desc(nulls_last=True), F("run").desc(nulls_last=True), "-measured_at", "-pk")


_LATEST = CompiledQuery(lambda study: AgreementSnapshot.objects.filter(study=study).order_by(*NEWEST_FIRST)[:1])


def latest_snapshot(study: Study) -> AgreementSnapshot | None:
    found: AgreementSnapshot | None = _LATEST.first(study.pk, study=study)
    return found


def sections_of(snapshot: AgreementSnapshot, keys: Iterable[str], *, aspect: str | None = None) -> dict[str, Any]:
    """These sections of a snapshot, and no others, are loaded: one query.

    With ``aspect``, those of the aspect and of the study as a whole; without, of the latter alone.
    A section that the snapshot does not have, or has in another version, is not there.

    Raises
    ------
    NotThereError
        When the snapshot has no such aspect.
    """
    if aspect is not None and snapshot.head.aspect(aspect) is None:
        raise NotThereError("analysis.no_aspect")
    readable = set(keys) - of_another_version(snapshot).keys()
    rows = SnapshotSection.objects.filter(snapshot=snapshot, key__in=readable, aspect__in={"", aspect or ""})
    return dict(rows.values_list("key", "figures"))


def of_another_version(snapshot: AgreementSnapshot) -> dict[str, SectionFigures[Any]]:
    """The sections whose figures it has in a form that is not today's."""
    versions = snapshot.head.versions
    return {key: figures for key, figures in FIGURES.items() if versions.get(key) != figures.version}


def section_by_aspect(snapshot: AgreementSnapshot, of: SectionFigures[T]) -> dict[str, T]:
    """One section of every aspect, by the aspect's key; empty where the snapshot has it in another version."""
    if of.key in of_another_version(snapshot):
        return {}
    stored = SnapshotSection.objects.filter(snapshot=snapshot, key=of.key).values_list("aspect", "figures")
    return {aspect: of.from_stored(figures) for aspect, figures in stored}


def section_of_study(snapshot: AgreementSnapshot, of: SectionFigures[T]) -> T | None:
    """One section about the study as a whole; None where the snapshot lacks it or has it in another version."""
    return section_by_aspect(snapshot, of).get("")


def main_numbers(
    counts: Counts, aspects: Iterable[AspectHead], sections: Mapping[str, Mapping[str, Any]]
) -> MainNumbers:
    """The few numbers that the study's start page shows, from the stored sections of each aspect."""

    def of(aspect: AspectHead, key: str) -> Any:
        return FIGURES[key].from_stored(sections[aspect.aspect][key])

    found = []
    for aspect in aspects:
        raw, rescaled, change = of(aspect, "pairwise_tau").all.means
        found.append(
            MainFigures(
                aspect=aspect.aspect,
                title=aspect.title,
                is_rescaled=aspect.is_rescaled,
                alpha=of(aspect, "krippendorff_alpha").raw,
                raw=raw,
                rescaled=rescaled,
                change=change,
            )
        )
    return MainNumbers(counts=counts, aspects=tuple(found))


@dataclass(frozen=True)
class Headline:
    """The newest snapshot's main figures, and why it is out of date (empty: it is not)."""

    snapshot: AgreementSnapshot
    stale_because: str

    @property
    def figures(self) -> MainNumbers:
        return self.snapshot.head.headline

    @property
    def words(self) -> list[str]:
        return headline_words(self.figures.aspects)

    @property
    def cautions(self) -> list[str]:
        """That some of these intervals are rough, a sentence for each unit of which there are few."""
        units = {each.aspect: each.unit for each in self.snapshot.head.aspects}
        few = {
            units[each.aspect]: None
            for each in self.figures.aspects
            for figure in (each.alpha, each.raw, each.rescaled, each.change)
            if figure is not None and is_rough(figure.interval, figure.units)
        }
        return [_("{words}.").format(words=in_language(rough(unit))) for unit in few]


def headline_of(study: Study) -> Headline | None:
    snapshot = latest_snapshot(study)
    return None if snapshot is None else Headline(snapshot, why_stale(study, snapshot, finished_batches(study)))


class FinishedBatch(NamedTuple):
    """A batch that takes no more judgments; ``drawn_by`` is empty where nobody drew its tasks."""

    number: int
    closed_at: datetime | None
    reopened_at: datetime | None
    drawn_by: str | None
    set_aside_at: datetime | None = None
    """When work in it was last set aside, or made to count again."""

    @property
    def changed_at(self) -> list[datetime]:
        """When what counts in it may have become what it is."""
        return [at for at in (self.closed_at, self.set_aside_at) if at is not None]


def _of_finished_batches(study: int) -> QuerySet[Batch, tuple[Any, ...]]:
    aside = SetAside.objects.filter(assignment__hit__batch=OuterRef("pk")).order_by().values("assignment__hit__batch")
    last = aside.annotate(at=Max(Greatest("set_aside_at", Coalesce("restored_at", "set_aside_at")))).values("at")
    finished = Batch.objects.filter(study=study, state__in=FINISHED_STATES).annotate(aside_at=Subquery(last))
    return finished.order_by("number").values_list("number", "closed_at", "reopened_at", "draw__rule", "aside_at")


_FINISHED = CompiledQuery(_of_finished_batches)


def finished_batches(study: Study) -> list[FinishedBatch]:
    """In the order of their numbers: one query."""
    return list(starmap(FinishedBatch, _FINISHED.rows(study.pk)))


def why_stale(study: Study, snapshot: AgreementSnapshot, finished: Sequence[FinishedBatch]) -> str:
    """Why a snapshot is out of date, by the batches that are finished now; empty when it is not.

    Judgments of closed batches change only when the scheme does, when a batch is opened again, or when somebody's work
    is set aside or counts again, so that batches with the times of that, runs and scheme stand for the data.
    """
    scheme = snapshot.head.scheme
    if scheme != str(study.scheme_version):
        now = {"scheme": scheme, "now": study.scheme_version}
        return _("The study's scheme was %(scheme)s and is %(now)s now.") % now
    return _batches_since(snapshot, finished) or _runs_since(study, snapshot) or _version_since(snapshot)


def _batches_since(snapshot: AgreementSnapshot, finished: Sequence[FinishedBatch]) -> str:
    batches, since = snapshot.head.batches, snapshot.measured_at
    closed = [batch.number for batch in finished]
    if new := [number for number in closed if number not in batches]:
        said = ngettext("Batch %(batches)s has closed since.", "Batches %(batches)s have closed since.", len(new))
        return said % {"batches": format_numbers(new)}
    if reopened := [number for number in batches if number not in closed]:
        said = ngettext(
            "Batch %(batches)s was opened again, and may change until closed.",
            "Batches %(batches)s were opened again, and may change until closed.",
            len(reopened),
        )
        return said % {"batches": format_numbers(reopened)}
    if again := [each.number for each in finished if each.reopened_at and each.closed_at and each.closed_at > since]:
        said = ngettext(
            "Batch %(batches)s was opened again and closed since.",
            "Batches %(batches)s were opened again and closed since.",
            len(again),
        )
        return said % {"batches": format_numbers(again)}
    if aside := [each.number for each in finished if each.set_aside_at and each.set_aside_at > since]:
        said = ngettext(
            "Work in batch %(batches)s was set aside since, or counts again.",
            "Work in batches %(batches)s was set aside since, or counts again.",
            len(aside),
        )
        return said % {"batches": format_numbers(aside)}
    return ""


def _runs_since(study: Study, snapshot: AgreementSnapshot) -> str:
    runs = counted_runs(study)
    if snapshot.head.run and snapshot.run_id is None:
        return _("The scoring run that its figures rest on was deleted.")
    if snapshot.run_id != runs.get(Method.EBR, [None])[0]:
        return _("The judgments have been scored again since.")
    known = runs if snapshot.runs is None else snapshot.runs
    for method, found in runs.items():
        before = known.get(method, [])
        if other := set(found).difference(before):
            if before and max(other) < max(before):
                said = _("Another run of “%(method)s” was chosen since.")
            elif before:
                said = _("Another run of “%(method)s” has finished since.")
            else:
                said = _("A run of “%(method)s” has finished since.")
            return said % {"method": method_title(method)}
        if found[0] != before[0]:
            return _("Another run of “%(method)s” was chosen since.") % {"method": method_title(method)}
    if people_read_labels_since(runs, snapshot.measured_at):
        return _("People have decided on replies of a model that nobody could read before.")
    return ""


def _version_since(snapshot: AgreementSnapshot) -> str:
    if old := of_another_version(snapshot):
        said = _("The figures of %(kinds)s were stored by an earlier version, which this one does not read.")
        return said % {"kinds": _some(old)}
    if snapshot.code_version != __version__:
        versions = {"then": snapshot.code_version, "now": __version__}
        return _("It was computed by version %(then)s; this is %(now)s.") % versions
    return ""


def _some(old: Mapping[str, SectionFigures[Any]]) -> str:
    """Three kinds by their titles, or two and how many more: after an update it is nearly always all of them."""
    titles = [_("“%(title)s”") % {"title": _(figures.title)} for figures in old.values()]
    if len(titles) > 3:
        titles = [*titles[:2], _("%(count)s other kinds") % {"count": len(titles) - 2}]
    *first, last = titles
    return _("%(first)s and %(last)s") % {"first": _(", ").join(first), "last": last} if first else last
