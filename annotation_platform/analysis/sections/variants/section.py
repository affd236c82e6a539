"""The finished rescaling runs of a study that differ in anything but their number, with their scores."""

from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.judgments import measures
from annotation_platform.analysis.measuring.snapshot_input import SnapshotInput, StudySection, identity_of
from annotation_platform.analysis.sections.variants.figures import DescribedVariant, Variants
from annotation_platform.analysis.sections.variants.measure import ScoredVariant, variants_figures
from annotation_platform.core.methods.ebr.prompts import Variant, built_in
from annotation_platform.core.signature import signature
from annotation_platform.core.statistics import Bootstrap
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.methods import scorer_title
from annotation_platform.scoring.methods.ebr.parameters import VARIANTS
from annotation_platform.scoring.models import Method, ScoringRun
from annotation_platform.scoring.parameters import ModelCall, pace_of
from annotation_platform.studies.models import Study

MOST_RUNS = 12
# That the last one leaks is said beside it.
SHOWN = VARIANTS | {Variant.QUESTION_ANSWER: gettext_noop("All of that and the answer")}


@dataclass(frozen=True)
class Runs:
    """What is compared. ``given`` holds the scores of the snapshot's own run already."""

    given: SnapshotInput
    runs: list[ScoringRun]


def read(given: SnapshotInput) -> tuple[Runs, Any]:
    runs = compared_runs(given.study)
    return Runs(given, runs), [identity_of(run) for run in runs]


def measure(read: Runs, bootstrap: Bootstrap) -> Variants:
    """The comparison for each rescaled aspect, and what the runs are."""
    study = read.given.study
    rescaled = [(aspect, measure) for aspect, measure in measures(study) if measure.is_rescaled and measure.better]
    aspects = {}
    for aspect, measure in rescaled:
        judgments = read.given.judgments[aspect.key]
        tables = (
            (run, read.given.aspects[aspect.key].table if run == read.given.run else judgments.with_scores(run)[0])
            for run in read.runs
        )
        scored = [ScoredVariant(str(run.pk), mixture_of(run), table) for run, table in tables if len(table)]
        unit = read.given.aspects[aspect.key].table.unit.name
        aspects[aspect.key] = variants_figures(scored, measure, replace(bootstrap, unit=unit))
    return Variants(runs={str(run.pk): described(run) for run in read.runs}, aspects=aspects)


def compared_runs(study: Study) -> list[ScoringRun]:
    """The newest finished run for each choice of parameters, newest first."""
    finished = study.scoring_runs.filter(method=Method.EBR, status=JobStatus.DONE).order_by("-pk")
    newest: dict[str, ScoringRun] = {}
    pace = pace_of(ModelCall)
    for run in finished:
        deciding = {name: value for name, value in run.parameters.items() if name not in pace}
        newest.setdefault(signature({"scorer": run.scorer, "parameters": deciding}), run)
    return list(newest.values())[:MOST_RUNS]


def mixture_of(run: ScoringRun) -> float:
    return float(run.parameters.get("lambda", 0.0))


def described(run: ScoringRun) -> DescribedVariant:
    """What a run is, in words: who read the explanations, what they were shown, and whether that leaks."""
    template = run.parameters.get("template") or {}
    return DescribedVariant(
        run=run.pk,
        scorer=scorer_title(run.scorer),
        model=run.parameters.get("model", ""),
        shown=shown(template["signature"], template["id"]) if template else "",
        is_leaking=bool(template.get("leaking")),
        mixture=mixture_of(run),
        signature=run.signature,
        finished_at=run.finished_at.isoformat() if run.finished_at else "",
    )


def shown(template_signature: str, template_id: str) -> str:
    """What a prompt shows the model: one of the platform's variants in words, else the template's name."""
    for variant in Variant:
        if built_in(variant).signature == template_signature:
            return SHOWN[variant]
    return template_id


STUDY_SECTIONS = {"variants": StudySection(read, measure)}
