"""Means and differences of systems from people's judgments of a part and a model's of all."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.chosen import NONE_DRAWN
from annotation_platform.analysis.measuring.judged_part import JudgedPart, mean_of_all
from annotation_platform.analysis.measuring.plain import difference, family_for_others, for_others, interval_of
from annotation_platform.analysis.sections.powered.figures import (
    DifferenceOfPart,
    MeanOfPart,
    PoweredDifference,
    PoweredMean,
)
from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.statistics import holm
from annotation_platform.core.statistics.active_difference import active_difference
from annotation_platform.core.statistics.active_for_others import active_difference_for_other_raters
from annotation_platform.core.statistics.linear_for_others import Said
from annotation_platform.core.statistics.powered_for_others import (
    PoweredForOthers,
    powered_difference_for_other_raters,
    powered_mean_for_other_raters,
)
from annotation_platform.core.statistics.prediction_powered import (
    NOBODY,
    PredictionPowered,
    inside,
    prediction_powered_mean,
)
from annotation_platform.core.statistics.result import Ends

MOST_COMPARED = 12  # systems; all pairs of them are compared
NO_PAIR = gettext_noop("There is no question of which people have judged both answers.")
NONE_OF_ONE = gettext_noop("Of one of the two people have judged no answer that was drawn by chance.")
NO_QUESTION = gettext_noop("The model was asked about no question that both have answered.")


@dataclass(frozen=True, eq=False)
class ModelAndPeople:
    """One entry an answer that the model was asked about.

    ``people`` is the mean of people's numbers, NaN where they have not judged or, with ``without_value``, gave none;
    ``model`` NaN where the model gave none. ``judgments`` counts people's. ``units`` are codes of what questions are
    drawn together with, ``systems`` codes into ``system_names``; ``annotators`` is by system. ``ends`` are the lowest
    and the highest number that there can be. ``items`` are keys; where tasks were drawn, what people said outside of
    the draws is not among ``people``. ``said`` is what these are the means of; None where they are no means of what
    single annotators said.
    """

    people: Floats
    without_value: Flags
    model: Floats
    judgments: Codes
    questions: Codes
    units: Codes
    systems: Codes
    system_names: tuple[str, ...]
    annotators: Codes
    ends: Ends
    items: Codes
    part: JudgedPart
    said: Said | None

    @property
    def groups(self) -> Codes:
        """What was drawn together, in which every unit lies whole."""
        return self.part.groups(self.units, self.items.tolist())


def means(columns: ModelAndPeople) -> tuple[PoweredMean, ...]:
    """Of each system, over all its answers."""
    rows_of = [columns.systems == code for code in range(len(columns.system_names))]
    return tuple(_mean(columns, code, rows) for code, rows in enumerate(rows_of) if rows.any())


def _mean(columns: ModelAndPeople, code: int, rows: Flags) -> PoweredMean:
    part, items, ends = columns.part, columns.items[rows].tolist(), columns.ends
    said, units, silent = columns.people[rows], columns.units[rows], columns.without_value[rows]
    weights = part.weights(items)
    model = _filled(columns.model[rows], said, weights)
    found = mean_of_all(said, model, units, items, part, ends, without_value=silent)
    people = _people(columns, code, rows, found)
    others = None
    if columns.said is not None:
        others = powered_mean_for_other_raters(
            columns.said.part(rows),
            said,
            model,
            part.groups(units, items),
            found,
            weights=weights,
            without_value=silent,
            ends=ends,
        )
        people = people.model_copy(update={"for_others": for_others(others.people)})
    both = people
    if found.weight:
        both = people.model_copy(
            update={
                "value": found.value,
                "interval": interval_of(found.interval),
                "no_interval_because": found.no_interval_because,
                "units": found.n_units,
                "items": int(rows.sum()),
                "for_others": others and for_others(others.both),
            }
        )
    return PoweredMean(
        system=columns.system_names[code],
        answers=int(rows.sum()),
        people=people,
        both=both,
        effective=found.n_effective if found.weight else None,
        no_model_because=people.undefined_because or found.no_model_because,
    )


def _people(columns: ModelAndPeople, code: int, rows: Flags, found: PredictionPowered) -> MeanOfPart:
    """People's mean of what they judged."""
    counted, alone = rows & ~np.isnan(columns.people), found.people
    return MeanOfPart(
        value=alone.value,
        interval=interval_of(alone.interval),
        units=alone.n_units,
        undefined_because=None if alone.value is not None else NOBODY if columns.part.chosen is None else NONE_DRAWN,
        no_interval_because=alone.no_interval_because,
        items=found.n_people,
        judgments=int(columns.judgments[counted].sum()),
        annotators=int(columns.annotators[code]),
    )


def differences(columns: ModelAndPeople) -> tuple[PoweredDifference, ...]:
    """Of every two systems, the second less the first, with p corrected by Holm; none of very many.

    By question; where what people judged is no even part, by the mean of each system, weighed by the chances: with what
    chance *both* answers to a question were drawn is not known.
    """
    codes = np.unique(columns.systems).tolist()
    if not 2 <= len(codes) <= MOST_COMPARED:
        return ()
    compared = _ByQuestion.of(columns) if _is_even(columns) else _Weighed(columns)
    pairs = list(combinations(codes, 2))
    found = [compared.difference(*pair) for pair in pairs]
    both, alone = holm([each.p_value for each in found]), holm([each.people.p_value for each in found])
    names = columns.system_names
    width = columns.ends[1] - columns.ends[0]
    told = tuple(
        compared.told((a, b), _difference((names[a], names[b]), each, p_both, p_alone, width))
        for (a, b), each, p_both, p_alone in zip(pairs, found, both, alone, strict=True)
    )
    if columns.said is None:
        return told
    others = [compared.for_others(columns, *pair, each) for pair, each in zip(pairs, found, strict=True)]
    of_both, of_people = (family_for_others(side) for side in zip(*((o.both, o.people) for o in others), strict=True))
    return tuple(
        each.model_copy(update={"for_others": one, "people": each.people.model_copy(update={"for_others": other})})
        for each, one, other in zip(told, of_both, of_people, strict=True)
    )


def _is_even(columns: ModelAndPeople) -> bool:
    chosen = columns.part.chosen
    return chosen is None or chosen.is_even


def _difference(
    systems: tuple[str, str], found: PredictionPowered, p_holm: float | None, p_alone: float | None, width: float
) -> PoweredDifference:
    questions, ends = found.n_model + found.people.n_items, (-width, width)
    people = difference(found.people) | {"items": found.n_people, "p_holm": p_alone}
    people["interval"] = interval_of(found.people.interval and found.people.interval.within(ends))
    if found.value is None:
        people["undefined_because"] = NO_PAIR if questions else NO_QUESTION
    both = people | {"p_holm": p_holm}
    if found.weight:
        both |= {
            "value": inside(found.value, ends),
            "interval": interval_of(found.interval and found.interval.within(ends)),
            "p_value": found.p_value,
            "items": questions,
            "units": found.n_units,
        }
    return PoweredDifference(
        **both,
        systems=systems,
        questions=questions,
        people=DifferenceOfPart(**people),
        effective=found.n_effective if found.weight else None,
        no_model_because=found.no_model_because,
    )


@dataclass(frozen=True, eq=False)
class _ByQuestion:
    """Arrays of (system, question), and each question's unit."""

    people: Floats
    model: Floats
    is_there: Flags
    is_judged: Flags
    unit: Codes
    question: Codes
    unknown_because: str | None

    @classmethod
    def of(cls, columns: ModelAndPeople) -> "_ByQuestion":
        questions, first, question = np.unique(columns.questions, return_index=True, return_inverse=True)
        shape = len(columns.system_names), len(questions)
        cell = columns.systems * shape[1] + question

        def mean(values: Floats) -> Floats:
            known = ~np.isnan(values)
            n = np.bincount(cell[known], minlength=shape[0] * shape[1])
            sums = np.bincount(cell[known], weights=values[known], minlength=len(n))
            found: Floats = np.where(n > 0, sums / np.maximum(n, 1), np.nan).reshape(shape)
            return found

        def any_of(flags: Flags) -> Flags:
            found: Flags = (np.bincount(cell[flags], minlength=shape[0] * shape[1]) > 0).reshape(shape)
            return found

        return cls(
            people=mean(columns.people),
            model=mean(columns.model),
            is_there=any_of(np.ones(len(cell), np.bool_)),
            is_judged=any_of(~np.isnan(columns.people) | columns.without_value),
            unit=columns.groups[first],
            question=question,
            unknown_because=columns.part.unknown_because,
        )

    def difference(self, first: int, second: int) -> PredictionPowered:
        """Over the questions that both answered; of those of which people judged both, some may have no value."""
        there = self.is_there[first] & self.is_there[second]
        judged = (self.is_judged[first] & self.is_judged[second])[there]
        people, model = ((side[second] - side[first])[there] for side in (self.people, self.model))
        people = np.where(judged, people, np.nan)
        silent = judged & np.isnan(people)
        return prediction_powered_mean(
            people,
            _filled(model, people),
            self.unit[there],
            without_value=silent,
            unknown_because=self.unknown_because,
        )

    def told(self, systems: tuple[int, int], found: PoweredDifference) -> PoweredDifference:
        """As it is: by question."""
        return found

    def for_others(
        self, columns: ModelAndPeople, first: int, second: int, found: PredictionPowered
    ) -> PoweredForOthers:
        """What the same difference says about other annotators."""
        assert columns.said is not None
        compared = ~np.isnan(self.people[first]) & ~np.isnan(self.people[second])
        is_second = columns.systems == second
        rows = is_second | (columns.systems == first)
        judged = rows & compared[self.question] & ~np.isnan(columns.people)
        model = self.model[columns.systems, self.question]
        for side in (is_second, ~is_second):
            model = np.where(side & np.isnan(model), _mean_of(model[judged & side]), model)
        width = columns.ends[1] - columns.ends[0]
        return powered_difference_for_other_raters(
            columns.said.part(rows),
            is_second[rows],
            self.question[rows],
            judged[rows],
            model[rows],
            columns.groups[rows],
            found,
            ends=(-width, width),
        )


@dataclass(frozen=True, eq=False)
class _Weighed:
    """By the mean of each system over its answers to the questions that both answered, each weighed by its chance."""

    columns: ModelAndPeople

    def difference(self, first: int, second: int) -> PredictionPowered:
        rows, model, weights, is_second = self._rows(first, second)
        of, width = self.columns, self.columns.ends[1] - self.columns.ends[0]
        return active_difference(
            of.people[rows],
            model,
            is_second,
            weights,
            of.groups[rows],
            without_value=of.without_value[rows],
            ends=(-width, width),
            unknown_because=of.part.unknown_because,
        )

    def told(self, systems: tuple[int, int], found: PoweredDifference) -> PoweredDifference:
        """With what it counts, which are answers, and its own reason."""
        rows = self._compared(*systems)
        n = len(np.unique(self.columns.questions[rows]))
        why = found.undefined_because and (NONE_OF_ONE if n else NO_QUESTION)
        people = found.people.model_copy(update={"undefined_because": why})
        update = {"questions": n, "answers": int(rows.sum()), "undefined_because": why, "people": people}
        return found.model_copy(update=update)

    def for_others(
        self, columns: ModelAndPeople, first: int, second: int, found: PredictionPowered
    ) -> PoweredForOthers:
        """What the same difference says about other annotators."""
        assert columns.said is not None
        rows, model, weights, is_second = self._rows(first, second)
        width = columns.ends[1] - columns.ends[0]
        return active_difference_for_other_raters(
            columns.said.part(rows),
            columns.people[rows],
            model,
            is_second,
            weights,
            columns.groups[rows],
            found,
            without_value=columns.without_value[rows],
            ends=(-width, width),
        )

    def _compared(self, first: int, second: int) -> Flags:
        of = self.columns
        of_first, of_second = of.systems == first, of.systems == second
        shared = np.intersect1d(of.questions[of_first], of.questions[of_second])
        found: Flags = (of_first | of_second) & np.isin(of.questions, shared)
        return found

    def _rows(self, first: int, second: int) -> tuple[Flags, Floats, Floats, Flags]:
        """Which rows are compared, and of these the model's numbers, weights, and which are the second's."""
        rows, of = self._compared(first, second), self.columns
        weights = of.part.weights(of.items[rows].tolist())
        assert weights is not None  # something was drawn
        model, people, is_second = of.model[rows], of.people[rows], of.systems[rows] == second
        for side in (is_second, ~is_second):
            model[side] = _filled(model[side], people[side], weights[side])
        return rows, model, weights, is_second


def _mean_of(values: Floats) -> float:
    """0 where there is none."""
    return float(np.nanmean(values)) if (~np.isnan(values)).any() else 0.0


def _filled(model: Floats, people: Floats, weights: Floats | None = None) -> Floats:
    """Where the model gave no number, people's mean, weighed as theirs is: that moves nothing."""
    known = ~np.isnan(people)
    mean = 0.0
    if known.any():
        mean = float(people[known].mean() if weights is None else np.average(people[known], weights=weights[known]))
    return np.where(np.isnan(model), mean, model)
