"""Answer equivalence as runs execute it: every answer beside its question's reference answers.

Each answer gets a row for every measure. Their names have a dot, which no aspect's key has.
"""

import json
from collections.abc import Callable, Mapping
from functools import partial
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
    ScoreColumns,
    ahead,
    answer_blocks,
    last_scored,
    own_thread,
)
from annotation_platform.scoring.methods.contract import ScoredBy
from annotation_platform.scoring.models import ItemScore, Method, Scorer, ScoringRun
from annotation_platform.scoring.parameters import Parameters, chosen
from annotation_platform.studies.items import TextsSignature
from annotation_platform.studies.models import Study

if TYPE_CHECKING:
    from annotation_platform.core.methods.equivalence.classifier import Verdict

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

_json = json.JSONEncoder().encode

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
    signs_as_it_reads = True

    def resolve(self, *, study: Study, scorer: str, given: Mapping[str, Any]) -> EquivalenceParameters:
        from annotation_platform.core.methods.equivalence.classifier import ARTEFACT  # numpy: only where a run starts

        artefact = sha256(ARTEFACT.read_bytes()).hexdigest()
        return EquivalenceParameters.checked(**chosen(EquivalenceParameters, given) | {"artefact": artefact})

    def execute(
        self, *, run: ScoringRun, scheme: Scheme, parameters: Parameters, heartbeat: Heartbeat
    ) -> dict[str, Any]:
        done, signed = last_scored(run), TextsSignature()
        heartbeat.beat(ItemScore.objects.filter(run=run, aspect=VERDICT).count())
        with uncollected(), own_thread("read") as reader, own_thread("store") as storer:
            store = RowStore(storer)
            for block in ahead(answer_blocks(run, signed=signed), reader):
                left = [each for each in block if each.item.id > done]
                heartbeat.beat(store.store(_columns(run, left), len(left)) if left else 0)
            heartbeat.beat(store.finish())
        self.sign(run, parameters, signed.hexdigest())
        return _counts(run)

    def summary(self, run: ScoringRun) -> list[str]:
        verdicts = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in run.counts["verdicts"].items())
        rules = ", ".join(f"{rule} {count:,}" for rule, count in run.counts["rules"].items())
        return [verdicts, f"most likely decided by {rules or 'nothing'}"]


def _columns(run: ScoringRun, block: list[GivenAnswer]) -> list[ScoreColumns]:
    """The rows of a block, measure by measure."""
    from annotation_platform.core.methods.equivalence.classifier import AnswerPair, judge

    asked = [(each, references) for each in block if (references := each.references)]
    verdicts = judge([AnswerPair(each.item.question, references, each.answer.text) for each, references in asked])
    without = _whose(run, [each for each in block if not each.references])
    judged = _whose(run, [each for each, _ in asked])
    return [
        without(VERDICT, reason=NO_REFERENCE),
        judged(
            VERDICT,
            label=[EQUIVALENT if verdict.equivalent else NOT_EQUIVALENT for verdict in verdicts],
            value=[float(verdict.equivalent) for verdict in verdicts],
            details=[f'{{"reference": {_json(verdict.reference)}}}' for verdict in verdicts],
        ),
        judged(
            RULE,
            label=[str(verdict.rule) for verdict in verdicts],
            details=[f'{{"certainty": "{each.certainty}", "why": {_json(each.why)}}}' for each in verdicts],
        ),
        *(
            judged(measure, value=[float(value_of(verdict)) for verdict in verdicts])
            for measure, value_of in _VALUES.items()
        ),
    ]


def _whose(run: ScoringRun, answers: list[GivenAnswer]) -> "partial[ScoreColumns]":
    """The columns by which rows of these answers say whose they are."""
    return partial(ScoreColumns, run.pk, [each.item.id for each in answers], [each.answer.number for each in answers])


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
