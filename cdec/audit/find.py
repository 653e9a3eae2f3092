"""Run the detectors on a key: their results as tables, one row for each suspected error.

``prepare`` is the part that does not depend on the key; a benchmark reuses it for many keys.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from cdec.arrays import Floats, Ints, Singles
from cdec.audit.config import AuditConfig
from cdec.audit.detect.copies import copies_differ
from cdec.audit.detect.duplicates import duplicates, recurring
from cdec.audit.detect.evidence import (
    between_chains,
    companions,
    inside_chains,
    of_members,
    rivals,
    rounded,
)
from cdec.audit.detect.held_out import Rows, held_out
from cdec.audit.detect.no_event import no_events
from cdec.audit.detect.pool import Design, Pool, no_pairs, pool
from cdec.audit.detect.svm import Anchored, anchored
from cdec.audit.detect.tags import contradictions
from cdec.audit.detect.two_events import two_events
from cdec.corpus.model import Corpus
from cdec.io.progress import Progress, silent

LEARNED = ("svm", "held-out")
NEARLY = 0.6  # smallest |a| of an unlinked pair that counts as a companion


@dataclass(frozen=True, eq=False)
class Prepared:
    """Data of a corpus for any key.

    ``pool`` and ``x`` are the candidate pairs and their columns, ``alike`` the mentions at the same
    position of similar sentences, ``copies`` the differences between copies of a sentence and
    ``words`` the mentions that are function words; the last two are empty unless their detectors
    were chosen.
    """

    pool: Pool
    design: Design = field(repr=False)
    x: Singles = field(repr=False)
    alike: pd.DataFrame = field(repr=False)
    copies: pd.DataFrame = field(repr=False)
    words: pd.DataFrame = field(repr=False)


@dataclass(frozen=True, eq=False)
class Finds:
    """The unfiltered results of the detectors on one key.

    ``links``: one row for each pair of chains, from ``between_chains``: ``svm`` and ``held-out``
    (soft maximum of the margins), ``slack`` and ``companions`` (|a| of the strongest pair, and the
    number of its companions), ``left`` and ``right`` (rows of the mentions of that pair) and
    ``group``, the row in ``groups`` of both chains, or −1.
    ``groups``: chains in similar sentences, from ``recurring``, with the maxima of the columns
    above. ``members``: from ``of_members``, with ``slack``, ``left``, ``right`` and, for the most
    similar mention of another chain, ``rival-rival`` (its row), ``rival-svm`` and
    ``rival-held-out``. ``chains``: from ``two_events``. ``tags``: from the detector of this name.
    ``copies`` and ``words``: as in ``Prepared``. ``chain``: chain code of each mention. ``names``:
    chain labels by code. The columns of a detector that was not chosen are missing.
    """

    links: pd.DataFrame
    groups: pd.DataFrame
    members: pd.DataFrame
    chains: pd.DataFrame
    tags: pd.DataFrame
    copies: pd.DataFrame
    words: pd.DataFrame
    chain: Ints = field(repr=False)
    names: pd.Index[str] = field(repr=False)
    model: Anchored | None = field(repr=False, default=None)


def prepare(corpus: Corpus, config: AuditConfig, progress: Progress = silent) -> Prepared:
    """Return the data of ``corpus`` that do not depend on the key.

    Raises LanguageError as ``heads`` does, CorpusError if the corpus has no candidate pairs.
    """
    candidates = pool(corpus, config, progress)
    if not len(candidates.pairs):
        raise no_pairs(corpus, "no two event mentions are similar enough to compare")
    design = Design.fit(candidates.features)
    x = design.apply(candidates.features)
    chosen = config.detectors
    copies = copies_differ(corpus) if "copies" in chosen else pd.DataFrame()
    words = pd.DataFrame()
    if "no-event" in chosen:
        words = no_events(corpus, config.pipeline, progress)
    alike = duplicates(corpus, config.identity)
    return Prepared(candidates, design, x, alike, copies, words)


def find(
    corpus: Corpus, prepared: Prepared, config: AuditConfig, progress: Progress = silent
) -> Finds:
    """Return the results of the detectors of ``config`` on the key of ``corpus``.

    Raises CorpusError as ``held_out`` does.
    """
    codes, names = pd.factorize(corpus.selected["chain"])
    chain = codes.astype(np.int64)
    inside = inside_chains(chain)
    scores, inside_scores, model = _learned(corpus, prepared, chain, inside, config, progress)
    links, members, chains = (pd.DataFrame() for _ in range(3))
    if scores:
        links = _links(corpus, prepared, chain, scores, model)
        members = _members(prepared, chain, inside, scores, inside_scores)
    if scores and "two-events" in config.detectors:
        roots = prepared.pool.mentions.codes["root"]
        chains = two_events(corpus, roots, chain, inside, inside_scores)
    groups = pd.DataFrame()
    if "duplicate" in config.detectors:
        groups, links = _recurring(links, prepared.alike, corpus, chain)
    tags = contradictions(corpus) if "tags" in config.detectors else pd.DataFrame()
    own = (prepared.copies, prepared.words, chain, pd.Index(names), model)
    return Finds(links, groups, members, chains, tags, *own)


def _links(
    corpus: Corpus,
    prepared: Prepared,
    chain: Ints,
    scores: dict[str, Floats],
    model: Anchored | None,
) -> pd.DataFrame:
    pairs = prepared.pool.pairs
    links = between_chains(pairs.left, pairs.right, chain, scores)
    best = links["pair"].to_numpy()
    links = links.assign(left=pairs.left[best], right=pairs.right[best])
    if model is not None:
        links["slack"] = model.anchors[best]
        links["companions"] = _companions(corpus, prepared, chain, model)[best]
    return links


def _members(
    prepared: Prepared,
    chain: Ints,
    inside: tuple[Ints, Ints],
    scores: dict[str, Floats],
    inside_scores: dict[str, Floats],
) -> pd.DataFrame:
    members = of_members(*inside, inside_scores)
    other = members["pair"].to_numpy()
    members = members.assign(left=inside[0][other], right=inside[1][other])
    pairs = prepared.pool.pairs
    nearest = rivals(pairs.left, pairs.right, chain, scores).add_prefix("rival-")
    members = members.join(nearest, on="mention")
    if "svm" in inside_scores:
        members["slack"] = 1 - inside_scores["svm"][members["pair"]]
    return members


def units_of(corpus: Corpus, rows: Ints) -> Ints:
    """Return the unit of each mention for the folds: topic, or sub-topic or document if one."""
    for name in ("topic", "subtopic", "doc"):
        units = pd.factorize(corpus.selected[name])[0].astype(np.int64)
        if len(np.unique(units[rows])) > 1:
            break
    return units


def _learned(  # noqa: PLR0917
    corpus: Corpus,
    prepared: Prepared,
    chain: Ints,
    inside: tuple[Ints, Ints],
    config: AuditConfig,
    progress: Progress,
) -> tuple[dict[str, Floats], dict[str, Floats], Anchored | None]:
    """Return the margins of the candidate pairs and of the pairs inside chains, and the SVM."""
    scores: dict[str, Floats] = {}
    inside_scores: dict[str, Floats] = {}
    model = None
    if not {*LEARNED, "companions"} & set(config.detectors):
        return scores, inside_scores, model
    pairs = prepared.pool.pairs
    linked = chain[pairs.left] == chain[pairs.right]
    others = prepared.design.apply(prepared.pool.describe(*inside))
    # One thread: several threads would add in another order and change the last digit.
    with threadpool_limits(1):
        if {"svm", "companions"} & set(config.detectors):
            model = anchored(prepared.x, linked, config.cost)
            model = replace(model, anchors=rounded(model.anchors))
            scores["svm"] = rounded(model.decide(prepared.x))
            inside_scores["svm"] = rounded(model.decide(others))
        if "held-out" in config.detectors:
            units = units_of(corpus, pairs.left)
            rows = (Rows(prepared.x, units[pairs.left]), Rows(others, units[inside[0]]))
            odds = held_out(rows[0], linked, rows[1], config.folds, progress)
            # Half the log-odds are comparable to an SVM margin f, whose odds are exp(2 f).
            scores["held-out"] = rounded(odds[0] / 2)
            inside_scores["held-out"] = rounded(odds[1] / 2)
    return scores, inside_scores, model


def _companions(corpus: Corpus, prepared: Prepared, chain: Ints, model: Anchored) -> Ints:
    """Return the number of companions of each pair, which are linked or nearly so by the SVM."""
    left, right = prepared.pool.pairs.left, prepared.pool.pairs.right
    places = corpus.selected["doc"] + "#" + corpus.selected["sentence"].astype(str)
    sentence = pd.factorize(places)[0].astype(np.int64)
    supported = (chain[left] == chain[right]) | (model.anchors > NEARLY)
    return companions(left, right, sentence, supported)


def _recurring(
    links: pd.DataFrame, alike: pd.DataFrame, corpus: Corpus, chain: Ints
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the groups of chains in similar sentences, and the links with column ``group``.

    ``group`` is −1 outside groups. A group has the highest value of each column of its links.
    """
    ids = corpus.selected.index
    places = {side: ids.get_indexer(pd.Index(alike[side])) for side in ("left", "right")}
    groups = recurring(alike.assign(**places), chain)
    if links.empty:
        return groups, links
    numbered = enumerate(groups["codes"])
    inside = [(*pair, number) for number, codes in numbered for pair in combinations(codes, 2)]
    table = pd.DataFrame(inside, columns=["one", "two", "group"], dtype=np.int64)
    links = links.merge(table.drop_duplicates(["one", "two"]), how="left", on=["one", "two"])
    links["group"] = links["group"].fillna(-1).astype(np.int64)
    maxima = [name for name in (*LEARNED, "slack", "companions") if name in links]
    return groups.join(links[links["group"] >= 0].groupby("group")[maxima].max()), links
