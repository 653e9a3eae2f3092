"""The page of ``cdec reproduce``: Tables 1, 2 and 3 and Figure 3, ours beside the print."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from cdec.baselines import SYSTEMS, system
from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.corpus.splits import divided
from cdec.corpus.stats import statistics
from cdec.errors import counted, warn_of
from cdec.evaluation.experiment import Experiment, run_on
from cdec.evaluation.results import Results
from cdec.evaluation.view import LAYOUT
from cdec.files.progress import notebook
from cdec.matching.alignment import Alignment
from cdec.metrics import REGISTRY
from cdec.render.page import Block, Grid, Listing, Page, Section, Text
from cdec.reproduction.printed import (
    agreement,
    counts_beside,
    counts_of,
    notes,
    paper,
    scores_beside,
    tidy,
)
from cdec.settings import PURE_CDEC, SIMPLE_CDEC, label_of
from cdec.settings.catalog import STRICT_TO_LENIENT
from cdec.signature import in_json
from cdec.system import is_learner

TITLES = {
    "table1": "Table 1: the corpus, by annotation, as the paper counts",
    "table2": "Table 2: one system under five settings",
    "table3": "Table 3: the baselines under SIMPLE-CDEC and PURE-CDEC",
    "figure3": "Figure 3: why SIMPLE-CDEC is not enough",
}
# The settings of Tables 2 and 3, in the order of the paper.
_SETTINGS = {"table2": ("simple", "bh", "st", "is", "ycf"), "table3": ("simple", "pure")}
_TITLE = "Revisiting the evaluation for cross-document event coreference: a reproduction"
_REPRESENTATIVE = Text(
    "PURE-CDEC keeps one mention of each within-document chain. The paper does not specify which; "
    "here it is the first in text order. The published PWN and recall are lower under PURE-CDEC, "
    "as if key and response had fewer of these mentions in common."
)
_FEW = (0, 5)  # mentions or chains
_LINES = {"ours": "ours", "print": "printed", "difference": "difference"}  # line → its values


def reproduction_page(names: Sequence[str], whole: Corpus | None) -> Page:
    """Return the page with these artefacts, in this order, on the default split of ``whole``.

    Without a corpus: Figure 3, which needs none. Systems that learn are fitted on train and dev.
    """
    citation, results = paper()["citation"], [figure3()]
    intro = [f"{citation} Four mentions; scores in percent."]
    sections = {"figure3": _figure3(results[0])}
    if whole is not None:
        parts = divided(whole)
        part = parts["test"]
        intro = [
            f"{citation} Reproduced on {part.name}, {part.part}: "
            f"{counted(len(part.selected), 'event mention')} in "
            f"{counted(len(part.documents), 'document')}; scores in percent."
        ]
        of_paper = (part.name, part.part) == (paper()["corpus"], f"{paper()['split']}-test")
        printed = counts_of(part.name, paper()["split"], part.kind) if of_paper else None
        counts = statistics(parts)
        beside = counts_beside(counts[counts["view"] == "annotation"], printed)
        columns = {part: ("", part) for part in beside["part"]}
        grid = _grid(beside.assign(place=beside["part"]), {"row": "Count"}, columns, 0, _FEW)
        sections["table1"] = _section("table1", [grid], beside, part.name, "all")
        results = _scored(parts, [name for name in _SETTINGS if name in names])
        tables = []
        for name, own in zip(filter(names.__contains__, _SETTINGS), results, strict=True):
            beside = scores_beside(name, own, of_paper)
            blocks: list[Block] = [_score_grid(beside), Text(str(own.signature))]
            blocks[:0] = [_REPRESENTATIVE] if name == "table3" else []
            data = beside.drop(columns="column")
            sections[name] = _section(name, blocks, data, part.name, part.part)
            tables.append(beside)
        if len(tables) > 1 and (said := agreement(pd.concat(tables))):
            intro.append(f"Tables 2 and 3 together: {said[0].lower()}{said[1:]}")
    chosen, title = tuple(sections[name] for name in names), _TITLE
    if len(chosen) == 1:
        title, chosen = chosen[0].title, (replace(chosen[0], title=""),)
    signed = {(one.setting, one.system): one.signature for own in results for one in own}
    about = {"citation": citation, "notes": notes(), **in_json(*signed.values())}
    return Page(title, chosen, tuple(intro), about=about)


def _section(
    name: str, blocks: Sequence[Block], data: pd.DataFrame, corpus: str, split: str
) -> Section:
    return Section(name, TITLES[name], tuple(blocks), data.assign(corpus=corpus, split=split))


def _scored(parts: dict[str, Corpus], names: Sequence[str]) -> list[Results]:
    """Return the results of Tables 2 and 3, as far as they are asked for."""
    known = [name for name in paper()["systems"].values() if name in SYSTEMS]
    systems = {"table2": ["lemma"], "table3": known}
    needed = known if "table3" in names else systems.get("".join(names), [])
    made: list[Any] = [system(one, pipeline="hanta", progress=notebook()) for one in needed]
    fitted = [one.fit(parts["train"], parts["dev"]) if is_learner(one) else one for one in made]
    part = parts["test"]
    runs = tuple(run_on(part, one) for one in fitted)
    warn_of(notice for run in runs for notice in run.notices)
    each = list(Experiment(runs, STRICT_TO_LENIENT, part.about).results())
    return [
        Results.joined(
            one
            for setting in _SETTINGS[name]
            for one in each
            if one.setting == setting and one.system in systems[name]
        )
        for name in names
    ]


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
    results = Experiment(runs, settings, about).results()
    return replace(results, rows=results.rows.assign(split="all"))


def _figure3(results: Results) -> Section:
    example = paper()["figure3"]
    chains = {"key": example["key"], **example["systems"]}
    lines = (f"{n}: " + " ".join(f"{{{' '.join(c)}}}" for c in own) for n, own in chains.items())
    first, second, third = (100 * one[example["metric"]].f1 for one in results["pure"])
    ours = tidy(results)
    bare = ours.assign(printed=float("nan"), difference=float("nan"), notes="", column="")
    blocks = (
        Text(
            "One event with two mentions in each of two documents, a and b. System 1 links inside "
            "documents only, System 2 across documents; System 3 has one link across documents."
        ),
        Listing("Chains", tuple(lines)),
        _score_grid(bare),
        Text(
            "SIMPLE-CDEC gives the same scores to System 1, which has no link across documents, "
            "and System 2, and ranks System 3 last. PURE-CDEC gives "
            f"{REGISTRY[example['metric']].label} F of {first:.1f}, {second:.1f} and {third:.1f}: "
            "links inside documents score nothing, and System 3, which has the only link that is "
            "required, is first."
        ),
    )
    return _section("figure3", blocks, ours, "figure3", "all")


def _score_grid(beside: pd.DataFrame) -> Grid:
    """Return ``scores_beside`` as a table; a small terminal shows F1 only."""
    labels = {name: label for label, name in paper()["systems"].items()}
    columns = {f"{metric} {field}": (group, name) for group, name, metric, field in LAYOUT}
    table = beside.assign(
        **{name: 100 * beside[name] for name in _LINES.values()},
        place=beside["metric"] + " " + beside["field"],
        label=beside["setting"].map(label_of),
        name=beside["system"].replace(labels),
    )
    limits = [paper()["agreement"][name] for name in ("close", "fair")]
    grid = _grid(table, {"label": "Setting", "name": "System"}, columns, 1, limits)
    said = agreement(beside)
    narrow = [at for at, n in enumerate(columns, grid.heads) if re.match(r"(?!blanc_)\S+ f1$", n)]
    return replace(grid, narrow=narrow, below=(*grid.below, *([said] if said else [])))


def _grid(
    beside: pd.DataFrame,
    heads: dict[str, str],
    columns: Mapping[str, Any],
    digits: int,
    limits: Sequence[float],
) -> Grid:
    """Return a table whose rows have lines for ours and, if there are any, print and difference.

    ``heads`` and ``columns``: the columns of row heads, and the values of the column place, with
    their titles. A difference of at most the first limit is close, of the second fair.
    """
    used = {name for ids in beside["notes"] for name in ids.split(";")}
    marks = dict(zip((name for name in notes() if name in used), "abcdefgh", strict=False))
    marks = {name: f" ({mark})" for name, mark in marks.items()}
    marked = ["".join(marks.get(one, "") for one in ids.split(";")) for ids in beside["notes"]]
    sizes = beside["difference"].abs()
    signs = np.array(["≈", "~", "!"])[sum(sizes.gt(limit).astype(int) for limit in limits)]
    number = f"{{:.{digits}f}}".format
    texts = beside[[*heads, "place"]].assign(
        ours=beside["ours"].map(number),
        print=beside["printed"].map(number) + marked,
        difference=(beside["difference"].round(digits) + 0).map(f"{{:+.{digits}f}}".format) + signs,
    )
    for line, value in _LINES.items():
        texts[line] = texts[line].where(beside[value].notna(), "–")
    first = beside[[*heads]].drop_duplicates().itertuples(index=False, name=None)
    rows = [(*head, line) for head in first for line in _LINES]
    long = texts.melt([*heads, "place"], var_name="line", value_name="text")
    wide = long.pivot(index=[*heads, "line"], columns="place", values="text")
    wide = wide.reindex(rows)[[*columns]].fillna("–")
    wide = wide[(wide != "–").any(axis=1)]
    wide.index.names = [*heads.values(), ""]
    wide = wide.set_axis(pd.MultiIndex.from_tuples(columns.values()), axis=1)
    legend = (
        "Print: the published value. Difference: ours minus print, before rounding; "
        f"≈ at most {limits[0]}, ~ at most {limits[1]}, ! more."
    )
    below = [
        *([legend] if beside["printed"].notna().any() else []),
        *(f"{mark[1:]} {notes()[name]}" for name, mark in marks.items()),
    ]
    return Grid.from_frame("", wide.reset_index(), 1 + len(heads), below)
