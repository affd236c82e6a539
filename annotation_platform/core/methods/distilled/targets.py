"""What a judgment teaches a rescaler: the language model's reading of it, and in part of what others wrote."""

import numpy as np

from annotation_platform.core.arrays import Codes, Floats
from annotation_platform.core.methods.distilled.judgments import ScoredJudgments


def targets(judgments: ScoredJudgments, *, others: float = 0.0) -> Floats:
    """The three outputs that a rescaler is to learn of each judgment: score, whether it is 100, whether it is 0.

    With t_i these three of the language model's score of judgment i, and O_i the scored judgments of the same item
    by other annotators::

        target_i = (1 − λ) · t_i + λ · mean of t_j over j in O_i

    and t_i alone where nobody else judged the item. A language model reads each explanation once, by itself; its
    readings of what others wrote of the same item say which words stand for a quality that others saw, too.

    Parameters
    ----------
    judgments : ScoredJudgments
        All of them scored.
    others : float
        λ in 0..1.

    Returns
    -------
    (n, 3) float
        0..100, and two shares in 0..1.

    Raises
    ------
    ValueError
        λ is outside 0..1.
    """
    if not 0 <= others <= 1:
        raise ValueError(f"others is {others}; give a share between 0 and 1, such as 0.3.")
    own = np.column_stack([judgments.scores, judgments.scores == 100, judgments.scores == 0]).astype(np.float64)
    return own if others == 0 else (1 - others) * own + others * means_of_others(judgments, own)


def means_of_others(judgments: ScoredJudgments, values: Floats) -> Floats:
    """Mean of the rows of `values`, (n, c), over judgments of the same item by other annotators; its own where there
    are none."""
    _, item = np.unique(judgments.items, return_inverse=True)
    _, mine = np.unique(np.stack([item, judgments.annotators]), axis=1, return_inverse=True)
    sums, counts = _sums(item, values)
    own_sums, own_counts = _sums(mine, values)
    remaining = (counts - own_counts)[:, None]
    return np.where(remaining > 0, (sums - own_sums) / np.maximum(remaining, 1), values)


def _sums(group: Codes, values: Floats) -> tuple[Floats, Codes]:
    """Sum of the rows of each row's group, (n, c), and how many there are, (n,)."""
    counts: Codes = np.bincount(group).astype(np.int64)
    columns = [np.bincount(group, values[:, column], minlength=len(counts)) for column in range(values.shape[1])]
    sums: Floats = np.column_stack(columns).astype(np.float64)
    return sums[group], counts[group]
