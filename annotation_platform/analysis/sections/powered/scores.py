"""What a language model would score all judgments on average, where it scored a part and the distilled rescaler all."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.judged_part import JudgedPart, scored_part
from annotation_platform.analysis.measuring.judgment_table import SCORES, JudgmentTable
from annotation_platform.analysis.measuring.judgments import measures, read_judgments
from annotation_platform.analysis.measuring.snapshot_input import SnapshotInput
from annotation_platform.analysis.measuring.units import Units
from annotation_platform.analysis.sections.powered.figures import PoweredRun
from annotation_platform.analysis.sections.powered.rows import by_answer, estimated, not_yet_estimated
from annotation_platform.core.arrays import Floats
from annotation_platform.scoring.models import Method, Scorer, ScoringRun
from annotation_platform.studies.models import Study

CHOSEN = gettext_noop(
    "The language model was asked about judgments that were chosen, those whose score may change most, and no part "
    "drawn at random: what it would have said of all cannot be told from them."
)
LEARNED = gettext_noop(
    "The rescaler has learned from the language model's scores of these very judgments, so that it is seen to get less "
    "wrong there than elsewhere. A run with the platform's own rescaler can be used."
)


@dataclass(frozen=True)
class Rescalings:
    """The newest runs by scorer, as far as they matter: of a language model alone, the distilled one, the hybrid."""

    model: ScoringRun | None
    distilled: ScoringRun | None
    hybrid: ScoringRun | None

    @property
    def runs(self) -> list[ScoringRun | None]:
        return [self.model, self.distilled, self.hybrid]


def rescalings(study: Study) -> Rescalings:
    newest = {
        scorer: study.scoring_runs.finished().filter(method=Method.EBR, scorer=scorer).order_by("-pk")
        for scorer in (Scorer.LANGUAGE_MODEL, Scorer.DISTILLED, Scorer.HYBRID)
    }
    distilled = list(newest[Scorer.DISTILLED])
    untaught = (run for run in distilled if not run.parameters.get("own"))
    return Rescalings(
        model=newest[Scorer.LANGUAGE_MODEL].first(),
        distilled=next(untaught, distilled[0] if distilled else None),
        hybrid=newest[Scorer.HYBRID].first(),
    )


def powered_scores(given: SnapshotInput, runs: Rescalings, units: Mapping[str, Units]) -> dict[str, PoweredRun]:
    """By rescaled aspect; none where a language model has scored all that the rescaler has, or nothing."""
    if runs.model is None or runs.distilled is None:
        return {} if runs.hybrid is None else {key: _nothing(runs.hybrid, CHOSEN) for key in _rescaled(given)}
    if {*runs.distilled.batches.values_list("pk", flat=True)} <= {*runs.model.batches.values_list("pk", flat=True)}:
        return {}
    chosen = scored_part(given.study)
    taught = runs.distilled.parameters.get("own", {})
    found = {}
    for aspect, spec in measures(given.study):
        if not spec.is_rescaled or aspect.key not in given.aspects:
            continue
        if aspect.key in taught:
            found[aspect.key] = _nothing(runs.model, LEARNED)
            continue
        judgments = read_judgments(given.study, aspect, spec, units[spec.per])
        part, whole = (judgments.with_scores(run)[0] for run in (runs.model, runs.distilled))
        if len(part) and len(whole) and any(whole.systems):
            found[aspect.key] = _estimated(not_yet_estimated(runs.model), part, whole, units[spec.per], chosen)
    return found


def _estimated(
    known: PoweredRun, part: JudgmentTable, whole: JudgmentTable, units: Units, chosen: JudgedPart
) -> PoweredRun:
    """Answers of which the model scored some judgments stand for themselves; the rescaler's mean is over all of one."""
    n = len(units.code_of)
    judged = np.zeros(n, dtype=np.bool_)
    judged[part.units] = True
    _, model = by_answer(whole, _scores(whole), n)
    return estimated(
        known,
        part,
        units,
        rows=whole.units,
        people=_scores(part),
        model=model[whole.units],
        judged=judged,
        ends=SCORES,
        part=chosen,
        from_people=False,
    )


def _scores(table: JudgmentTable) -> Floats:
    assert table.scores is not None  # both runs rescale the aspect
    return table.scores


def _rescaled(given: SnapshotInput) -> list[str]:
    return [key for key, each in given.aspects.items() if each.spec.is_rescaled]


def _nothing(run: ScoringRun, because: str) -> PoweredRun:
    return not_yet_estimated(run).model_copy(update={"why_nothing": because})
