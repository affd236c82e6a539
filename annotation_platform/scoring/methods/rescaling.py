"""Explanation-based rescaling as runs execute it: over the judgments of all closed batches."""

from collections.abc import Mapping
from typing import Any

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.schemes import Scheme
from annotation_platform.scoring.heartbeat import Heartbeat
from annotation_platform.scoring.methods import ebr_parameters
from annotation_platform.scoring.methods.contract import RunMethod
from annotation_platform.scoring.methods.ebr_parameters import EbrParameters
from annotation_platform.scoring.models import Method, Scorer, ScoringRun
from annotation_platform.scoring.parameters import Parameters
from annotation_platform.scoring.selectors import judgments_signature, run_judgments
from annotation_platform.studies.models import FINISHED_STATES, Batch, Study


class Rescaling(RunMethod):
    method = Method.EBR
    scorers = (Scorer.DISTILLED, Scorer.OPENAI, Scorer.RECORDED)

    def resolve(self, *, study: Study, scorer: str, given: Mapping[str, Any]) -> EbrParameters:
        return ebr_parameters.resolve(study=study, scorer=scorer, given=given)

    def parse(self, *, scorer: str, stored: Mapping[str, Any]) -> EbrParameters:
        return ebr_parameters.KINDS[scorer](**stored)

    def batches(self, study: Study) -> list[Batch]:
        batches = list(study.batches.filter(state__in=FINISHED_STATES))
        if not batches:
            raise InvalidInputError(
                f"No batch of “{study.name}” is closed yet. Close one first; then it can be scored."
            )
        return batches

    def total(self, run: ScoringRun, scheme: Scheme) -> int:
        return run_judgments(run).count() * len(scheme.rescale)

    def data_signature(self, run: ScoringRun) -> str:
        return judgments_signature(run)

    def execute(
        self, *, run: ScoringRun, scheme: Scheme, parameters: Parameters, heartbeat: Heartbeat
    ) -> dict[str, Any]:
        from annotation_platform.scoring.methods.ebr_aspect import score_aspect  # numpy: only where runs are executed

        assert isinstance(parameters, EbrParameters)
        return {
            rescaling.aspect: score_aspect(
                run=run, scheme=scheme, rescaling=rescaling, parameters=parameters, heartbeat=heartbeat
            )
            for rescaling in scheme.rescale
        }
