"""The equivalence classifier: pairs a second on one core, beside scikit-learn on the paper's features.

    python -m benchmarks.equivalence [--rounds N]

Two references, both given question, references and candidate as text and giving a probability for each candidate:

- the peer: what one would write with scikit-learn for the paper's classifier. A union of TfidfVectorizer over
  "[CLS] candidate [SEP] reference [SEP] question [SEP]" and of token F1, precision and recall, then logistic
  regression. It does less than ours (three measures and words, where ours takes some fifty more);
- the limit: SQuAD's normalisation and token F1 alone, in plain Python, against every reference. Whoever compares
  words has to do this much.

They answer differently by design, so only the number of answers is checked. The pairs are EVOUNA's, where they are
at hand, or made up.
"""

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")  # one core, all sides

from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer

from annotation_platform.core.methods.answer_equivalence import (
    ARTEFACT,
    AnswerPair,
    EquivalenceClassifier,
    load_default,
)
from annotation_platform.core.methods.answer_overlap import TokenOverlap, token_overlap
from annotation_platform.core.methods.train_answer_equivalence import read_evouna
from benchmarks.protocol import Side, compare, timed

EVOUNA = Path(__file__).resolve().parents[1].parent / "shared" / "data" / "evouna" / "NQ.json"
MOST_PAIRS = 5_000
SYNTHETIC = 4_000
WORDS_EACH = 30
WANTED = 10_000

Scores = NDArray[np.float64]


def main() -> None:
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    classifier = load_default()
    for name, pairs in workloads():
        n, n_references = len(pairs), sum(len(pair.references) for pair in pairs)
        print(f"{name}: {n:,} candidates beside {n_references:,} references")
        ours = Side("probabilities", lambda pairs=pairs: classifier.probabilities(pairs))
        for reference in (Side("scikit-learn", scikit_learn(pairs)), Side("token F1", plain_f1(pairs))):
            comparison = compare(ours, reference, same=lambda one, other: len(one) == len(other), rounds=rounds)
            print(f"  {comparison}")
        say("  probabilities", np.median(comparison.our_seconds), n, n_references)
        verdicts = timed(Side("whole verdicts", lambda pairs=pairs: classifier.judge(pairs)), rounds=rounds)
        say("  whole verdicts, with rule and reason", verdicts.median, n, n_references)
    reading = timed(Side("reading the artefact", lambda: EquivalenceClassifier.load(ARTEFACT)), rounds=rounds)
    print(f"{reading}; {ARTEFACT.stat().st_size:,} bytes")


def say(name: str, seconds: float, n: int, n_references: int) -> None:
    print(
        f"{name}: {n / seconds:,.0f} candidates/s (wanted: {WANTED:,}), "
        f"{n_references / seconds:,.0f} pairs of candidate and reference/s"
    )


def scikit_learn(pairs: list[AnswerPair]) -> Callable[[], Scores]:
    """The paper's classifier as a pipeline, fitted on made-up verdicts: it is timed, not trusted.

    Each candidate is compared with its reference of highest F1, as a single text and a row of measures.
    """

    def texts(rows: list[tuple[AnswerPair, str, TokenOverlap]]) -> list[str]:
        return [f"[CLS] {pair.candidate} [SEP] {reference} [SEP] {pair.question} [SEP]" for pair, reference, _ in rows]

    def measures(rows: list[tuple[AnswerPair, str, TokenOverlap]]) -> Scores:
        return np.array([overlap for _, _, overlap in rows])

    model = make_pipeline(
        FeatureUnion(
            [
                ("words", make_pipeline(FunctionTransformer(texts), TfidfVectorizer(token_pattern=r"\[?\w+\]?"))),
                ("overlap", FunctionTransformer(measures)),
            ]
        ),
        LogisticRegression(),
    )

    def rows() -> list[tuple[AnswerPair, str, TokenOverlap]]:
        found = []
        for pair in pairs:
            overlaps = [token_overlap(pair.candidate, reference) for reference in pair.references]
            best = max(range(len(overlaps)), key=lambda place: overlaps[place].f1)
            found.append((pair, pair.references[best], overlaps[best]))
        return found

    model.fit(rows(), np.arange(len(pairs)) % 2)
    return lambda: np.asarray(model.predict_proba(rows())[:, 1])


def plain_f1(pairs: list[AnswerPair]) -> Callable[[], Scores]:
    return lambda: np.array(
        [max(token_overlap(pair.candidate, reference).f1 for reference in pair.references) for pair in pairs]
    )


def workloads() -> list[tuple[str, list[AnswerPair]]]:
    rng = np.random.default_rng(0)
    words = np.array(sorted(load_default().table.rarity))
    texts = [" ".join(drawn) for drawn in rng.choice(words, (SYNTHETIC, WORDS_EACH)).tolist()]
    made_up = [AnswerPair(text[-40:], (text[:15], text[40:60]), text[10:]) for text in texts]
    found = [("made up, no question twice", made_up)]
    if EVOUNA.is_file():
        found.insert(0, ("EVOUNA-NQ", read_evouna(EVOUNA).pairs[:MOST_PAIRS]))
    else:
        print(f"EVOUNA-NQ: skipped, it is not at {EVOUNA}")
    return found


if __name__ == "__main__":
    main()
