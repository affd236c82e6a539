"""Judgments as columns, with the score that a language model gave each: what a rescaler is trained on."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.errors import CodedError


class TrainingError(CodedError, ValueError):
    """The judgments cannot train a rescaler."""


@dataclass(frozen=True, eq=False)
class ScoredJudgments:
    """Judgments as columns, with the score that a language model gave each.

    Attributes
    ----------
    labels : (n,) int
        Position in `scale_numbers`.
    explanations : list of str
    scores : (n,) float
        0..100; NaN where the model gave none.
    annotators, items, articles, corpora : (n,) int
        Codes from 0.
    scale_numbers : tuple of float
        Ascending, 0..100.
    """

    labels: Codes
    explanations: list[str]
    scores: Floats
    annotators: Codes
    items: Codes
    articles: Codes
    corpora: Codes
    scale_numbers: tuple[float, ...]

    @classmethod
    def from_columns(
        cls,
        *,
        labels: Sequence[int],
        explanations: Sequence[str],
        scores: Sequence[float] | None,
        annotators: Sequence[Hashable],
        items: Sequence[Hashable],
        articles: Sequence[Hashable],
        scale_numbers: Sequence[float],
    ) -> Self:
        """Columns as they come: any names of people and things, the scale in any order, no scores (None) or all."""
        rank = np.argsort(np.argsort(scale_numbers))
        return cls(
            labels=rank[np.asarray(labels, dtype=np.int64)],
            explanations=list(explanations),
            scores=np.full(len(labels), np.nan) if scores is None else np.asarray(scores, dtype=np.float64),
            annotators=codes(annotators),
            items=codes(items),
            articles=codes(articles),
            corpora=np.zeros(len(labels), dtype=np.int64),
            scale_numbers=tuple(sorted(scale_numbers)),
        )

    def __len__(self) -> int:
        return len(self.explanations)

    @property
    def explained(self) -> Flags:
        return np.array([bool(text.strip()) for text in self.explanations], dtype=np.bool_)

    def take(self, rows: NDArray[Any]) -> Self:
        """The judgments at these positions."""
        return type(self)(
            labels=self.labels[rows],
            explanations=[self.explanations[row] for row in rows.tolist()],
            scores=self.scores[rows],
            annotators=self.annotators[rows],
            items=self.items[rows],
            articles=self.articles[rows],
            corpora=self.corpora[rows],
            scale_numbers=self.scale_numbers,
        )


def codes(names: Sequence[Hashable]) -> Codes:
    """A code from 0 for each distinct name, in order of appearance."""
    known: dict[Hashable, int] = {}
    return np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)
