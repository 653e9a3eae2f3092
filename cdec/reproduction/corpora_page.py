"""The page of all corpora: an overview, then counts and scores of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from cdec.corpus.adapter import CORPORA
from cdec.corpus.known import by_digest, known_corpora
from cdec.corpus.model import Corpus
from cdec.errors import counted
from cdec.render.numbers import bracket, percent, points
from cdec.render.page import Grid, Page, Section, Text
from cdec.render.table import Table
from cdec.reproduction.corpora import Findings
from cdec.settings import label_of
from cdec.signature import in_json, merged
from cdec.statistics.draws import Plan

_COUNTS = {
    "part": "Part",
    "documents": "Documents",
    "mentions": "Mentions",
    "chains": "Chains",
    "singletons": "Singletons",
    "across": "Across documents",
    "largest": "Largest chain",
}
_LEGEND = (
    "Chains: with singletons; Across documents: chains with mentions in several documents; "
    "Largest chain: its mentions."
)
_OVERVIEW = Table(
    "",
    {
        "corpus": "Corpus",
        "kind": "Kind",
        "part": "Part",
        "levels": "Levels",
        "mentions": ("Mentions", str),
        "chains": ("Chains", str),
        "singletons": ("Singletons %", percent),
        "simple": ("Lemma-δ SIMPLE", percent),
        "pure": ("PURE", percent),
        "difference": ("PURE − SIMPLE", points),
    },
    "Singletons %: of the chains of the part.",
    heads=3,
)
_REFERENCE, _STRICT, _BASELINE = "simple", "pure", "lemma-delta"
_TITLE = "The settings on other corpora"
_INTRO = (
    "For each corpus, and each kind of mention in it: its size, and the CoNLL F of baselines under "
    "every setting that its levels allow. Lemma-δ has the δ of ECB+ (0.3), and (dev) the δ tuned "
    "on the dev part of the corpus itself, under SIMPLE-CDEC.",
    "Scores are of the test part, or of the whole corpus if it has none.",
)


def corpora_page(found: Sequence[Findings], plan: Plan) -> Page:
    """Return the page of these findings; ``plan`` is that of the intervals."""
    signatures = [f.signature for f in found if f.signature is not None]
    sections = [_overview(found), *(_section(f, plan) for f in found)]
    about = in_json(merged(signatures)) if signatures else {}
    return Page(_TITLE, tuple(sections), _INTRO, about)


def _overview(found: Sequence[Findings]) -> Section:
    rows = [_overview_row(f) for f in found]
    data = pd.DataFrame(rows)
    return Section("overview", "Overview", (_OVERVIEW.grid(data),), data)


def _overview_row(f: Findings) -> dict[str, object]:
    counts = f.counts[f.counts["part"] == f.part.rpartition("-")[2]]
    row = counts.iloc[0] if len(counts) else f.counts.iloc[0]
    simple, pure = (_value(f, setting) for setting in (_REFERENCE, _STRICT))
    return {
        "corpus": f.corpus.name,
        "kind": f.corpus.kind,
        "part": f.part,
        "levels": ", ".join([*f.corpus.levels.values(), "document"]),
        "mentions": int(row["mentions"]),
        "chains": int(row["chains"]),
        "singletons": row["singletons"] / row["chains"],
        "simple": simple,
        "pure": pure,
        "difference": pure - simple,
    }


def _value(f: Findings, setting: str) -> float:
    if f.scores.empty:
        return float("nan")
    one = f.scores[(f.scores["setting"] == setting) & (f.scores["system"] == _BASELINE)]
    return float(one["f1"].iloc[0]) if len(one) else float("nan")


def _section(f: Findings, plan: Plan) -> Section:
    title = f"{f.corpus.name}: {f.corpus.kind} mentions"
    counts = Grid.from_frame("", f.counts.rename(columns=_COUNTS), 1, (_LEGEND,))
    blocks = [Text(line) for line in _about(f.corpus)]
    if f.scores.empty:
        why = "The corpus has no text here: no baseline runs on it; response files can be scored."
        return Section(title, title, (*blocks, counts, Text(why)), f.counts)
    grid = Grid.from_frame("", _scores_view(f), 1, tuple(_score_notes(f, plan)))
    signature = (Text(str(f.signature)),)
    return Section(title, title, (*blocks, counts, grid, *signature), f.scores)


def _about(corpus: Corpus) -> Iterator[str]:
    named = (known for known in known_corpora() if known.name == corpus.name)
    source = by_digest(corpus.digest) or next(named, CORPORA.get(corpus.format))
    if source is not None and source.citation:
        yield source.citation + (f" Licence: {source.licence}." if source.licence else "")
    if corpus.variant:
        others = ", ".join(name for name in corpus.variants if name != corpus.variant)
        yield f"Variant of the key: {corpus.variant} (others: {others})."
    if corpus.text == "contexts":
        yield "Its documents have the text around their mentions only."


def _scores_view(f: Findings) -> pd.DataFrame:
    table = f.scores.assign(
        cell=[
            percent(row["f1"])
            + ("" if pd.isna(row["low"]) else f" {bracket(row['low'], row['high'])}")
            for row in f.scores.to_dict("records")
        ]
    )
    order = list(dict.fromkeys(table["system"]))
    wide = table.pivot(index="system", columns="setting", values="cell")
    wide = wide.loc[order, list(dict.fromkeys(table["setting"]))]
    wide.columns = pd.Index([label_of(str(name)) for name in wide.columns])
    return wide.rename_axis("System").reset_index()


def _score_notes(f: Findings, plan: Plan) -> Iterator[str]:
    if f.unit:
        units = counted(f.corpus.selected[f.unit].nunique(), f.corpus.levels[f.unit])
        drawn = f"{plan.resamples:,} resamples of {units} (seed {plan.seed})"
        yield f"{100 * plan.level:g} % intervals of F: {plan.method}, {drawn}."
    else:
        yield "No intervals: no level above the document has two units."
    if f.delta is not None:
        yield f"δ tuned on dev: {f.delta:g}."
    yield from (f"{model}." for model in f.models)
