"""What responses declare of their runs, shown: as columns, and as a chart of F1 against cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

import pandas as pd

from cdec.errors import FormatError
from cdec.evaluation.results import Results
from cdec.formats.declaration import RunDeclaration, declaration_of
from cdec.render.charts.canvas import COLOURS, axes_svg
from cdec.render.numbers import percent
from cdec.render.page import Chart
from cdec.settings import label_of

TITLES = {
    "model": "Model",
    "prompt_digest": "Prompt",
    "temperature": "Temperature",
    "date": "Date",
    "calls": "Calls",
    "tokens": "Tokens",
    "tokens_in": "Tokens in",
    "tokens_out": "Tokens out",
    "seconds": "Seconds",
    "cost": "Cost",
    "infrastructure": "Infrastructure",
    "saw_test": "Saw test",
}
"""Field of a ``RunDeclaration`` → title of its column; ``currency`` is shown with the cost."""
NOTE = "Of several runs, numbers are means. Prompt: the first digits of its SHA-256. –: undeclared."
_Fields = Mapping[str, Any]
_MARKERS = "os^D<v"
_SHORT_DIGEST = 12
_FAR_APART = 20.0  # costs of which the highest is so many times the lowest: on a logarithmic scale


def as_one(runs: Iterable[RunDeclaration], name: str) -> dict[str, Any]:
    """Return what the runs of a system declare: the mean of numbers, or all distinct texts.

    ``name`` is that of the system. Raises FormatError for costs in two currencies.

    >>> as_one([RunDeclaration(calls=4, saw_test="no"), RunDeclaration(calls=5)], "mine")
    {'calls': 4.5, 'saw_test': 'no'}
    """
    fields = set(RunDeclaration.model_fields)
    values = pd.DataFrame([run.model_dump(include=fields) for run in runs], dtype=object)
    declared: dict[str, Any] = {}
    for field in values:
        given = values[field].dropna()
        several = list(dict.fromkeys(given))
        if field == "currency" and len(several) > 1:
            message = f"the runs declare costs in {' and '.join(several)}"
            hint = "declare them in one currency"
            raise FormatError("declaration-invalid", message, place=name, hint=hint)
        if len(several) == 1:
            declared[str(field)] = several[0]
        elif several:
            joined = isinstance(several[0], str)
            declared[str(field)] = " + ".join(several) if joined else fmean(given)
    return declared


def declarations(signed: _Fields) -> Sequence[Any]:
    """Return what a signature says is declared, of each run."""
    declared = signed.get("declared") or ()
    return declared if isinstance(declared, tuple | list) else (declared,)


def declared_runs(results: Iterable[Results]) -> dict[str, dict[str, Any]]:
    """Return what the responses behind results declare of their runs, system → field → value.

    Systems that declare nothing are left out. Raises FormatError for values that are not valid.
    """
    known: dict[str, dict[str, Any]] = {}
    for one in (one for result in results for one in result):
        runs = (declaration_of(each, one.place) for each in declarations(one.signature.fields))
        known[one.system] = as_one(runs, one.system)
    return {system: declared for system, declared in known.items() if declared}


def declared_table(known: Mapping[str, _Fields]) -> pd.DataFrame:
    """Return a row of text for each system, with a column for each field that any declares.

    >>> declared_table({"a": {"cost": 0.5, "currency": "USD"}, "b": {"calls": 1200}})
      Calls      Cost
    a     –  0.50 USD
    b 1,200         –
    """
    fields = [name for name in TITLES if any(name in values for values in known.values())]
    columns = {TITLES[n]: [_text(n, values) for values in known.values()] for n in fields}
    return pd.DataFrame(columns, index=list(known), dtype=str)


def _text(field: str, values: _Fields) -> str:
    value = values.get(field, "–")
    if field == "cost" and value != "–":
        amount = f"{value:,.2f}" if value >= 0.1 or not value else f"{value:.2g}"
        return f"{amount} {values['currency']}"
    if field == "prompt_digest":
        return " + ".join(digest[:_SHORT_DIGEST] for digest in str(value).split(" + "))
    return value if isinstance(value, str) else f"{value:,.10g}"


def cost_charts(scores: pd.DataFrame, known: Mapping[str, _Fields], metric: str) -> Iterator[Chart]:
    """Yield a chart of F1 against cost for each currency in which two systems declare a cost.

    ``scores`` has system, setting and f1; ``metric`` is the name of the score.
    """
    costs = pd.DataFrame(
        [
            {"system": n, "cost": v["cost"], "in": v["currency"]}
            for n, v in known.items()
            if "cost" in v
        ],
        columns=["system", "cost", "in"],
    )
    scores = scores[["system", "setting", "f1"]]
    for currency, rows in scores.merge(costs, on="system").groupby("in"):
        if len(set(rows["system"])) > 1:
            caption = f"{metric} F in percent against the declared cost of a run in {currency}"
            yield Chart(_cost_svg(rows, metric, str(currency)), f"{caption}. {_described(rows)}.")


def _described(rows: pd.DataFrame) -> str:
    return "; ".join(
        f"{system}: {part['cost'].iloc[0]:,.10g}, "
        + ", ".join(
            f"{label_of(s)} {percent(f)}" for s, f in zip(part["setting"], part["f1"], strict=True)
        )
        for system, part in rows.groupby("system", sort=False)
    )


def _cost_svg(rows: pd.DataFrame, metric: str, currency: str) -> str:
    def draw(axes: Any) -> None:
        for number, (setting, part) in enumerate(rows.groupby("setting", sort=False)):
            style = {"color": COLOURS[number % 6], "marker": _MARKERS[number % 6]}
            axes.scatter(
                part["cost"], 100 * part["f1"], s=22, label=label_of(str(setting)), **style
            )
        top = rows.loc[rows.groupby("system")["f1"].idxmax()]
        for system, cost, f1 in zip(top["system"], top["cost"], top["f1"], strict=True):
            place = {"xytext": (0, 5), "textcoords": "offset points", "ha": "center"}
            axes.annotate(system, (cost, 100 * f1), fontsize="x-small", **place)
        if 0 < rows["cost"].min() * _FAR_APART < rows["cost"].max():
            axes.set_xscale("log")
        axes.margins(0.15)
        axes.grid(alpha=0.3)
        axes.legend(fontsize="small")

    return axes_svg(draw, xlabel=f"cost of a run ({currency})", ylabel=f"{metric} F (%)")
