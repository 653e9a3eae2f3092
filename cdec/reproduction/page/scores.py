"""Tables 2 and 3: ours, the print and the difference, one line each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from cdec.evaluation.experiment import Result
from cdec.evaluation.results import LAYOUT
from cdec.render.numbers import percent, points
from cdec.render.page import Cell, Grid, Line, Listing, Row
from cdec.reproduction.comparison import Agreement, tidy
from cdec.reproduction.page.cells import (
    COLUMNS,
    LABELS,
    NARROW,
    cells,
    difference_cell,
    footnotes,
    heads,
    legend,
    marked,
    marks,
    score_cell,
)
from cdec.reproduction.printed import paper
from cdec.signature import Signature, merged

_CELL = ["metric", "field"]
_TITLES = {(metric, field): f"{group} {name}" for group, name, metric, field in LAYOUT}


def score_grid(caption: str, compared: pd.DataFrame, changes: bool = False) -> Grid:
    """Return a table of ``compared_scores``; ``changes`` adds the change from the first setting."""
    known = marks(compared["notes"])
    rows = tuple(
        Row(heads(*name), _lines(part, compared, known, changes)) for name, part in _rows(compared)
    )
    has_print = bool(compared["printed"].notna().any())
    below = (legend(), *agreement_lines(compared)) if has_print else ()
    return Grid(caption, ("Setting", "System"), COLUMNS, rows, footnotes(known), below, NARROW)


def without_print(results: Iterable[Result]) -> pd.DataFrame:
    """Return results in the form of ``compared_scores`` where there is no print."""
    ours = tidy(results)
    return ours.assign(printed=float("nan"), difference=float("nan"), notes="")


def agreement_lines(compared: pd.DataFrame) -> tuple[str, ...]:
    """Return the foot of a table: mean and largest difference, and the cells that stand out."""
    found = Agreement.from_compared(compared)
    if found is None:
        return ()
    rule = paper().agreement
    systems = ", ".join(LABELS[name] for name in rule["systems"])
    line = (
        f"Mean absolute difference over the {found.cells} F cells without a note (MUC, B³, CEAF_e, "
        f"BLANC, CoNLL, Avg-4; {systems}): {100 * found.mean:.2f} points; the largest is "
        f"{percent(found.largest)}. {found.noted} more F cells carry a note and are left out."
    )
    if found.outside.empty:
        return (f"{line} None is beyond {rule['fair']} points.",)
    return (line, f"Beyond {rule['fair']} points without a note: {_listed(found.outside)}.")


def signature_listing(results: Iterable[Result]) -> Listing:
    """Return the signature of every row."""
    lines = (f"{' '.join(heads(r.setting.name, r.system))}: {r.signature}" for r in results)
    return Listing("Signatures, one a row", tuple(lines), folded=True)


def lot_listing(results: Iterable[Result], *drawn: Mapping[str, object]) -> Listing:
    """Return the signature of values that are drawn by lot for these results, in these ways."""
    whole = merged(result.signature for result in results).fields
    signature = merged([Signature({**whole, **one}) for one in drawn])
    return Listing("Signature", (str(signature),), folded=True)


def _rows(compared: pd.DataFrame) -> Sequence[tuple[tuple[str, str], pd.DataFrame]]:
    """Return the rows, the settings in order and together."""
    groups = compared.groupby(["setting", "system"], sort=False)
    settings = list(dict.fromkeys(compared["setting"]))
    parts = [((str(s), str(system)), part) for (s, system), part in groups]
    return sorted(parts, key=lambda part: settings.index(part[0][0]))


def _lines(
    part: pd.DataFrame, compared: pd.DataFrame, known: Mapping[str, str], changes: bool
) -> tuple[Line, ...]:
    setting = compared[compared["setting"] == part["setting"].iloc[0]]
    has_print = bool(compared["printed"].notna().any())
    name = "not run" if part["ours"].isna().all() else "ours" if has_print or changes else ""
    lines = [_score_line(name, "ours", part, setting, {})]
    if part["printed"].notna().any():
        lines.append(_score_line("print", "printed", part, setting, known))
        differences = cells(part, "difference", lambda r: difference_cell(r["difference"]))
        lines.append(Line("difference", differences))
    elif changes:
        lines.append(_change(part, compared))
    return tuple(lines)


def _score_line(
    name: str, value: str, part: pd.DataFrame, setting: pd.DataFrame, known: Mapping[str, str]
) -> Line:
    best = _best(setting, value)
    made = cells(
        part,
        value,
        lambda r: score_cell(
            r[value],
            best.get((r["metric"], r["field"])),
            marked(r["notes"], known),
        ),
    )
    return Line(name, made)


def _best(setting: pd.DataFrame, value: str) -> dict[tuple[str, str], float]:
    """Return the best value of each column, where there are several to choose from."""
    columns = setting.dropna(subset=value).groupby(_CELL)[value]
    kept = columns.max()[columns.size() > 1].reset_index().to_dict("records")
    return {(record["metric"], record["field"]): record[value] for record in kept}


def _change(part: pd.DataFrame, compared: pd.DataFrame) -> Line:
    """Return what the setting adds to, or takes from, the scores under the first one."""
    first = compared[
        (compared["setting"] == compared["setting"].iloc[0])
        & (compared["system"] == part["system"].iloc[0])
    ]
    merged = part.merge(first[[*_CELL, "ours"]], on=_CELL, how="left", suffixes=("", "_first"))
    changed = merged.assign(change=merged["ours"] - merged["ours_first"])
    gained = cells(changed, "change", lambda r: Cell(points(r["change"])))
    return Line("change", gained)


def _listed(outside: pd.DataFrame) -> str:
    parts = (
        f"{' '.join(heads(r['setting'], r['system']))} {_TITLES[r['metric'], r['field']]} "
        f"{points(r['difference'])}"
        for r in outside.to_dict("records")
    )
    return "; ".join(parts)
