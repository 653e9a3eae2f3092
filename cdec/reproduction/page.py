"""The page of ``cdec reproduce``: Tables 1, 2 and 3 and Figure 3, ours beside the print."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from cdec.baselines import SYSTEMS
from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.corpus.splits import default_split, divided
from cdec.corpus.stats import statistics
from cdec.errors import counted, warn_of
from cdec.evaluation.aligned import run_on
from cdec.evaluation.experiment import Experiment
from cdec.evaluation.response import ResponseFile
from cdec.evaluation.results import Results
from cdec.evaluation.view import LAYOUT
from cdec.matching.alignment import Alignment
from cdec.metrics import REGISTRY
from cdec.render.numbers import percent, points
from cdec.render.page import Cell, Grid, Listing, Page, Section, Text
from cdec.render.table import grid_of_lines
from cdec.reproduction.printed import (
    agreement,
    counts_beside,
    counts_of,
    is_about,
    notes,
    paper,
    scores_beside,
    tidy,
)
from cdec.settings import PURE_CDEC, SIMPLE_CDEC, label_of
from cdec.settings.catalog import STRICT_TO_LENIENT
from cdec.signature import in_json
from cdec.system import System, is_learner

ARTEFACTS = ("table1", "table2", "table3", "figure3")
_LEMMA = "lemma"
# The settings of Tables 2 and 3, in the order of the paper.
_TABLE_2, _TABLE_3 = ("simple", "bh", "st", "is", "ycf"), ("simple", "pure")
_TITLE = "Revisiting the evaluation for cross-document event coreference: a reproduction"
_PRINTED = {"print": "printed", "difference": "difference"}  # name of a line → its values
_FEW = 5  # mentions or chains
_REPRESENTATIVE = (
    "PURE-CDEC keeps one mention of each within-document chain. The paper does not specify which; "
    "here it is the first in text order. The published PWN and recall are lower under PURE-CDEC, "
    "as if key and response had fewer of these mentions in common."
)


def reproduction_page(
    whole: Corpus,
    names: Sequence[str],
    make: Callable[[Sequence[str]], Sequence[System]],
    *,
    systems: Sequence[str] = (),
    responses: Sequence[str] = (),
) -> Page:
    """Return the page with these artefacts, in this order, on the default split of ``whole``.

    ``make`` returns the systems of these names, fitted on train and dev where they learn;
    ``responses`` are ``[NAME=]FILE``. Table 2 decomposes the scores of ``systems`` and
    ``responses``, by default of lemma. Raises as ``cdec.evaluate`` does.
    """
    if list(names) == ["figure3"]:
        section = _figure3()
        alone = (f"{paper()['citation']} Four mentions; scores in percent.",)
        return Page(section.title, (replace(section, title=""),), alone, _about(figure3()))
    parts = divided(whole, default_split(whole).name)
    files = [ResponseFile.parse(text) for text in responses]
    own = (*systems, *(file.name for file in files)) or (_LEMMA,)
    needed = [*systems, *([_LEMMA] if own == (_LEMMA,) else [])]
    if "table3" in names:
        needed = [*(name for name in paper()["systems"].values() if name in SYSTEMS), *needed]
    made = make(needed) if {"table2", "table3"} & set(names) else []
    fitted: list[Any] = [
        one.fit(parts["train"], parts["dev"]) if is_learner(one) else one for one in made
    ]
    runs = tuple(run_on(parts["test"], one) for one in [*fitted, *files])
    warn_of(notice for run in runs for notice in run.notices)
    part = parts["test"]
    each = list(Experiment(runs, STRICT_TO_LENIENT, part.about, part.name, part.part).results())
    decomposed = [one for name in _TABLE_2 for one in each if one.names[0] == (name, one.system)]
    second = Results.joined(one for one in decomposed if one.system in own)
    third = Results.joined(one for name in _TABLE_3 for one in each if one.setting == name)
    made_of: Mapping[str, Callable[[], Section]] = {
        "table1": lambda: _table1(parts, part),
        "table2": lambda: _table2(second, own, part),
        "table3": lambda: _table3(third, part),
        "figure3": _figure3,
    }
    sections = tuple(made_of[name]() for name in names)
    title = sections[0].title if len(sections) == 1 else _TITLE
    if len(sections) == 1:
        sections = (replace(sections[0], title=""),)
    intro = [
        f"{paper()['citation']} Reproduced on {part.name}, {part.part}: "
        f"{counted(len(part.selected), 'event mention')} in "
        f"{counted(len(part.documents), 'document')}; scores in percent."
    ]
    if {"table2", "table3"} <= set(names):
        tables = {"table2": second, "table3": third}
        lines = agreement(pd.concat([scores_beside(*one) for one in tables.items()]))
        intro += [f"Tables 2 and 3 together: {line[0].lower()}{line[1:]}" for line in lines[:1]]
    distinct = {one.names[0]: one for table in (second, third) for one in table}
    return Page(title, sections, tuple(intro), _about(Results.joined(distinct.values())))


def _about(results: Results) -> dict[str, object]:
    return {"citation": paper()["citation"], "notes": notes(), **in_json(*results.signatures)}


# ---- sections ----


def _table1(parts: Mapping[str, Corpus], part: Corpus) -> Section:
    printed = counts_of(part.name, paper()["split"], part.kind)
    printed = printed if is_about(part.name, part.part) else None
    counts = statistics(parts)
    beside = counts_beside(counts[counts["view"] == "annotation"], printed)
    return Section(
        "table1", "Table 1: the corpus", (_count_grid(beside),), _data(beside, part, "all")
    )


def _table2(results: Results, own: Iterable[str], part: Corpus) -> Section:
    beside = scores_beside("table2", results)
    # The printed table has one system: its rows are shown only if that system is requested.
    beside = beside[beside["system"].isin(list(own))]
    caption = "One system, five settings: what each choice does to the score"
    blocks = (_score_grid(caption, beside, changes=True), Text(str(results.signature)))
    title = "Table 2: one system under five settings"
    return Section("table2", title, blocks, _data(beside, part))


def _table3(results: Results, part: Corpus) -> Section:
    beside = scores_beside("table3", results)
    grid = _score_grid("The baselines under SIMPLE-CDEC and PURE-CDEC", beside)
    blocks = (Text(_REPRESENTATIVE), grid, Text(str(results.signature)))
    return Section("table3", "Table 3: the baselines", blocks, _data(beside, part))


def figure3() -> Results:
    """Return the scores of the systems of Figure 3 under SIMPLE-CDEC and PURE-CDEC."""
    example = paper()["figure3"]
    key = Clustering.from_chains(example["key"])
    # A mention is named after its document.
    mentions = pd.DataFrame({"doc": key.labels.index.str[0]}, index=key.labels.index)
    runs = tuple(
        Alignment.of(mentions, key, Clustering.from_chains(chains), name)
        for name, chains in example["systems"].items()
    )
    settings, about = (SIMPLE_CDEC, PURE_CDEC), {"corpus": "figure3"}
    return Experiment(runs, settings, about, "figure3", "all").results()


def _figure3() -> Section:
    results, example = figure3(), paper()["figure3"]
    metric = example["metric"]
    lines = (
        f"{name}: " + " ".join("{" + " ".join(chain) + "}" for chain in chains)
        for name, chains in {"key": example["key"], **example["systems"]}.items()
    )
    first, second, third = (100 * one[metric].f1 for one in results["pure"])
    bare = tidy(results).assign(printed=float("nan"), difference=float("nan"), notes="")
    blocks = (
        Text(
            "One event with two mentions in each of two documents, a and b. System 1 links inside "
            "documents only, System 2 across documents; System 3 has one link across documents."
        ),
        Listing("Chains", tuple(lines)),
        _score_grid("Figure 3, minimal form", bare),
        Text(
            "SIMPLE-CDEC gives the same scores to System 1, which has no link across documents, "
            f"and System 2, and ranks System 3 last. PURE-CDEC gives {REGISTRY[metric].label} F of "
            f"{first:.1f}, {second:.1f} and {third:.1f}: links inside documents score nothing, and "
            "System 3, which has the only link that is required, is first."
        ),
    )
    data = tidy(results).assign(corpus="figure3", split="all")
    return Section("figure3", "Figure 3: why SIMPLE-CDEC is not enough", blocks, data)


def _data(beside: pd.DataFrame, part: Corpus, split: str = "") -> pd.DataFrame:
    bare = beside.drop(columns="column", errors="ignore")
    return bare.assign(corpus=part.name, split=split or part.part)


# ---- grids: a line of ours, of the print, and of the difference ----


def _heads(setting: str, system: str) -> tuple[str, str]:
    """Return the labels of a setting and a system, as the paper writes them."""
    labels = {name: label for label, name in paper()["systems"].items()}
    return label_of(setting), labels.get(system, system)


def _score_grid(caption: str, beside: pd.DataFrame, *, changes: bool = False) -> Grid:
    """Return ``scores_beside`` as a table; ``changes`` adds changes from the first setting."""
    marks, has_print = _marks(beside), bool(beside["printed"].notna().any())
    settings = list(dict.fromkeys(beside["setting"]))
    groups = beside.groupby(["setting", "system"], sort=False)
    rows: dict[Any, Any] = {
        name: part.set_index(["metric", "field"]).to_dict("index") for name, part in groups
    }
    best = {value: _best(beside, value) for value in ("ours", "printed")}

    def cell(record: dict[str, Any], value: str, place: tuple[str, ...]) -> Cell:
        text, highest = percent(record[value]), best[value].get(place)
        known = marks if value == "printed" else {}
        used = tuple(known[one] for one in record["notes"].split(";") if one in known)
        return Cell(text, highest is not None and text == percent(highest), notes=used)

    def line(name: Any, value: str) -> list[str | Cell]:
        made: list[str | Cell] = []
        for *_, metric, field in LAYOUT:
            record = rows[name].get((metric, field))
            if record is None or pd.isna(record[value]):
                made.append("–")
            elif value == "difference":
                made.append(_difference(record[value]))
            elif value == "change":
                made.append(points(record[value]))
            else:
                made.append(cell(record, value, (name[0], metric, field)))
        return made

    def lines(name: Any) -> list[tuple[str, list[str | Cell]]]:
        here = rows[name].values()
        ran = any(pd.notna(record["ours"]) for record in here)
        label = "not run" if not ran else "ours" if has_print or changes else ""
        out = [(label, line(name, "ours"))]
        if any(pd.notna(record["printed"]) for record in here):
            out += [(value, line(name, value_of)) for value, value_of in _PRINTED.items()]
        elif changes:
            for column, record in rows[name].items():
                first = rows.get((settings[0], name[1]), {}).get(column, {})
                record["change"] = record["ours"] - first.get("ours", float("nan"))
            out.append(("change", line(name, "change")))
        return out

    ordered = sorted(rows, key=lambda name: settings.index(name[0]))
    return grid_of_lines(
        caption,
        ("Setting", "System"),
        tuple((group, name) for group, name, *_ in LAYOUT),
        ((_heads(*name), lines(name)) for name in ordered),
        notes=_footnotes(marks),
        below=(_legend(), *agreement(beside)) if has_print else (),
        narrow=tuple(
            number
            for number, (*_, metric, field) in enumerate(LAYOUT)
            if field == "f1" and not metric.startswith("blanc_")
        ),
    )


def _best(beside: pd.DataFrame, value: str) -> dict[Any, float]:
    """Return the best value of each setting and column that has more than one value."""
    columns = beside.dropna(subset=value).groupby(["setting", "metric", "field"])[value]
    return dict(columns.max()[columns.size() > 1])


def _difference(difference: float) -> Cell:
    """Return a difference (in [−1, 1]) in points, with its sign and tone."""
    rule, size = paper()["agreement"], abs(difference) * 100
    close, fair = size <= rule["close"], size <= rule["fair"]
    tone, sign = ("close", "≈") if close else ("fair", "~") if fair else ("far", "!")
    return Cell(f"{points(difference)}{sign}", tone=tone)


def _legend() -> str:
    rule = paper()["agreement"]
    return (
        "Print: the published value. Difference: ours minus print, in points, before rounding; "
        f"≈ at most {rule['close']:.1f}, ~ at most {rule['fair']:.1f}, ! more. Bold (* in plain "
        "text): the best of a setting."
    )


def _count_grid(table: pd.DataFrame) -> Grid:
    """Return ``counts_beside`` as a table."""
    marks, parts = _marks(table), list(dict.fromkeys(table["part"]))

    def lines(row: pd.DataFrame) -> list[tuple[str, Iterable[str | Cell]]]:
        cells = row.set_index("part").loc[parts].to_dict("records")
        if not row["printed"].notna().any():
            return [("", [str(one["ours"]) for one in cells])]
        printed, differences = [], []
        for one in cells:
            used = tuple(marks[note] for note in one["notes"].split(";") if note in marks)
            printed.append(Cell(f"{one['printed']:.0f}", notes=used))
            size = int(one["difference"])
            few = abs(size) <= _FEW
            tone, sign = ("close", "=") if not size else ("fair", "~") if few else ("far", "!")
            differences.append(Cell(f"{size:+d}{sign}" if size else sign, tone=tone))
        ours = [str(one["ours"]) for one in cells]
        return [("ours", ours), ("print", printed), ("difference", differences)]

    legend = f"Difference: = none, ~ at most {_FEW}, ! more."
    return grid_of_lines(
        "By annotation, as the paper counts",
        ("Count",),
        parts,
        (((str(name),), lines(part)) for name, part in table.groupby("row", sort=False)),
        notes=_footnotes(marks),
        below=(legend,) if table["printed"].notna().any() else (),
    )


def _marks(beside: pd.DataFrame) -> dict[str, str]:
    """Return note id → mark (a, b, …) of the notes that the table uses."""
    used = {name for ids in beside["notes"] for name in ids.split(";")}
    return {name: chr(ord("a") + n) for n, name in enumerate(one for one in notes() if one in used)}


def _footnotes(marks: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((mark, notes()[name]) for name, mark in marks.items())
