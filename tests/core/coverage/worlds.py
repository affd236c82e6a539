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
    have in common (a standard deviation beside 1 for the question itself)."""

    articles: int
    questions: int = 1
    systems: int = 2
    alike: float = 0.0


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
    n = design.articles * design.questions
    of_question = rng.normal(0, 1, n) + np.repeat(rng.normal(0, design.alike, design.articles), design.questions)
    n_items = design.systems * n
    question = np.repeat(np.arange(n), design.systems)
    system = np.tile(np.arange(design.systems), n)
    quality = of_question[question] + rng.normal(0, 0.5, n_items)
    item, rater = (each.ravel() for each in np.meshgrid(np.arange(n_items), np.arange(len(LENIENCY)), indexing="ij"))
    seen = quality[item] + LENIENCY[rater] + rng.normal(0, 0.8, len(item))
    kept = rng.random(len(item)) >= MISSING
    values = LABELS[np.searchsorted(CUTS, seen)]
    article = question // design.questions
    unit = unit_of(article, question).of_item
    ratings = Ratings.from_arrays(
        item[kept], rater[kept], values[kept], n_items=n_items, n_raters=len(LENIENCY), units=unit, repeated="error"
    )
    model = LABELS[np.searchsorted(CUTS, quality + rng.normal(0, 0.8, n_items))]
    return World(ratings, unit, article, question, system, expit(quality), model)
