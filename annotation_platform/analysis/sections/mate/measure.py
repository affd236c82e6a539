"""LLM-MATE beside its baselines: the paper's Table 1 for any study, the judge's bias, and the weights."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.figures import CountedFigure, TestedDifference
from annotation_platform.analysis.measuring.plain import counted, family, tested
from annotation_platform.analysis.sections.mate.figures import Bias, CompositeFigures, MeasureFigures
from annotation_platform.core.arrays import Codes, Floats
from annotation_platform.core.few_units import UnitName
from annotation_platform.core.statistics import Bootstrap, Ratings, Statistic, paired_bootstrap
from annotation_platform.core.statistics.clustered import clustered_pearson
from annotation_platform.core.statistics.judge_bias import judge_leniency
from annotation_platform.core.statistics.means import scale_means
from annotation_platform.core.statistics.result import Ends


@dataclass(frozen=True, eq=False)
class Answers:
    """Every answer that a run has scored, one entry each; NaN where there is no number.

    ``human`` has people's mean of each aspect, ``measured`` what the run holds of each aspect and measure; ``ends``
    those of the aspects' scales. ``question`` and ``system`` are codes; ``unit_of_question`` says which questions are
    drawn together.
    """

    question: Codes
    n_questions: int
    unit_of_question: Codes
    system: Codes
    systems: tuple[str, ...]
    human: Mapping[str, Floats]
    measured: Mapping[str, Floats]
    ends: Mapping[str, Ends]
    unit: UnitName = "question"


def composite_figures(
    answers: Answers, *, overall: str, parts: Sequence[str], score: str, baselines: Sequence[str], bootstrap: Bootstrap
) -> CompositeFigures:
    """The report about one composite: ``score`` is the name of its scores, ``overall`` the aspect that it predicts."""
    bootstrap = replace(bootstrap, unit=answers.unit)
    human = answers.human[overall]
    measures = [name for name in (*baselines, overall, score) if (~np.isnan(answers.measured[name])).any()]
    return CompositeFigures(
        answers=int((~np.isnan(human)).sum()),
        human=_by_system(answers, human, answers.ends.get(overall), bootstrap),
        measures=tuple(
            MeasureFigures(
                measure=name,
                by_system=_by_system(answers, answers.measured[name], answers.ends.get(name), bootstrap),
                r=counted(_r(answers, human, answers.measured[name], bootstrap)),
            )
            for name in measures
        ),
        change=_change(answers, human, overall, score, bootstrap) if {overall, score} <= set(measures) else None,
        bias=_biases(answers, (*parts, overall), bootstrap),
    )


def _by_system(answers: Answers, values: Floats, ends: Ends | None, bootstrap: Bootstrap) -> tuple[CountedFigure, ...]:
    means = _means(answers, values, ends, answers.system, len(answers.systems), bootstrap)
    return tuple(counted(each) for each in means)


def _means(
    answers: Answers, values: Floats, ends: Ends | None, groups: Codes, n_groups: int, bootstrap: Bootstrap
) -> tuple[Statistic, ...]:
    """Means by group; questions, or what they share, are resampled."""
    kept = ~np.isnan(values)
    ratings = Ratings.from_arrays(
        answers.question[kept],
        np.zeros(int(kept.sum()), dtype=np.int64),
        values[kept],
        n_items=answers.n_questions,
        n_raters=1,
        units=answers.unit_of_question,
        ends=ends,
        repeated="cross",
    )
    return scale_means(
        ratings,
        groups[kept],
        n_groups,
        bootstrap=bootstrap,
        undefined_because=gettext_noop("None of its answers has a value."),
    )


def _r(answers: Answers, human: Floats, values: Floats, bootstrap: Bootstrap) -> Statistic:
    kept = ~np.isnan(human) & ~np.isnan(values)
    return clustered_pearson(
        human[kept],
        values[kept],
        answers.question[kept],
        n_groups=answers.n_questions,
        units=answers.unit_of_question,
        bootstrap=bootstrap,
    )


def _change(answers: Answers, human: Floats, overall: str, score: str, bootstrap: Bootstrap) -> TestedDifference:
    """r of the composite minus r of the overall rating that the model gave directly, over the answers with both."""
    direct, composed = answers.measured[overall], answers.measured[score]
    both = np.where(np.isnan(direct) | np.isnan(composed), np.nan, human)
    return tested(paired_bootstrap(_r(answers, both, direct, bootstrap), _r(answers, both, composed, bootstrap)))


def _biases(answers: Answers, aspects: Sequence[str], bootstrap: Bootstrap) -> tuple[Bias, ...]:
    """The model's mean minus people's, over the answers that have both; all aspects are tested as one family."""
    units = answers.unit_of_question[answers.question]
    ends = [answers.ends.get(aspect) for aspect in aspects]
    apart = [
        judge_leniency(answers.human[aspect], answers.measured[aspect], units, ends=of)
        for aspect, of in zip(aspects, ends, strict=True)
    ]
    one_group = np.zeros(len(answers.question), dtype=np.int64)
    found = []
    for aspect, of, each in zip(aspects, ends, family(apart), strict=True):
        human, judged = answers.human[aspect], answers.measured[aspect]
        both = ~np.isnan(human) & ~np.isnan(judged)
        means = {
            name: counted(_means(answers, np.where(both, column, np.nan), of, one_group, 1, bootstrap)[0])
            for name, column in (("human", human), ("model", judged))
        }
        found.append(Bias(aspect=aspect, bias=TestedDifference(**each), **means))
    return tuple(found)
