"""The kinds of NumPy array that functions take and return; docstrings say what the axes are."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float64]
# Single precision: features and vectors, of which there are millions.
Singles: TypeAlias = npt.NDArray[np.float32]
Reals: TypeAlias = Singles | Floats
