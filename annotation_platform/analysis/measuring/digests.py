"""What tells whether data are still those that were measured."""

import hashlib

import numpy as np


def digest(*parts: bytes | np.ndarray) -> str:
    """SHA-256 of texts in bytes and of arrays of one dimension, each after its length."""
    return hashed(*parts).hexdigest()


def hashed(*parts: bytes | np.ndarray, after: "hashlib._Hash | None" = None) -> "hashlib._Hash":
    """The same, to be gone on with: what it gives does not change when it is gone on ``after``."""
    found = hashlib.sha256() if after is None else after.copy()
    for part in parts:
        whole = memoryview(part) if isinstance(part, bytes) else part.data
        found.update(whole.nbytes.to_bytes(8, "big"))
        found.update(whole)
    return found
