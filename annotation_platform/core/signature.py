"""Signatures: the same inputs give the same short name, whatever the order in which they were written down."""

import hashlib
import json
from collections.abc import Callable
from typing import Any


def canonical_encoder(default: Callable[[Any], Any] | None = None) -> Callable[[Any], str]:
    """`canonical_json` made once, for very many values.

    Parameters
    ----------
    default
        Gives something that JSON can say for an object that it cannot; without it such an object is an error.
    """
    how = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=default)
    return how.encode


_encoded = canonical_encoder()


def canonical_json(value: Any) -> str:
    """Write ``value`` as JSON in one single way: keys sorted, no spaces, UTF-8, no NaN.

    Raises
    ------
    TypeError, ValueError
        When ``value`` holds something that JSON cannot say (a set, NaN, an object).
    """
    return _encoded(value)


def signature(value: Any) -> str:
    """SHA-256 of the canonical JSON of ``value``, as 64 hexadecimal digits.

    Examples
    --------
    >>> signature({"b": 1, "a": 2}) == signature({"a": 2, "b": 1})
    True
    """
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()
