"""How often themes are found that are there, and where there are none: ``python -m tests.core.coverage.themes``.

Planted truth: each text is about one of K themes, of which each has 15 words of its own; with a chance of one half a
word of a text is one of these, else a usual word of all texts. Without themes all words are usual ones.
"""

from collections import Counter

import numpy as np

from annotation_platform.core.methods.explanation_words import count_terms
from annotation_platform.core.methods.themes import Themes, themes

OWN = 15
USUAL = 300


def texts_about(random: np.random.Generator, *, n: int, planted: int, own: float = 0.5) -> tuple[list[str], np.ndarray]:
    """Texts, and the theme of each; without themes all are of theme 0."""
    chances = 1 / np.arange(1, USUAL + 1)
    about = random.integers(max(planted, 1), size=n)
    texts = []
    for theme in about.tolist():
        length = int(random.poisson(10)) + 4
        words = [f"u{word}" for word in random.choice(USUAL, length, p=chances / chances.sum())]
        if planted:
            is_own = random.random(length) < own
            words = [
                f"t{theme}x{random.integers(OWN)}" if mine else word for word, mine in zip(words, is_own, strict=True)
            ]
        texts.append(" ".join(words))
    return texts, about


def found_in(texts: list[str], seed: int = 0) -> Themes:
    counted = count_terms(texts, fewest=5)
    n_words = int((~counted.is_phrase).sum())
    return themes(counted.counts[:, :n_words], counted.terms[:n_words], seed=seed)


def main(studies: int = 30) -> None:
    for n in (100, 300, 1_000):
        for planted in (0, 3, 6, 9):
            random = np.random.default_rng(5)
            found = [found_in(texts_about(random, n=n, planted=planted)[0]) for _ in range(studies)]
            number = Counter(each.number for each in found)
            best = [
                max((each.stability[k] - each.of_shuffled[k] for k in each.stability), default=0.0) for each in found
            ]
            shares = ", ".join(f"{k}: {number[k] / studies:.0%}" for k in sorted(number))
            print(f"| {n} | {planted} | {shares} | {np.mean(best):.2f} | {max(best):.2f} |", flush=True)


if __name__ == "__main__":
    main()
