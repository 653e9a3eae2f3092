"""Reports on a corpus: Table 1 beside the print, and what verification found."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from cdec.corpus.model import Corpus
from cdec.corpus.statistics import TOTAL
from cdec.corpus.store import Located
from cdec.corpus.verify import Survey
from cdec.report.report import Report
from cdec.reproduction.printed import paper, printed_counts
from cdec.signature import Signature, in_json

_VIEWS = {"annotation": "by annotation", "size": "by cluster size"}
_PRINTED = ["view", "row", "part", "printed"]


def statistics_report(table: pd.DataFrame, corpus: Corpus, split: str) -> Report:
    """Return ``cdec.corpus.statistics.statistics`` as a report, beside the print where it fits."""
    beside_print = (corpus.name, split) == (paper().corpus, paper().split)
    about = Signature.of(corpus=corpus.name, digest=corpus.digest, split=split)
    data = table.merge(printed_counts()[_PRINTED], how="left") if beside_print else table
    parts = list(dict.fromkeys(data["part"]))
    counts = data.pivot(index=["view", "row"], columns="part", values="count")
    order = list(dict.fromkeys(zip(data["view"], data["row"], strict=True)))
    view = counts.loc[order, parts].astype(str)
    if beside_print:
        printed = data.pivot(index=["view", "row"], columns="part", values="printed")
        for part in parts:
            view[f"{part} printed"] = printed.loc[order, part].map(_cell)
    view = view.reset_index().replace({"view": _VIEWS})
    return Report(
        view=view.rename(columns={"view": "", "row": "Table 1"}),
        data=data,
        notes=_notes(data, beside_print, str(about)),
        about=in_json(about),
    )


def survey_report(survey: Survey) -> Report:
    """Return what verification found: the defects, then the facts, then the verdict."""
    defects, facts = survey.defects, survey.facts
    name = survey.known.name if survey.known else None
    signature = Signature.of(corpus=name, digest=survey.digest)
    data = pd.concat(
        [
            defects.rename(columns={"kind": "item"}).assign(kind="defect"),
            facts.rename(columns={"fact": "item"}).assign(kind="fact"),
        ],
        ignore_index=True,
    )[["kind", "item", *[c for c in defects.columns if c != "kind"]]]
    view = data[["item", "found", "expected", "status", "meaning"]].astype(object)
    return Report(
        view=view.where(view.notna(), "–").astype(str),
        data=data,
        notes=(f"digest {survey.digest}", *survey.problems, f"{survey.path}: {survey.verdict}"),
        about={
            **in_json(signature),
            "path": str(survey.path),
            "digest": survey.digest,
            "verdict": survey.verdict,
            "ok": survey.ok,
            "problems": survey.problems,
        },
    )


def info_report(used: Located, installed: Mapping[str, Path]) -> Report:
    """Return which corpora there are, and which one the commands use."""
    rows: list[tuple[str, str, str, str]] = [("in use", used.name, str(used.path), used.origin)]
    rows += [("installed", name, str(path), "") for name, path in installed.items()]
    table = pd.DataFrame(rows, columns=["corpus", "name", "path", "chosen by"])
    notes = (used.notice,) if used.notice else ()
    about = in_json(Signature.of(corpus=used.name))
    return Report(view=table, data=table, notes=notes, about=about)


def _notes(data: pd.DataFrame, beside_print: bool, about: str) -> tuple[str, ...]:
    if not beside_print:
        return (about,)
    mentions = data[(data["row"] == "ev. mentions") & data["printed"].notna()]
    columns = int(mentions.loc[mentions["part"] != TOTAL, "printed"].sum())
    total = int(mentions.loc[mentions["part"] == TOTAL, "printed"].iloc[0])
    note = f"the printed total of event mentions, {total}, is not the sum of its row, {columns}"
    return (note, about)


def _cell(value: float) -> str:
    return "" if pd.isna(value) else str(int(value))
