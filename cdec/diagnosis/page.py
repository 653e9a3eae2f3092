"""The page of `cdec diagnose`: a section for each system and each pair of consecutive systems.

In HTML the error browser is in front of them (``cdec.diagnosis.browser``), and they are folded. A
section opens with what the system finds, its links by kind and the worst chains. The rest of the
tables is its details, which a terminal leaves out unless all is asked for.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, Unpack

import numpy as np
import pandas as pd

from cdec.api import without_stratum
from cdec.arrays import StrSeries
from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.diagnosis.browser import browser
from cdec.diagnosis.chains import (
    WORST,
    chain_names,
    examples,
    lemma_table,
    size_table,
    titled,
    worst_chains,
)
from cdec.diagnosis.links import (
    ALL,
    LEMMAS,
    edit_table,
    facts_of,
    kind_labels,
    link_table,
    mention_table,
    scored_mentions,
    with_labels,
)
from cdec.diagnosis.seen import Train
from cdec.diagnosis.side_by_side import side_section
from cdec.diagnosis.strata import Strata, signature_of, strata_sections
from cdec.errors import check_number, warn_of
from cdec.evaluation.experiment import Experiment, prepare
from cdec.evaluation.response import Responses
from cdec.files.progress import notebook
from cdec.language.heads import heads
from cdec.matching.alignment import Alignment
from cdec.matching.policy import DEFAULT_POLICY, Choices, FilePolicy
from cdec.matching.sides import treated
from cdec.metrics import REGISTRY
from cdec.metrics.scores import DEFAULT
from cdec.pairs.within import F1, f1_table
from cdec.render.analysis import Analysis
from cdec.render.charts import COLOURS, draw_chart, draw_legend
from cdec.render.page import (
    Block,
    Chart,
    Columns,
    Grid,
    Page,
    Section,
    Table,
    anchor,
    percent,
)
from cdec.settings import Setting, Settings
from cdec.signature import in_json

_LARGEST_TOP = 1_000_000  # that a page shows
_TOP_LEMMAS = 15
_FIRST = 3  # of the worst chains that are quoted at once
_TITLE_LENGTH = 28
# The parts of a bar, with their colour or hatch.
_BARS: Mapping[str, Mapping[str, str]] = {
    "right": {"color": COLOURS[0]},
    "missed": {"facecolor": "none", "edgecolor": COLOURS[1]},
    "wrong": {"facecolor": "none", "edgecolor": COLOURS[1], "hatch": "/////"},
}
_TITLES: Columns = {
    "side": "Side",
    "title": "Chain",
    "edit": ("Edit", {"split": "split a chain", "join": "join the parts of a chain"}),
    "lemma": "Lemma",
    "kind": "Links",
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


def _table_of(
    title: str,
    columns: str,
    legend: str,
    heads: int = 2,
) -> Table:
    return Table(
        title, {name: _TITLES[name] for name in columns.split()}, legend, heads
    )


_LINKS = _table_of(
    "Links by kind",
    "kind right missed wrong precision recall f1",
    "Right: in key and response. Missed: in the key only. Wrong: in the response only.{undefined}",
    heads=1,
)
_CHAINS = _table_of(
    "The chains that cost most",
    "side title mentions in_parts errors share cost",
    "Errors: wrong links of a response chain, missed ones of a key chain; %: of all. Parts: chains "
    "of the other side. B³: points of precision, or recall, that the chain costs.",
)
_HEADS = _table_of(
    "Links by kind and head lemmas",
    "kind heads right missed wrong precision recall f1",
    "Heads: whether the head words of the two mentions have the same lemma. The totals are the "
    "coreference counts of BLANC under this setting.{undefined}",
)
_EDITS = _table_of(
    "Edits from response to key",
    "edit kind edits chains",
    "The edits that turn the response into the key. A response chain with mentions of k key chains "
    "needs k − 1 splits, a key chain in k response chains k − 1 joins.\n"
    "Links: the smallest unit that two of the separated or joined parts share. Chains: number of "
    "chains that are split or joined.",
)
_SIZES = _table_of(
    "Chains by size",
    "side size chains exact links right share",
    "Exact: chains with the same mentions on the other side. Right: links that the other side also "
    "has; %: recall for key chains, precision for response chains.{undefined}",
)
_LEMMAS = _table_of(
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
    setting: Settings = "pure",
    top: int = 5,
    nlp: str | None = None,
    policy: FilePolicy = DEFAULT_POLICY,
    by: str | None = None,
    train: Train = None,
    **choices: Unpack[Choices],
) -> Analysis[Experiment]:
    """Show the errors of systems: links by distance, the chains that cost most, edits, lemmas.

    As ``cdec diagnose`` does; of several responses, each is compared with the next. A notebook and
    HTML show the error browser, ``to_frame`` has the numbers; its table ``worst`` has the ``top``
    chains of each side by cost. ``nlp`` is the pipeline that finds lemmas and heads (hanta),
    ``policy`` and its choices as in ``evaluate``. ``by`` also divides the links by a stratum, such
    as "lemma" or "size"; "seen" and "seen-lemma" need ``train``, the part of the corpus whose key
    says what was seen.
    Raises as ``evaluate`` does, and UsageError if the mentions have no topics.

    >>> from cdec import load_corpus
    >>> found = diagnose(load_corpus("sample", "test"), "lemma", top=1)
    >>> found.to_frame()["section"].iloc[0]
    'diagnosis-pure-lemma'
    """
    check_number("top", top, 0, _LARGEST_TOP)
    if by is None and isinstance(train, Corpus):
        raise without_stratum()
    policy = policy.with_choices(nlp, **choices)
    experiment = prepare(corpus, responses, policy=policy, setting=setting)
    warn_of(experiment.notices)
    part = experiment.part
    nlp = nlp or "hanta"
    strata = Strata.of(by, part, train, nlp, notebook()) if by else None
    lemmas = heads(part, nlp, notebook())["lemma"]
    answers = []
    sections = []
    for level in experiment.settings:
        for run in experiment.runs:
            answer, of_run = _sections(run, level, part, lemmas, top)
            answers.append(answer)
            sections += of_run
            if not run.has_same_mentions:
                sections.append(_loss(run, level))
        for pair in pairwise(experiment.runs):
            sections += side_section(pair, level, part, lemmas)
    fields = {"heads": nlp}
    if strata:
        sections += strata_sections(experiment, strata)
        fields.update(strata.signed)
    signature = signature_of(experiment, fields)
    names = ", ".join(run.name for run in experiment.runs)
    page = Page(
        f"Errors of {names} on {part.name}, {part.part}",
        tuple(sections),
        intro=tuple(answers),
        foot=(str(signature),),
        about=in_json(signature),
        app=browser(experiment, lemmas),
    )
    return Analysis(experiment, page, experiment.notices)


def _sections(
    run: Alignment,
    setting: Setting,
    corpus: Corpus,
    lemmas: StrSeries,
    top: int,
) -> tuple[str, list[Section]]:
    """Return the answer, and the sections of one system: the first has the data of both."""
    facts = facts_of(scored_mentions(run, setting), lemmas)
    names = {
        side: chain_names(facts, run.mentions, side, corpus.levels) for side in WORST
    }
    worst = worst_chains(facts, names, run, corpus, top)
    tables = {
        "links": link_table(facts),
        "edits": edit_table(facts),
        "mentions": mention_table(facts),
        "sizes": size_table(facts),
        "lemmas": lemma_table(facts),
        "worst": worst,
    }
    is_total = tables["links"]["lemma"] == ALL
    kinds = tables["links"][is_total].set_index("kind", drop=False)
    labels = kind_labels(corpus.levels)
    kinds = with_labels(kinds, labels)
    blocks: list[Block] = [_LINKS.grid(kinds), _chart(kinds, run.name, setting)]
    if len(worst):
        blocks.append(_worst_grid(worst, kinds))
    first = worst.head(_FIRST)
    blocks += examples(facts, first, names, run, corpus, parts=2, quotes=1)
    listings = examples(facts, worst, names, run, corpus)
    data = []
    for name, table in tables.items():
        if len(table):
            columns = {"system": run.name, "setting": setting.name, "table": name}
            data.append(table.astype(object).assign(**columns))
    section_id = anchor("diagnosis", setting.name, run.name)
    title = f"{run.name} ({setting.label})"
    return _answer(kinds, title), [
        Section(
            section_id,
            f"{title}: where it errs",
            tuple(blocks),
            pd.concat(data, ignore_index=True),
        ),
        Section(
            f"{section_id}-details",
            f"{title}: details",
            (*_details(tables, labels), *listings),
            folded=True,
        ),
    ]


def _worst_grid(worst: pd.DataFrame, kinds: pd.DataFrame) -> Grid:
    """Return the worst chains as a table; ``kinds`` has all links by kind."""
    totals = {side: kinds[error][ALL] for side, error in WORST.items()}
    share = worst["errors"] / worst["side"].map(totals)
    titles = [_short_title(row) for row in worst.to_dict("records")]
    return _CHAINS.grid(worst.assign(share=share, title=titles))


def _short_title(chain: Mapping[Hashable, Any]) -> str:
    """Return the title of a chain, with as many of its words as a narrow terminal shows."""
    room = _TITLE_LENGTH - len(titled({**chain, "words": ""}))
    words = chain["words"]
    if len(words) > room:
        words = f"{words[: max(room, 1) - 1]}…"
    return titled({**chain, "words": words})


def _details(
    tables: Mapping[str, pd.DataFrame],
    labels: Mapping[str, str],
) -> list[Block]:
    by_kind = with_labels(tables["edits"], labels)
    edits = pd.concat([by_kind, tables["mentions"].astype(object)])
    of_heads = with_labels(tables["links"], labels)
    details: list[Block] = [
        _HEADS.grid(of_heads.assign(heads=of_heads["lemma"])),
        _EDITS.grid(edits),
        _SIZES.grid(tables["sizes"]),
    ]
    lemmas = tables["lemmas"]
    top = lemmas.head(_TOP_LEMMAS)
    if len(top):
        details.append(_LEMMAS.grid(top, top=len(top), lemmas=len(lemmas)))
    return details


def _answer(kinds: pd.DataFrame, title: str) -> str:
    """Return the sentence on the links that are found and right, and where most errors are."""
    total = kinds.loc[ALL]
    right = total["right"]
    text = (
        f"{title} finds {right:,} of {right + total['missed']:,} key links, and "
        f"{right:,} of its {right + total['wrong']:,} links are right."
    )
    parts = kinds.drop(index=ALL)
    errors = []
    for error in WORST.values():
        if total[error]:
            kind = parts["kind"].to_dict()[parts[error].idxmax()]
            errors.append(f"{error} {kind} ({parts[error].max():,})")
    if errors:
        text += f" Most are {', most '.join(errors)}."
    return text


def _chart(kinds: pd.DataFrame, system: str, setting: Setting) -> Chart:
    """Return a bar chart: the right, missed and wrong links by kind."""
    rows = kinds.drop(index=ALL)
    texts = {
        str(kind): f"{right:,} right, {missed:,} missed, {wrong:,} wrong"
        for kind, right, missed, wrong in rows[["kind", *_BARS]].itertuples(index=False)
    }
    sentences = [f"{kind}: {text}" for kind, text in texts.items()]
    title = f"Links of {system} by kind, {setting.label}"
    draw = partial(_draw_bars, rows=rows, texts=texts)
    return Chart(
        partial(draw_chart, draw, title, "; ".join(sentences), xlabel="Links"),
        f"{title}. A bar is as long as the links are many.",
        "distances",
    )


def _draw_bars(axes: Any, rows: pd.DataFrame, texts: Mapping[str, str]) -> None:
    """Draw a bar for each kind of links below its name and numbers."""
    places = np.arange(len(rows))
    left = np.zeros(len(rows))
    bars = []
    for name, look in _BARS.items():
        links = rows[name].to_numpy()
        # A bar of no links is missing: it would have an edge.
        length = np.where(links > 0, links, np.nan)
        bars.append(axes.barh(places, length, 0.3, left, linewidth=0.7, **look))
        left += links
    for place, (kind, text) in enumerate(texts.items()):
        side = {"va": "bottom", "in_layout": False}
        axes.text(0, place - 0.43, kind, fontweight="bold", **side)
        axes.text(0, place - 0.17, text, **side)
    axes.set(xlim=(0, left.max() or 1), ylim=(len(rows) - 0.7, -0.8), yticks=[])
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.locator_params(axis="x", nbins=4, integer=True)
    axes.spines["left"].set_visible(False)
    points = axes.xaxis.label.get_size()
    legend_rows = draw_legend(axes, bars, [*_BARS])
    lines = 4.6 * len(rows) + 1.6 * legend_rows + 4
    axes.figure.set_figheight(lines * points / 72)


def _loss(run: Alignment, setting: Setting) -> Section:
    """Return the section on the loss by mentions and by links.

    * Perfect mentions, same links: response mentions that are not in the key are removed, and key
      mentions that the response lacks become singletons, because it has no links for them.
    * Perfect links, same mentions: each response mention of the key gets its key chain; the others
      become singletons.
    """
    mentions = run.mentions
    in_key = mentions["key"].notna()
    response = mentions["response"]
    perfect_mentions = treated(
        mentions.assign(response=response.where(in_key)), "singletons"
    )
    key_chains = "key:" + mentions["key"].astype(str)
    singletons = "own:" + mentions.index.to_series().astype(str)
    perfect_links = key_chains.where(in_key, singletons)[response.notna()]
    versions = {
        "as it is": run,
        "perfect mentions, same links": replace(run, mentions=perfect_mentions),
        "perfect links, same mentions": run.having(
            "response", Clustering(perfect_links.astype(object))
        ),
    }
    table = f1_table(versions, setting)
    metric = DEFAULT[-1]
    lost = list(map(percent, 1 - table[metric]))
    grid = _LOSS.grid(table, label=REGISTRY[metric].label, lost=lost)
    data = table.assign(system=run.name, setting=setting.name, table="loss")
    return Section(
        anchor("loss", setting.name, run.name),
        f"{run.name}: loss by mentions and by links ({setting.label})",
        (grid,),
        data,
    )
