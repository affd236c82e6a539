"""Perplexity: how surprising a text is to a language model, alone or after another text."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from annotation_platform.core.methods.rev.evaluators import Evaluator


def mean_log_likelihoods(
    evaluator: Evaluator, texts: Sequence[str], contexts: Sequence[str] | None = None
) -> NDArray[np.float64]:
    """Mean natural logarithm of the probability of each text's tokens, (n,), at most 0.

    Parameters
    ----------
    evaluator : Evaluator
    texts : sequence of str
        NaN for a blank one, which has nothing to be surprised by.
    contexts : sequence of str, optional
        What stands before each text, and is not counted itself; nothing unless given.
    """
    before = [""] * len(texts) if contexts is None else contexts
    asked = [(context, text) for context, text in zip(before, texts, strict=True) if text.strip()]
    found = np.full(len(texts), np.nan)
    if asked:
        written = np.array([bool(text.strip()) for text in texts])
        found[written] = evaluator.log_likelihood(*zip(*asked, strict=True)).per("token")
    return found


def perplexities(
    evaluator: Evaluator, texts: Sequence[str], contexts: Sequence[str] | None = None
) -> NDArray[np.float64]:
    """exp(− mean log-likelihood of its tokens) of each text, (n,), at least 1; NaN for a blank text.

    The unit is the evaluator's token, so that only perplexities by the same model can be compared.
    """
    return np.asarray(np.exp(-mean_log_likelihoods(evaluator, texts, contexts)))
