"""Explanation-based rescaling as runs execute it: over the judgments of all closed batches."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.methods.ebr.prompts import Variant, built_in
from annotation_platform.core.reasons import gettext_noop as _
from annotation_platform.core.schemes import Scheme
from annotation_platform.jobs.heartbeat import Heartbeat
from annotation_platform.scoring.methods.contract import PromptPreview, RunMethod, ScoredBy, by_language_model
from annotation_platform.scoring.methods.ebr.own_rescalers import OWN
from annotation_platform.scoring.methods.ebr.parameters import (
    DistilledParameters,
    EbrParameters,
    HybridParameters,
    ModelParameters,
    RecordedParameters,
    resolve,
)
from annotation_platform.scoring.models import Method, Scorer, ScoringRun
from annotation_platform.scoring.parameters import Parameters
from annotation_platform.scoring.run_words import NO_REPLY, SOURCES, unread_in_words
from annotation_platform.scoring.selectors import judgments_signature, run_judgments
from annotation_platform.studies.models import FINISHED_STATES, Batch, Study


class Rescaling(RunMethod):
    name = Method.EBR
    title = _("Explanation-based rescaling")
    purpose = _("Give each judgment a score from 0 to 100 that follows the annotator's own words (EBR).")
    scored_by = (
        ScoredBy(Scorer.DISTILLED, _("Distilled rescaler"), DistilledParameters),
        by_language_model(ModelParameters),
        ScoredBy(Scorer.HYBRID, _("Distilled rescaler, uncertain ones by language model"), HybridParameters),
        ScoredBy(Scorer.RECORDED, _("Recorded replies"), RecordedParameters),
    )

    def check(self, study: Study) -> None:
        if not study.scheme().rescale:
            raise InvalidInputError("scoring.nothing_to_rescale", study=study.name)
        if not study.batches.filter(state__in=FINISHED_STATES).exists():
            raise InvalidInputError("scoring.no_batch_closed", study=study.name)

    def resolve(self, *, study: Study, scorer: str, given: Mapping[str, Any]) -> Parameters:
        return resolve(self.parameters(scorer), study=study, given=given)

    def _told(self, run: ScoringRun) -> Mapping[str, Any]:
        template, own = run.parameters.get("template", {}).get("id"), run.parameters.get("own", {})
        variant = next((each for each in Variant if built_in(each).id == template), "")
        numbers = list(run.study.rescalers.filter(sha256__in=own.values()).values_list("pk", flat=True))
        rescaler = str(numbers[0]) if len(own) == len(numbers) == 1 else OWN if own else ""
        return {**run.parameters, "variant": variant, "rescaler": rescaler}

    def batches(self, study: Study) -> list[Batch]:
        return list(study.batches.filter(state__in=FINISHED_STATES))

    def total(self, run: ScoringRun, scheme: Scheme) -> int:
        return run_judgments(run).count() * len(scheme.rescale)

    def data_signature(self, run: ScoringRun) -> str:
        return judgments_signature(run)

    def execute(
        self, *, run: ScoringRun, scheme: Scheme, parameters: Parameters, heartbeat: Heartbeat
    ) -> dict[str, Any]:
        from annotation_platform.scoring.methods.ebr.aspect import score_aspect  # numpy: only where runs are executed

        assert isinstance(parameters, EbrParameters)
        counts = {
            rescaling.aspect: score_aspect(
                run=run, scheme=scheme, rescaling=rescaling, parameters=parameters, heartbeat=heartbeat
            )
            for rescaling in scheme.rescale
        }
        _require_any_read(run, counts)
        return counts

    def asked(
        self, *, study: Study, parameters: Parameters, limit: int, item_id: int | None = None
    ) -> Iterator[PromptPreview]:
        from annotation_platform.scoring.methods.ebr.preview import asked_of

        if not isinstance(parameters, ModelParameters):
            return super().asked(study=study, parameters=parameters, limit=limit, item_id=item_id)
        return islice(asked_of(study, parameters, item_id), limit)

    def summary(self, run: ScoringRun) -> list[str]:
        return [_of_aspect(aspect, counts) for aspect, counts in run.counts.items()]


def _require_any_read(run: ScoringRun, counts: dict[str, Any]) -> None:
    """A run in which f was read nowhere fails: its values would be stand-ins. They are kept, with the counts."""
    unread = sum((Counter(each["unread"]) for each in counts.values()), Counter[str]())
    if not unread or any(each["read"] for each in counts.values()):
        return
    run.counts = counts
    run.save(update_fields=["counts"])
    if run.scorer == Scorer.RECORDED and set(unread) == {NO_REPLY}:
        raise InvalidInputError("scoring.no_recorded_replies", study=run.study.name)
    why = ", ".join(f"{unread_in_words(reason)}: {count:,}" for reason, count in sorted(unread.items()))
    raise InvalidInputError("scoring.no_score_read", count=unread.total(), why=why)


def _of_aspect(aspect: str, counts: Mapping[str, Any]) -> str:
    unread = "".join(f", {count:,} not read ({unread_in_words(reason)})" for reason, count in counts["unread"].items())
    sources = ", ".join(f"{SOURCES[source]} {count:,}" for source, count in counts["sources"].items() if count)
    without = counts["without_explanation"]
    by = ", ".join(f"{count:,} by {who}" for who, count in counts.get("read_by", {}).items())
    read = f"{counts['read']:,} read{f' ({by})' if by else ''}"
    return f"{aspect}: {read}{unread}, {without:,} without explanation; values: {sources}"
