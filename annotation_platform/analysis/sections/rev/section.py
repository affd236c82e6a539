"""The rationales that a REV run has measured, with what people said of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.snapshot_input import SnapshotInput, StudySection, identity_of
from annotation_platform.analysis.measuring.units import read_units
from annotation_platform.analysis.sections.equivalence.section import Unit, verdict_aspect
from annotation_platform.analysis.sections.rev.figures import RationaleFigures
from annotation_platform.analysis.sections.rev.measure import Helped, MeasuredRationales, rationale_figures
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.methods.rev.human import RationaleJudgment, human_score
from annotation_platform.core.methods.vacuousness import assess_explanation
from annotation_platform.core.schemes import RatedAspect, Scheme
from annotation_platform.core.statistics import Bootstrap
from annotation_platform.core.statistics.units import Unit as DrawnWith
from annotation_platform.core.tokens import tokens
from annotation_platform.scoring.methods.rev.run import LAS, REV, RQ
from annotation_platform.scoring.models import ItemScore, Method, ScoringRun
from annotation_platform.scoring.selectors import latest_run
from annotation_platform.studies.models import Candidate, Study

_ABOUT = ("item__question_id", "answer__system__name", "item__question__text", "answer__text", "answer__rationale")


@dataclass(frozen=True)
class Rationales:
    study: Study
    run: ScoringRun | None


def read(given: SnapshotInput) -> tuple[Rationales, Any]:
    """The run that counts; people's judgments are part of the snapshot's data already."""
    run = latest_run(given.study, method=Method.REV)
    return Rationales(given.study, run), identity_of(run)


def measure(read: Rationales, bootstrap: Bootstrap) -> RationaleFigures:
    if read.run is None:
        return RationaleFigures(undefined_because=gettext_noop("No run of REV has finished yet."))
    measured = _measured(read.study, read.run)
    head: dict[str, Any] = {
        "undefined_because": None if len(measured) else gettext_noop("The run measured no rationale."),
        "run": read.run.pk,
        "evaluator": read.run.parameters.get("evaluator", ""),
        "baseline": read.run.parameters.get("baseline", ""),
        "per": read.run.parameters.get("per", ""),
        "is_trained": read.run.parameters.get("is_trained"),
    }
    return RationaleFigures(**head, **(rationale_figures(measured, bootstrap) if len(measured) else {}))


def amount_aspect(scheme: Scheme) -> RatedAspect | None:
    """How much a rationale adds: the numbered aspect that is asked only where the first yes-or-no question is a yes."""
    justifies = verdict_aspect(scheme)
    return next(
        (
            aspect
            for aspect in scheme.rated_aspects
            if justifies is not None
            and aspect.shown_when is not None
            and aspect.shown_when.aspect == justifies.key
            and all(choice.number is not None for choice in aspect.scale.choices)
        ),
        None,
    )


def people_scores(study: Study) -> dict[Unit, float]:
    """People's score of each rationale, −1 or the mean amount; empty where the scheme does not ask them."""
    scheme = study.scheme()
    justifies, amount = verdict_aspect(scheme), amount_aspect(scheme)
    if justifies is None or amount is None:
        return {}
    numbers = {choice.key: choice.number for choice in amount.scale.choices}
    said: dict[Unit, list[RationaleJudgment]] = {}
    judgments = Annotation.objects.closed().filter(item__study=study).values_list("item_id", "values")
    for item, values in judgments.iterator(5_000):
        for key, value in values.items():
            name, _, number = key.partition(".")
            if name == justifies.key:
                suffix = f".{number}" if number else ""
                given = numbers.get(values.get(f"{amount.key}{suffix}", ""))
                said.setdefault((item, int(number or 0)), []).append(RationaleJudgment(value == "yes", given))
    scores = ((unit, human_score(judgments)) for unit, judgments in said.items())
    return {unit: score for unit, score in scores if score is not None}


def _measured(study: Study, run: ScoringRun) -> MeasuredRationales:
    whole = not study.scheme().judges_candidates
    scores = {measure: _scores(run, measure) for measure in (REV, LAS, RQ)}
    rows = Candidate.objects.filter(study=study).order_by(
        "item__question__article__external_id", "item__question__external_id", "answer__system__name", "number"
    )
    found = [
        ((item, 0 if whole else number), question, system, texts)
        for item, number, question, system, *texts in rows.values_list("item_id", "number", *_ABOUT)
        if (item, 0 if whole else number) in scores[REV]
    ]
    units = [unit for unit, *_ in found]
    drawn_with = _drawn_with(study, units, whole=whole)
    names = tuple(sorted({system for _, _, system, _ in found}))
    people, language = people_scores(study), study.corpus.language
    return MeasuredRationales(
        rev=np.array([scores[REV][unit][0] for unit in units], dtype=np.float64),
        questions=np.unique([question for _, question, *_ in found], return_inverse=True)[1].astype(np.int64),
        units=drawn_with.of_item,
        kinds=np.array([names.index(system) for _, _, system, _ in found], dtype=np.int64),
        kind_names=names,
        people=np.array([people.get(unit, np.nan) for unit in units], dtype=np.float64),
        new_words=np.array([_new_words(texts, language) for *_, texts in found], dtype=np.float64),
        says_answer=np.array([_says(texts[1], texts[2]) for *_, texts in found], dtype=np.bool_),
        predicted=_helped(units, scores[LAS]),
        gold=_helped(units, scores[RQ]),
        unit=drawn_with.name,
    )


def _drawn_with(study: Study, units: list[Unit], *, whole: bool) -> DrawnWith:
    """What figures speak for, by name and as a code of each unit."""
    known = read_units(study, per="item" if whole else "candidate")
    return known.unit_of(np.array([known.code_of[unit] for unit in units], dtype=np.int64))


def _new_words(texts: list[str], language: str) -> int:
    question, answer, rationale = texts
    found = assess_explanation(rationale, labels=(), context=(question, answer), language=language)
    return len(found.new_words)


def _says(answer: str, rationale: str) -> bool:
    """Whether the answer's words stand in the rationale side by side: “no” is no part of “know”."""
    wanted, said = (_words(text) for text in (answer, rationale))
    return bool(wanted) and f" {wanted} " in f" {said} "


def _words(text: str) -> str:
    """The words of a text with a space between them, without the full stop at its end."""
    plain = text.casefold().strip().rstrip(" .。")
    return " ".join(plain[start:end] for start, end in tokens(plain))


def _scores(run: ScoringRun, measure: str) -> dict[Unit, tuple[float, dict[str, Any]]]:
    rows = ItemScore.objects.filter(run=run, aspect=measure, value__isnull=False)
    return {
        (item, candidate): (float(value or 0.0), details or {})
        for item, candidate, value, details in rows.values_list("item_id", "candidate", "value", "details").iterator(
            10_000
        )
    }


def _helped(units: list[Unit], scores: dict[Unit, tuple[float, dict[str, Any]]]) -> Helped:
    known = [(place, scores[unit][1]) for place, unit in enumerate(units) if unit in scores]

    def column(name: str) -> np.ndarray:
        return np.array([details[name] for _, details in known], dtype=np.bool_)

    rows = np.array([place for place, _ in known], dtype=np.int64)
    return Helped(rows, column("with_rationale"), column("without"), column("leaks"))


STUDY_SECTIONS = {"rev": StudySection(read, measure)}
