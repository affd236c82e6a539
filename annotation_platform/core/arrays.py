"""Names for arrays of numbers, by what they hold."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
"""Whole numbers; mostly the places of things in a list, from 0."""
Flags = NDArray[np.bool_]
Integers = NDArray[np.integer[Any]]
"""Of any size, as they were given."""
Numbers = NDArray[np.integer[Any] | np.floating[Any]]
Counts = NDArray[np.floating[Any]]
"""How often something was drawn: whole numbers that are kept as floats of any size, so that they can be multiplied."""
