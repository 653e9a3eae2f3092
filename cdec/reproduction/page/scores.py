"""Tables 2 and 3: our score, the published value and the difference, one line each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from cdec.evaluation.results import Results
from cdec.evaluation.tables import LAYOUT
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
    """Return ``compared_scores`` as a table; ``changes`` adds changes from the first setting."""
    known = marks(compared["notes"])
    rows = tuple(
        Row(heads(*name), _lines(part, compared, known, changes)) for name, part in _rows(compared)
    )
    has_print = bool(compared["printed"].notna().any())
    below = (legend(), *agreement_lines(compared)) if has_print else ()
    return Grid(caption, ("Setting", "System"), COLUMNS, rows, footnotes(known), below, NARROW)


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


def resampled_signature(results: Results, *draws: Mapping[str, object]) -> Listing:
    """Return the signature of values resampled from these results; ``draws`` are its fields."""
    whole = results.signature.fields
    signature = merged([Signature({**whole, **draw}) for draw in draws])
    return Listing("Signature", (str(signature),), folded=True)


def _rows(compared: pd.DataFrame) -> Sequence[tuple[tuple[str, str], pd.DataFrame]]:
    """Return the rows, grouped by setting."""
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
    line = cells(
        part,
        value,
        lambda r: score_cell(
            r[value],
            best.get((r["metric"], r["field"])),
            marked(r["notes"], known),
        ),
    )
    return Line(name, line)


def _best(setting: pd.DataFrame, value: str) -> dict[tuple[str, str], float]:
    """Return the best value of each column that has more than one value."""
    columns = setting.dropna(subset=value).groupby(_CELL)[value]
    records = columns.max()[columns.size() > 1].reset_index().to_dict("records")
    return {(record["metric"], record["field"]): record[value] for record in records}


def _change(part: pd.DataFrame, compared: pd.DataFrame) -> Line:
    """Return the changes of the scores from those under the first setting."""
    first = compared[
        (compared["setting"] == compared["setting"].iloc[0])
        & (compared["system"] == part["system"].iloc[0])
    ]
    merged = part.merge(first[[*_CELL, "ours"]], on=_CELL, how="left", suffixes=("", "_first"))
    changed = merged.assign(change=merged["ours"] - merged["ours_first"])
    return Line("change", cells(changed, "change", lambda r: Cell(points(r["change"]))))


def _listed(outside: pd.DataFrame) -> str:
    parts = (
        f"{' '.join(heads(r['setting'], r['system']))} {_TITLES[r['metric'], r['field']]} "
        f"{points(r['difference'])}"
        for r in outside.to_dict("records")
    )
    return "; ".join(parts)
