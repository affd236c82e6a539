"""From labels to scores: the vote of all replies about an aspect of an item, and how many could be read."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from django.db.models import Count

from annotation_platform.core.schemes import RatedAspect, Scheme
from annotation_platform.core.statistics import Ratings, majority_vote
from annotation_platform.jobs.key_blocks import keys_in_blocks
from annotation_platform.scoring.models import ItemLabel, ItemScore, ScoringRun
from annotation_platform.scoring.run_words import NOT_APPLICABLE, TIE

BLOCK = 500  # items

Unit = tuple[int, int]
"""An item, and the candidate (0: the item as a whole)."""


def vote_on_items(run: ScoringRun, scheme: Scheme, *, is_mean: bool, items: Sequence[int] | None = None) -> None:
    """Store a score for each aspect of all items with labels, or of some; what was stored before is brought up to date.

    Parameters
    ----------
    is_mean : bool
        Whether a score's value is the mean of the labels' numbers, rather than the number of the vote.
    """
    for block in _blocks(run, items):
        by_aspect: dict[str, dict[Unit, list[ItemLabel]]] = {}
        for label in run.item_labels.filter(item__in=block).order_by("pk"):
            by_aspect.setdefault(label.aspect, {}).setdefault((label.item_id, label.candidate), []).append(label)
        scores = [
            score
            for aspect, of_units in by_aspect.items()
            for score in _scores(run, aspect, _choices(scheme, aspect), of_units, is_mean)
        ]
        store_scores(scores)


def store_scores(scores: Iterable[ItemScore]) -> None:
    """Store scores, and put those in their place that are there for the same item, candidate and aspect."""
    ItemScore.objects.bulk_create(
        scores,
        update_conflicts=True,
        unique_fields=["run", "item", "candidate", "aspect"],
        update_fields=["label", "value", "reason", "details"],
        batch_size=1_000,
    )


def label_counts(run: ScoringRun) -> dict[str, Any]:
    """By aspect: how many labels there are, who read them, how many nobody could, and why; the share that failed."""
    found: dict[str, dict[str, Any]] = {}
    rows = run.item_labels.values_list("aspect", "source", "label", "is_not_applicable", "reason")
    for aspect, source, label, is_not_applicable, reason, count in rows.annotate(Count("pk")).order_by("aspect"):
        counts = found.setdefault(aspect, {"labels": 0, "read": 0, "read_by": {}, "unread": {}, "failure_rate": 0.0})
        counts["labels"] += count
        if label or is_not_applicable:
            counts["read"] += count
            counts["read_by"][source] = counts["read_by"].get(source, 0) + count
        else:
            counts["unread"][reason] = counts["unread"].get(reason, 0) + count
    for counts in found.values():
        counts["failure_rate"] = 1 - counts["read"] / counts["labels"]
    return found


def _blocks(run: ScoringRun, items: Sequence[int] | None) -> Iterable[Sequence[int]]:
    if items is not None:
        return [items]
    return keys_in_blocks(run.item_labels.all(), "item_id", size=BLOCK)


def _choices(scheme: Scheme, aspect: str) -> "_Choices":
    rated = next((each for each in scheme.rated_aspects if each.key == aspect), None)
    return _Choices(rated)


class _Choices:
    """The choices of an aspect: their numbers, and their places from the worst to the best."""

    def __init__(self, rated: RatedAspect | None) -> None:
        self.numbers: dict[str, float | None] = {}
        self.is_ordered = False
        self._place: dict[str, int] = {}
        if rated is not None:
            scale = rated.scale
            self.numbers = {choice.key: choice.number for choice in scale.choices}
            self.is_ordered = scale.is_ordered_by_worth
            # What stands outside of better and worse gives way to what does not.
            worth = {choice.key: scale.worth(choice) for choice in scale.choices}
            ranked = sorted(worth, key=lambda key: (worth[key] is not None, worth[key] or 0.0))
            self._place = {key: place for place, key in enumerate(ranked, start=1)}

    def place(self, key: str) -> int:
        """0 is "not applicable"; choices that the scale does not name get places as they come."""
        return self._place.setdefault(key, len(self._place) + 1) if key else 0

    def key(self, place: int) -> str:
        return next((key for key, each in self._place.items() if each == place), "")


def _scores(
    run: ScoringRun, aspect: str, choices: _Choices, of_units: dict[Unit, list[ItemLabel]], is_mean: bool
) -> Iterator[ItemScore]:
    units = list(of_units)
    read = [
        (number, choices.place(label.label))
        for number, unit in enumerate(units)
        for label in of_units[unit]
        if label.label or label.is_not_applicable
    ]
    columns = np.array(read, dtype=np.int64).reshape(-1, 2)
    ratings = Ratings.from_arrays(
        columns[:, 0], np.zeros(len(read), dtype=np.int64), columns[:, 1], n_items=len(units), repeated="cross"
    )
    votes = majority_vote(ratings, better="high" if choices.is_ordered else None).by_item(len(units))
    for unit, vote in zip(units, votes.tolist(), strict=True):
        yield _score(run, aspect, choices, unit, of_units[unit], vote, is_mean)


def _score(
    run: ScoringRun,
    aspect: str,
    choices: _Choices,
    unit: Unit,
    labels: Sequence[ItemLabel],
    vote: float,
    is_mean: bool,
) -> ItemScore:
    votes = Counter(label.label for label in labels if label.label)
    n_open = sum(label.is_not_applicable for label in labels)
    failures = Counter(label.reason for label in labels if not label.label and not label.is_not_applicable)
    label = choices.key(int(vote)) if vote == vote else ""
    reason = ""
    if vote != vote:
        reason = TIE if votes or n_open else failures.most_common(1)[0][0]
    elif not label:
        reason = NOT_APPLICABLE
    value = choices.numbers.get(label) if label else None
    if is_mean and label:
        numbers = [number for key in votes.elements() if (number := choices.numbers.get(key)) is not None]
        value = sum(numbers) / len(numbers) if numbers else None
    details = {"votes": dict(votes), "open": n_open, "unread": failures.total()} if len(labels) > 1 else None
    return ItemScore(
        run=run,
        item_id=unit[0],
        candidate=unit[1],
        aspect=aspect,
        label=label,
        value=value,
        reason=reason,
        details=details,
    )
