"""How well answers are told right from wrong on questions that nothing was learned from, beside simpler ways."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from annotation_platform.core.arrays import Flags, Floats
from annotation_platform.core.methods.equivalence.agreement import verdict_agreement
from annotation_platform.core.methods.equivalence.classifier import (
    THRESHOLD,
    AnswerPair,
    EquivalenceClassifier,
    Verdict,
)
from annotation_platform.core.methods.equivalence.features import FEATURES
from annotation_platform.core.methods.equivalence.overlap import contains, exact_match, token_overlap
from annotation_platform.core.methods.equivalence.rules import Rule
from annotation_platform.core.methods.equivalence.training import (
    JudgedPairs,
    Settings,
    features,
    text_vectors,
    train,
    word_table,
)
from annotation_platform.core.statistics.resampling import Bootstrap

Figures = dict[str, Any]

CLASSIFIER = "classifier"
EXACT_MATCH_ROW = "exact match"
F1_LIMIT = 0.5
CROSS_VALIDATION_FOLDS = 5
PROBABILITY_EDGES = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)

SIMPLE_WAYS: dict[str, Callable[[str, str], bool]] = {
    "exact match": exact_match,
    f"F1 ≥ {F1_LIMIT}": lambda candidate, reference: token_overlap(candidate, reference).f1 >= F1_LIMIT,
    "containment": contains,
    "all taken as right": lambda candidate, reference: True,
}


def held_out_figures(
    model: EquivalenceClassifier, seen: JudgedPairs, unseen: JudgedPairs, settings: Settings
) -> Figures:
    """Everything the model card shows, in plain numbers: accuracy and F1 by way and by system, with intervals
    from resampling whole questions; calibration; and how the rules fell."""
    verdicts = model.judge(unseen.pairs)
    said = {
        CLASSIFIER: np.array([verdict.equivalent for verdict in verdicts], dtype=np.bool_),
        "the paper's features alone": paper_model(seen, unseen, settings),
        **{name: by_any_reference(way, unseen.pairs) for name, way in SIMPLE_WAYS.items()},
    }
    everything = np.ones(len(unseen), dtype=np.bool_)
    return {
        "n_pairs": len(unseen),
        "n_questions": len(np.unique(unseen.questions)),
        "ways": {name: agreement(unseen, verdict, everything) for name, verdict in said.items()},
        "systems": {
            system: {
                "n": int((unseen.systems == code).sum()),
                "right": float(unseen.right[unseen.systems == code].mean()),
                "taken_as_right": float(said[CLASSIFIER][unseen.systems == code].mean()),
                "ways": {name: agreement(unseen, verdict, unseen.systems == code) for name, verdict in said.items()},
            }
            for code, system in enumerate(unseen.system_names)
        },
        "calibration": calibration(unseen.right, np.array([verdict.probability for verdict in verdicts])),
        "rules": rule_figures(unseen.right, verdicts),
    }


def agreement(judged: JudgedPairs, said: Flags, rows: Flags, bootstrap: Bootstrap | None = None) -> Figures:
    """`verdict_agreement` on some rows, in plain numbers; without ``low`` and ``high`` where there is no interval."""
    bootstrap = bootstrap or Bootstrap()
    found = verdict_agreement(judged.right[rows], said[rows], judged.questions[rows], bootstrap=bootstrap)
    return {
        name: {"value": each.value} | ({"low": each.interval.low, "high": each.interval.high} if each.interval else {})
        for name, each in (("accuracy", found.accuracy), ("f1", found.f1))
    }


def cross_validated(judged: JudgedPairs, settings: Settings) -> Figures:
    """Agreement when each pair is judged by a model that has not seen its question: all questions, in folds."""
    said = probabilities_in_folds(judged, settings) >= THRESHOLD
    return {"n_pairs": len(judged), **agreement(judged, said, np.ones(len(judged), dtype=np.bool_))}


def probabilities_in_folds(judged: JudgedPairs, settings: Settings) -> Floats:
    """How likely each pair is right, by a model that has not seen its question; shape (pairs,)."""
    from sklearn.model_selection import GroupKFold

    found = np.zeros(len(judged))
    folds = GroupKFold(CROSS_VALIDATION_FOLDS, shuffle=True, random_state=settings.seed)
    for seen, unseen in folds.split(judged.right, groups=judged.questions):
        model = train(judged.take(seen), settings)
        found[unseen] = model.probabilities(judged.take(unseen).pairs)
    return found


def by_any_reference(way: Callable[[str, str], bool], pairs: Sequence[AnswerPair]) -> Flags:
    """Whether the way takes the candidate as right against any of its references."""
    return np.array(
        [any(way(pair.candidate, reference) for reference in pair.references) for pair in pairs], dtype=np.bool_
    )


def paper_model(seen: JudgedPairs, unseen: JudgedPairs, settings: Settings) -> Flags:
    """The verdicts of logistic regression on the paper's features alone: tf-idf, F1, precision, recall.

    Of several references the closest is used, as by the classifier; exact matches are right.
    """
    from sklearn.linear_model import LogisticRegression

    table = word_table(seen, settings.min_questions)
    words = sorted(table.rarity)
    overlap = [FEATURES.index(name) for name in ("f1", "precision", "recall")]

    def inputs(judged: JudgedPairs) -> tuple[sparse.csr_array, Flags]:
        closest, values, exact = features(judged.pairs, table)
        others = [pair for pair, same in zip(judged.pairs, exact.tolist(), strict=True) if not same]
        documents = text_vectors(others, closest, table, words)
        return sparse.csr_array(sparse.hstack([documents, sparse.csr_array(values[:, overlap])])), exact

    learned, exact = inputs(seen)
    model = LogisticRegression(C=settings.text_strength, max_iter=2000).fit(learned, seen.right[~exact])
    asked, said = inputs(unseen)
    said[~said] = model.predict_proba(asked)[:, 1] >= THRESHOLD
    return said


def calibration(right: Flags, probabilities: Floats) -> list[Figures]:
    """For each range of the probability, how many pairs are in it and which share of them is right."""
    bins = np.digitize(probabilities, PROBABILITY_EDGES[1:-1])
    return [
        {"low": low, "high": high, "n": int((bins == place).sum()), "right": _mean(right[bins == place])}
        for place, (low, high) in enumerate(pairwise(PROBABILITY_EDGES))
    ]


def rule_figures(right: Flags, verdicts: Sequence[Verdict]) -> list[Figures]:
    """For each rule and verdict, how many pairs it decided and in which share people agree with the verdict.

    Exact matches, for which no rule is looked for, stand apart.
    """
    rows: list[Figures] = []
    deciding = [EXACT_MATCH_ROW if verdict.exact_match else str(verdict.rule) for verdict in verdicts]
    for rule in (EXACT_MATCH_ROW, *map(str, Rule)):
        for equivalent in (True, False):
            found = [one == rule and v.equivalent == equivalent for one, v in zip(deciding, verdicts, strict=True)]
            if any(found):
                rows.append(
                    {
                        "rule": rule,
                        "equivalent": equivalent,
                        "n": sum(found),
                        "agreed": _mean(right[np.array(found)] == equivalent),
                    }
                )
    return rows


def _mean(values: Flags) -> float | None:
    return float(values.mean()) if len(values) else None
