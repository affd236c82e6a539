"""The people's side of REV: does the rationale justify the answer, and how much does it add?"""

from collections.abc import Sequence
from dataclasses import dataclass

NOT_JUSTIFIED = -1.0


@dataclass(frozen=True, slots=True)
class RationaleJudgment:
    """What one person said of one rationale.

    Attributes
    ----------
    justifies : bool
        Whether it justifies the answer.
    amount : float or None
        How much it adds: none 0, little 1, some 2, enough 3. Only asked where it justifies.
    """

    justifies: bool
    amount: float | None = None


def human_score(judgments: Sequence[RationaleJudgment]) -> float | None:
    """The score of a rationale from several judgments, −1 or 0..3; three judgments are usual.

    The majority decides whether it justifies the answer. If not, the score is −1. If it does, it is the mean of the
    amounts that were given; somebody who was outvoted gave none and does not count there. A tie goes to *justifies*,
    the better label.

    Returns
    -------
    float or None
        None without judgments, or where the majority said yes and nobody gave an amount.

    References
    ----------
    Chen and others, REV, ACL 2023, section 4.2.

    Examples
    --------
    >>> human_score([RationaleJudgment(True, 3), RationaleJudgment(True, 2), RationaleJudgment(False)])
    2.5
    """
    if not judgments:
        return None
    in_favour = sum(judgment.justifies for judgment in judgments)
    if 2 * in_favour < len(judgments):
        return NOT_JUSTIFIED
    amounts = [judgment.amount for judgment in judgments if judgment.justifies and judgment.amount is not None]
    return sum(amounts) / len(amounts) if amounts else None
