"""The answers that both people and an answer-equivalence run have judged."""

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.aspects import AspectData
from annotation_platform.analysis.measuring.judged_part import JudgedPart, judged_part
from annotation_platform.analysis.measuring.snapshot_input import SnapshotInput, StudySection, identity_of
from annotation_platform.analysis.sections.equivalence.figures import Equivalence
from annotation_platform.analysis.sections.equivalence.measure import (
    AllAnswers,
    ComparedAnswers,
    agreement_with_people,
    differences_of_all,
    shares_of_all,
)
from annotation_platform.core.few_units import UnitName
from annotation_platform.core.methods.equivalence.rules import Rule
from annotation_platform.core.schemes import LabelledAspect, RatedAspect, Scheme, YesNoAspect
from annotation_platform.core.statistics import Bootstrap
from annotation_platform.core.statistics.votes import majority_vote
from annotation_platform.scoring.methods import equivalence as measures
from annotation_platform.scoring.models import ItemScore, Method, ScoringRun
from annotation_platform.scoring.selectors import latest_run
from annotation_platform.studies.models import Candidate

Unit = tuple[int, int]
NO_RUN = gettext_noop("No run of answer equivalence has finished yet.")
NO_ASPECT = gettext_noop(
    "The scheme asks people no yes-or-no question about each answer that the verdicts could be compared with."
)


@dataclass(frozen=True)
class Verdicts:
    given: SnapshotInput
    run: ScoringRun | None
    part: JudgedPart


def read(given: SnapshotInput) -> tuple[Verdicts, Any]:
    """The run that counts; people's judgments are there already."""
    run = latest_run(given.study, method=Method.EQUIVALENCE)
    part = judged_part(given.study) if run else JudgedPart()
    return Verdicts(given, run, part), [identity_of(run), part.identity]


def measure(read: Verdicts, bootstrap: Bootstrap) -> Equivalence:
    """Nothing but the reason where there is no run, or nothing to compare it with."""
    scheme = read.given.study.scheme()
    aspect = verdict_aspect(scheme)
    if read.run is None or aspect is None:
        return Equivalence(undefined_because=NO_RUN if read.run is None else NO_ASPECT)
    compared, answers, unit, undecided = _compared(read, read.run, aspect, rule_aspect(scheme))
    head: dict[str, Any] = {
        "undefined_because": None
        if len(compared)
        else gettext_noop("People have judged none of the answers of the run yet."),
        "aspect": aspect.title,
        "run": read.run.pk,
        "undecided": undecided,
        "drawn": read.part.drawn,
        "language": read.given.study.corpus.language,
    }
    if not len(compared):
        return Equivalence(**head)
    figures = agreement_with_people(compared, replace(bootstrap, unit=unit))
    within = answers.within_reach(read.part.chosen)
    return Equivalence(
        **head,
        **figures,
        out_of_reach=len(answers.items) - len(within.items),
        all_answers=shares_of_all(within, read.part),
        all_differences=differences_of_all(within, read.part),
        unit=unit,
    )


def verdict_aspect(scheme: Scheme) -> YesNoAspect | None:
    """The first yes-or-no question about each answer."""
    per = "candidate" if scheme.judges_candidates else "item"
    return next((each for each in scheme.aspects if isinstance(each, YesNoAspect) and each.per == per), None)


def rule_aspect(scheme: Scheme) -> RatedAspect | None:
    """The aspect whose choices are the seven rules, if people were asked for one."""
    per = "candidate" if scheme.judges_candidates else "item"
    rules = set(map(str, Rule))
    return next(
        (a for a in scheme.rated_aspects if a.per == per and {choice.key for choice in a.scale.choices} == rules), None
    )


def _compared(
    read: Verdicts, run: ScoringRun, verdict: LabelledAspect, rule: LabelledAspect | None
) -> tuple[ComparedAnswers, AllAnswers, UnitName, int]:
    """The answers with both verdicts, in the order of the study's units; these and those that nobody has judged; what
    is drawn together; and how many people left undecided."""
    study, people = read.given.study, read.given.aspects
    known = read.given.units(verdict.per)
    units = {code: unit for unit, code in known.code_of.items()}
    said, undecided = _majority(people[verdict.key], units)
    rules = _majority(people[rule.key], units)[0] if rule else {}
    rows = _scores_of(run)
    questions, systems = _origins(read, whole=not study.scheme().judges_candidates)
    judged = {units[int(code)] for code in people[verdict.key].table.units}
    both = [unit for unit in units.values() if unit in said and unit in rows]
    every = both + [unit for unit in units.values() if unit in rows and unit not in judged]
    names = tuple(sorted({systems[unit] for unit in every}))
    n, unit_of = len(both), known.unit_of(np.array([known.code_of[unit] for unit in every], dtype=np.int64))

    def column(measure: str) -> np.ndarray:
        return np.array([rows[unit][measure] for unit in both], dtype=np.float64)

    answers = AllAnswers(
        right=np.array([said[unit] == "yes" for unit in both] + [np.nan] * (len(every) - n), dtype=np.float64),
        probability=np.array([rows[unit][measures.PROBABILITY] for unit in every], dtype=np.float64),
        questions=np.array([questions[unit] for unit in every], dtype=np.int64),
        units=unit_of.of_item,
        systems=np.array([names.index(systems[unit]) for unit in every], dtype=np.int64),
        items=np.array([item for item, _ in every], dtype=np.int64),
        system_names=names,
    )
    compared = ComparedAnswers(
        right=answers.right[:n] == 1,
        questions=answers.questions[:n],
        units=answers.units[:n],
        systems=answers.systems[:n],
        system_names=names,
        equivalent=column(measures.VERDICT) == 1,
        probability=column(measures.PROBABILITY),
        exact_match=column(measures.EXACT_MATCH) == 1,
        containment=column(measures.CONTAINMENT) == 1,
        f1=column(measures.F1),
        rules=tuple(rows[unit][measures.RULE] for unit in both),
        people_rules=tuple(rules.get(unit, "") for unit in both),
    )
    return compared, answers, unit_of.name, undecided


def _scores_of(run: ScoringRun) -> dict[Unit, dict[str, Any]]:
    """What the run measured of each answer, by measure."""
    found: dict[Unit, dict[str, Any]] = defaultdict(dict)
    scores = ItemScore.objects.filter(run=run, aspect__in=measures.MEASURES, reason="")
    for item, candidate, aspect, label, value in scores.values_list(
        "item_id", "candidate", "aspect", "label", "value"
    ).iterator(10_000):
        found[item, candidate][aspect] = label if aspect == measures.RULE else value
    return found


def _majority(measured: AspectData, units: dict[int, Unit]) -> tuple[dict[Unit, str], int]:
    """The label that most people gave to each unit, ties to the better one; and how many units are undecided."""
    best = measured.spec.best
    votes = majority_vote(measured.raw, best=None if best is None else float(measured.spec.values[best]))
    key_of = {float(value): label.key for value, label in zip(measured.spec.values, measured.spec.labels, strict=True)}
    found = {
        units[int(measured.table.units[item])]: key_of[value]
        for item, value in zip(votes.items.tolist(), votes.values.tolist(), strict=True)
    }
    return found, votes.n_undecided


def _origins(read: Verdicts, *, whole: bool) -> tuple[dict[Unit, int], dict[Unit, str]]:
    """Each answer's question and system."""
    rows = Candidate.objects.filter(study=read.given.study).values_list(
        "item_id", "number", "item__question_id", "answer__system__name"
    )
    found = [((item, 0 if whole else number), question, system) for item, number, question, system in rows]
    return {unit: question for unit, question, _ in found}, {unit: system for unit, _, system in found}


STUDY_SECTIONS = {"equivalence": StudySection(read, measure)}
