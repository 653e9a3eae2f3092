"""The error browser: the data that the page of `cdec diagnose` shows with its script.

A *view* has the chains of two sides: key and response of a run, or the chains of two systems, of
which each has links that the other lacks. All views share documents and mentions. The script shows
what is here, and counts nothing that a table has.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd

from cdec.arrays import StrSeries
from cdec.clustering import SIDES
from cdec.corpus.model import Corpus
from cdec.diagnosis.chains import WORDS, chain_errors, chain_names
from cdec.diagnosis.document import own_file
from cdec.diagnosis.links import (
    ALL,
    KINDS,
    facts_of,
    groups,
    kind_labels,
    link_table,
    links_of_chains,
    scored_mentions,
)
from cdec.diagnosis.side_by_side import joint_mentions, links_by_owner
from cdec.evaluation.experiment import Experiment
from cdec.matching.alignment import Alignment
from cdec.metrics import REGISTRY, score
from cdec.metrics.scores import DEFAULT
from cdec.records import Row
from cdec.render.page import App, percent
from cdec.settings import Setting, as_settings

_METRICS = (DEFAULT[-1], *DEFAULT[:-1])  # the mean first
_ERRORS = [f"errors_{kind}" for kind in KINDS]


def browser(experiment: Experiment, lemmas: StrSeries) -> App:
    """Return the error browser of the runs of an experiment, and of consecutive pairs of them."""
    return App(
        own_file("browser.html"),
        own_file("browser.css"),
        own_file("browser.js"),
        partial(browser_data, experiment, lemmas),
    )


def browser_data(experiment: Experiment, lemmas: StrSeries) -> Row:
    """Return documents, mentions and views of the error browser, for JSON."""
    corpus: Corpus = experiment.part
    mentions = pd.concat([run.mentions for run in experiment.runs])
    mentions = mentions[~mentions.index.duplicated()]
    views = []
    for setting in experiment.settings:
        for run in experiment.runs:
            facts = facts_of(scored_mentions(run, setting), lemmas)
            chains = mentions.assign(response=run.mentions["response"])
            view = _view(facts, chains, corpus, SIDES)
            view["scores"] = _scores(run, corpus, experiment)
            views.append({**view, "system": run.name, **_about(setting)})
        for pair in pairwise(experiment.runs):
            table = joint_mentions(pair, setting)
            facts = facts_of(table, lemmas, ("key", "a", "b"))
            first, second = (run.mentions["response"] for run in pair)
            chains = mentions.assign(a=first, b=second)
            view = _view(facts, chains, corpus, ("a", "b"))
            names = [run.name for run in pair]
            views.append({**view, "systems": names, **_about(setting)})
    smallest = [*corpus.levels][-1:]  # none in a corpus without levels
    documents = []
    for document in corpus.documents.values():
        unit = "".join(getattr(document, level) for level in smallest)
        documents.append([document.id, unit, [*map(_packed, document.sentences)]])
    return {
        "corpus": f"{corpus.name}, {corpus.part}",
        "unit": "".join(corpus.levels[level] for level in smallest),
        "metrics": {metric: REGISTRY[metric].label for metric in _METRICS},
        "kinds": [kind_labels(corpus.levels).get(kind, "") for kind in KINDS],
        "documents": documents,
        "mentions": [*_places(mentions, corpus)],
        "views": views,
    }


def _packed(tokens: Sequence[str]) -> str | Sequence[str]:
    """Return a sentence as its words in one text, which is shorter, if that divides alike."""
    text = " ".join(tokens)
    if text and text.split(" ") == [*tokens]:
        return text
    return tokens


def _about(setting: Setting) -> Row:
    return {"setting": setting.name, "label": setting.label}


def _scores(run: Alignment, corpus: Corpus, experiment: Experiment) -> list[Row]:
    """Return the F1 of each metric, in percent, under every setting that the corpus allows."""
    rows = []
    for setting in as_settings("all", corpus):
        mentions = setting.build(run.mentions)
        scores = score(mentions, _METRICS, rules=experiment.rules)
        f1 = {metric: percent(scores[metric].f1) for metric in _METRICS}
        rows.append({**_about(setting), "f1": f1})
    return rows


def _places(mentions: pd.DataFrame, corpus: Corpus) -> Iterable[list[object]]:
    """Yield number of document and sentence, tokens in it, text, and places of each mention.

    A mention that the corpus does not have is in document −1. The places are numbers of document,
    sub-topic, topic and corpus: the first that two mentions share is the distance of their link.
    """
    levels = ("topic", "subtopic", "doc")
    numbers = [groups(mentions, *levels[:depth]) for depth in (3, 2, 1)]
    places = np.stack([*numbers, np.zeros(len(mentions), int)], axis=1).tolist()
    number_of_document = {doc: number for number, doc in enumerate(corpus.documents)}
    columns = ["doc", "sentence", "start", "end", "tokens", "text"]
    rows = mentions[columns].itertuples(index=False, name=None)
    for row, place in zip(rows, places, strict=True):
        doc, sentence, start, end, gapped, text = row
        if sentence < 0:
            yield [-1, 0, [], str(text), place]
            continue
        first = corpus.documents[doc].sentence_starts[sentence]
        tokens = gapped or range(int(start), int(end) + 1)
        positions = [int(token) - first for token in tokens]
        yield [number_of_document[doc], int(sentence), positions, text, place]


def _view(
    facts: pd.DataFrame,
    mentions: pd.DataFrame,
    corpus: Corpus,
    sides: Sequence[str],
) -> Row:
    """Return the chains of two sides, the chain of each mention, and links by distance.

    The chain of a mention that a side lacks is −1, and −2 if the setting leaves it out.
    """
    of_key = sides[0] == "key"
    named = sides if of_key else ("key", *sides)
    codes = facts.reindex(mentions.index)[[*named]].fillna(-1).astype(int)
    is_left_out = (codes < 0) & mentions[[*named]].notna()
    codes = codes.mask(is_left_out, -2)
    chains = {}
    for side, other in zip(sides, reversed(sides), strict=True):
        table = chain_errors(facts, side, other)
        if not of_key:
            right = links_of_chains(facts, side, "key").sum(axis=1)
            both = links_of_chains(facts, side, "key", other).sum(axis=1)
            # A chain without a mention of the key has no right links.
            right = right.sub(both, fill_value=0)
            table["right"] = right.reindex(table.index, fill_value=0)
        chains[side] = table
    return {
        "sides": sides,
        "codes": {side: codes[side].tolist() for side in named},
        "chains": {
            side: _chains(facts, mentions, side, corpus, chains.get(side))
            for side in named
        },
        "links": _links(facts, of_key=of_key),
    }


def _chains(
    facts: pd.DataFrame,
    mentions: pd.DataFrame,
    side: str,
    corpus: Corpus,
    table: pd.DataFrame | None,
) -> list[Row]:
    """Return lemmas and places of each chain of a side; of those with errors also their numbers."""
    names = chain_names(facts, mentions, side, corpus.levels)
    chains: list[Row] = [
        {"tally": tally[:WORDS], "units": units}
        for tally, units in zip(names["tally"], names["units"], strict=True)
    ]
    if table is None:
        return chains
    for chain, row in zip(chains, table.to_dict("records"), strict=True):
        if row["cost"] > 0:
            chain["points"] = round(100 * row["cost"], 4)
            chain["errors"] = [row[column] for column in _ERRORS]
            chain["right"] = int(row.get("right", 0))
    return chains


def _links(facts: pd.DataFrame, *, of_key: bool) -> list[list[int]]:
    """Return the numbers of links by kind: right, missed and wrong, or those of one system only."""
    if of_key:
        table = link_table(facts)
        columns: Sequence[str] = ["right", "missed", "wrong"]
    else:
        table = links_by_owner(facts)
        columns = ["a_right", "a_wrong", "b_right", "b_wrong"]
    is_kind = (table["lemma"] == ALL) & (table["kind"] != ALL)
    return [[int(value) for value in row] for row in table[is_kind][columns].to_numpy()]
