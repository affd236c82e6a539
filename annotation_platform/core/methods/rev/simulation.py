"""What an evaluator answers to a question with and without a rationale: what LAS and RQ are made of.

The evaluator chooses the likeliest of a question's options: after question and rationale, after the question alone,
and after the rationale alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotation_platform.core.methods.rev.evaluators import Evaluator, Per, context


@dataclass(frozen=True, slots=True)
class SimulatedQuestion:
    """A question with its options, and a rationale.

    Attributes
    ----------
    question, rationale : str
    options : tuple of str
        At least two.
    """

    question: str
    rationale: str
    options: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.options) < 2:
            raise ValueError(f"{self.question!r} has {len(self.options)} options to choose from; give at least two.")


@dataclass(frozen=True, slots=True)
class Chosen:
    """The evaluator's choices, as positions among the options; of equally likely ones the first."""

    with_rationale: int
    without: int
    from_rationale: int


def simulate(asked: Sequence[SimulatedQuestion], evaluator: Evaluator, *, per: Per = "token") -> list[Chosen]:
    """What the evaluator chooses each time; equal questions to it are asked once.

    ::

        with_rationale = argmax over y of f[r, x](y)
        without        = argmax over y of f[x](y)
        from_rationale = argmax over y of f[r](y)

    With these, `scores.las` takes as predictions whether a choice is the rationale's own answer, and as leaks whether
    ``from_rationale`` is; `scores.rq` takes whether a choice is a gold answer.

    Parameters
    ----------
    asked : sequence of SimulatedQuestion
    evaluator : Evaluator
    per : {'token', 'answer'}
        Options are compared by the mean over their tokens, which does not prefer short ones, or as wholes.

    References
    ----------
    Hase, Zhang, Xie and Bansal, Leakage-Adjusted Simulatability, Findings of EMNLP 2020, section 3.
    """
    places: dict[tuple[str, str], int] = {}
    rows = [
        [[places.setdefault((text, option), len(places)) for option in each.options] for text in _contexts(each)]
        for each in asked
    ]
    if not rows:
        return []
    contexts, targets = zip(*places, strict=True)
    found = evaluator.log_likelihood(contexts, targets).per(per)
    return [Chosen(*(int(np.argmax(found[options])) for options in row)) for row in rows]


def _contexts(each: SimulatedQuestion) -> tuple[str, str, str]:
    return context(each.rationale, each.question), context("", each.question), context(each.rationale, "")
