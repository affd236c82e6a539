"""Train the equivalence classifier on candidates that people have judged, and measure it on unseen questions."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from annotation_platform.core.arrays import Codes, Flags, Floats
from annotation_platform.core.methods.equivalence.classifier import FORMAT, AnswerPair, EquivalenceClassifier
from annotation_platform.core.methods.equivalence.features import FEATURES, TEXT, compare
from annotation_platform.core.methods.equivalence.reading import Candidate, Question, Reference, WordTable
from annotation_platform.core.methods.equivalence.trees import MOST_LEAVES, Trees
from annotation_platform.core.methods.equivalence.words import clean, read_words

_PARTS = 3
_FOLDS = 5


class TrainingError(ValueError):
    """The judged answers cannot train a classifier."""


@dataclass(frozen=True, eq=False)
class JudgedPairs:
    """Pairs as columns, with what people said.

    Attributes
    ----------
    pairs : list of AnswerPair
    right : (n,) bool
        Whether people took the candidate as right.
    questions, systems : (n,) int
        Codes from 0. Pairs with the same question have the same code, and are never parted.
    system_names : tuple of str
    """

    pairs: list[AnswerPair]
    right: Flags
    questions: Codes
    systems: Codes
    system_names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.pairs)

    def take(self, rows: NDArray[Any]) -> Self:
        """The pairs at these positions."""
        return type(self)(
            pairs=[self.pairs[row] for row in rows.tolist()],
            right=self.right[rows],
            questions=self.questions[rows],
            systems=self.systems[rows],
            system_names=self.system_names,
        )


@dataclass(frozen=True)
class Settings:
    """What is chosen before training.

    Attributes
    ----------
    seed : int
        Of the split by question and of the trees.
    held_out : float
        The share of the questions that is held out.
    min_questions : int
        A word is kept when at least so many questions, or their answers, have it: what stands with one question
        alone is not in the artefact.
    text_strength : float
        Inverse L2 penalty of the text model.
    trees, leaves, learning_rate, min_leaf, penalty, share_of_features
        Of the boosted trees: how many, the most leaves of each, the step, the fewest pairs in a leaf, the L2
        penalty, and the share of the features that each split may choose from.
    """

    seed: int = 4
    held_out: float = 0.3
    min_questions: int = 3
    text_strength: float = 1.0
    trees: int = 300
    leaves: int = MOST_LEAVES
    learning_rate: float = 0.05
    min_leaf: int = 20
    penalty: float = 3.0
    share_of_features: float = 0.25


def split(judged: JudgedPairs, settings: Settings) -> tuple[JudgedPairs, JudgedPairs]:
    """The pairs to learn from and the pairs held out: whole questions, drawn by the seed."""
    questions = np.unique(judged.questions)
    drawn = np.random.default_rng(settings.seed).permutation(questions)[: int(settings.held_out * len(questions))]
    unseen = np.isin(judged.questions, drawn)
    return judged.take(np.flatnonzero(~unseen)), judged.take(np.flatnonzero(unseen))


def train(judged: JudgedPairs, settings: Settings | None = None) -> EquivalenceClassifier:
    """Fit the classifier.

    Three steps, all deterministic:

    1. the words' inverse document frequencies, ln((n + 2) / (df + 1)), the n documents being questions and candidates;
    2. the paper's text model: logistic regression on unit-length tf-idf of the words, those of candidate, closest
       reference and question apart. What it says of the pairs it learned from is taken from models of the other
       folds (whole questions), so that the next step does not trust it too much;
    3. boosted trees on `FEATURES`, the text model's log-odds among them.

    Exact matches teach only the share of them that is right.

    Raises
    ------
    TrainingError
        The pairs are too few, or people said the same of all of them.
    """
    settings = settings or Settings()
    table = word_table(judged, settings.min_questions)
    closest, values, exact = features(judged.pairs, table)
    rows = np.flatnonzero(~exact)
    right, questions = judged.right[rows], judged.questions[rows]
    if len(np.unique(questions)) < _FOLDS or not 0 < right.sum() < len(right):
        raise TrainingError(
            f"Training needs answers to at least {_FOLDS} questions that are not the reference itself, "
            "some of them right and some wrong."
        )
    words = sorted(table.rarity)
    documents = text_vectors([judged.pairs[row] for row in rows.tolist()], closest, table, words)
    values[:, FEATURES.index(TEXT)] = _text_of_unseen(documents, right, questions, settings)
    weights, intercept = _text_model(documents, right, settings)
    return EquivalenceClassifier(
        table=_with_odds(table, words, weights, intercept),
        trees=_boost(values, right, settings),
        exact_match_right=float((judged.right[exact].sum() + 1) / (exact.sum() + 2)),
        metadata={
            "format": FORMAT,
            "n_pairs": len(judged),
            "n_questions": len(np.unique(judged.questions)),
            "n_right": int(judged.right.sum()),
            "n_words": len(words),
            "settings": vars(settings),
        },
    )


def word_table(judged: JudgedPairs, min_questions: int) -> WordTable:
    """Inverse document frequencies, which are above 0, of the words of questions and candidates."""
    documents: Counter[str] = Counter()
    in_questions: dict[str, set[int]] = {}
    for pair, question in zip(judged.pairs, judged.questions.tolist(), strict=True):
        for text in (pair.candidate, pair.question):
            for key in {word.key for word in read_words(clean(text))}:
                documents[key] += 1
                in_questions.setdefault(key, set()).add(question)
    rarest = math.log(2 * len(judged) + 2)
    return WordTable(
        rarity={
            key: rarest - math.log(count + 1)
            for key, count in documents.items()
            if len(in_questions[key]) >= min_questions
        },
        rarest=rarest,
    )


def features(pairs: Sequence[AnswerPair], table: WordTable) -> tuple[list[Reference], Floats, Flags]:
    """The closest references and `FEATURES` of all pairs but exact matches, and which are exact matches."""
    closest: list[Reference] = []
    values: list[list[float]] = []
    exact = np.zeros(len(pairs), dtype=np.bool_)
    for position, pair in enumerate(pairs):
        question = Question.read(pair.question, table)
        references = [Reference.read(reference, table) for reference in pair.references]
        candidate = Candidate(pair.candidate, question, table)
        if any(reference.normal.words == candidate.normal.words for reference in references):
            exact[position] = True
            continue
        reference, row = compare(question, references, candidate, table)
        closest.append(reference)
        values.append(row)
    return closest, np.array(values, dtype=np.float64).reshape(-1, len(FEATURES)), exact


def text_vectors(
    pairs: Sequence[AnswerPair], closest: Sequence[Reference], table: WordTable, words: Sequence[str]
) -> sparse.csr_array:
    """Unit-length tf-idf of candidate, closest reference and question side by side, (n, 3 · words)."""
    place = {word: position for position, word in enumerate(words)}
    rows, columns = [], []
    for row, (pair, reference) in enumerate(zip(pairs, closest, strict=True)):
        candidate = {word.key for word in read_words(clean(pair.candidate))}
        question = {word.key for word in read_words(clean(pair.question))}
        for part, keys in enumerate((candidate, reference.keys, question)):
            known = [place[key] + part * len(words) for key in keys if key in place]
            rows += [row] * len(known)
            columns += known
    rarity = np.tile([table.rarity[word] for word in words], _PARTS)
    matrix = sparse.csr_array((rarity[columns], (rows, columns)), shape=(len(pairs), _PARTS * len(words)))
    norms = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    matrix.data /= np.repeat(norms, np.diff(matrix.indptr))
    return matrix


def _text_model(documents: sparse.csr_array, right: Flags, settings: Settings) -> tuple[Floats, float]:
    from sklearn.linear_model import LogisticRegression  # only training needs it, and it is slow to import

    model = LogisticRegression(C=settings.text_strength, max_iter=2000).fit(documents, right)
    return model.coef_[0], float(model.intercept_[0])


def _text_of_unseen(documents: sparse.csr_array, right: Flags, questions: Codes, settings: Settings) -> Floats:
    """Each pair's log-odds by a text model that has not seen its question."""
    from sklearn.model_selection import GroupKFold

    log_odds = np.zeros(len(right))
    for seen, unseen in GroupKFold(_FOLDS).split(documents, groups=questions):
        weights, intercept = _text_model(documents[seen], right[seen], settings)
        log_odds[unseen] = documents[unseen] @ weights + intercept
    return log_odds


def _with_odds(table: WordTable, words: Sequence[str], weights: Floats, intercept: float) -> WordTable:
    rarity = np.array([table.rarity[word] for word in words])
    parts = weights.reshape(_PARTS, -1) * rarity
    odds = np.column_stack([rarity**2, *parts]).tolist()
    return WordTable(table.rarity, table.rarest, dict(zip(words, map(tuple, odds), strict=True)), intercept)


def _boost(values: Floats, right: Flags, settings: Settings) -> Trees:
    from sklearn.ensemble import HistGradientBoostingClassifier

    model = HistGradientBoostingClassifier(
        max_iter=settings.trees,
        max_leaf_nodes=settings.leaves,
        learning_rate=settings.learning_rate,
        min_samples_leaf=settings.min_leaf,
        l2_regularization=settings.penalty,
        max_features=settings.share_of_features,
        early_stopping=False,
        random_state=settings.seed,
    ).fit(values, right)
    return trees_of(model)


def trees_of(model: Any) -> Trees:
    """The trees of scikit-learn's HistGradientBoostingClassifier with two classes and at most 8 leaves a tree.

    It has no public way to its trees; a test compares the two's predictions.
    """
    splits: list[tuple[int, float, int, int]] = []
    leaves = np.zeros((len(model._predictors), MOST_LEAVES))
    for tree, [predictor] in enumerate(model._predictors):
        nodes = predictor.nodes

        def walk(at: int, first: int, tree: int = tree, nodes: Any = nodes) -> int:
            """Number the leaves under a node from `first` on; returns the number after the last."""
            node = nodes[at]
            if node["is_leaf"]:
                leaves[tree, first] = node["value"]
                return first + 1
            middle = walk(int(node["left"]), first)
            ruled_out = sum(1 << leaf for leaf in range(first, middle))
            splits.append((int(node["feature_idx"]), float(node["num_threshold"]), tree, 0xFF ^ ruled_out))
            return walk(int(node["right"]), middle)

        walk(0, 0)
    columns = list(zip(*splits, strict=True)) or [(), (), (), ()]
    return Trees(
        features=np.array(columns[0], dtype=np.int64),
        thresholds=np.array(columns[1], dtype=np.float64),
        trees=np.array(columns[2], dtype=np.int64),
        kept=np.array(columns[3], dtype=np.uint8),
        leaves=leaves,
        baseline=float(model._baseline_prediction[0, 0]),
    )
