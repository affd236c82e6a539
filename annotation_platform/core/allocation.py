"""How the questions of a corpus become HITs, and HITs become batches."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import accumulate, pairwise
from random import random
from typing import Generic, TypeVar

Q = TypeVar("Q")
S = TypeVar("S")


@dataclass(frozen=True)
class PlannedHit(Generic[Q, S]):
    """One document's questions, each with the one system whose answer is judged, in the order shown."""

    items: tuple[tuple[Q, S], ...]


def split_evenly(items: Sequence[Q], most: int) -> list[list[Q]]:
    """Cut a sequence into the fewest runs of at most ``most``, their lengths differing by at most one.

    Six questions with ``most=5`` become 3 + 3, not 5 + 1: nobody opens a document for a single question.

    Raises
    ------
    ValueError
        When ``most`` is below 1.
    """
    sizes = even_sizes(len(items), most)
    cuts = [0, *accumulate(sizes)]
    return [list(items[first:last]) for first, last in pairwise(cuts)]


def even_sizes(count: int, most: int) -> list[int]:
    """The lengths of the runs into which :func:`split_evenly` cuts ``count`` items.

    Raises
    ------
    ValueError
        When ``most`` is below 1.
    """
    if most < 1:
        raise ValueError("A HIT needs room for at least one question.")
    runs = -(-count // most)
    cuts = [round(run * count / runs) for run in range(runs + 1)] if runs else [0]
    return [last - first for first, last in pairwise(cuts)]


def plan_hits(answers: Mapping[Q, Sequence[S]], *, questions_per_hit: int) -> list[PlannedHit[Q, S]]:
    """Plan the HITs of one document so that each shows every question once and mixes the systems.

    The questions are cut into even groups. Within a group, HIT *r* shows for the *i*-th question the answer
    of system ``(i + r) mod k`` (a Latin square), so an annotator meets all systems in turn, cannot tell which
    is which by its place, and every answer is in exactly one HIT.

    Parameters
    ----------
    answers : mapping of question to its answering systems
        In the order of the document; questions may differ in which systems answered them.
    questions_per_hit : int
        The most questions in one HIT.

    Returns
    -------
    list of PlannedHit
        Together they hold every (question, system) exactly once.
    """
    hits: list[PlannedHit[Q, S]] = []
    for group in split_evenly(list(answers), questions_per_hit):
        rounds = max(len(answers[question]) for question in group)
        for r in range(rounds):
            items = [
                (question, answers[question][(i + r) % rounds])
                for i, question in enumerate(group)
                if (i + r) % rounds < len(answers[question])
            ]
            if items:
                hits.append(PlannedHit(tuple(items)))
    return hits


def shuffled(items: Sequence[Q], *, seed: str) -> list[Q]:
    """The items in an order that looks random and is the same wherever the seed is.

    Sorted by SHA-256 of seed and position, so it depends on no generator's version.
    """
    order = sorted(range(len(items)), key=lambda index: sha256(f"{seed}/{index}".encode()).digest())
    return [items[index] for index in order]


def turn_by_chance() -> float:
    """Where a HIT comes in an order by chance: from 0 to 1."""
    return random()
