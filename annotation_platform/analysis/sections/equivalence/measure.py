"""The verdicts of an answer-equivalence run beside people's: how far they agree, by system, by rule, by probability."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from annotation_platform.analysis.measuring.figures import CountedFigure
from annotation_platform.analysis.measuring.judgment_table import Codes, Flags, Floats
from annotation_platform.analysis.measuring.plain import counted, share_of
from annotation_platform.analysis.sections.equivalence.figures import (
    DecidingRule,
    ProbabilityRange,
    SystemVerdicts,
    WayOfJudging,
)
from annotation_platform.core.methods.answer_agreement import verdict_agreement
from annotation_platform.core.methods.answer_equivalence_measuring import F1_LIMIT, PROBABILITY_EDGES
from annotation_platform.core.statistics import Bootstrap


@dataclass(frozen=True, eq=False)
class ComparedAnswers:
    """One entry an answer that has people's verdict and the run's.

    ``units`` are codes of what questions are drawn together with.

    ``right`` is people's majority. ``systems`` are codes into ``system_names``. ``rules`` are the run's, by key;
    ``people_rules`` the rule that most people named, "" where they did not name one or none more than others.
    """

    right: Flags
    questions: Codes
    units: Codes
    systems: Codes
    system_names: tuple[str, ...]
    equivalent: Flags
    probability: Floats
    exact_match: Flags
    containment: Flags
    f1: Floats
    rules: tuple[str, ...]
    people_rules: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.right)


WAYS: dict[str, Callable[[ComparedAnswers], Flags]] = {
    "classifier": lambda compared: compared.equivalent,
    "exact match": lambda compared: compared.exact_match,
    f"F1 ≥ {F1_LIMIT}": lambda compared: compared.f1 >= F1_LIMIT,
    "containment": lambda compared: compared.containment,
}


def agreement_with_people(compared: ComparedAnswers, bootstrap: Bootstrap) -> dict[str, Any]:
    """Accuracy and F1 of every way, overall and by system; calibration; and how the rules fell."""
    everything = np.ones(len(compared), dtype=np.bool_)
    return {
        "answers": len(compared),
        "questions": len(np.unique(compared.questions)),
        "ways": _ways(compared, everything, bootstrap),
        "systems": [
            SystemVerdicts(
                system=name,
                right=_share(compared, compared.right, rows),
                taken=_share(compared, compared.equivalent, rows),
                ways=tuple(_ways(compared, rows, bootstrap)),
            )
            for code, name in enumerate(compared.system_names)
            if (rows := compared.systems == code).any()
        ],
        "calibration": _calibration(compared),
        "rules": _rules(compared),
    }


def _ways(compared: ComparedAnswers, rows: Flags, bootstrap: Bootstrap) -> list[WayOfJudging]:
    found = []
    for name, way in WAYS.items():
        each = verdict_agreement(
            compared.right[rows],
            way(compared)[rows],
            compared.questions[rows],
            units=compared.units[rows],
            bootstrap=bootstrap,
        )
        found.append(WayOfJudging(way=name, accuracy=counted(each.accuracy), f1=counted(each.f1)))
    return found


def _share(compared: ComparedAnswers, flags: Flags, rows: Flags) -> CountedFigure:
    """In which share of these rows the flag is set; answers to one question are alike."""
    return share_of(flags[rows], compared.questions[rows], units=compared.units[rows], nothing="There are no answers.")


def _calibration(compared: ComparedAnswers) -> list[ProbabilityRange]:
    """For each range of the probability, how many answers are in it and which share of them is right."""
    ranges = np.digitize(compared.probability, PROBABILITY_EDGES[1:-1])
    found = []
    for place, (low, high) in enumerate(pairwise(PROBABILITY_EDGES)):
        right = _share(compared, compared.right, ranges == place)
        found.append(
            ProbabilityRange(
                low=low,
                high=high,
                answers=right.judgments,
                questions=right.items,
                right=right.value,
                right_interval=right.interval,
                units=right.units,
                probability=_mean(compared.probability[ranges == place]),
            )
        )
    return found


def _rules(compared: ComparedAnswers) -> list[DecidingRule]:
    """For each rule, how many answers it decided, how often people agree with the verdict, and with the rule."""
    rules, people = np.array(compared.rules, dtype=object), np.array(compared.people_rules, dtype=object)
    agreed = compared.right == compared.equivalent
    found = []
    for rule in dict.fromkeys(compared.rules):
        rows = rules == rule
        named = rows & (people != "")
        found.append(
            DecidingRule(
                rule=rule,
                answers=int(rows.sum()),
                agreed=_mean(agreed[rows]),
                rule_named=int(named.sum()),
                same_rule=_mean(people[named] == rule),
            )
        )
    return sorted(found, key=lambda each: -each.answers)


def _mean(values: Flags | Floats) -> float | None:
    return float(values.mean()) if len(values) else None
