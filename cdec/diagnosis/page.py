"""The page of `cdec diagnose`: a section for each system and each pair of consecutive systems.

A section opens with what the system finds, its links by kind and the worst chains. The rest of the
tables is its details: folded in HTML, and left out of the terminal unless all is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise

import pandas as pd

from cdec.clustering import Side
from cdec.corpus.model import Corpus
from cdec.diagnosis.chains import lemma_table, size_table, worst_chains
from cdec.diagnosis.links import (
    ALL,
    KINDS,
    LEMMAS,
    edit_table,
    facts_of,
    link_table,
    mention_table,
    scored,
)
from cdec.diagnosis.side_by_side import side_section
from cdec.diagnosis.strata import Strata, signature_of, strata_sections
from cdec.evaluation.experiment import Experiment
from cdec.matching.alignment import Alignment
from cdec.pairs.bounds import bounds_sections, loss_section, standing_section
from cdec.pairs.within import Decisions
from cdec.render.charts import bar_chart
from cdec.render.numbers import percent
from cdec.render.page import Block, Chart, Page, Section, anchor
from cdec.render.table import Columns, Table
from cdec.settings import Setting
from cdec.signature import in_json

_TOP_LEMMAS = 15
_KINDS = {**KINDS, ALL: "all links"}
_COUNTS: Columns = {"right": "Right", "missed": "Missed", "wrong": "Wrong"}
_RATES: Columns = {"precision": ("P", percent), "recall": ("R", percent), "f1": ("F", percent)}
_WORST: dict[Side, str] = {"response": "wrong", "key": "missed"}
_LINKS = Table(
    "Links by kind",
    {"kind": ("Links", _KINDS), **_COUNTS, **_RATES},
    "Right: in key and response. Missed: in the key only. Wrong: in the response only.{undefined}",
)
_CHAINS = Table(
    "The chains with the most wrong, and the most missed links",
    {
        "side": "Side",
        "short": "Chain",
        "mentions": "Mentions",
        "in_parts": "Parts",
        "errors": "Links",
        "share": ("% of all", percent),
        "cost": ("B³", percent),
    },
    "Links: wrong ones of a response chain, missed ones of a key chain. Parts: chains of the other "
    "side. B³: points of precision, or recall, that the chain costs.",
    heads=2,
)
_HEADS = Table(
    "Links by kind and head lemmas",
    {"kind": ("Links", _KINDS), "lemma": ("Heads", {**LEMMAS, ALL: "all"}), **_COUNTS, **_RATES},
    "Heads: whether the head words of the two mentions have the same lemma. The totals are the "
    "coreference counts of BLANC under this setting.{undefined}",
    heads=2,
)
_EDITS = Table(
    "Edits from response to key",
    {
        "edit": ("Edit", {"split": "split a chain", "join": "join the parts of a chain"}),
        "kind": ("Where", {**KINDS, ALL: "all"}),
        "edits": "Edits",
        "chains": "Chains",
    },
    "The edits that turn the response into the key. A response chain with mentions of k key chains "
    "needs k − 1 splits, a key chain in k response chains k − 1 joins.\n"
    "Where: the smallest unit that two of the separated or joined parts share. Chains: number of "
    "chains that are split or joined.",
    heads=2,
)
_SIZES = Table(
    "Chains by size",
    {
        "side": "Side",
        "size": "Mentions",
        "chains": "Chains",
        "exact": "Exact",
        "links": "Links",
        "right": "Right",
        "share": ("Right %", percent),
    },
    "Exact: chains with the same mentions on the other side. Right: links that the other side also "
    "has. Right %: recall for key chains, precision for response chains.{undefined}",
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
    candidates: Decisions | None = None,
    strata: Strata | None = None,
) -> Page:
    """Return the page for all systems and settings, with the ``top`` worst chains of each side.

    ``lemmas`` maps mention id → lemma of the head, ``nlp`` is their pipeline. With ``candidates``,
    it begins with the bounds within them; with ``strata``, it ends with those. Raises UsageError if
    the mentions have no topics.
    """
    sections = [*bounds_sections(experiment, candidates, corpus)] if candidates else []
    answers = []
    for setting in experiment.settings:
        for run in experiment.runs:
            answer, own = _sections(run, setting, corpus, lemmas, top)
            answers.append(answer)
            sections += [*own, *loss_section(run, setting), *standing_section(run, setting)]
        for pair in pairwise(experiment.runs):
            sections += side_section(pair, setting, corpus, lemmas)
    sections += strata_sections(experiment, strata) if strata else ()
    about = signature_of(experiment, {"heads": nlp, **(strata.signed if strata else {})})
    return Page("Diagnosis", tuple(sections), tuple(answers), (str(about),), in_json(about))


def _sections(
    run: Alignment, setting: Setting, corpus: Corpus, lemmas: pd.Series[str], top: int
) -> tuple[str, list[Section]]:
    """Return the answer, and the sections of one system: the first has the data of both."""
    facts = facts_of(scored(run, setting), lemmas)
    listed = {side: [*worst_chains(facts, run, corpus, side, top)] for side in _WORST}
    rows = [row for chains in listed.values() for row, _ in chains]
    tables = {
        "links": link_table(facts),
        "edits": edit_table(facts),
        "mentions": mention_table(facts),
        "sizes": size_table(facts),
        "lemmas": lemma_table(facts),
        "worst": pd.DataFrame(rows),
    }
    kinds = tables["links"][tables["links"]["lemma"] == ALL].set_index("kind", drop=False)

    def details() -> Iterator[Block]:
        yield _HEADS.grid(tables["links"])
        yield _EDITS.grid(pd.concat([tables["edits"], tables["mentions"].astype(object)]))
        yield _SIZES.grid(tables["sizes"])
        if shown := len(ambiguous := tables["lemmas"].head(_TOP_LEMMAS)):
            yield _LEMMAS.grid(ambiguous, top=shown, lemmas=len(tables["lemmas"]))
        yield from (listing for chains in listed.values() for _, listing in chains)

    blocks: list[Block] = [_LINKS.grid(kinds), _chart(kinds, run.name, setting)]
    if rows:
        worst = tables["worst"]
        every = worst["side"].map({side: kinds[word][ALL] for side, word in _WORST.items()})
        names = worst["name"].where(worst["side"] != "key", worst["name"].str.rpartition(", ")[2])
        names = names.map(lambda name: name if len(name) < 25 else f"{name[:23]}…")
        blocks.append(_CHAINS.grid(worst.assign(share=worst["errors"] / every, short=names)))
    about = {"system": run.name, "setting": setting.name}
    data = [t.astype(object).assign(**about, table=n) for n, t in tables.items() if len(t)]
    id_, title = anchor("diagnosis", setting.name, run.name), f"{run.name} ({setting.label})"
    own = [
        Section(id_, f"{title}: where it errs", tuple(blocks), pd.concat(data, ignore_index=True)),
        Section(f"{id_}-details", f"{title}: details", tuple(details()), folded=True),
    ]
    return _answer(kinds, title), own


def _answer(kinds: pd.DataFrame, title: str) -> str:
    """Return the sentence on the links that are found and right, and where most errors are."""
    every, parts = kinds.loc[ALL], kinds.drop(index=ALL)
    text = (
        f"{title} finds {every['right']:,} of {every['right'] + every['missed']:,} key links, and "
        f"{every['right']:,} of its {every['right'] + every['wrong']:,} links are right."
    )
    most = {word: parts[word].idxmax() for word in _WORST.values() if every[word]}
    errors = [f"{w} {KINDS[str(kind)]} ({parts[w].max():,})" for w, kind in most.items()]
    return f"{text} Most are {', most '.join(errors)}." if errors else text


def _chart(kinds: pd.DataFrame, system: str, setting: Setting) -> Chart:
    """Return a bar chart: links of the key (right, missed) and response (right, wrong) by kind."""
    bars, described = {}, []
    for row in kinds.to_dict("records"):
        kind, right, missed, wrong = (row[n] for n in ("kind", "right", "missed", "wrong"))
        of_key = ("of the key", right, missed, "missed")
        bars[_KINDS[kind]] = [of_key, ("of the response", right, wrong, "wrong")]
        described.append(f"{_KINDS[kind]}: {right:,} right, {missed:,} missed, {wrong:,} wrong")
    title = f"Links of {system} by kind"
    caption = f"{title}, {setting.label}: filled right, hatched missed or wrong."
    return Chart(partial(bar_chart, title, "; ".join(described), bars), caption)
