"""The page of `cdec diagnose`: a section for each system and each pair of consecutive systems.

A section opens with what the system finds, its links by kind and the worst chains. The rest of the
tables is its details: folded in HTML, and left out of the terminal unless all is asked for.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Unpack

import pandas as pd

from cdec.api import Responses, system_of, without_stratum
from cdec.clustering import Clustering, Side
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
from cdec.diagnosis.seen import Train
from cdec.diagnosis.side_by_side import side_section
from cdec.diagnosis.strata import Strata, signature_of, strata_sections
from cdec.errors import check_number, warn_of
from cdec.evaluation.experiment import Experiment, prepare
from cdec.files.progress import notebook
from cdec.language.heads import heads
from cdec.matching.alignment import Alignment
from cdec.matching.coverage import treated
from cdec.matching.policy import DEFAULT_POLICY, Choices, FilePolicy
from cdec.metrics import REGISTRY
from cdec.metrics.scores import DEFAULT
from cdec.pairs.within import F1, f1_table
from cdec.render.analysis import Analysis
from cdec.render.charts import bar_chart
from cdec.render.page import Block, Chart, Columns, Page, Section, Table, anchor, percent
from cdec.settings import Setting, Settings
from cdec.signature import in_json

_MOST_CHAINS = 1_000_000  # that a page shows
_TOP_LEMMAS = 15
_KINDS = {**KINDS, ALL: "all links"}
_WORST: dict[Side, str] = {"response": "wrong", "key": "missed"}
_TITLES: Columns = {
    "side": "Side",
    "short": "Chain",
    "edit": ("Edit", {"split": "split a chain", "join": "join the parts of a chain"}),
    "lemma": "Lemma",
    "kind": ("Links", _KINDS),
    "heads": ("Heads", {**LEMMAS, ALL: "all"}),
    "size": "Size",
    "mentions": "Mentions",
    "topics": "Topics",
    "key_chains": "Key chains",
    "response_chains": "Response chains",
    "edits": "Edits",
    "chains": "Chains",
    "exact": "Exact",
    "in_parts": "Parts",
    "errors": "Errors",
    "links": "Links",
    "right": "Right",
    "missed": "Missed",
    "wrong": "Wrong",
    "share": ("%", percent),
    "cost": ("B³", percent),
    "precision": ("P", percent),
    "recall": ("R", percent),
    "f1": ("F", percent),
}


def _shown(title: str, columns: str, legend: str, heads: int = 2) -> Table:
    return Table(title, {name: _TITLES[name] for name in columns.split()}, legend, heads)


_LINKS = _shown(
    "Links by kind",
    "kind right missed wrong precision recall f1",
    "Right: in key and response. Missed: in the key only. Wrong: in the response only.{undefined}",
    heads=1,
)
_CHAINS = _shown(
    "The chains with the most wrong, and the most missed links",
    "side short mentions in_parts errors share cost",
    "Errors: wrong links of a response chain, missed ones of a key chain; %: of all. Parts: chains "
    "of the other side. B³: points of precision, or recall, that the chain costs.",
)
_HEADS = _shown(
    "Links by kind and head lemmas",
    "kind heads right missed wrong precision recall f1",
    "Heads: whether the head words of the two mentions have the same lemma. The totals are the "
    "coreference counts of BLANC under this setting.{undefined}",
)
_EDITS = _shown(
    "Edits from response to key",
    "edit kind edits chains",
    "The edits that turn the response into the key. A response chain with mentions of k key chains "
    "needs k − 1 splits, a key chain in k response chains k − 1 joins.\n"
    "Links: the smallest unit that two of the separated or joined parts share. Chains: number of "
    "chains that are split or joined.",
)
_SIZES = _shown(
    "Chains by size",
    "side size chains exact links right share",
    "Exact: chains with the same mentions on the other side. Right: links that the other side also "
    "has; %: recall for key chains, precision for response chains.{undefined}",
)
_LEMMAS = _shown(
    "Ambiguous lemmas",
    "lemma mentions topics key_chains response_chains right missed wrong",
    "Ambiguous: the head lemma of mentions of several key chains. The table has {top} of "
    "{lemmas:,}, those with the most wrong and missed links. Only links between two "
    "mentions of the lemma count.",
    heads=1,
)
_LOSS = Table(
    "F1 with perfect mentions or perfect links",
    F1,
    "Perfect mentions: mentions that are not in the key are removed, missing ones added as "
    "singletons. Perfect links: each mention of the key gets its key chain, the others are "
    "singletons.\n"
    "{label} F is {lost[0]} points below 100; {lost[1]} with perfect mentions, {lost[2]} with "
    "perfect links.",
)


def diagnose(
    corpus: Corpus,
    responses: Responses,
    *,
    setting: Settings = "simple",
    top: int = 5,
    nlp: str | None = None,
    policy: FilePolicy = DEFAULT_POLICY,
    by: str | None = None,
    train: Train = None,
    **choices: Unpack[Choices],
) -> Analysis[Experiment]:
    """Show the errors of systems: links by kind, edits, sizes, lemmas, worst chains.

    As ``cdec diagnose`` does; of several responses, each is compared with the next. ``top`` is the
    number of worst chains of each side, ``nlp`` the pipeline that finds lemmas and heads (hanta),
    ``policy`` and its choices as in ``evaluate``. ``by`` also divides the links by a stratum, such
    as "lemma" or "size"; "seen" and "seen-lemma" need ``train``, the part of the corpus whose key
    says what was seen.
    Raises as ``evaluate`` does, and UsageError if the mentions have no topics.

    >>> from cdec import load_corpus
    >>> found = diagnose(load_corpus("sample", "test"), "lemma", top=1)
    >>> found.to_frame()["section"].iloc[0]
    'diagnosis-simple-lemma'
    """
    check_number("top", top, 0, _MOST_CHAINS)
    if by is None and isinstance(train, Corpus):
        raise without_stratum()
    policy = policy.with_choices(nlp, **choices)
    experiment = prepare(corpus, responses, system_of, policy=policy, setting=setting)
    warn_of(experiment.notices)
    part, sections, answers = experiment.part, list[Section](), []
    nlp = nlp or "hanta"
    strata = Strata.of(by, part, train, nlp, notebook()) if by else None
    lemmas = heads(part, nlp, notebook())["lemma"]
    for one in experiment.settings:
        for run in experiment.runs:
            answer, own = _sections(run, one, part, lemmas, top)
            answers.append(answer)
            sections += own if run.has_same_mentions else [*own, _loss(run, one)]
        for pair in pairwise(experiment.runs):
            sections += side_section(pair, one, part, lemmas)
    sections += strata_sections(experiment, strata) if strata else ()
    about = signature_of(experiment, {"heads": nlp, **(strata.signed if strata else {})})
    page = Page("Diagnosis", tuple(sections), tuple(answers), (str(about),), in_json(about))
    return Analysis(experiment, page, experiment.notices)


def _sections(
    run: Alignment, setting: Setting, corpus: Corpus, lemmas: pd.Series[str], top: int
) -> tuple[str, list[Section]]:
    """Return the answer, and the sections of one system: the first has the data of both."""
    facts = facts_of(scored(run, setting), lemmas)
    listed = [one for side in _WORST for one in worst_chains(facts, run, corpus, side, top)]
    tables = {
        "links": link_table(facts),
        "edits": edit_table(facts),
        "mentions": mention_table(facts),
        "sizes": size_table(facts),
        "lemmas": lemma_table(facts),
        "worst": pd.DataFrame([row for row, _ in listed]),
    }
    kinds = tables["links"][tables["links"]["lemma"] == ALL].set_index("kind", drop=False)
    blocks: list[Block] = [_LINKS.grid(kinds), _chart(kinds, run.name, setting)]
    if listed:
        worst = tables["worst"]
        every = worst["side"].map({side: kinds[word][ALL] for side, word in _WORST.items()})
        names = worst["name"].where(worst["side"] != "key", worst["name"].str.rpartition(", ")[2])
        names = names.map(lambda name: name if len(name) < 25 else f"{name[:23]}…")
        blocks.append(_CHAINS.grid(worst.assign(share=worst["errors"] / every, short=names)))
    edits = pd.concat([tables["edits"], tables["mentions"].astype(object)])
    details: list[Block] = [
        _HEADS.grid(tables["links"].assign(heads=tables["links"]["lemma"])),
        _EDITS.grid(edits),
        _SIZES.grid(tables["sizes"]),
    ]
    if shown := len(ambiguous := tables["lemmas"].head(_TOP_LEMMAS)):
        details.append(_LEMMAS.grid(ambiguous, top=shown, lemmas=len(tables["lemmas"])))
    about = {"system": run.name, "setting": setting.name}
    data = [t.astype(object).assign(**about, table=n) for n, t in tables.items() if len(t)]
    id_, title = anchor("diagnosis", setting.name, run.name), f"{run.name} ({setting.label})"
    folded = (*details, *(listing for _, listing in listed))
    return _answer(kinds, title), [
        Section(id_, f"{title}: where it errs", tuple(blocks), pd.concat(data, ignore_index=True)),
        Section(f"{id_}-details", f"{title}: details", folded, folded=True),
    ]


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


def _loss(run: Alignment, setting: Setting) -> Section:
    """Return the section on the loss by mentions and by links.

    * Perfect mentions, same links: response mentions that are not in the key are removed, and key
      mentions that the response lacks become singletons, because it has no links for them.
    * Perfect links, same mentions: each response mention of the key gets its key chain; the others
      become singletons.
    """
    mentions, known = run.mentions, run.mentions["key"].notna()
    perfect = treated(mentions.assign(response=mentions["response"].where(known)), "singletons")
    own = "own:" + mentions.index.to_series().astype(str)
    chains = ("key:" + mentions["key"].astype(str)).where(known, own)[mentions["response"].notna()]
    versions = {
        "as it is": run,
        "perfect mentions, same links": replace(run, mentions=perfect),
        "perfect links, same mentions": run.having("response", Clustering(chains.astype(object))),
    }
    table = f1_table(versions, setting)
    lost = list(map(percent, 1 - table[DEFAULT[-1]]))
    grid = _LOSS.grid(table, label=REGISTRY[DEFAULT[-1]].label, lost=lost)
    data = table.assign(system=run.name, setting=setting.name, table="loss")
    title = f"{run.name}: loss by mentions and by links ({setting.label})"
    return Section(anchor("loss", setting.name, run.name), title, (grid,), data)
