"""How often words are named that set nothing apart: ``python -m tests.core.coverage.words_apart``.

Planted truth: authors with words of their own (a usual word may be ten times as usual with one of them), a phrase
that each repeats word for word, articles whose own words come again in all that is written about them, and labels that
authors and articles are free or sparing with. The label decides how long an explanation is and, where something is
planted, how often one word stands in it; nothing else. Any word that is named under a label then is false.
"""

from typing import NamedTuple

import numpy as np

from annotation_platform.core.methods.words_apart import explanation_texts, words_apart

WORDS = 400
PLANTED = "planted"
Codes = np.ndarray


class World(NamedTuple):
    """Explanations with label, author and article."""

    texts: list[str]
    labels: Codes
    authors: Codes
    articles: Codes


class Named(NamedTuple):
    """Over studies: the share with any false word, false words a study, and how often the planted one is named."""

    any_false: float
    false: float
    planted: float


def world(
    random: np.random.Generator, *, articles: int, authors: int, questions: int = 6, odds: float = 1.0, pet: float = 0.3
) -> World:
    """Each author explains a label of each question; ``pet`` of the texts are the author's own phrase."""
    usual = 1 / np.arange(1, WORDS + 1)
    habits = usual * np.exp(random.normal(0, 1, (authors, WORDS)))
    topics = np.exp(random.normal(0, 1, (articles, WORDS)) * (random.random((articles, WORDS)) < 0.1))
    phrases = [" ".join(f"w{word}" for word in random.choice(WORDS, 6, p=usual / usual.sum())) for _ in range(authors)]
    free, hard = random.normal(0, 1, authors), random.normal(0, 1, articles)
    texts, labels, of_author, of_article = [], [], [], []
    for article in range(articles):
        for author in range(authors):
            chances = habits[author] * topics[article]
            chances /= chances.sum()
            bad = random.random(questions) < 1 / (1 + np.exp(free[author] + hard[article]))
            labels += bad.astype(int).tolist()
            of_author += [author] * questions
            of_article += [article] * questions
            for label in bad.astype(int).tolist():
                if random.random() < pet:
                    texts.append(phrases[author])
                    continue
                words = [f"w{word}" for word in random.choice(WORDS, random.poisson(8) + 4, p=chances)]
                if odds != 1 and random.random() < 0.03 * (odds if label else 1):
                    words.insert(int(random.integers(len(words))), PLANTED)
                texts.append(" ".join(words))
    return World(texts, np.array(labels), np.array(of_author), np.array(of_article))


def named_in(made: World, *, plainly: bool = False) -> set[str]:
    """What is named; ``plainly`` as if words were drawn one by one, by nobody in particular."""
    n = len(made.texts)
    given = explanation_texts(made.texts, np.arange(n) if plainly else made.articles)
    strata = np.zeros(n, dtype=np.int64) if plainly else made.authors
    found = words_apart(given, made.labels, 2, strata, None if plainly else made.authors)
    return {term.term for category in found for term in category.terms}


def measured(*, studies: int, plainly: bool = False, **how: float) -> Named:
    random = np.random.default_rng(7)
    found = [named_in(world(random, **how), plainly=plainly) for _ in range(studies)]  # type: ignore[arg-type]
    false = [{term for term in each if PLANTED not in term} for each in found]
    return Named(
        any_false=float(np.mean([bool(each) for each in false])),
        false=float(np.mean([len(each) for each in false])),
        planted=float(np.mean([PLANTED in each for each in found])),
    )


def main(studies: int = 300) -> None:
    for articles in (6, 20, 80):
        for authors in (2, 5, 10):
            how = {"articles": articles, "authors": authors}
            nothing, planted = measured(studies=studies, **how), measured(studies=studies // 3, odds=5.0, **how)
            plain = measured(studies=studies // 3, plainly=True, **how)
            print(
                f"| {articles} | {authors} | {articles * authors * 6} | {nothing.any_false:.1%} | {nothing.false:.2f} "
                f"| {planted.planted:.0%} | {plain.any_false:.0%} | {plain.false:.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
