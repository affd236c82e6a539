"""What tells whether data are still those that were measured."""

import hashlib

import numpy as np

Part = bytes | np.ndarray | tuple[np.ndarray, ...]
ROWS_AT_ONCE = 100_000


def digest(*parts: Part) -> str:
    """SHA-256 of texts in bytes, of arrays of one dimension and of tables by row, given as their columns; each after
    its length."""
    return hashed(*parts).hexdigest()


def hashed(*parts: Part, after: "hashlib._Hash | None" = None) -> "hashlib._Hash":
    """The same, to be gone on with: what it gives does not change when it is gone on ``after``."""
    found = hashlib.sha256() if after is None else after.copy()
    for part in parts:
        if isinstance(part, tuple):
            found.update(sum(column.nbytes for column in part).to_bytes(8, "big"))
            for start in range(0, len(part[0]), ROWS_AT_ONCE):
                rows = [column[start : start + ROWS_AT_ONCE] for column in part]
                found.update(np.column_stack(rows).reshape(-1).data)
            continue
        whole = memoryview(part) if isinstance(part, bytes) else part.data
        found.update(whole.nbytes.to_bytes(8, "big"))
        found.update(whole)
    return found
