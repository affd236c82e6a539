"""ROUGE-1, -2 and -L: microseconds a pair beside the rouge-score package, with the same scores.

    python -m benchmarks.text_overlap [--rounds N]

The texts are made of words whose frequencies fall as in language (Zipf), of three lengths.
"""

from argparse import ArgumentParser

import numpy as np
from rouge_score.rouge_scorer import RougeScorer

from annotation_platform.core.methods.text_overlap import Rouge, rouge
from benchmarks.protocol import Side, compare

LENGTHS = (12, 37, 150)
PAIRS = 200
WORDS = 5000


def main() -> None:
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    package = RougeScorer(["rouge1", "rouge2", "rougeL"])
    for length in LENGTHS:
        pairs = texts(length)
        comparison = compare(
            Side("ours", lambda pairs=pairs: [rouge(candidate, [reference]) for candidate, reference in pairs]),
            Side("rouge-score", lambda pairs=pairs: [package.score(reference, text) for text, reference in pairs]),
            same=same_scores,
            rounds=rounds,
        )
        print(f"{length} tokens: {comparison}")
        print(f"  {1e6 * np.median(comparison.our_seconds) / PAIRS:.1f} µs a pair")


def texts(length: int) -> list[tuple[str, str]]:
    rng = np.random.default_rng(0)
    share = 1 / np.arange(1, WORDS + 1)
    words = rng.choice(WORDS, size=(PAIRS, 2, length), p=share / share.sum())
    return [(" ".join(map(str, candidate)), " ".join(map(str, reference))) for candidate, reference in words]


def same_scores(ours: list[Rouge], theirs: list[dict[str, tuple[float, float, float]]]) -> bool:
    return all(
        [
            tuple(getattr(score, field) for field in ("precision", "recall", "f1"))
            for score in (a.rouge1, a.rouge2, a.rouge_l)
        ]
        == [tuple(b[name]) for name in ("rouge1", "rouge2", "rougeL")]
        for a, b in zip(ours, theirs, strict=True)
    )


if __name__ == "__main__":
    main()
