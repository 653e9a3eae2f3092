"""The points that are tried: δ, and the choices of tf-idf.

δ goes from 0 to 1 by steps of 0.05. A finer grid would choose by noise: on the development split
of ECB+ a step near the best moves the CoNLL F by 0.7 points, and one chain left out by up to 0.6.
"""

from __future__ import annotations

from itertools import product

from cdec.errors import UnknownNameError
from cdec.language.vectors import Tfidf

DELTAS = tuple(step / 20 for step in range(21))
GRIDS = ("delta", "full")
_CHOICES: dict[str, tuple[object, ...]] = {
    "lowercase": (True, False),
    "stop_words": (True, False),
    "words_only": (True, False),
    "sublinear_tf": (False, True),
    "min_df": (1, 2, 3),
}


def grid_of(name: str, first: Tfidf) -> tuple[Tfidf, ...]:
    """Return the tf-idf choices of a grid: ``delta`` keeps ``first``, ``full`` tries all.

    Raises UnknownNameError for another name.
    """
    if name not in GRIDS:
        raise UnknownNameError("grid", name, GRIDS)
    if name == "delta":
        return (first,)
    combinations = product(*_CHOICES.values())
    every = (Tfidf(**dict(zip(_CHOICES, values, strict=True))) for values in combinations)  # type: ignore[arg-type]
    return tuple(dict.fromkeys([first, *every]))
