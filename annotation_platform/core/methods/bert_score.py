"""BERTScore: how much of one text's meaning, token by token, another text has too.

Sources: Zhang, Kishore, Wu, Weinberger and Artzi, BERTScore: Evaluating Text Generation with BERT (ICLR 2020),
without weights by document frequency and without rescaling by a baseline.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from annotation_platform.core.arrays import Floats
from annotation_platform.core.methods.rev.language_models import batches
from annotation_platform.core.methods.text_overlap import Overlap

if TYPE_CHECKING:
    from annotation_platform.core.methods.rev.language_models import LanguageModel


def bert_score(candidate: ArrayLike, reference: ArrayLike) -> Overlap:
    """Greedy matching of the tokens of two texts by the cosine of their vectors.

    With x_i the reference's token vectors, y_j the candidate's, all of length 1::

        recall = mean_i max_j x_i · y_j      precision = mean_j max_i x_i · y_j
        F1 = 2 · precision · recall / (precision + recall)

    Parameters
    ----------
    candidate : array-like of float, shape (m, d)
    reference : array-like of float, shape (n, d)
        Contextual vectors, of any length above 0.

    Returns
    -------
    Overlap
        All 0 where a text has no tokens; F1 is 0 where precision and recall are not both above 0.

    Examples
    --------
    >>> bert_score([[1, 0], [0, 2]], [[3, 0]])
    Overlap(precision=0.5, recall=1.0, f1=0.6666666666666666)
    """
    y, x = _unit(candidate), _unit(reference)
    if not len(x) or not len(y):
        return Overlap(0.0, 0.0, 0.0)
    cosines = x @ y.T
    precision, recall = float(cosines.max(axis=0).mean()), float(cosines.max(axis=1).mean())
    f1 = 2 * precision * recall / (precision + recall) if min(precision, recall) > 0 else 0.0
    return Overlap(precision, recall, f1)


def token_vectors(model: "LanguageModel", texts: Sequence[str]) -> list[Floats]:
    """The last hidden states of a causal model over the tokens of each text, without the token that begins it.

    Raises
    ------
    ModelError
        A text is longer than the model can read.
    """
    import torch

    pairs = [model.encode("", text) for text in texts]
    found: list[Floats] = [np.zeros((0, 0))] * len(pairs)
    model.model.eval()
    with torch.inference_mode():
        for batch in batches(pairs):
            tokens = [[*pairs[place][0], *pairs[place][1]] for place in batch]
            longest = max(map(len, tokens))
            read = torch.zeros(len(batch), longest, dtype=torch.long)
            mask = torch.zeros(len(batch), longest, dtype=torch.long)
            for row, each in enumerate(tokens):
                read[row, : len(each)], mask[row, : len(each)] = torch.tensor(each), 1
            hidden = model.model.get_decoder()(input_ids=read, attention_mask=mask, use_cache=False).last_hidden_state
            for row, place in enumerate(batch):
                before = len(pairs[place][0])
                found[place] = hidden[row, before : len(tokens[row])].double().numpy()
    return found


def _unit(vectors: ArrayLike) -> Floats:
    found = np.asarray(vectors, dtype=np.float64)
    if found.size == 0:
        return np.zeros((0, 0))
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True))
