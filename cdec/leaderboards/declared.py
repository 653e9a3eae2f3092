"""What responses declare of their runs, shown as columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

import pandas as pd

from cdec.errors import FormatError
from cdec.formats.declaration import RunDeclaration
from cdec.render.page import Grid

NOTE = (
    "Of several runs, numbers are means, if all declare them. Prompt: the first digits of its "
    "SHA-256. –: undeclared."
)
DECLARED = tuple(name for name in RunDeclaration.model_fields if name != "currency")
"""The declared fields that are shown; a cost is shown with its currency."""
_Fields = Mapping[str, Any]
_SHORT_DIGEST = 12


def as_one(runs: Iterable[RunDeclaration], name: str) -> dict[str, Any]:
    """Return what the runs of a system declare: the mean of numbers, or all distinct texts.

    A number that a run does not declare is left out. ``name`` is that of the system. Raises
    FormatError for costs in two currencies.

    >>> as_one([RunDeclaration(calls=4, saw_test="no"), RunDeclaration(calls=5)], "mine")
    {'calls': 4.5, 'saw_test': 'no'}
    """
    several, declared = list(runs), dict[str, Any]()
    for field in RunDeclaration.model_fields:
        given = [value for run in several if (value := getattr(run, field)) is not None]
        distinct = [*dict.fromkeys(given)]
        if field == "currency" and len(distinct) > 1:
            message, hint = f"costs in {' and '.join(distinct)}", "declare them in one currency"
            raise FormatError("declaration-invalid", message, place=name, hint=hint)
        if distinct and isinstance(given[0], str):
            declared[field] = " + ".join(distinct)
        elif distinct and len(given) == len(several):
            declared[field] = given[0] if len(distinct) == 1 else fmean(given)
    if "cost" not in declared:
        declared.pop("currency", None)
    return declared


def declared_table(
    known: Mapping[str, _Fields], fields: Sequence[str] | None = None
) -> pd.DataFrame:
    """Return a row of text for each system, with a column for each field.

    Default: the fields that any of them declares.

    >>> declared_table({"a": {"cost": 0.5, "currency": "USD"}, "b": {"calls": 1200}})
      System  Calls      Cost
    0      a      –  0.50 USD
    1      b  1,200         –
    """
    if fields is None:
        fields = [name for name in DECLARED if any(name in values for values in known.values())]
    columns = {_title(name): [_text(name, values) for values in known.values()] for name in fields}
    return pd.DataFrame({"System": list(known), **columns}, dtype=str)


def declared_grid(known: Mapping[str, _Fields]) -> Grid:
    """Return ``declared_table`` as a table of a page."""
    return Grid.from_frame("What the runs took, as declared", declared_table(known), 1, [NOTE])


def _title(field: str) -> str:
    return field.replace("_digest", "").replace("_", " ").capitalize()


def _text(field: str, values: _Fields) -> str:
    value = values.get(field, "–")
    if field == "prompt_digest":
        return " + ".join(digest[:_SHORT_DIGEST] for digest in value.split(" + "))
    if isinstance(value, str):
        return value
    if field == "cost":
        return f"{value:,.2f} {values['currency']}"
    return f"{value:,.10g}"
