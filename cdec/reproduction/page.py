"""The page of ``cdec reproduce``: Tables 1, 2 and 3 and Figure 3, ours beside the print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from string import ascii_lowercase

import numpy as np
import pandas as pd

from cdec.baselines import SYSTEMS, system
from cdec.clustering import Clustering
from cdec.corpus.model import EVENT, Corpus
from cdec.corpus.splits import divided
from cdec.corpus.stats import statistics
from cdec.errors import counted, warn_of
from cdec.evaluation.experiment import Experiment, run_on
from cdec.evaluation.results import Results
from cdec.files.progress import notebook
from cdec.matching.alignment import Alignment
from cdec.metrics import REGISTRY
from cdec.metrics.scores import IN_TABLES
from cdec.records import Fields
from cdec.render.page import Block, Grid, Listing, Page, Section, Text
from cdec.reproduction.printed import (
    agreement,
    counts_beside,
    notes,
    paper,
    printed_counts,
    scores_beside,
    tidy,
)
from cdec.settings import PURE_CDEC, SIMPLE_CDEC, find_setting, label_of
from cdec.signature import in_json
from cdec.system import is_learner

TITLES = {
    "table1": "Table 1: the corpus, by annotation, as the paper counts",
    "table2": "Table 2: one system under five settings",
    "table3": "Table 3: the baselines under SIMPLE-CDEC and PURE-CDEC",
    "figure3": "Figure 3: why SIMPLE-CDEC is not enough",
}
# The settings of Tables 2 and 3, in the order of the paper.
_SETTINGS = {
    "table2": ("simple", "bh", "st", "is", "ycf"),
    "table3": ("simple", "pure"),
}
_TITLE = (
    "Revisiting the evaluation for cross-document event coreference: a reproduction"
)
_REPRESENTATIVE = Text(
    "PURE-CDEC keeps one mention of each within-document chain. The paper does not specify which; "
    "here it is the first in text order. The published PWN and recall are lower under PURE-CDEC, "
    "as if key and response had fewer of these mentions in common."
)
_COUNT_LIMITS = (0, 5)  # mentions or chains
_LINES = {
    "ours": "ours",
    "print": "printed",
    "difference": "difference",
}  # line → its values


def reproduction_page(names: Sequence[str], whole: Corpus | None) -> Page:
    """Return the page with these artefacts, in this order, on the default split of ``whole``.

    Without a corpus: Figure 3, which needs none. Systems that learn are fitted on train and dev.
    """
    citation = paper()["citation"]
    example = figure3()
    results = [example]
    intro = [f"{citation} Four mentions; scores in percent."]
    sections = {"figure3": _figure3(example)}
    if whole is not None:
        parts = divided(whole)
        part = parts["test"]
        intro = [
            f"{citation} Reproduced on {part.name}, {part.part}: "
            f"{counted(len(part.selected), 'event mention')} in "
            f"{counted(len(part.documents), 'document')}; scores in percent."
        ]
        part_of_paper = (paper()["corpus"], f"{paper()['split']}-test")
        of_paper = (part.name, part.part) == part_of_paper
        sections["table1"] = _table1(parts, of_paper)
        names_of_scores = [name for name in _SETTINGS if name in names]
        results = _results_of_tables(parts, names_of_scores)
        tables = []
        for name, table_results in zip(names_of_scores, results, strict=True):
            beside = scores_beside(name, table_results, of_paper)
            blocks: list[Block] = [
                _score_grid(beside),
                Text(str(table_results.signature)),
            ]
            if name == "table3":
                blocks.insert(0, _REPRESENTATIVE)
            data = beside.drop(columns="column")
            sections[name] = _section(name, blocks, data, part.name, part.part)
            tables.append(beside)
        if len(tables) > 1:
            sentence = agreement(pd.concat(tables))
            if sentence:
                intro.append(
                    f"Tables 2 and 3 together: {sentence[0].lower()}{sentence[1:]}"
                )
    title = _TITLE
    page_sections = [sections[name] for name in names]
    if len(page_sections) == 1:
        title = page_sections[0].title
        page_sections = [replace(page_sections[0], title="")]
    signatures = {}
    for table_results in results:
        for result in table_results:
            signatures[result.setting, result.system] = result.signature
    about = {"citation": citation, "notes": notes(), **in_json(*signatures.values())}
    return Page(title, tuple(page_sections), tuple(intro), about=about)


def _table1(parts: Mapping[str, Corpus], of_paper: bool) -> Section:
    """Return the section of Table 1; ``of_paper``: the paper is about these parts."""
    test = parts["test"]
    printed = None
    if of_paper and test.kind == EVENT:
        printed = printed_counts()
    counts = statistics(parts)
    beside = counts_beside(counts[counts["view"] == "annotation"], printed)
    columns = {name: ("", name) for name in beside["part"]}
    table = beside.assign(place=beside["part"])
    grid = _grid(table, {"row": "Count"}, columns, 0, _COUNT_LIMITS)
    return _section("table1", [grid], beside, test.name, "all")


def _section(
    name: str,
    blocks: Sequence[Block],
    data: pd.DataFrame,
    corpus: str,
    split: str,
) -> Section:
    return Section(
        name, TITLES[name], tuple(blocks), data.assign(corpus=corpus, split=split)
    )


def _results_of_tables(
    parts: Mapping[str, Corpus], names: Sequence[str]
) -> list[Results]:
    """Return the results of Tables 2 and 3, those of ``names``."""
    published = [name for name in paper()["systems"].values() if name in SYSTEMS]
    systems = {"table2": ["lemma"], "table3": published}
    needs = dict.fromkeys(system for name in names for system in systems[name])
    run_of = {system: _run(system, parts) for system in needs}
    warn_of(notice for run in run_of.values() for notice in run.notices)
    tables = []
    for name in names:
        runs = tuple(run_of[system] for system in systems[name])
        settings = tuple(map(find_setting, _SETTINGS[name]))
        tables.append(Experiment(runs, settings, parts["test"].about).results())
    return tables


def _run(name: str, parts: Mapping[str, Corpus]) -> Alignment:
    """Return the run of a baseline on test; one that learns is fitted first."""
    baseline = system(name, pipeline="hanta", progress=notebook())
    if is_learner(baseline):
        baseline = baseline.fit(parts["train"], parts["dev"])
    return run_on(parts["test"], baseline)


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
    settings = (SIMPLE_CDEC, PURE_CDEC)
    about = {"corpus": "figure3"}
    results = Experiment(runs, settings, about).results()
    return results.renamed("split", "all")


def _figure3(results: Results) -> Section:
    example = paper()["figure3"]
    lines = []
    for name, chains in {"key": example["key"], **example["systems"]}.items():
        texts = [f"{{{' '.join(chain)}}}" for chain in chains]
        lines.append(f"{name}: {' '.join(texts)}")
    metric = example["metric"]
    first, second, third = (100 * result[metric].f1 for result in results["pure"])
    blocks = (
        Text(
            "One event with two mentions in each of two documents, a and b. System 1 links inside "
            "documents only, System 2 across documents; System 3 has one link across documents."
        ),
        Listing("Chains", tuple(lines)),
        _score_grid(scores_beside("figure3", results, of_paper=False)),
        Text(
            "SIMPLE-CDEC gives the same scores to System 1, which has no link across documents, "
            "and System 2, and ranks System 3 last. PURE-CDEC gives "
            f"{REGISTRY[metric].label} F of {first:.1f}, {second:.1f} and {third:.1f}: "
            "links inside documents score nothing, and System 3, which has the only link that is "
            "required, is first."
        ),
    )
    return _section("figure3", blocks, tidy(results), "figure3", "all")


def _score_grid(beside: pd.DataFrame) -> Grid:
    """Return ``scores_beside`` as a table; a small terminal shows F1 only."""
    labels = {name: label for label, name in paper()["systems"].items()}
    columns = {
        f"{metric} {column.field}": (column.group, column.name)
        for metric in IN_TABLES
        for column in REGISTRY[metric].columns
    }
    percents = {name: 100 * beside[name] for name in _LINES.values()}
    table = beside.assign(
        **percents,
        place=beside["metric"] + " " + beside["field"],
        label=beside["setting"].map(label_of),
        name=beside["system"].replace(labels),
    )
    limits = [paper()["agreement"][name] for name in ("close", "fair")]
    grid = _grid(table, {"label": "Setting", "name": "System"}, columns, 1, limits)
    narrow = [
        position
        for position, name in enumerate(columns, start=grid.heads)
        if name.endswith(" f1") and not name.startswith("blanc_")
    ]
    below = [*grid.below, agreement(beside)]
    return replace(grid, narrow=narrow, below=tuple(filter(None, below)))


def _grid(
    beside: pd.DataFrame,
    heads: dict[str, str],
    columns: Fields,
    digits: int,
    limits: Sequence[float],
) -> Grid:
    """Return a table whose rows have lines for ours and, if there are any, print and difference.

    ``heads`` and ``columns``: the columns of row heads, and the values of the column place, with
    their titles. A difference of at most the first limit is close, of the second fair.
    """
    marks = _note_marks(beside)
    marks_of_rows = [_marks_of(ids, marks) for ids in beside["notes"]]
    write_number = f"{{:.{digits}f}}".format
    write_difference = f"{{:+.{digits}f}}".format
    differences = (
        beside["difference"].round(digits) + 0
    )  # adding 0 makes −0.0 a plain zero
    # Of a difference equal to a limit, the limit still holds.
    sizes = np.searchsorted(limits, beside["difference"].abs())
    texts = beside[[*heads, "place"]].assign(
        ours=beside["ours"].map(write_number),
        print=beside["printed"].map(write_number) + marks_of_rows,
        difference=differences.map(write_difference) + np.array(["≈", "~", "!"])[sizes],
    )
    for line, value in _LINES.items():
        texts[line] = texts[line].where(beside[value].notna(), "–")
    long = texts.melt(
        [*heads, "place"], var_name="line", value_name="text", ignore_index=False
    )
    # In order of the rows, each with its lines.
    long = long.sort_index(kind="stable")
    rows = [*heads, "line"]
    wide = long.pivot_table("text", rows, "place", "first", sort=False)
    wide = wide[[*columns]].fillna("–")
    wide = wide[(wide != "–").any(axis=1)]
    wide.index.names = [*heads.values(), ""]
    wide = wide.set_axis(pd.MultiIndex.from_tuples(columns.values()), axis=1)
    below = []
    if beside["printed"].notna().any():
        below.append(
            "Print: the published value. Difference: ours minus print, before rounding; "
            f"≈ at most {limits[0]}, ~ at most {limits[1]}, ! more."
        )
    below += [f"({mark}) {notes()[name]}" for name, mark in marks.items()]
    return Grid.from_frame("", wide.reset_index(), 1 + len(heads), below)


def _note_marks(beside: pd.DataFrame) -> dict[str, str]:
    """Return note id → its letter, for the notes of a table."""
    ids_of_table = {*";".join(beside["notes"]).split(";")}
    ids_in_order = [note for note in notes() if note in ids_of_table]
    return dict(zip(ids_in_order, ascii_lowercase, strict=False))


def _marks_of(ids: str, marks: Mapping[str, str]) -> str:
    return "".join(f" ({marks[note]})" for note in ids.split(";") if note in marks)
