"""What a command shows: one table for people, one for machines, and the notes under it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd


@dataclass(frozen=True, eq=False)
class Report:
    """A result ready to be rendered.

    ``view`` is for people: cells are text, columns may have two levels (group, column).
    ``narrow`` is what a small terminal shows instead of it, if anything.
    ``data`` is for machines: one tidy table of raw values. ``notes`` stand under the table;
    ``about`` goes into the JSON beside the data.

    >>> import pandas as pd
    >>> data = pd.DataFrame({"x": [0.5]})
    >>> Report(view=data.astype(str), data=data).title
    ''
    """

    view: pd.DataFrame
    data: pd.DataFrame
    title: str = ""
    notes: tuple[str, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)
    narrow: pd.DataFrame | None = None
