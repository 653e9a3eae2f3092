"""The page of `cdec diagnose`: a section for each system and each pair of consecutive systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import pandas as pd

from cdec.corpus.model import Corpus
from cdec.diagnosis.bounds_view import bounds_sections, loss_section
from cdec.diagnosis.candidates import Candidates
from cdec.diagnosis.diagnosis import Diagnosis, diagnose, side_by_side
from cdec.diagnosis.edits import JOIN, SPLIT
from cdec.diagnosis.links import ALL, LEMMAS
from cdec.diagnosis.side_view import KIND_NAMES, side_section
from cdec.diagnosis.worst import WorstChain
from cdec.errors import counted
from cdec.evaluation.experiment import Experiment, plugins
from cdec.render.charts import Bar, bar_chart
from cdec.render.numbers import shown
from cdec.render.page import Block, Chart, Grid, Listing, Page, Section, Text, anchor
from cdec.settings import signed
from cdec.signature import Signature, in_json

_LEMMAS = dict(zip(LEMMAS, ("same lemma", "different lemmas"), strict=True)) | {ALL: "all"}
_EDITS = {SPLIT: "split a conflated chain", JOIN: "join parts of a divided chain"}
_PRF = {"precision": "P", "recall": "R", "f1": "F"}
_LINKS = {"right": "Right", "missed": "Missed", "wrong": "Wrong", **_PRF}
_TOP_LEMMAS = 15


def diagnosis_page(
    experiment: Experiment,
    corpus: Corpus,
    lemmas: pd.Series[str],
    nlp: str,
    top: int,
    *,
    candidates: Candidates | None = None,
) -> Page:
    """Return the page for all systems and settings; ``nlp`` is the pipeline of ``lemmas``.

    With ``candidates``, it begins with the bounds within them.

    Raises UsageError as ``diagnose`` does.
    """
    about = Signature.from_fields(
        **experiment.task.about,
        setting=tuple(signed(setting) for setting in experiment.settings),
        system={run.system: run.signed for run in experiment.runs},
        plugins=plugins(experiment.runs, (), experiment.settings),
        heads=nlp,
    )
    return Page(
        title="Diagnosis",
        sections=(
            *(bounds_sections(experiment, candidates, corpus) if candidates else ()),
            *diagnosis_sections(experiment, corpus, lemmas, top),
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
            yield diagnosis_section(diagnose(run, setting, corpus, lemmas, top))
            yield from loss_section(run, setting)
        for pair in pairwise(experiment.runs):
            yield side_section(side_by_side(pair, setting, corpus, lemmas))


def diagnosis_section(diagnosis: Diagnosis) -> Section:
    """Return the section for one system under one setting."""
    return Section(
        id=anchor("diagnosis", diagnosis.setting.name, diagnosis.system),
        title=f"{diagnosis.system}: where it errs ({diagnosis.setting.label})",
        blocks=tuple(_blocks(diagnosis)),
        data=_data(diagnosis),
    )


def _blocks(diagnosis: Diagnosis) -> Iterator[Block]:
    yield link_chart(diagnosis)
    yield links_grid(diagnosis)
    yield _edits_grid(diagnosis)
    yield _sizes_grid(diagnosis)
    yield _singletons_grid(diagnosis)
    yield _topics_grid(diagnosis)
    if len(diagnosis.lemmas):
        yield _lemmas_grid(diagnosis)
    yield from _worst(diagnosis.worst)


def link_chart(diagnosis: Diagnosis) -> Chart:
    """Return a bar chart: links of the key (right, missed) and response (right, wrong) by kind."""
    rows = diagnosis.links[diagnosis.links["lemma"] == ALL].to_dict("records")
    bars = []
    for row in rows:
        kind = KIND_NAMES[row["kind"]]
        bars.append(Bar("of the key", row["right"], row["missed"], "missed", kind))
        bars.append(Bar("of the response", row["right"], row["wrong"], "wrong", kind))
    description = "; ".join(
        f"{KIND_NAMES[row['kind']]}: {row['right']:,} right, {row['missed']:,} missed, "
        f"{row['wrong']:,} wrong"
        for row in rows
    )
    title = f"Links of {diagnosis.system} by kind"
    caption = f"{title}, {diagnosis.setting.label}: filled right, hatched missed or wrong."
    return Chart(bar_chart(title, description, bars), caption)


def links_grid(diagnosis: Diagnosis) -> Grid:
    """Return the table of links by kind and by equality of the head lemmas."""
    table = diagnosis.links.replace({"kind": KIND_NAMES, "lemma": _LEMMAS})
    below = [
        "A link is a pair of mentions of one chain. Right: in key and response. Missed: in the key "
        "only. Wrong: in the response only. The totals are the coreference counts of BLANC under "
        "this setting. Heads: whether the head words of the two mentions have the same lemma."
        + _undefined(table)
    ]
    titles = {"kind": "Links", "lemma": "Heads", **_LINKS}
    return Grid.from_frame("Links by kind", shown(table, titles, list(_PRF)), 2, below)


def _undefined(table: pd.DataFrame, scores: Sequence[str] = tuple(_PRF)) -> str:
    """Return the legend of undefined scores, if the table has any."""
    return " –: undefined (0/0)." if table[list(scores)].isna().any(axis=None) else ""


def _edits_grid(diagnosis: Diagnosis) -> Grid:
    steps = diagnosis.edits.replace({"edit": _EDITS, "kind": KIND_NAMES | {ALL: "all"}})
    table = pd.concat([steps.astype({"chains": object}), diagnosis.mentions], ignore_index=True)
    table = table.astype(object).where(table.notna(), "")
    titles = {"edit": "Edit", "kind": "Where", "edits": "Edits", "chains": "Chains"}
    below = [
        "The edits that turn the response into the key. Conflated: a response chain with mentions "
        "of several key chains. Divided: a key chain with mentions in several response chains. A "
        "chain of k parts needs k − 1 edits.",
        "Where: the smallest unit that two of the separated or joined parts share. Edits: number "
        "of edits. Chains: number of conflated or divided chains.",
    ]
    return Grid.from_frame("Edits from response to key", shown(table, titles, []), 2, below)


def _sizes_grid(diagnosis: Diagnosis) -> Grid:
    titles = {
        "side": "Side",
        "size": "Mentions in the chain",
        "chains": "Chains",
        "mentions": "Mentions",
        "exact": "Exact",
        "links": "Links",
        "right": "Right",
        "share": "Right %",
    }
    below = [
        "Exact: chains with the same mentions on the other side. Right: links that the other side "
        "also has. Right %: recall for key chains, precision for response chains."
        + _undefined(diagnosis.sizes, ["share"])
    ]
    return Grid.from_frame("Chains by size", shown(diagnosis.sizes, titles, ["share"]), 2, below)


def _singletons_grid(diagnosis: Diagnosis) -> Grid:
    titles = {"key": "In the key", "predicted": "Predicted", **_LINKS}
    table = shown(diagnosis.singletons, titles, list(_PRF))
    table.insert(0, "", "singletons")
    below = [
        "Predicted: in the response. Right: in key and response. Missed: in the key only. Wrong: "
        "in the response only." + _undefined(diagnosis.singletons)
    ]
    return Grid.from_frame("Singletons", table, 1, below)


def _topics_grid(diagnosis: Diagnosis) -> Grid:
    titles = {
        "topic": "Topic",
        "mentions": "Mentions",
        **_LINKS,
        "right_across": "Right across",
        "missed_across": "Missed across",
        "wrong_across": "Wrong across",
    }
    below = [
        "Mentions: of the key. Right, Missed, Wrong: links inside the topic. Across: links to "
        "other topics; such a link counts in both topics." + _undefined(diagnosis.topics)
    ]
    return Grid.from_frame("Links by topic", shown(diagnosis.topics, titles, list(_PRF)), 1, below)


def _lemmas_grid(diagnosis: Diagnosis) -> Grid:
    titles = {
        "lemma": "Lemma",
        "mentions": "Mentions",
        "topics": "Topics",
        "key_chains": "Key chains",
        "response_chains": "Response chains",
        "right": "Right",
        "missed": "Missed",
        "wrong": "Wrong",
    }
    table, top = diagnosis.lemmas, diagnosis.lemmas.head(_TOP_LEMMAS)
    below = [
        f"Ambiguous: the head lemma of mentions of several key chains. The table has {len(top)} of "
        f"{len(table):,}, those with the most wrong and missed links. Only links between two "
        "mentions of the lemma count.",
    ]
    return Grid.from_frame("Ambiguous lemmas", shown(top, titles, []), 1, below)


def _worst(chains: Sequence[WorstChain]) -> Iterator[Block]:
    words = {"response": ("wrong", "key"), "key": ("missed", "response")}
    for side, (error, other) in words.items():
        of_side = [chain for chain in chains if chain.side == side]
        if of_side:
            yield Text(f"The {side} chains with the most {error} links:")
        for chain in of_side:
            label = (
                f"{side} chain '{chain.name}': {counted(chain.mentions, 'mention')} in "
                f"{counted(chain.topics, 'topic')}, {chain.errors:,} of {chain.links:,} links "
                f"{error}, {counted(chain.in_parts, f'{other} chain')}"
            )
            yield Listing(label, tuple(_lines(chain, other)))


def _lines(chain: WorstChain, other: str) -> Iterator[str]:
    for part in chain.parts:
        name = f"{other} chain '{part.name}'" if part.name else f"in no {other} chain"
        yield f"{name}, {counted(part.size, 'mention')}"
        for quote in part.quotes:
            yield f"    – {quote.doc}: {quote.sentence}"
    if chain.in_parts > len(chain.parts):
        yield f"and {chain.in_parts - len(chain.parts):,} more"


def _data(diagnosis: Diagnosis) -> pd.DataFrame:
    """Return all tables as one tidy table with the column ``table``."""
    tables = {
        "links": diagnosis.links,
        "edits": diagnosis.edits,
        "mentions": diagnosis.mentions,
        "sizes": diagnosis.sizes,
        "singletons": diagnosis.singletons,
        "topics": diagnosis.topics,
        "lemmas": diagnosis.lemmas,
        "worst": pd.DataFrame(_worst_rows(diagnosis.worst)),
    }
    named = {"system": diagnosis.system, "setting": diagnosis.setting.name}
    parts = [t.astype(object).assign(**named, table=name) for name, t in tables.items() if len(t)]
    table = pd.concat(parts, ignore_index=True)
    first = [*named, "table"]
    return table[[*first, *(column for column in table if column not in first)]]


def _worst_rows(chains: Sequence[WorstChain]) -> list[dict[str, object]]:
    names = ("side", "name", "mentions", "topics", "links", "errors", "in_parts")
    return [{name: getattr(chain, name) for name in names} for chain in chains]
