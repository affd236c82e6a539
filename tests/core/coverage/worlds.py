"""Made-up studies whose truth is known: crossed articles, questions, annotators and systems, ties and missing cells."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from annotation_platform.core.statistics import Ratings
from annotation_platform.core.statistics.units import unit_of

LABELS = np.array([0.0, 30.0, 70.0, 100.0])
CUTS = np.array([-1.0, 0.0, 1.0])
LENIENCY = np.array([-0.5, -0.2, 0.0, 0.3, 0.6])  # of the five annotators, who are the same in every world
MISSING = 0.15


@dataclass(frozen=True)
class Design:
    """``articles`` with ``questions`` each, which ``systems`` answer; ``alike`` is how much questions of an article
    have in common (a standard deviation beside 1 for the question itself).

    ``mean`` is how good answers are (0: as many good as bad ones), ``missing`` the share of judgments that nobody made.
    ``uneven`` articles have one question to nearly twice as many, and ``cuts`` are where one label ends and the next
    begins.
    """

    articles: int
    questions: int = 1
    systems: int = 2
    alike: float = 0.0
    mean: float = 0.0
    missing: float = MISSING
    uneven: bool = False
    cuts: tuple[float, ...] = tuple(CUTS)


@dataclass(frozen=True, eq=False)
class World:
    """One draw of a design: an entry each judgment, and of each item (a system's answer to a question) its question,
    its article, the unit of its intervals as pages choose it, its system, a model's score and a model's verdict."""

    ratings: Ratings
    unit: np.ndarray
    article: np.ndarray
    question: np.ndarray
    system: np.ndarray
    quality: np.ndarray
    model: np.ndarray


def draw(design: Design, rng: np.random.Generator) -> World:
    per_article = rng.integers(1, 2 * design.questions, design.articles) if design.uneven else design.questions
    article_of_question = np.repeat(np.arange(design.articles), per_article)
    n = len(article_of_question)
    of_question = rng.normal(0, 1, n) + rng.normal(0, design.alike, design.articles)[article_of_question]
    n_items = design.systems * n
    question = np.repeat(np.arange(n), design.systems)
    system = np.tile(np.arange(design.systems), n)
    quality = design.mean + of_question[question] + rng.normal(0, 0.5, n_items)
    item, rater = (each.ravel() for each in np.meshgrid(np.arange(n_items), np.arange(len(LENIENCY)), indexing="ij"))
    seen = quality[item] + LENIENCY[rater] + rng.normal(0, 0.8, len(item))
    kept = rng.random(len(item)) >= design.missing
    values = LABELS[np.searchsorted(design.cuts, seen)]
    article = article_of_question[question]
    unit = unit_of(article, question).of_item
    ratings = Ratings.from_arrays(
        item[kept], rater[kept], values[kept], n_items=n_items, n_raters=len(LENIENCY), units=unit, repeated="error"
    )
    model = LABELS[np.searchsorted(design.cuts, quality + rng.normal(0, 0.8, n_items))]
    return World(ratings, unit, article, question, system, expit(quality), model)
