"""Taking snapshots: all agreement figures of a study's closed batches, computed once and kept."""

from annotation_platform import __version__
from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.selectors.snapshots import closed_batches
from annotation_platform.core.signature import signature
from annotation_platform.scoring.selectors import latest_run
from annotation_platform.studies.models import Study

SEED = 0
RESAMPLES = 1000


def take_snapshot(*, study: Study, seed: int = SEED, resamples: int = RESAMPLES) -> AgreementSnapshot:
    """Compute and store all figures; the same data, seed, resamples and code give the snapshot already there."""
    # numpy, scipy and the statistics are for the worker and the command line; pages only import this module.
    from annotation_platform.analysis.figures import aspect_figures, counts, headline
    from annotation_platform.analysis.selectors.judgments import measures, read_judgments, read_units
    from annotation_platform.core.statistics import Bootstrap

    batches, run = closed_batches(study), latest_run(study)
    measured = measures(study)
    units = {per: read_units(study, per=per) for per in {aspect.per for aspect, _ in measured}}
    read = [(measure, *read_judgments(study, aspect, measure, run, units[aspect.per])) for aspect, measure in measured]
    data = {
        "scheme": study.scheme_version.signature,
        "judgments_sha256": {measure.key: digest for measure, _, digest in read},
        "batches": batches,
        "run": run and run.pk,
    }
    data_signature = signature(data)
    how = {"seed": seed, "resamples": resamples, "code_version": __version__}
    mark = signature({"data": data_signature, **how})
    if (taken := AgreementSnapshot.objects.filter(study=study, signature=mark).first()) is not None:
        return taken

    # Judgments are counted on an aspect of whole items, if there is one, rather than candidate by candidate.
    counted = sorted(zip(measured, read, strict=True), key=lambda pair: pair[0][0].per == "candidate")
    bootstrap = Bootstrap(resamples=resamples, seed=seed)
    aspects = [aspect_figures(table, measure, bootstrap) for measure, table, _ in read]
    figures = {
        "scheme": str(study.scheme_version),
        "batches": batches,
        "intervals": {"level": bootstrap.level, "resamples": resamples, "seed": seed, "resampled": "items"},
        "data": data,
        "run": run and {"method": run.method, "scorer": run.scorer, "signature": run.signature},
        "counts": counts(counted[0][1][1]) if counted else {},
        "aspects": aspects,
    }
    figures["headline"] = headline(figures)
    snapshot, _ = AgreementSnapshot.objects.get_or_create(
        study=study,
        signature=mark,
        defaults={"run": run, "data_signature": data_signature, "figures": figures, "code_version": __version__},
    )
    return snapshot
