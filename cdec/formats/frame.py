"""A response as a pandas frame with one mention per row: the columns of ``fields.ALIASES``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from cdec.errors import FormatError
from cdec.formats import fields, records
from cdec.formats.annotation import Annotation


def from_frame(frame: pd.DataFrame, name: str = "frame", *, unlabelled: bool = False) -> Annotation:
    """Return the Annotation of a frame; a missing value is None or NaN, other columns are ignored.

    ``unlabelled``: a mention may lack a chain label, which is then ''. Raises FormatError with the
    row, counted from 0.

    >>> frame = pd.DataFrame({"doc": ["d"], "sentence": [2], "start": [0], "end": [1], "chain": 7})
    >>> from_frame(frame).mentions[["sentence", "start", "end", "chain"]].values.tolist()
    [[2, 0, 1, '7']]
    """
    fields.refuse_pairs(map(str, frame.columns), name)
    known = fields.resolve(map(str, frame.columns), name)
    if not fields.is_mention(known):
        message = f"the frame lacks a column; it has: {', '.join(map(str, frame))[:80] or 'none'}"
        raise FormatError("field-missing", message, place=name, hint=fields.NEEDED)

    def fail(code: str, row: int, message: str, hint: str) -> FormatError:
        return FormatError(code, message, place=f"{name}, row {row}", hint=hint)

    named = frame.set_axis(list(map(str, frame.columns)), axis=1)
    columns = {field: _values(named[title]) for field, title in known.items()}
    made = records.annotation(name, columns, np.zeros(len(frame), np.int64), fail, "frame")
    return made if unlabelled else made.labelled()


def _values(column: Iterable[Any]) -> list[Any]:
    return [_value(value) for value in column]


def _value(value: Any) -> Any:
    """Return a value as JSON has it; an integer that pandas made a float is an integer again."""
    if isinstance(value, list | tuple | np.ndarray):
        return [_value(item) for item in value]
    if pd.isna(value):
        return None
    plain = value.item() if isinstance(value, np.generic) else value
    return int(plain) if isinstance(plain, float) and plain.is_integer() else plain
