"""Table 1: the counts of the corpus, next to the published ones."""

from __future__ import annotations

import pandas as pd

from cdec.corpus.model import Corpus
from cdec.corpus.statistics import TOTAL, legend
from cdec.render.page import Page
from cdec.rooms import added, imported
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
    printed_table = _printed(corpus.name, split, corpus.kind)
    has_print = printed_table is not None
    about = Signature.from_fields(**(corpus.about | {"split": split}))
    data = table if printed_table is None else table.merge(printed_table[_PRINTED], how="left")
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


def _printed(*about: str) -> pd.DataFrame | None:
    """Return the published counts for this corpus, split and kind of mention, if there are any."""
    known = (imported(text)(*about) for text in added("published counts").values())
    return next((table for table in known if table is not None), None)


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
