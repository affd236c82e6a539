"""Explanations that stand word for word in several articles: a rescaler that saw one has seen the others.

Annotators write short things again and again (“Complete.”), so that judgments of an article that was held out have
texts which the training had. How well a rescaler reads what nobody has written before is another question, and has
figures of its own.
"""

from collections.abc import Sequence

import numpy as np

from annotation_platform.core.arrays import Codes, Flags


def text_codes(explanations: Sequence[str]) -> Codes:
    """A code from 0 for each distinct text, case and spacing aside, in order of appearance.

    >>> text_codes(["Complete.", "complete. ", "It misses  the year."]).tolist()
    [0, 0, 1]
    """
    known: dict[str, int] = {}
    texts = (" ".join(text.casefold().split()) for text in explanations)
    return np.array([known.setdefault(text, len(known)) for text in texts], dtype=np.int64)


def stands_elsewhere(texts: Codes, groups: Codes) -> Flags:
    """Whether a text stands in more than one group, such as an article; both arrays are codes from 0, shape (n,).

    >>> stands_elsewhere(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 0])).tolist()
    [True, True, False, False]
    """
    pairs = np.unique(np.stack([texts, groups]), axis=1)
    return np.asarray(np.bincount(pairs[0], minlength=1)[texts] > 1)
