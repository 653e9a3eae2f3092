"""The page of `cdec diagnose`: a section for each system and each pair of consecutive systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

import pandas as pd

from cdec.clustering import Side
from cdec.corpus.model import Corpus
from cdec.diagnosis.by_stratum import Strata, signature_of, strata_sections
from cdec.diagnosis.links import (
    ALL,
    JOIN,
    KINDS,
    LEMMAS,
    SPLIT,
    edit_table,
    link_table,
    mention_table,
)
from cdec.diagnosis.mentions import Mentions
from cdec.diagnosis.side_by_side import JointMentions, agreement, example_blocks
from cdec.diagnosis.strata import lemma_table, singleton_table, size_table, topic_table
from cdec.diagnosis.worst import worst_blocks, worst_chains, worst_frame
from cdec.evaluation.experiment import Experiment
from cdec.matching.alignment import Alignment
from cdec.pairs.bounds import bounds_sections, loss_section, standing_section
from cdec.pairs.within import Candidates
from cdec.render.charts.bars import Bar, bar_chart
from cdec.render.numbers import percent
from cdec.render.page import Chart, Grid, Page, Section, anchor
from cdec.render.table import Columns, Table
from cdec.settings import Setting
from cdec.signature import in_json

_KINDS = {**KINDS, ALL: "all links"}
_LEMMAS = dict(zip(LEMMAS, ("same lemma", "different lemmas"), strict=True)) | {ALL: "all"}
_EDITS = {SPLIT: "split a conflated chain", JOIN: "join parts of a divided chain"}
_COUNTS = {"right": "Right", "missed": "Missed", "wrong": "Wrong"}
_LINKS: Columns = {
    **_COUNTS,
    "precision": ("P", percent),
    "recall": ("R", percent),
    "f1": ("F", percent),
}
_TOP_LEMMAS = 15

# Tables of a diagnosis in the order of its section → how they are shown.
_TABLES = {
    "links": Table(
        "Links by kind",
        {"kind": ("Links", _KINDS), "lemma": ("Heads", _LEMMAS), **_LINKS},
        "A link is a pair of mentions of one chain. Right: in key and response. Missed: in the "
        "key only. Wrong: in the response only. The totals are the coreference counts of BLANC "
        "under this setting. Heads: whether the head words of the two mentions have the same "
        "lemma.{undefined}",
        heads=2,
    ),
    "edits": Table(
        "Edits from response to key",
        {
            "edit": ("Edit", _EDITS),
            "kind": ("Where", {**KINDS, ALL: "all"}),
            "edits": "Edits",
            "chains": "Chains",
        },
        "The edits that turn the response into the key. Conflated: a response chain with "
        "mentions of several key chains. Divided: a key chain with mentions in several "
        "response chains. A chain of k parts needs k − 1 edits.\n"
        "Where: the smallest unit that two of the separated or joined parts share. Edits: "
        "number of edits. Chains: number of conflated or divided chains.",
        heads=2,
    ),
    "sizes": Table(
        "Chains by size",
        {
            "side": "Side",
            "size": "Mentions in the chain",
            "chains": "Chains",
            "mentions": "Mentions",
            "exact": "Exact",
            "links": "Links",
            "right": "Right",
            "share": ("Right %", percent),
        },
        "Exact: chains with the same mentions on the other side. Right: links that the other "
        "side also has. Right %: recall for key chains, precision for response "
        "chains.{undefined}",
        heads=2,
    ),
    "singletons": Table(
        "Singletons",
        {"what": "", "key": "In the key", "predicted": "Predicted", **_LINKS},
        "Predicted: in the response. Right: in key and response. Missed: in the key only. "
        "Wrong: in the response only.{undefined}",
    ),
    "topics": Table(
        "Links by topic",
        {
            "topic": "Topic",
            "mentions": "Mentions",
            **_LINKS,
            **{f"{name}_across": f"{title} across" for name, title in _COUNTS.items()},
        },
        "Mentions: of the key. Right, Missed, Wrong: links inside the topic. Across: links to "
        "other topics; such a link counts in both topics.{undefined}",
    ),
    "lemmas": Table(
        "Ambiguous lemmas",
        {
            "lemma": "Lemma",
            "mentions": "Mentions",
            "topics": "Topics",
            "key_chains": "Key chains",
            "response_chains": "Response chains",
            **_COUNTS,
        },
        "Ambiguous: the head lemma of mentions of several key chains. The table has {top} of "
        "{lemmas:,}, those with the most wrong and missed links. Only links between two "
        "mentions of the lemma count.",
    ),
}
_WHO = Table(
    "Links by who has them",
    {
        "kind": ("Links", _KINDS),
        "both_right": "Both right",
        "a_right": "Only {a} right",
        "b_right": "Only {b} right",
        "both_missed": "Both missed",
        "both_wrong": "Both wrong",
        "a_wrong": "Only {a} wrong",
        "b_wrong": "Only {b} wrong",
    },
    "Right: links of the key. Wrong: links that are not in the key. "
    "Only {a} right: links of the key that {a} has and {b} does not have.",
)


def diagnosis_page(
    experiment: Experiment,
    corpus: Corpus,
    lemmas: pd.Series[str],
    nlp: str,
    top: int,
    *,
    candidates: Candidates | None = None,
    strata: Strata | None = None,
) -> Page:
    """Return the page for all systems and settings; ``nlp`` is the pipeline of ``lemmas``.

    With ``candidates``, it begins with the bounds within them; with ``strata``, it ends with those.

    Raises UsageError if the mentions have no topics.
    """
    about = signature_of(experiment, {"heads": nlp, **(strata.signed if strata else {})})
    return Page(
        title="Diagnosis",
        sections=(
            *(bounds_sections(experiment, candidates, corpus) if candidates else ()),
            *diagnosis_sections(experiment, corpus, lemmas, top),
            *(strata_sections(experiment, strata) if strata else ()),
        ),
        intro=(str(about),),
        about=in_json(about),
    )


def diagnosis_sections(
    experiment: Experiment, corpus: Corpus, lemmas: pd.Series[str], top: int
) -> Iterator[Section]:
    """Yield the sections of each setting: one for each system and each consecutive pair."""
    for setting in experiment.settings:
        for run in experiment.runs:
            yield diagnosis_section(run, setting, corpus, lemmas, top)
            yield from loss_section(run, setting)
            yield from standing_section(run, setting)
        for pair in pairwise(experiment.runs):
            yield side_section(pair, setting, corpus, lemmas)


def diagnosis_section(
    run: Alignment, setting: Setting, corpus: Corpus, lemmas: pd.Series[str], top: int
) -> Section:
    """Return the section for one system, with the ``top`` worst chains of each side.

    ``lemmas`` maps mention id → lemma. Raises UsageError if the mentions have no topics.
    """
    mentions = Mentions.from_run(run, setting, lemmas)
    tables = {
        "links": link_table(mentions),
        "edits": edit_table(mentions),
        "mentions": mention_table(mentions),
        "sizes": size_table(mentions),
        "singletons": singleton_table(mentions),
        "topics": topic_table(mentions, run.mentions["topic"]),
        "lemmas": lemma_table(mentions, lemmas),
    }
    sides: tuple[Side, ...] = ("response", "key")
    worst = [chain for s in sides for chain in worst_chains(mentions, run, corpus, s, top)]
    chart = link_chart(tables["links"], run.name, setting)
    return Section(
        id=anchor("diagnosis", setting.name, run.name),
        title=f"{run.name}: where it errs ({setting.label})",
        blocks=(chart, *_grids(tables), *worst_blocks(worst)),
        data=_data({**tables, "worst": worst_frame(worst)}, run.name, setting),
    )


def _grids(tables: Mapping[str, pd.DataFrame]) -> Iterator[Grid]:
    edits, lemmas = tables["edits"].astype({"chains": object}), tables["lemmas"].head(_TOP_LEMMAS)
    frames = {
        **tables,
        "edits": pd.concat([edits, tables["mentions"]], ignore_index=True),
        "singletons": tables["singletons"].assign(what="singletons"),
        "lemmas": lemmas,
    }
    for name, table in _TABLES.items():
        if name != "lemmas" or len(lemmas):
            yield table.grid(frames[name], top=len(lemmas), lemmas=len(tables["lemmas"]))


def link_chart(links: pd.DataFrame, system: str, setting: Setting) -> Chart:
    """Return a bar chart: links of the key (right, missed) and response (right, wrong) by kind."""
    rows = links[links["lemma"] == ALL].to_dict("records")
    bars = []
    for row in rows:
        kind = _KINDS[row["kind"]]
        bars.append(Bar("of the key", row["right"], row["missed"], "missed", kind))
        bars.append(Bar("of the response", row["right"], row["wrong"], "wrong", kind))
    description = "; ".join(
        f"{_KINDS[row['kind']]}: {row['right']:,} right, {row['missed']:,} missed, "
        f"{row['wrong']:,} wrong"
        for row in rows
    )
    title = f"Links of {system} by kind"
    caption = f"{title}, {setting.label}: filled right, hatched missed or wrong."
    return Chart(bar_chart(title, description, bars), caption)


def _data(tables: Mapping[str, pd.DataFrame], system: str, setting: Setting) -> pd.DataFrame:
    """Return all tables as one tidy table with the column ``table``."""
    about = {"system": system, "setting": setting.name}
    parts = [t.astype(object).assign(**about, table=name) for name, t in tables.items() if len(t)]
    table = pd.concat(parts, ignore_index=True)
    first = [*about, "table"]
    return table[[*first, *(column for column in table if column not in first)]]


def side_section(
    runs: tuple[Alignment, Alignment], setting: Setting, corpus: Corpus, lemmas: pd.Series[str]
) -> Section:
    """Return the section with the links that only one of two systems has, and examples."""
    joint = JointMentions.from_runs(runs, setting, lemmas)
    links, (a, b) = agreement(joint), (run.name for run in runs)
    who = _WHO.grid(links[links["lemma"] == ALL], a=a, b=b)
    return Section(
        id=anchor("side", setting.name, a, b),
        title=f"{a} and {b} side by side ({setting.label})",
        blocks=(who, *example_blocks(joint, runs, corpus)),
        data=links.assign(a=a, b=b, setting=setting.name),
    )
