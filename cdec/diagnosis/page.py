"""The page of `cdec diagnose`: a section for each system and each pair of consecutive systems."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pandas as pd

from cdec.clustering import Side
from cdec.corpus.model import Corpus
from cdec.diagnosis.by_stratum import Strata, signature_of, strata_sections
from cdec.diagnosis.chains import lemma_table, size_table, worst_chains
from cdec.diagnosis.facts import mention_facts, scored
from cdec.diagnosis.links import ALL, KINDS, LEMMAS, edit_table, link_table, mention_table
from cdec.diagnosis.side_by_side import side_section
from cdec.evaluation.experiment import Experiment
from cdec.matching.alignment import Alignment
from cdec.pairs.bounds import bounds_sections, loss_section, standing_section
from cdec.pairs.within import Candidates
from cdec.render.charts.bars import Bar, bar_chart
from cdec.render.numbers import percent
from cdec.render.page import Block, Chart, Page, Section, Text, anchor
from cdec.render.table import Columns, Table
from cdec.settings import Setting
from cdec.signature import in_json

_TOP_LEMMAS = 15
_KINDS = {**KINDS, ALL: "all links"}
_HEADS = dict(zip(LEMMAS, ("same lemma", "different lemmas"), strict=True)) | {ALL: "all"}
_EDITS = {"split": "split a conflated chain", "join": "join parts of a divided chain"}
_COUNTS: Columns = {"right": "Right", "missed": "Missed", "wrong": "Wrong"}
_WORST: dict[Side, str] = {"response": "wrong", "key": "missed"}
_LINKS = Table(
    "Links by kind",
    {
        "kind": ("Links", _KINDS),
        "lemma": ("Heads", _HEADS),
        **_COUNTS,
        "precision": ("P", percent),
        "recall": ("R", percent),
        "f1": ("F", percent),
    },
    "A link is a pair of mentions of one chain. Right: in key and response. Missed: in the "
    "key only. Wrong: in the response only. The totals are the coreference counts of BLANC "
    "under this setting. Heads: whether the head words of the two mentions have the same "
    "lemma.{undefined}",
    heads=2,
)
_TURNS = Table(
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
)
_SIZES = Table(
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
)
_LEMMAS = Table(
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
    """Return the page for all systems and settings, with the ``top`` worst chains of each side.

    ``lemmas`` maps mention id → lemma of the head, ``nlp`` is their pipeline. With ``candidates``,
    it begins with the bounds within them; with ``strata``, it ends with those. Raises UsageError if
    the mentions have no topics.
    """
    sections = [*bounds_sections(experiment, candidates, corpus)] if candidates else []
    for setting in experiment.settings:
        for run in experiment.runs:
            sections.append(diagnosis_section(run, setting, corpus, lemmas, top))
            sections += [*loss_section(run, setting), *standing_section(run, setting)]
        for pair in pairwise(experiment.runs):
            sections.append(side_section(pair, setting, corpus, lemmas))
    sections += strata_sections(experiment, strata) if strata else ()
    about = signature_of(experiment, {"heads": nlp, **(strata.signed if strata else {})})
    return Page("Diagnosis", tuple(sections), (str(about),), in_json(about))


def diagnosis_section(
    run: Alignment, setting: Setting, corpus: Corpus, lemmas: pd.Series[str], top: int
) -> Section:
    """Return the section for one system, with the ``top`` worst chains of each side."""
    facts = mention_facts(scored(run, setting), lemmas)
    worst = {side: [*worst_chains(facts, run, corpus, side, top)] for side in _WORST}
    tables = {
        "links": link_table(facts),
        "edits": edit_table(facts),
        "mentions": mention_table(facts),
        "sizes": size_table(facts),
        "lemmas": lemma_table(facts),
        "worst": pd.DataFrame([row for side in worst.values() for row, _ in side]),
    }

    def blocks() -> Iterator[Block]:
        yield link_chart(tables["links"], run.name, setting)
        yield _LINKS.grid(tables["links"])
        yield _TURNS.grid(pd.concat([tables["edits"], tables["mentions"].astype(object)]))
        yield _SIZES.grid(tables["sizes"])
        if shown := len(ambiguous := tables["lemmas"].head(_TOP_LEMMAS)):
            yield _LEMMAS.grid(ambiguous, top=shown, lemmas=len(tables["lemmas"]))
        for side, chains in worst.items():
            if chains:
                yield Text(f"The {side} chains with the most {_WORST[side]} links:")
            yield from (listing for _, listing in chains)

    about = {"system": run.name, "setting": setting.name}
    data = [t.astype(object).assign(**about, table=n) for n, t in tables.items() if len(t)]
    return Section(
        id=anchor("diagnosis", setting.name, run.name),
        title=f"{run.name}: where it errs ({setting.label})",
        blocks=tuple(blocks()),
        data=pd.concat(data, ignore_index=True),
    )


def link_chart(links: pd.DataFrame, system: str, setting: Setting) -> Chart:
    """Return a bar chart: links of the key (right, missed) and response (right, wrong) by kind."""
    bars, described = [], []
    for row in links[links["lemma"] == ALL].to_dict("records"):
        kind, right, missed, wrong = (row[n] for n in ("kind", "right", "missed", "wrong"))
        kind = _KINDS[kind]
        bars.append(Bar("of the key", right, missed, "missed", kind))
        bars.append(Bar("of the response", right, wrong, "wrong", kind))
        described.append(f"{kind}: {right:,} right, {missed:,} missed, {wrong:,} wrong")
    title = f"Links of {system} by kind"
    caption = f"{title}, {setting.label}: filled right, hatched missed or wrong."
    return Chart(bar_chart(title, "; ".join(described), bars), caption)
