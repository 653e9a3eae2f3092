"""The page of `cdec diagnose`: a section for each system and each pair of consecutive systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import pandas as pd

from cdec.corpus.model import Corpus
from cdec.diagnosis.bounds import bounds_sections, loss_section
from cdec.diagnosis.candidates import Candidates
from cdec.diagnosis.diagnosis import Diagnosis, SideBySide, diagnose, side_by_side
from cdec.diagnosis.edits import JOIN, SPLIT
from cdec.diagnosis.links import ALL, KINDS, LEMMAS
from cdec.diagnosis.side_by_side import EXAMPLES, Example
from cdec.diagnosis.worst import worst_blocks, worst_frame
from cdec.evaluation.experiment import Experiment, plugins
from cdec.render.charts import Bar, bar_chart
from cdec.render.numbers import percent
from cdec.render.page import Block, Chart, Grid, Listing, Page, Section, anchor
from cdec.render.table import Columns, Table
from cdec.settings import signed
from cdec.signature import Signature, in_json

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
    yield from _grids(diagnosis)
    yield from worst_blocks(diagnosis.worst)


def _grids(diagnosis: Diagnosis) -> Iterator[Grid]:
    lemmas = diagnosis.lemmas.head(_TOP_LEMMAS)
    frames = {
        "links": diagnosis.links,
        "edits": pd.concat(
            [diagnosis.edits.astype({"chains": object}), diagnosis.mentions], ignore_index=True
        ),
        "sizes": diagnosis.sizes,
        "singletons": diagnosis.singletons.assign(what="singletons"),
        "topics": diagnosis.topics,
        **({"lemmas": lemmas} if len(lemmas) else {}),
    }
    for name, frame in frames.items():
        yield _TABLES[name].grid(frame, top=len(lemmas), lemmas=len(diagnosis.lemmas))


def link_chart(diagnosis: Diagnosis) -> Chart:
    """Return a bar chart: links of the key (right, missed) and response (right, wrong) by kind."""
    rows = diagnosis.links[diagnosis.links["lemma"] == ALL].to_dict("records")
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
    title = f"Links of {diagnosis.system} by kind"
    caption = f"{title}, {diagnosis.setting.label}: filled right, hatched missed or wrong."
    return Chart(bar_chart(title, description, bars), caption)


def _data(diagnosis: Diagnosis) -> pd.DataFrame:
    """Return all tables as one tidy table with the column ``table``."""
    names = ("links", "edits", "mentions", "sizes", "singletons", "topics", "lemmas")
    tables: dict[str, pd.DataFrame] = {name: getattr(diagnosis, name) for name in names}
    tables["worst"] = worst_frame(diagnosis.worst)
    named = {"system": diagnosis.system, "setting": diagnosis.setting.name}
    parts = [t.astype(object).assign(**named, table=name) for name, t in tables.items() if len(t)]
    table = pd.concat(parts, ignore_index=True)
    first = [*named, "table"]
    return table[[*first, *(column for column in table if column not in first)]]


def side_section(pair: SideBySide) -> Section:
    """Return the section with the links that only one of two systems has."""
    of_all = pair.links[pair.links["lemma"] == ALL]
    return Section(
        id=anchor("side", pair.setting.name, pair.a, pair.b),
        title=f"{pair.a} and {pair.b} side by side ({pair.setting.label})",
        blocks=(_WHO.grid(of_all, a=pair.a, b=pair.b), *_listings(pair)),
        data=pair.links.assign(a=pair.a, b=pair.b, setting=pair.setting.name),
    )


def _listings(pair: SideBySide) -> Iterator[Block]:
    names = {"a": pair.a, "b": pair.b}
    for outcome in EXAMPLES:
        examples = [example for example in pair.examples if example.outcome == outcome]
        kind = "Right" if outcome.endswith("right") else "Wrong"
        if examples:
            yield Listing(f"{kind} links of {names[outcome[0]]} only", tuple(_pairs(examples)))


def _pairs(examples: Sequence[Example]) -> Iterator[str]:
    for example in examples:
        yield f"{KINDS[example.kind]}:"
        for quote in (example.first, example.second):
            yield f"    – {quote.doc}: {quote.sentence}"
