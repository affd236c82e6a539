"""What a language model said of the judged items, beside what people said."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from django.db.models import Avg

from annotation_platform.analysis.measuring.aspects import AspectData
from annotation_platform.analysis.measuring.described_run import described
from annotation_platform.analysis.measuring.judgments import measures as measures_of
from annotation_platform.analysis.measuring.judgments import positions_of
from annotation_platform.analysis.measuring.snapshot_input import SnapshotInput, StudySection, identity_of
from annotation_platform.analysis.measuring.units import Units, read_units
from annotation_platform.analysis.sections.human_llm.figures import HumanLlm, JudgedAspect
from annotation_platform.analysis.sections.human_llm.measure import (
    NO_LABEL,
    NOT_ASKED,
    Judged,
    corrected,
    human_llm,
)
from annotation_platform.analysis.sections.mate.figures import Composite, Fit
from annotation_platform.analysis.sections.mate.measure import Answers, composite_figures
from annotation_platform.annotations.models import Annotation, Rating
from annotation_platform.core.arrays import Codes, Floats
from annotation_platform.core.methods.mate import unanimity
from annotation_platform.core.schemes import BestOfAspect
from annotation_platform.core.schemes.aspects import TIE
from annotation_platform.core.statistics import Bootstrap
from annotation_platform.scoring.methods.mate.baselines import BASELINES
from annotation_platform.scoring.methods.mate.weights import PREFIX, Weighted
from annotation_platform.scoring.models import ItemScore, Method, ScoringRun
from annotation_platform.scoring.run_words import NOT_APPLICABLE
from annotation_platform.scoring.selectors import labelling_run, latest_run
from annotation_platform.studies.models import Candidate, Study


@dataclass(frozen=True)
class Runs:
    """The runs whose labels and scores are compared with people's; None where there is none."""

    given: SnapshotInput
    judge: ScoringRun | None
    mate: ScoringRun | None


def read(given: SnapshotInput) -> tuple[Runs, Any]:
    mate = latest_run(given.study, method=Method.MATE)
    judge = labelling_run(given.study)
    return Runs(given, judge, mate), [identity_of(run) for run in (judge, mate)]


def measure(read: Runs, bootstrap: Bootstrap) -> HumanLlm:
    aspects = read.given.aspects
    judged: dict[str, JudgedAspect] = {}
    if read.judge is not None:
        units = {per: read.given.units(per) for per in {each.spec.per for each in aspects.values()}}
        asked = set(read.judge.item_scores.values_list("aspect", flat=True).order_by("aspect").distinct())
        judged = corrected(
            {
                key: human_llm(judged_by(read.judge, each, units[each.spec.per], bootstrap))
                for key, each in aspects.items()
                if key in asked
            }
        )
    known: dict[str, Any] = {}
    if read.mate is not None:
        known["baselines"] = read.mate.counts.get("baselines", {})
    return HumanLlm(
        judge=described(read.judge),
        mate=described(read.mate),
        aspects=judged,
        composites={} if read.mate is None else _composites(read.mate, bootstrap),
        unanimity={
            aspect.key: _unanimity(aspects[aspect.key])
            for aspect in read.given.study.scheme().aspects
            if isinstance(aspect, BestOfAspect) and aspect.key in aspects
        },
        **known,
    )


def judged_by(run: ScoringRun, measured: AspectData, units: Units, bootstrap: Bootstrap) -> Judged:
    table, measure = measured.table, measured.spec
    position_of = positions_of(run.study, run.study.scheme().aspect(measure.key), measure)  # type: ignore[arg-type]
    place = {unit: code for code, unit in enumerate(table.units.tolist())}
    given: Codes = np.full(len(table.units), NOT_ASKED, dtype=np.int64)
    left_open = 0
    columns = ("item_id", "candidate", "label", "reason")
    scores = ItemScore.objects.filter(run=run, aspect=measure.key).values_list(*columns)
    for item, candidate, label, reason in scores.iterator(10_000):
        code = place.get(units.code_of.get((item, candidate), -1))
        if code is None:
            continue
        if not label and reason == NOT_APPLICABLE:
            left_open += 1  # as a person who was not asked, it is not there
            continue
        try:
            given[code] = position_of(item, label) if label else NO_LABEL
        except KeyError:
            continue  # a label that an earlier version of the scheme had
    return Judged(table, measure, given, replace(bootstrap, unit=table.unit.name), left_open)


def _composites(run: ScoringRun, bootstrap: Bootstrap) -> dict[str, Composite]:
    scheme = run.study.scheme()
    found: dict[str, Composite] = {}
    for composite in scheme.composites:
        aspects, score = (*composite.parts, composite.predicts), f"{PREFIX}{composite.key}"
        if Weighted.from_counts(scheme, composite, run.counts) is None:
            continue
        answers = read_answers(run, aspects, (*aspects, score, *BASELINES))
        figures = composite_figures(
            answers,
            overall=composite.predicts,
            parts=composite.parts,
            score=score,
            baselines=BASELINES,
            bootstrap=bootstrap,
        )
        found[composite.key] = Composite(
            title=composite.title,
            overall=composite.predicts,
            score=score,
            systems=answers.systems,
            titles={key: scheme.aspect(key).title for key in aspects},
            fit=Fit(**run.counts[score]),
            **dict(figures),
        )
    return found


def read_answers(run: ScoringRun, aspects: Sequence[str], measures: Iterable[str]) -> Answers:
    """The answers of a run's study with people's means and the run's values."""
    study = run.study
    rows = list(
        Candidate.objects.filter(study=study)
        .order_by("item_id", "number")
        .values_list("item_id", "number", "item__question_id", "answer__system__name")
    )
    whole = not study.scheme().judges_candidates
    row_of = {(item, 0 if whole else number): row for row, (item, number, _, _) in enumerate(rows)}
    questions, first, question = np.unique([row[2] for row in rows], return_index=True, return_inverse=True)
    known = read_units(study, per="item" if whole else "candidate")
    codes = np.array([known.code_of[rows[row][0], 0 if whole else rows[row][1]] for row in first], dtype=np.int64)
    drawn_with = known.unit_of(codes)
    systems, system = np.unique([row[3] for row in rows], return_inverse=True)
    return Answers(
        question=question,
        n_questions=len(questions),
        unit_of_question=drawn_with.of_item,
        system=system,
        systems=tuple(map(str, systems)),
        human=_columns(aspects, _human_means(study, aspects), row_of),
        measured=_columns(measures, _run_values(run), row_of),
        ends={aspect.key: spec.ends for aspect, spec in measures_of(study) if spec.ends is not None},
        unit="article" if drawn_with.name == "article" else "question",
    )


Value = tuple[int, int, str, float]


def _human_means(study: Study, aspects: Sequence[str]) -> Iterable[Value]:
    closed = Annotation.objects.closed().filter(item__study=study)
    ratings = Rating.objects.filter(annotation__in=closed, aspect__in=aspects, number__isnull=False)
    means = ratings.values_list("annotation__item_id", "candidate", "aspect").annotate(Avg("number")).order_by()
    return means.iterator(10_000)


def _run_values(run: ScoringRun) -> Iterable[Value]:
    scores = run.item_scores.filter(value__isnull=False).order_by()
    return scores.values_list("item_id", "candidate", "aspect", "value").iterator(10_000)  # type: ignore[return-value]


def _columns(names: Iterable[str], values: Iterable[Value], row_of: dict[tuple[int, int], int]) -> dict[str, Floats]:
    found = {name: np.full(len(row_of), np.nan) for name in names}
    for item, candidate, name, value in values:
        if name in found and (row := row_of.get((item, candidate))) is not None:
            found[name][row] = value
    return found


def _unanimity(measured: AspectData) -> dict[str, int]:
    """How many items have how many people agreeing on the best candidate; whoever finds them equally good has none."""
    no_candidate = [place for place, label in enumerate(measured.spec.labels) if label.key == TIE]
    choices: dict[int, list[int]] = defaultdict(list)
    for item, choice in zip(measured.table.items.tolist(), measured.table.choices.tolist(), strict=True):
        choices[item] += [] if choice in no_candidate else [choice]
    found = unanimity(list(choices.values()))
    nobody = len(choices) - sum(found.values())
    return {str(size): n for size, n in (found | ({0: nobody} if nobody else {})).items()}


STUDY_SECTIONS = {"human_llm": StudySection(read, measure)}
