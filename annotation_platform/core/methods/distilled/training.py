"""Train the distilled rescaler on judgments that a language model has scored, and measure it on unseen ones."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from annotation_platform.core.arrays import Codes
from annotation_platform.core.methods.distilled.judgments import ScoredJudgments, TrainingError
from annotation_platform.core.methods.distilled.rescaler import FORMAT, OUTPUTS, Distilled, Vocabulary, tokenise
from annotation_platform.core.methods.distilled.targets import targets


@dataclass(frozen=True)
class Settings:
    """What is chosen before training.

    Attributes
    ----------
    alpha : float
        Ridge penalty.
    min_judgments, min_annotators : int
        An n-gram enters the vocabulary when at least so many judgments, by at least so many annotators, have
        it. The second keeps one person's habits, and whatever one person alone wrote, out of the artefact.
    others : float
        λ of `distilled.targets.targets`: how much of what a judgment teaches is the language model's reading of what
        other annotators wrote of the same item. 0 learns its reading of the judgment itself and nothing else.
    """

    alpha: float = 1.0
    min_judgments: int = 3
    min_annotators: int = 2
    others: float = 0.3


OWN_READINGS = Settings(others=0.0)
"""For a rescaler that scores judgments of its own training, or others of their items: what others read of an item would
stand in its scores there, as agreement that nobody found. And where what was paid for was chosen, the choice prefers
items on which people differ, so that the others' judgments among those paid for are worse than others' are elsewhere.
"""


def train(judgments: ScoredJudgments, settings: Settings | None = None) -> Distilled:
    """Fit the rescaler.

    Ridge regression of three targets (the score, whether it is 100, whether it is 0; each mixed with those of other
    annotators' judgments of the item, see `distilled.targets`) on the label (one-hot), the explanation (unit-length
    1 + ln(count) of its word 1- to 3-grams), and the products of the two. What ridge finds for the n-grams alone and
    for their products with a label is added up, so that the artefact holds one weight for each n-gram, label and
    target. Other people's judgments teach which words weigh how much; no prediction reads them.

    Judgments without a score or without an explanation are left out. Deterministic.

    Raises
    ------
    TrainingError
        A label of the scale has no judgment to learn from.
    """
    from sklearn.linear_model import Ridge  # only training needs it, and it is slow to import

    settings = settings or Settings()
    usable = judgments.take(np.flatnonzero(judgments.explained & ~np.isnan(judgments.scores)))
    k = len(judgments.scale_numbers)
    per_label = np.bincount(usable.labels, minlength=k)
    if not per_label.all():
        missing = judgments.scale_numbers[int(np.argmin(per_label))]
        raise TrainingError("training.label_missing", number=missing)

    vocabulary = build_vocabulary(usable.explanations, usable.annotators, settings)
    learned = targets(usable, others=settings.others)
    ridge = Ridge(alpha=settings.alpha, solver="sparse_cg", tol=1e-6)
    ridge.fit(design_matrix(vocabulary.features(usable.explanations), usable.labels, k), learned)

    n_grams = len(vocabulary)
    for_label, shared, per_product = np.split(ridge.coef_.T, [k, k + n_grams])
    one_hot = np.eye(k)[usable.labels]
    return Distilled(
        vocabulary=vocabulary,
        weights=shared[:, None, :] + per_product.reshape(k, n_grams, OUTPUTS).transpose(1, 0, 2),
        intercepts=ridge.intercept_ + for_label,
        label_means=(one_hot.T @ targets(usable)) / per_label[:, None],
        scale_numbers=np.asarray(judgments.scale_numbers, dtype=np.float64),
        metadata={
            "format": FORMAT,
            "n_judgments": len(usable),
            "n_annotators": len(np.unique(usable.annotators)),
            "n_articles": len(np.unique(usable.articles)),
            "n_grams": n_grams,
            "settings": vars(settings),
        },
    )


def train_on_used_labels(judgments: ScoredJudgments, settings: Settings | None = None) -> Distilled:
    """`train` on a scale of those labels only that a scored and explained judgment has.

    For a small sample, or a scale whose labels are not all in use: the labels that are missing are interpolated
    by their numbers, as on any scale other than that of the training.

    Raises
    ------
    TrainingError
        No judgment has both a score and an explanation.
    """
    usable = judgments.take(np.flatnonzero(judgments.explained & ~np.isnan(judgments.scores)))
    if not len(usable):
        raise TrainingError("training.no_judgments")
    used, labels = np.unique(usable.labels, return_inverse=True)
    numbers = tuple(judgments.scale_numbers[label] for label in used.tolist())
    return train(replace(usable, labels=labels, scale_numbers=numbers), settings)


def build_vocabulary(texts: Sequence[str], annotators: Codes, settings: Settings) -> Vocabulary:
    """The word 1-, 2- and 3-grams that enough judgments and enough annotators share."""
    tokens = [tokenise(text) for text in texts]
    _, annotator = np.unique(annotators, return_inverse=True)
    bits = [1 << code for code in annotator.tolist()]

    def shared(grams_of: list[list[Any]]) -> list[Any]:
        judgments: dict[Any, int] = {}
        people: dict[Any, int] = {}
        for grams, bit in zip(grams_of, bits, strict=True):
            for gram in set(grams):
                judgments[gram] = judgments.get(gram, 0) + 1
                people[gram] = people.get(gram, 0) | bit
        return sorted(
            gram
            for gram, count in judgments.items()
            if count >= settings.min_judgments and people[gram].bit_count() >= settings.min_annotators
        )

    # A shared n-gram's parts are shared too, so each length is looked for among what the last one left.
    words = shared(tokens)
    code = {word: position for position, word in enumerate(words)}
    coded = [[code.get(token, -1) for token in text] for text in tokens]
    pairs = shared([[a * len(words) + b for a, b in pairwise(text) if a >= 0 and b >= 0] for text in coded])
    place = {pair: position for position, pair in enumerate(pairs)}
    triples = shared(
        [
            [
                place[a * len(words) + b] * len(words) + c
                for a, b, c in zip(text, text[1:], text[2:], strict=False)
                if a >= 0 and b >= 0 and c >= 0 and a * len(words) + b in place
            ]
            for text in coded
        ]
    )
    return Vocabulary(tuple(words), np.array(pairs, dtype=np.int64), np.array(triples, dtype=np.int64))


def design_matrix(features: sparse.csr_array, labels: Codes, k: int) -> sparse.csr_array:
    """One-hot label, n-grams, and n-grams × label side by side: (n, k + F + k·F)."""
    one_hot = sparse.csr_array(np.eye(k)[labels])
    products = [features.multiply(one_hot[:, [label]]) for label in range(k)]
    return sparse.csr_array(sparse.hstack([one_hot, features, *products]))
