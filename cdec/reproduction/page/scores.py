"""Tables 1, 2 and 3: our number, the published value and the difference, one line each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from cdec.evaluation.results import Results
from cdec.evaluation.view import LAYOUT
from cdec.render.numbers import percent, points
from cdec.render.page import Cell, Grid, Listing
from cdec.render.table import grid_of_lines
from cdec.reproduction.page.cells import (
    COLUMNS,
    HEADS,
    LABELS,
    NARROW,
    Lines,
    cells,
    difference_cell,
    footnotes,
    heads,
    legend,
    marked,
    marks,
    score_cell,
)
from cdec.reproduction.printed import Agreement, paper, tidy

_VIEWS = {
    "annotation": "By annotation, as the paper counts",
    "size": "By cluster size",
    "kind": "By kind of mention",
}
_FEW = 5  # mentions or chains
_CELL = ["metric", "field"]
_TITLES = {(metric, field): f"{group} {name}" for group, name, metric, field in LAYOUT}


def score_grid(caption: str, compared: pd.DataFrame, changes: bool = False) -> Grid:
    """Return ``compared_scores`` as a table; ``changes`` adds changes from the first setting."""
    known = marks(compared["notes"])
    rows = (
        (heads(*name), _lines(part, compared, known, changes)) for name, part in _rows(compared)
    )
    has_print = bool(compared["printed"].notna().any())
    below = (legend(), *agreement_lines(compared)) if has_print else ()
    further = {"notes": footnotes(known), "below": below, "narrow": NARROW}
    return grid_of_lines(caption, HEADS, COLUMNS, rows, **further)


def count_grid(view: str, compared: pd.DataFrame) -> Grid:
    """Return one view of ``compared_counts`` (or of statistics without published values)."""
    table = compared[compared["view"] == view]
    known = marks(table["notes"])
    parts = list(dict.fromkeys(table["part"]))
    rows = (
        ((str(name),), _count_lines(part.set_index("part").loc[parts], known))
        for name, part in table.groupby("row", sort=False)
    )
    has_print = bool(table["printed"].notna().any())
    legend = f"Difference: = none, ~ at most {_FEW}, ! more."
    return grid_of_lines(
        _VIEWS[view],
        ("Count",),
        parts,
        rows,
        notes=footnotes(known),
        below=(legend,) if has_print else (),
    )


def _count_lines(row: pd.DataFrame, known: Mapping[str, str]) -> Lines:
    if not row["printed"].notna().any():
        return [("", row["ours"].map(str))]
    printed = (
        Cell(f"{r['printed']:.0f}", notes=marked(r["notes"], known)) for r in row.to_dict("records")
    )
    differences = (_count_difference(int(value)) for value in row["difference"])
    return [("ours", row["ours"].map(str)), ("print", printed), ("difference", differences)]


def _count_difference(count: int) -> Cell:
    tone, sign = (
        ("close", "=") if count == 0 else ("fair", "~") if abs(count) <= _FEW else ("far", "!")
    )
    return Cell(f"{count:+d}{sign}" if count else sign, tone=tone)


def without_print(results: Results) -> pd.DataFrame:
    """Return results in the form of ``compared_scores``, without published values."""
    ours = tidy(results)
    return ours.assign(printed=float("nan"), difference=float("nan"), notes="")


def agreement_lines(compared: pd.DataFrame) -> tuple[str, ...]:
    """Return lines for the foot of a table: mean and largest difference, and outlying cells."""
    agreement = Agreement.from_compared(compared)
    if agreement is None:
        return ()
    rule = paper().agreement
    systems = ", ".join(LABELS[name] for name in rule["systems"])
    line = (
        f"Mean absolute difference of the {agreement.cells} F cells without a note (MUC, B³, "
        f"CEAF_e, BLANC, CoNLL, Avg-4; {systems}): {100 * agreement.mean:.2f} points; largest: "
        f"{percent(agreement.largest)}. {agreement.noted} F cells with a note are not included."
    )
    if agreement.outside.empty:
        return (f"{line} None exceeds {rule['fair']} points.",)
    return (line, f"Above {rule['fair']} points without a note: {_listed(agreement.outside)}.")


def signature_listing(results: Results) -> Listing:
    """Return the signature of every row."""
    lines = (f"{' '.join(heads(r.setting, r.system))}: {r.signature}" for r in results)
    return Listing("Signatures, one per row", tuple(lines), folded=True)


def _rows(compared: pd.DataFrame) -> Sequence[tuple[tuple[str, str], pd.DataFrame]]:
    """Return the rows, grouped by setting."""
    groups = compared.groupby(["setting", "system"], sort=False)
    settings = list(dict.fromkeys(compared["setting"]))
    parts = [((str(s), str(system)), part) for (s, system), part in groups]
    return sorted(parts, key=lambda part: settings.index(part[0][0]))


def _lines(
    part: pd.DataFrame, compared: pd.DataFrame, known: Mapping[str, str], changes: bool
) -> Lines:
    setting = compared[compared["setting"] == part["setting"].iloc[0]]
    has_print = bool(compared["printed"].notna().any())
    name = "not run" if part["ours"].isna().all() else "ours" if has_print or changes else ""
    lines: Lines = [(name, _score_cells("ours", part, setting, {}))]
    if part["printed"].notna().any():
        lines.append(("print", _score_cells("printed", part, setting, known)))
        lines.append(("difference", cells(part, "difference", difference_cell)))
    elif changes:
        lines.append(("change", _changes(part, compared)))
    return lines


def _score_cells(
    value: str, part: pd.DataFrame, setting: pd.DataFrame, known: Mapping[str, str]
) -> tuple[str | Cell, ...]:
    best, known_part = _best(setting, value), part.dropna(subset=value)
    made = [
        score_cell(r[value], best.get((r["metric"], r["field"])), marked(r["notes"], known))
        for r in known_part.to_dict("records")
    ]
    return cells(
        known_part.assign(cell=pd.Series(made, known_part.index, object)), "cell", lambda cell: cell
    )


def _best(setting: pd.DataFrame, value: str) -> dict[tuple[str, str], float]:
    """Return the best value of each column that has more than one value."""
    columns = setting.dropna(subset=value).groupby(_CELL)[value]
    records = columns.max()[columns.size() > 1].reset_index().to_dict("records")
    return {(record["metric"], record["field"]): record[value] for record in records}


def _changes(part: pd.DataFrame, compared: pd.DataFrame) -> tuple[str | Cell, ...]:
    """Return the changes of the scores from those under the first setting."""
    first = compared[
        (compared["setting"] == compared["setting"].iloc[0])
        & (compared["system"] == part["system"].iloc[0])
    ]
    merged = part.merge(first[[*_CELL, "ours"]], on=_CELL, how="left", suffixes=("", "_first"))
    return cells(merged.assign(change=merged["ours"] - merged["ours_first"]), "change", points)


def _listed(outside: pd.DataFrame) -> str:
    parts = (
        f"{' '.join(heads(r['setting'], r['system']))} {_TITLES[r['metric'], r['field']]} "
        f"{points(r['difference'])}"
        for r in outside.to_dict("records")
    )
    return "; ".join(parts)
