"""People and a language model, aspect by aspect: in a rater's place, and against the majority (ACORN, figures 3 and 4).

A failure, where the model gave no label, counts as wrong: against the majority it disagrees, and in the correlation it
stands as far from the majority as the scale allows. As a rater it is simply not there: such items are left out of the
replacement analysis, and counted. Where the model's own answers leave a question out, as where it said “no” to the one
before, it has not failed: such items are none that it was asked, as people who were not asked are not there.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from django.utils.translation import gettext_noop

from annotation_platform.analysis.measuring.figures import CountedFigure
from annotation_platform.analysis.measuring.judgment_table import AspectSpec, JudgmentTable
from annotation_platform.analysis.measuring.plain import (
    counted,
    figure,
    interval_of,
    share_intervals,
    share_of,
    tested,
)
from annotation_platform.analysis.sections.human_llm.figures import (
    AgainstPerson,
    Alternative,
    ConfusionCell,
    JudgedAspect,
    Lead,
    RankCorrelation,
    Replacement,
)
from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.statistics import (
    Bootstrap,
    Ratings,
    RatingsError,
    alternative_annotator,
    holm,
    majority_vote,
    replacement,
    spearman,
)
from annotation_platform.core.statistics.codes import compact
from annotation_platform.core.winning_rates import USUAL_EPSILONS

DRAWS = 20
NO_LABEL, NOT_ASKED = -1, -2
"""In the place of a label's position: the model was asked and gave none; the item was not in its run, or its other
answers there leave the question out."""
ONE_LABEL = {  # whether people's majority, and the model, have but one
    (True, False): gettext_noop("People's majority gave one and the same label throughout."),
    (False, True): gettext_noop("The model gave one and the same label throughout."),
    (True, True): gettext_noop("People's majority and the model gave one and the same label throughout."),
}
NO_MAJORITY = gettext_noop("No item has both a majority and a reply.")
NO_ORDER = gettext_noop(
    "The labels have no order of their own: their places in the list stand for them, as in the paper."
)


@dataclass(frozen=True, eq=False)
class Judged:
    """One aspect's judgments by people, and the position of the label that the model gave each of their items.

    ``left_open`` are the items of which it need not give any: they count as not asked.
    """

    table: JudgmentTable
    spec: AspectSpec
    given: Codes
    bootstrap: Bootstrap
    left_open: int = 0

    @cached_property
    def rank(self) -> Floats:
        """What stands for each label where better and worse matter: labels outside of that are below all others."""
        if not self._is_ordered_by_worth:
            return np.arange(len(self.spec.labels), dtype=np.float64)
        numbers, best = self.spec.numbers, self.spec.best
        assert best is not None
        worth = {"high": numbers, "low": -numbers, None: -np.abs(numbers - numbers[best])}[self.spec.better]
        levels = np.unique(worth[~np.isnan(worth)])
        return np.where(np.isnan(worth), 0, np.searchsorted(levels, worth) + 1).astype(np.float64)

    @property
    def _is_ordered_by_worth(self) -> bool:
        return self.spec.best is not None

    @property
    def order(self) -> Floats:
        """What stands for each label in a rank correlation: its number, else its worth, else its place."""
        return self.spec.numbers if self.spec.is_ordered else self.rank

    @cached_property
    def votes(self) -> Codes:
        """The position of the label that most people gave each item; ties go to the better one, or leave it out."""
        # Two labels of equal worth (too much, too little) are told apart by a hair, the higher number first.
        value = self.rank + np.argsort(np.argsort(np.nan_to_num(self.spec.numbers))) / 1_000
        ratings = self.table.ratings(value[self.table.choices], None)
        found = majority_vote(ratings, better="high" if self._is_ordered_by_worth else None)
        votes = np.full(ratings.n_items, NOT_ASKED, dtype=np.int64)
        position = {float(each): place for place, each in enumerate(value)}
        votes[found.items] = [position[each] for each in found.values.tolist()]
        return votes

    @cached_property
    def compared(self) -> Flags:
        """Items that have both a majority and a reply of the model, read or not."""
        both: Flags = (self.votes >= 0) & (self.given != NOT_ASKED)
        return both


def human_llm(judged: Judged) -> JudgedAspect:
    """Every figure about one aspect."""
    given = judged.given
    asked = int((given != NOT_ASKED).sum())
    return JudgedAspect(
        level=str(judged.spec.level),
        items=len(given),
        asked=asked,
        failures=int((given == NO_LABEL).sum()),
        left_open=judged.left_open,
        undecided=int(((judged.votes < 0) & (given != NOT_ASKED)).sum()),
        replacement=_replacement(judged),
        alternative=alternative(judged),
        spearman=_spearman(judged),
        accuracy=accuracy(judged),
        confusion=_confusion(judged),
    )


def corrected(found: Mapping[str, JudgedAspect]) -> dict[str, JudgedAspect]:
    """With p of each change in a rater's place corrected by Holm: the aspects are one family."""
    changes = {key: each.replacement.change for key, each in found.items() if each.replacement.change is not None}
    p_values = dict(zip(changes, holm([each.p_value for each in changes.values()]), strict=True))
    return {key: _with_p_holm(each, p_values.get(key)) for key, each in found.items()}


def _with_p_holm(each: JudgedAspect, p_holm: float | None) -> JudgedAspect:
    if each.replacement.change is None:
        return each
    change = each.replacement.change.model_copy(update={"p_holm": p_holm})
    return each.model_copy(update={"replacement": each.replacement.model_copy(update={"change": change})})


def _replacement(judged: Judged) -> Replacement:
    """α of people, and with the model in a random one's place: 20 seeded draws, and what is expected of them."""
    values, read = judged.spec.values, judged.given >= 0
    ratings = judged.table.ratings(values[judged.table.choices], None)
    candidate = Ratings.from_arrays(
        np.flatnonzero(read),
        np.zeros(int(read.sum()), dtype=np.int64),
        values[judged.given[read]],
        n_items=ratings.n_items,
        repeated="error",
    )
    try:
        found = replacement(ratings, candidate, str(judged.spec.level), draws=DRAWS, bootstrap=judged.bootstrap)
    except RatingsError as error:
        return Replacement(undefined_because=str(error))
    return Replacement(
        undefined_because=found.raters.undefined_because,
        raters=counted(found.raters),
        expected=counted(found.expected),
        change=tested(found.change),
        draws=tuple(found.draws),
        mean_of_draws=found.mean_of_draws,
        exact=found.exact,
        without_label=found.n_without_candidate,
    )


def alternative(judged: Judged) -> Alternative:
    """Each person left out in turn: does the model agree with the others as well? The last of a person's judgments of
    an item counts, and a reply without a label loses."""
    values, given = judged.spec.values, judged.given
    ratings = judged.table.ratings(values[judged.table.choices], None, repeated="last")
    candidate = np.where(given >= 0, values[np.maximum(given, 0)], np.nan)
    found = alternative_annotator(
        ratings, candidate, str(judged.spec.level), asked=given != NOT_ASKED, bootstrap=judged.bootstrap
    )
    return Alternative(
        advantage=counted(found.advantage),
        people=tuple(
            AgainstPerson(
                annotator=judged.table.annotators[each.rater],
                person=each.rater_share,
                model=each.candidate_share,
                lead=Lead(
                    value=each.lead.value,
                    interval=interval_of(each.lead.interval),
                    undefined_because=each.lead.undefined_because,
                    no_interval_because=each.lead.no_interval_because,
                    items=each.lead.n_items,
                    units=each.lead.n_units,
                    standard_error=each.lead.standard_error,
                    degrees_of_freedom=each.lead.degrees_of_freedom,
                    no_test_because=each.no_test_because,
                ),
            )
            for each in found.raters
            if each.lead.n_items
        ),
    ).at(*USUAL_EPSILONS)


def _spearman(judged: Judged) -> RankCorrelation:
    order, compared = judged.order, judged.compared
    votes, given = order[judged.votes[compared]], judged.given[compared]
    low, high = order.min(), order.max()
    farthest = np.where(high - votes >= votes - low, high, low)
    labels = np.where(given == NO_LABEL, farthest, order[np.maximum(given, 0)])
    units = compact(judged.table.unit.of_item[compared])
    found = spearman(votes, labels, units=units, bootstrap=judged.bootstrap)
    because = found.undefined_because
    if because and len(votes):
        because = ONE_LABEL.get((len(set(votes)) == 1, len(set(labels)) == 1), because)
    has_no_order = not judged.spec.is_ordered and (judged.spec.best is None and len(judged.spec.labels) > 2)
    return RankCorrelation(**figure(found) | {"undefined_because": because}, remark=NO_ORDER if has_no_order else "")


def accuracy(judged: Judged) -> CountedFigure:
    """Share of items in which the model gave the label of the majority."""
    compared = judged.compared
    is_same = (judged.votes == judged.given)[compared]
    items = np.flatnonzero(compared)
    units = judged.table.unit.of_item[items]
    return share_of(is_same, items, units=units, nothing=NO_MAJORITY)


def _confusion(judged: Judged) -> tuple[ConfusionCell, ...]:
    """How often the model gave which label (none: "") where people's majority gave which."""
    keys = [*(label.key for label in judged.spec.labels), ""]
    none = len(keys) - 1
    items = np.flatnonzero(judged.compared)
    found: list[ConfusionCell] = []
    for vote, majority in enumerate(keys[:none]):
        of_vote = items[judged.votes[items] == vote]
        given = np.where(judged.given[of_vote] == NO_LABEL, none, judged.given[of_vote])
        units = judged.table.unit.of_item[of_vote]
        intervals, why = share_intervals(given, len(keys), units, nothing=NO_MAJORITY)
        n_units = len(np.unique(units))
        counts = np.bincount(given, minlength=len(keys)).tolist()
        found += [
            ConfusionCell(
                majority=majority, model=key, count=count, interval=interval, units=n_units, no_interval_because=why
            )
            for key, count, interval in zip(keys, counts, intervals, strict=True)
            if count
        ]
    return tuple(found)
