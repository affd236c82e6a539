"""Answer equivalence as runs execute it: every answer beside its question's reference answers.

Each answer gets a row for every measure. Their names have a dot, which no aspect's key has.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from django.db.models import Count
from pydantic import Field

from annotation_platform.core.collector import uncollected
from annotation_platform.core.reasons import gettext_noop as _
from annotation_platform.core.schemes import Scheme
from annotation_platform.jobs.heartbeat import Heartbeat
from annotation_platform.scoring.methods.answers import (
    AnswerMethod,
    GivenAnswer,
    RowStore,
    ScoreRow,
    answer_blocks,
    last_scored,
)
from annotation_platform.scoring.methods.contract import ScoredBy
from annotation_platform.scoring.models import ItemScore, Method, Scorer, ScoringRun
from annotation_platform.scoring.parameters import Parameters, chosen
from annotation_platform.studies.models import Study

if TYPE_CHECKING:
    from annotation_platform.core.methods.answer_equivalence import Verdict

VERDICT = "equivalence.verdict"
PROBABILITY = "equivalence.probability"
EXACT_MATCH = "equivalence.exact_match"
CONTAINMENT = "equivalence.containment"
F1, PRECISION, RECALL = "equivalence.f1", "equivalence.precision", "equivalence.recall"
RULE = "equivalence.rule"
MEASURES = (VERDICT, PROBABILITY, EXACT_MATCH, CONTAINMENT, F1, PRECISION, RECALL, RULE)
_VALUES: "Mapping[str, Callable[[Verdict], float]]" = {
    PROBABILITY: attrgetter("probability"),
    EXACT_MATCH: attrgetter("exact_match"),
    CONTAINMENT: attrgetter("contained"),
    F1: attrgetter("f1"),
    PRECISION: attrgetter("precision"),
    RECALL: attrgetter("recall"),
}

EQUIVALENT, NOT_EQUIVALENT = "yes", "no"
NO_REFERENCE = "The question has no reference answer."


class EquivalenceParameters(Parameters):
    artefact: str = Field(title=_("SHA-256 of the model that comes with the platform"))


class Equivalence(AnswerMethod):
    name = Method.EQUIVALENCE
    title = _("Answer equivalence")
    called = "scoring.method_equivalence"
    scored_by = (ScoredBy(Scorer.CLASSIFIER, _("Answer-equivalence classifier"), EquivalenceParameters),)
    purpose = _("Is each answer as right as a reference answer? A small classifier decides, beside exact match and F1.")
    shows = ("reference_answers",)

    def resolve(self, *, study: Study, scorer: str, given: Mapping[str, Any]) -> EquivalenceParameters:
        from annotation_platform.core.methods.answer_equivalence import ARTEFACT  # numpy: only where a run starts

        artefact = sha256(ARTEFACT.read_bytes()).hexdigest()
        return EquivalenceParameters.checked(**chosen(EquivalenceParameters, given) | {"artefact": artefact})

    def execute(
        self, *, run: ScoringRun, scheme: Scheme, parameters: Parameters, heartbeat: Heartbeat
    ) -> dict[str, Any]:
        from annotation_platform.core.methods.answer_equivalence import AnswerPair, judge

        done = last_scored(run)
        heartbeat.beat(ItemScore.objects.filter(run=run, aspect=VERDICT).count())
        with uncollected(), RowStore() as store:
            for block in answer_blocks(run, after=done):
                comparable = [each for each in block if each.references]
                verdicts = iter(
                    judge([AnswerPair(each.item.question, each.references, each.answer.text) for each in comparable])
                )
                heartbeat.beat(store.store(_rows(run, block, verdicts), len(block)))
            heartbeat.beat(store.finish())
        return _counts(run)

    def summary(self, run: ScoringRun) -> list[str]:
        verdicts = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in run.counts["verdicts"].items())
        rules = ", ".join(f"{rule} {count:,}" for rule, count in run.counts["rules"].items())
        return [verdicts, f"most likely decided by {rules or 'nothing'}"]


def _rows(run: ScoringRun, block: list[GivenAnswer], verdicts: "Iterator[Verdict]") -> Iterator[ScoreRow]:
    """Measure by measure, so that neighbours say the same in most columns. ``verdicts`` are those of the answers that
    have references, in their order."""
    judged = []
    for each in block:
        whose = run.pk, each.item.id, each.answer.number
        if each.references:
            judged.append((whose, next(verdicts)))
        else:
            yield ScoreRow(*whose, VERDICT, reason=NO_REFERENCE)
    for whose, verdict in judged:
        label = EQUIVALENT if verdict.equivalent else NOT_EQUIVALENT
        compared = json.dumps({"reference": verdict.reference})
        yield ScoreRow(*whose, VERDICT, label=label, value=float(verdict.equivalent), details=compared)
    for whose, verdict in judged:
        how = json.dumps({"certainty": verdict.certainty, "why": verdict.why})
        yield ScoreRow(*whose, RULE, label=str(verdict.rule), details=how)
    for measure, value_of in _VALUES.items():
        for whose, verdict in judged:
            yield ScoreRow(*whose, measure, value=float(value_of(verdict)))


def _counts(run: ScoringRun) -> dict[str, Any]:
    verdicts = ItemScore.objects.filter(run=run, aspect=VERDICT).values_list("label").annotate(Count("pk"))
    rules = ItemScore.objects.filter(run=run, aspect=RULE).values_list("label").annotate(Count("pk"))
    found = dict(verdicts.order_by())
    return {
        "verdicts": {
            "equivalent": found.get(EQUIVALENT, 0),
            "not_equivalent": found.get(NOT_EQUIVALENT, 0),
            "without_reference_answers": found.get("", 0),
        },
        "rules": dict(sorted(rules.order_by())),
    }
