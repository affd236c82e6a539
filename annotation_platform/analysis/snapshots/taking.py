"""Taking snapshots: all agreement figures of a study's closed batches, computed once and kept."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from annotation_platform import __version__
from annotation_platform.analysis.measuring.figures import Counts, DataRead, HowIntervals, ScoredBy, SnapshotHead
from annotation_platform.analysis.models import AgreementSnapshot, SnapshotSection
from annotation_platform.analysis.snapshots.stored import FIGURES, closed_batches, main_numbers
from annotation_platform.core.signature import signature
from annotation_platform.scoring.models import ScoringRun
from annotation_platform.scoring.selectors import counted_runs, latest_run
from annotation_platform.studies.models import Study

if TYPE_CHECKING:
    from annotation_platform.analysis.measuring.aspects import AspectData
    from annotation_platform.analysis.measuring.judgments import Digests
    from annotation_platform.analysis.measuring.snapshot_input import SnapshotInput

SEED = 0
RESAMPLES = 1000


def take_snapshot(*, study: Study, seed: int = SEED, resamples: int = RESAMPLES) -> AgreementSnapshot:
    """Compute and store all figures; the same data, seed, resamples and code give the snapshot already there.

    That one then says that it was measured now: the data may have come back to it.
    """
    # numpy, scipy and the statistics are for the worker and the command line; pages only import this module.
    from annotation_platform.analysis.snapshots import sections
    from annotation_platform.core.statistics import Bootstrap

    began = timezone.now()  # what people do while it is measured is not in it
    batches, run, runs = closed_batches(study), latest_run(study), counted_runs(study)
    given, digests = read_closed(study, run, Bootstrap(resamples=resamples, seed=seed))
    of_study = {key: section.read(given) for key, section in sections.STUDY_SECTIONS.items()}
    data = DataRead(
        scheme=study.scheme_version.signature,
        judgments_sha256={key: each.scored for key, each in digests.items()},
        batches=batches,
        run=run and run.pk,
        read={key: identity for key, (_, identity) in of_study.items()},
    )
    data_signature = signature(data.model_dump(mode="json"))
    how = {"seed": seed, "resamples": resamples, "code_version": __version__}
    computed = [*sections.ASPECT_SECTIONS, *sections.STUDY_SECTIONS]
    versions = {key: figures.version for key, figures in FIGURES.items()}
    mark = signature({"data": data_signature, **how, "sections": sorted(computed), "versions": versions})
    if (taken := AgreementSnapshot.objects.filter(study=study, signature=mark).first()) is not None:
        taken.runs, taken.measured_at = runs, began
        taken.save(update_fields=["runs", "measured_at"])
        return taken

    wanted = _wanted(given, digests, of_study, how)
    by_aspect = _measured(study, wanted)
    head = _head(given, data, versions, by_aspect, how)
    defaults = {
        "run": run,
        "runs": runs,
        "data_signature": data_signature,
        "head": head,
        "code_version": __version__,
        "measured_at": began,
    }
    return _store(study, mark, defaults, by_aspect, wanted)


def _head(
    given: "SnapshotInput",
    data: DataRead,
    versions: dict[str, int],
    by_aspect: dict[str, dict[str, Any]],
    how: dict[str, Any],
) -> SnapshotHead:
    """What was measured, and the figures that every page shows."""
    from annotation_platform.analysis.snapshots import sections

    aspects = tuple(sections.aspect_head(measured) for measured in given.aspects.values())
    # Judgments are counted on an aspect of whole items, if there is one, rather than candidate by candidate.
    counted = sorted(aspects, key=lambda aspect: aspect.per == "candidate")
    counts = Counts(**by_aspect[counted[0].aspect]["counts"]) if counted else Counts()
    run = given.run
    resampled, units = _resampled(given)
    return SnapshotHead(
        scheme=str(given.study.scheme_version),
        batches=data.batches,
        versions=versions,
        intervals=HowIntervals(
            level=given.bootstrap.level,
            resamples=how["resamples"],
            seed=how["seed"],
            resampled=resampled,
            units=units,
        ),
        data=data,
        run=ScoredBy(method=run.method, scorer=run.scorer, signature=run.signature) if run else None,
        counts=counts,
        aspects=aspects,
        headline=main_numbers(counts, aspects, by_aspect),
    )


def _resampled(given: "SnapshotInput") -> tuple[str, int]:
    """What intervals draw, and from how many: of whole items, if there is an aspect about them."""
    tables = [each.table for each in sorted(given.aspects.values(), key=lambda each: each.spec.per == "candidate")]
    unit = next((table.unit for table in tables if len(table)), None)
    return (f"{unit.name}s", unit.n) if unit else ("items", 0)


class _Section(NamedTuple):
    """One section of a snapshot to be, and the signature of all that its figures rest on."""

    aspect: str
    key: str
    fingerprint: str
    measure: Callable[[], Any]


def _wanted(
    given: "SnapshotInput",
    digests: "Mapping[str, Digests]",
    of_study: Mapping[str, tuple[Any, Any]],
    how: dict[str, Any],
) -> list[_Section]:
    from annotation_platform.analysis.snapshots import sections

    def section(aspect: str, key: str, read: Any, measure: Callable[[], Any]) -> _Section:
        scheme = given.study.scheme_version.signature
        version = FIGURES[key].version
        identity = {"aspect": aspect, "section": key, "version": version, "scheme": scheme, "read": read, **how}
        return _Section(aspect, key, signature(identity), measure)

    def of_aspect(aspect: str, key: str, measure: "Callable[[AspectData], Any]") -> _Section:
        judgments = digests[aspect].labels if key in sections.OF_LABELS else digests[aspect].scored
        return section(aspect, key, judgments, partial(measure, given.aspects[aspect]))

    def of_whole(key: str, measure: Callable[[Any, Any], Any]) -> _Section:
        read, identity = of_study[key]
        labels = {aspect: each.labels for aspect, each in digests.items()}
        return section("", key, [labels, identity], partial(measure, read, given.bootstrap))

    return [
        *(of_aspect(aspect, *each) for aspect in given.aspects for each in sections.ASPECT_SECTIONS.items()),
        *(of_whole(key, each.measure) for key, each in sections.STUDY_SECTIONS.items()),
    ]


def _measured(study: Study, wanted: list[_Section]) -> dict[str, dict[str, Any]]:
    """The figures of all sections by aspect and key.

    They are taken over from an earlier snapshot where nothing that they rest on has changed, as in most sections after
    a run of one method.
    """
    earlier = SnapshotSection.objects.filter(
        snapshot__study=study, fingerprint__in={section.fingerprint for section in wanted}
    )
    # One of each: figures that never change stand in every snapshot.
    newest = earlier.order_by().values("fingerprint").annotate(newest=Max("pk")).values("newest")
    known = dict(SnapshotSection.objects.filter(pk__in=newest).values_list("fingerprint", "figures"))
    found: dict[str, dict[str, Any]] = defaultdict(dict)
    for section in wanted:
        is_known = section.fingerprint in known
        found[section.aspect][section.key] = (
            known[section.fingerprint] if is_known else FIGURES[section.key].to_stored(section.measure())
        )
    return found


def read_closed(study: Study, run: ScoringRun | None, bootstrap: Any) -> "tuple[SnapshotInput, dict[str, Digests]]":
    """The closed judgments of every aspect, with a digest of each."""
    from annotation_platform.analysis.measuring.aspects import AspectData
    from annotation_platform.analysis.measuring.judgments import ClosedJudgments, measures, read_judgments
    from annotation_platform.analysis.measuring.snapshot_input import SnapshotInput
    from annotation_platform.analysis.measuring.units import Units, read_units

    asked = measures(study)
    units: dict[str, Units] = {per: read_units(study, per=per) for per in {aspect.per for aspect, _ in asked}}
    found: dict[str, AspectData] = {}
    digests: dict[str, Digests] = {}
    judgments: dict[str, ClosedJudgments] = {}
    for aspect, measure in asked:
        read = read_judgments(study, aspect, measure, units[aspect.per])
        judgments[measure.key] = read.sharing(judgments.values())
        del read
        table, digests[measure.key] = judgments[measure.key].with_scores(run)
        found[measure.key] = AspectData(table, measure, replace(bootstrap, unit=table.unit.name))
    return SnapshotInput(study, run, found, bootstrap, judgments, units), digests


def _store(
    study: Study, mark: str, defaults: dict[str, Any], by_aspect: dict[str, dict[str, Any]], wanted: list[_Section]
) -> AgreementSnapshot:
    with transaction.atomic():
        snapshot, is_new = AgreementSnapshot.objects.get_or_create(study=study, signature=mark, defaults=defaults)
        if is_new:
            SnapshotSection.objects.bulk_create(
                SnapshotSection(
                    snapshot=snapshot,
                    aspect=section.aspect,
                    key=section.key,
                    figures=by_aspect[section.aspect][section.key],
                    fingerprint=section.fingerprint,
                )
                for section in wanted
            )
    return snapshot
