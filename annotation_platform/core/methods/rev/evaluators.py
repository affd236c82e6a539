"""What an evaluator of rationales is, and how rationales are scored with one.

REV asks an evaluator f how likely the label y is given a rationale r and a vacuous one b, and given b alone. Which
family of models f comes from is a parameter of the method; the result names it.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from annotation_platform.core.arrays import Codes, Floats
from annotation_platform.core.methods.rev.scores import pointwise_rev

Per = Literal["token", "answer"]


@dataclass(frozen=True, slots=True)
class Explained:
    """An answer with a rationale.

    Attributes
    ----------
    item : hashable
        What is asked: rationales of one item are compared with each other.
    kind : str
        Where the rationale comes from.
    answer : str
        The label y.
    rationale : str
        May be empty; it then scores 0, as there is nothing beside b.
    vacuous : str
        The vacuous rationale b; see `vacuous`.
    """

    item: Hashable
    kind: str
    answer: str
    rationale: str
    vacuous: str


@dataclass(frozen=True, slots=True, eq=False)
class LogLikelihoods:
    """How likely each target is after its context.

    Attributes
    ----------
    totals : (n,) float
        Natural logarithm of the target's probability, at most 0.
    tokens : (n,) int
        How many tokens the target has for this evaluator, at least 1.
    """

    totals: Floats
    tokens: Codes

    def per(self, unit: Per) -> Floats:
        """The mean over a target's tokens, or the total of the whole target."""
        return self.totals / self.tokens if unit == "token" else self.totals


class Evaluator(Protocol):
    """Anything that gives the likelihood of a text after another."""

    @property
    def name(self) -> str:
        """Model, how it was trained, and with which seed; it stands beside every score."""

    def log_likelihood(self, contexts: Sequence[str], targets: Sequence[str]) -> LogLikelihoods:
        """How likely each target is after its context."""


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """REV of each rationale, with what it is made of, in nats.

    Attributes
    ----------
    values : (n,) float
    with_rationale, baseline : (n,) float
        log f[r, b](y) and log f[b](y).
    signature : str
        Method, unit and evaluator: ``rev|per:token|evaluator:…``.
    """

    values: Floats
    with_rationale: Floats
    baseline: Floats
    signature: str


def context(rationale: str, vacuous: str) -> str:
    """What an evaluator reads: r, then b, as in the REV paper; the answer follows.

    Examples
    --------
    >>> context("A hive has combs.", "Bees live in a hive.")
    'A hive has combs. Bees live in a hive.\\nAnswer:'
    """
    return f"{' '.join(f'{rationale} {vacuous}'.split())}\nAnswer:"


def score(
    rationales: Sequence[Explained],
    evaluator: Evaluator,
    *,
    per: Per = "token",
    progress: Callable[[int, int], None] | None = None,
    at_once: int = 256,
) -> Scored:
    """REV of each rationale.

    Parameters
    ----------
    rationales : sequence of Explained
        Equal questions to the evaluator are asked once, such as the baseline that several rationales share.
    evaluator : Evaluator
    per : {'token', 'answer'}
        Mean over the answer's tokens, as the authors' program has it, or the whole answer, as the formula has it.
    progress : callable, optional
        Told how many of how many questions to the evaluator are done.
    at_once : int
        How many it is given at a time.
    """
    asked: dict[tuple[str, str], int] = {}
    places = np.array(
        [
            [asked.setdefault((context(text, each.vacuous), each.answer), len(asked)) for text in (each.rationale, "")]
            for each in rationales
        ],
        dtype=np.int64,
    ).reshape(-1, 2)
    found = np.empty(len(asked))
    questions = list(asked)
    for start in range(0, len(questions), at_once):
        contexts, targets = zip(*questions[start : start + at_once], strict=True)
        found[start : start + at_once] = evaluator.log_likelihood(contexts, targets).per(per)
        if progress:
            progress(min(start + at_once, len(questions)), len(questions))
    given, baseline = found[places[:, 0]], found[places[:, 1]]
    return Scored(pointwise_rev(given, baseline), given, baseline, f"rev|per:{per}|evaluator:{evaluator.name}")
