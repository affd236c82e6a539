"""The verdicts of an answer-equivalence run beside people's: how far they agree, by system, by rule, by probability."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.chosen import ChosenTasks
from annotation_platform.analysis.measuring.figures import CountedFigure
from annotation_platform.analysis.measuring.judged_part import JudgedPart, mean_of_all
from annotation_platform.analysis.measuring.plain import counted, interval_of, nothing, share_of
from annotation_platform.analysis.sections.equivalence.figures import (
    DecidingRule,
    ProbabilityRange,
    ShareOfAll,
    SystemVerdicts,
    WayOfJudging,
)
from annotation_platform.analysis.sections.powered.figures import PoweredDifference
from annotation_platform.analysis.sections.powered.measure import ModelAndPeople, differences
from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.methods.equivalence.agreement import verdict_agreement
from annotation_platform.core.methods.equivalence.measuring import F1_LIMIT, PROBABILITY_EDGES
from annotation_platform.core.statistics import Bootstrap
from annotation_platform.core.statistics.clustered_means import ClusteredDifference
from annotation_platform.core.statistics.verdicts import NO_ANSWERS, area_under_curve


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


@dataclass(frozen=True, eq=False)
class AllAnswers:
    """One entry an answer of the run, whether or not people judged it: ``right`` is NaN where they did not.

    ``items`` are keys."""

    right: Floats
    probability: Floats
    questions: Codes
    units: Codes
    systems: Codes
    items: Codes
    system_names: tuple[str, ...]

    def within_reach(self, chosen: ChosenTasks | None) -> "AllAnswers":
        """Those that what was drawn speaks for."""
        if chosen is None or not chosen.out_of_reach:
            return self
        kept = chosen.within_reach(self.items.tolist())
        columns = ("right", "probability", "questions", "units", "systems", "items")
        return replace(self, **{name: getattr(self, name)[kept] for name in columns})


NO_RULE = gettext_noop("People named no rule, or several equally often.")
NONE_JUDGED = gettext_noop("People have judged none of its answers.")
OUTSIDE_OF_DRAWS = gettext_noop(
    "What people judged of its answers was not drawn by chance, so that it does not speak for the others."
)

CLASSIFIER = gettext_noop("classifier")
TOKEN_F1 = f"F1 ≥ {F1_LIMIT}"
WAYS: dict[str, Callable[[ComparedAnswers], Flags]] = {
    CLASSIFIER: lambda compared: compared.equivalent,
    gettext_noop("exact match"): lambda compared: compared.exact_match,
    TOKEN_F1: lambda compared: compared.f1 >= F1_LIMIT,
    gettext_noop("containment"): lambda compared: compared.containment,
}
SCORES: dict[str, Callable[[ComparedAnswers], Floats]] = {
    CLASSIFIER: lambda compared: compared.probability,
    TOKEN_F1: lambda compared: compared.f1,
}
NO_ORDER = gettext_noop("This way says only yes or no, so that it puts no answer above another.")


def agreement_with_people(compared: ComparedAnswers, bootstrap: Bootstrap) -> dict[str, Any]:
    """Accuracy, F1, macro-F1 and AUC of every way, overall and by system; calibration; and how the rules fell."""
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


def shares_of_all(answers: AllAnswers, part: JudgedPart) -> tuple[ShareOfAll, ...]:
    """What people would say of all answers of each system; none where they judged every one."""
    if not np.isnan(answers.right).any():
        return ()
    every = [answers.systems == code for code in range(len(answers.system_names))]
    return tuple(
        _share_of_all(answers, name, rows, part)
        for name, rows in zip(answers.system_names, every, strict=True)
        if rows.any()
    )


def differences_of_all(answers: AllAnswers, part: JudgedPart) -> tuple[PoweredDifference, ...]:
    """How much more of all answers of one system people would take as right than of another; by question.

    None where tasks were drawn with chances that differ, since the estimate takes the part as an even one.
    """
    if not np.isnan(answers.right).any():
        return ()
    nobody = np.zeros(len(answers.right), dtype=np.bool_)
    right = answers.right
    if part.chosen is not None:
        right = np.where(part.chosen.counts(answers.items.tolist()), right, np.nan)
    return differences(
        ModelAndPeople(
            people=right,
            without_value=nobody,
            model=answers.probability,
            judgments=(~np.isnan(right)).astype(np.int64),
            questions=answers.questions,
            units=answers.units,
            systems=answers.systems,
            system_names=answers.system_names,
            annotators=np.zeros(len(answers.system_names), dtype=np.int64),
            ends=(0.0, 1.0),
            items=answers.items,
            part=part,
            said=None,  # people's majority is no mean
        )
    )


def _share_of_all(answers: AllAnswers, name: str, rows: Flags, part: JudgedPart) -> ShareOfAll:
    judged = rows & ~np.isnan(answers.right)
    if judged.sum() == rows.sum():
        part = JudgedPart()  # nothing is estimated, whoever chose what was judged
    items = answers.items[rows].tolist()
    found = mean_of_all(answers.right[rows], answers.probability[rows], answers.units[rows], items, part, (0.0, 1.0))
    counted = judged if part.chosen is None else judged & part.chosen.counts(answers.items.tolist())
    people = share_of(
        answers.right[counted],
        answers.questions[counted],
        units=answers.units[counted],
        nothing=OUTSIDE_OF_DRAWS if judged.any() else NONE_JUDGED,
    )
    if part.chosen is not None:  # as many as there are, but not as they come
        people = _weighted(people, found.people)
    both = people
    if found.weight and found.value is not None and found.interval:
        both = people.model_copy(
            update={
                "value": found.value,
                "interval": interval_of(found.interval),
                "no_interval_because": None,
                "units": found.n_units,
                "items": len(np.unique(answers.questions[rows])),
                "judgments": int(rows.sum()),
            }
        )
    return ShareOfAll(
        system=name,
        answers=int(rows.sum()),
        people=people,
        both=both,
        effective=found.n_effective if both is not people else None,
        no_model_because=found.no_model_because,
    )


def _weighted(people: CountedFigure, found: ClusteredDifference) -> CountedFigure:
    """The share where each answer stands for as many as its chance says."""
    if found.value is None:
        return people
    return people.model_copy(
        update={
            "value": found.value,
            "interval": interval_of(found.interval),
            "no_interval_because": found.no_interval_because,
            "units": found.n_units,
        }
    )


def _ways(compared: ComparedAnswers, rows: Flags, bootstrap: Bootstrap) -> list[WayOfJudging]:
    found = []
    for name, way in WAYS.items():
        right, questions, units = compared.right[rows], compared.questions[rows], compared.units[rows]
        each = verdict_agreement(right, way(compared)[rows], questions, units=units, bootstrap=bootstrap)
        auc = nothing(NO_ORDER)
        if score := SCORES.get(name):
            auc = counted(area_under_curve(right, score(compared)[rows], questions, units=units, unit=bootstrap.unit))
        found.append(
            WayOfJudging(
                way=name,
                accuracy=counted(each.accuracy),
                f1=counted(each.f1),
                macro_f1=counted(each.macro_f1),
                auc=auc,
            )
        )
    return found


def _share(compared: ComparedAnswers, flags: Flags, rows: Flags, nothing: str = NO_ANSWERS) -> CountedFigure:
    """In which share of these rows the flag is set; answers to one question are alike."""
    return share_of(flags[rows], compared.questions[rows], units=compared.units[rows], nothing=nothing)


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
                right=right,
                probability=float(compared.probability[ranges == place].mean()) if right.judgments else None,
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
                agreed=_share(compared, agreed, rows),
                same_rule=_share(compared, people == rule, named, NO_RULE),
            )
        )
    return sorted(found, key=lambda each: -each.agreed.judgments)
