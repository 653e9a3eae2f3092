"""Table 1: the counts of the corpus, next to the published ones."""

from __future__ import annotations

import pandas as pd

from cdec.corpus.model import EVENT, Corpus
from cdec.corpus.statistics import TOTAL, legend
from cdec.render.page import Page
from cdec.reproduction.printed import paper, printed_counts
from cdec.signature import Signature, in_json

_VIEWS = {
    "annotation": "by annotation",
    "content": "content",
    "size": "by cluster size",
    "kind": "by kind",
}
_PRINTED = ["view", "row", "part", "printed"]


def statistics_page(table: pd.DataFrame, corpus: Corpus, split: str) -> Page:
    """Return ``statistics`` (cdec.corpus) as a page, with published counts if available."""
    # The paper counts event mentions.
    named = (corpus.name, split, corpus.kind)
    has_print = named == (paper().corpus, paper().split, EVENT)
    about = Signature.from_fields(**(corpus.about | {"split": split}))
    data = table.merge(printed_counts()[_PRINTED], how="left") if has_print else table
    parts = list(dict.fromkeys(data["part"]))
    counts = data.pivot(index=["view", "row"], columns="part", values="count")
    order = list(dict.fromkeys(zip(data["view"], data["row"], strict=True)))
    view = counts.loc[order, parts].astype(str)
    if has_print:
        printed = data.pivot(index=["view", "row"], columns="part", values="printed")
        for part in parts:
            view[f"{part} printed"] = printed.loc[order, part].map(_cell)
    related = "annotation" in set(data["view"])
    view = view.reset_index().replace({"view": _VIEWS})
    return Page.from_table(
        view.rename(columns={"view": "", "row": "Table 1" if related else "count"}),
        data,
        notes=(*_notes(data, has_print, corpus.kind), str(about)) if related else (str(about),),
        about=in_json(about),
    )


def _notes(data: pd.DataFrame, has_print: bool, kind: str) -> tuple[str, ...]:
    if not has_print:
        return (legend(kind),)
    mentions = data[(data["row"] == "ev. mentions") & data["printed"].notna()]
    columns = int(mentions.loc[mentions["part"] != TOTAL, "printed"].sum())
    total = int(mentions.loc[mentions["part"] == TOTAL, "printed"].iloc[0])
    note = f"the published total of event mentions, {total}, is not the sum of its row, {columns}"
    return (legend(kind), note)


def _cell(value: float) -> str:
    return "" if pd.isna(value) else str(int(value))
