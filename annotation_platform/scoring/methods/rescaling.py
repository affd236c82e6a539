"""Explanation-based rescaling as runs execute it: over the judgments of all closed batches."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.methods.prompts import Variant, built_in
from annotation_platform.core.schemes import Scheme
from annotation_platform.jobs.heartbeat import Heartbeat
from annotation_platform.scoring.methods import ebr_parameters
from annotation_platform.scoring.methods.contract import Asked, Option, OptionKind, RunMethod
from annotation_platform.scoring.methods.ebr_parameters import EbrParameters, ModelParameters
from annotation_platform.scoring.methods.model_options import ASKS_A_MODEL, model_options
from annotation_platform.scoring.methods.own_rescalers import OWN
from annotation_platform.scoring.models import Method, Scorer, ScoringRun
from annotation_platform.scoring.parameters import Parameters
from annotation_platform.scoring.selectors import judgments_signature, run_judgments
from annotation_platform.studies.models import FINISHED_STATES, Batch, Study

VARIANTS = {
    Variant.LABEL_ARTICLE: "Label, explanation and article",
    Variant.LABEL: "Label and explanation",
    Variant.EXPLANATION: "Explanation alone",
    Variant.QUESTION: "Label, explanation, article and question",
    Variant.QUESTION_ANSWER: "All of that and the answer (leaking: the model may judge the answer itself)",
}


class Rescaling(RunMethod):
    method = Method.EBR
    purpose = "Give each judgment a score from 0 to 100 that follows the annotator's own words (EBR)."
    scorers = (Scorer.DISTILLED, Scorer.OPENAI, Scorer.HYBRID, Scorer.RECORDED)

    def options(self, study: Study) -> tuple[Option, ...]:
        own = (("", "The study's own"),) if study.prompt_template.strip() else ()
        variants = tuple((str(variant), words) for variant, words in VARIANTS.items())
        return (
            Option(
                "lambda",
                "λ, the share of g",
                OptionKind.NUMBER,
                help="0 takes each explanation's own score (f), 1 the annotator's mean for the label (g).",
                usual="0",
            ),
            *_rescaler_options(study),
            Option("variant", "What the model is shown", OptionKind.CHOICE, own + variants, scorers=ASKS_A_MODEL),
            *model_options(study),
        )

    def check(self, study: Study) -> None:
        if not study.scheme().rescale:
            raise InvalidInputError("scoring.nothing_to_rescale", study=study.name)
        if not study.batches.filter(state__in=FINISHED_STATES).exists():
            raise InvalidInputError("scoring.no_batch_closed", study=study.name)

    def resolve(self, *, study: Study, scorer: str, given: Mapping[str, Any]) -> EbrParameters:
        return ebr_parameters.resolve(study=study, scorer=scorer, given=given)

    def _told(self, run: ScoringRun) -> Mapping[str, Any]:
        template, own = run.parameters.get("template", {}).get("id"), run.parameters.get("own", {})
        variant = next((each for each in Variant if built_in(each).id == template), "")
        numbers = list(run.study.rescalers.filter(sha256__in=own.values()).values_list("pk", flat=True))
        rescaler = str(numbers[0]) if len(own) == len(numbers) == 1 else OWN if own else ""
        return {**run.parameters, "variant": variant, "rescaler": rescaler}

    def parse(self, *, scorer: str, stored: Mapping[str, Any]) -> EbrParameters:
        return ebr_parameters.KINDS[scorer](**stored)

    def batches(self, study: Study) -> list[Batch]:
        return list(study.batches.filter(state__in=FINISHED_STATES))

    def total(self, run: ScoringRun, scheme: Scheme) -> int:
        return run_judgments(run).count() * len(scheme.rescale)

    def data_signature(self, run: ScoringRun) -> str:
        return judgments_signature(run)

    def execute(
        self, *, run: ScoringRun, scheme: Scheme, parameters: Parameters, heartbeat: Heartbeat
    ) -> dict[str, Any]:
        from annotation_platform.scoring.methods.ebr_aspect import score_aspect  # numpy: only where runs are executed

        assert isinstance(parameters, EbrParameters)
        counts = {
            rescaling.aspect: score_aspect(
                run=run, scheme=scheme, rescaling=rescaling, parameters=parameters, heartbeat=heartbeat
            )
            for rescaling in scheme.rescale
        }
        _require_any_read(run, counts)
        return counts

    def asked(self, *, study: Study, parameters: Parameters, limit: int, item_id: int | None = None) -> Iterator[Asked]:
        from annotation_platform.scoring.methods.ebr_preview import asked_of

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
    why = ", ".join(f"{reason.replace('_', ' ')}: {count:,}" for reason, count in sorted(unread.items()))
    raise InvalidInputError("scoring.no_score_read", count=unread.total(), why=why)


def _rescaler_options(study: Study) -> tuple[Option, ...]:
    """Which rescaler, where the study has one of its own; and how much a language model is to be asked."""
    rows = study.rescalers.values_list("pk", "aspect", "created_at")
    own = tuple((str(pk), f"Number {pk}: {aspect}, trained on {at:%Y-%m-%d}") for pk, aspect, at in rows)
    which = (("", "The platform's"), (OWN, "The study's own, the newest for each aspect"), *own)
    hybrid = (Scorer.HYBRID,)
    return (
        *((Option("rescaler", "Rescaler", OptionKind.CHOICE, which, scorers=(Scorer.DISTILLED,)),) if own else ()),
        Option(
            "paid_share",
            "Share to send",
            OptionKind.NUMBER,
            help="Of the explained judgments, 0 to 1: those whose score can change most go to the language model.",
            usual="0.1",
            scorers=hybrid,
        ),
        Option(
            "tolerance",
            "Error that is small enough",
            OptionKind.NUMBER,
            help="In points: judgments expected to be wrong by no more than this are not sent.",
            usual="0",
            scorers=hybrid,
        ),
        Option("choice_seed", "Seed of the choice", OptionKind.WHOLE, usual="0", scorers=hybrid, is_rare=True),
    )


def _of_aspect(aspect: str, counts: Mapping[str, Any]) -> str:
    unread = "".join(f", {count:,} unread ({reason})" for reason, count in counts["unread"].items())
    sources = ", ".join(f"{source} {count:,}" for source, count in counts["sources"].items() if count)
    without = counts["without_explanation"]
    by = ", ".join(f"{count:,} by {who}" for who, count in counts.get("read_by", {}).items())
    read = f"{counts['read']:,} read{f' ({by})' if by else ''}"
    return f"{aspect}: {read}{unread}, {without:,} without explanation; values from {sources}"
