"""Run the detectors over a key: what is suspected, as tables, one row a suspicion.

``prepare`` does what does not depend on the key, so that a benchmark can judge many keys.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from cdec.arrays import Floats, Ints, Singles
from cdec.audit.config import AuditConfig
from cdec.audit.detect.duplicates import duplicates, recurring
from cdec.audit.detect.evidence import between_chains, companions, inside_chains, of_members, rivals
from cdec.audit.detect.held_out import Rows, held_out
from cdec.audit.detect.pool import Design, Pool, pool
from cdec.audit.detect.svm import Anchored, anchored
from cdec.audit.detect.tags import contradictions, unfinished
from cdec.corpus.model import Corpus
from cdec.errors import CorpusError
from cdec.io.progress import Progress, silent

LEARNED = ("svm", "held-out")
NEARLY = 0.6  # |a| of a pair that counts as a companion without being linked


@dataclass(frozen=True, eq=False)
class Prepared:
    """What all keys of one corpus share: pairs, their columns, and alike sentences."""

    pool: Pool
    design: Design = field(repr=False)
    x: Singles = field(repr=False)
    alike: pd.DataFrame = field(repr=False)


@dataclass(frozen=True, eq=False)
class Finds:
    """What the detectors say of one key, before anything is left out.

    ``links``: a row a pair of chains, as ``between_chains`` gives: ``svm`` and ``held-out`` (soft
    maximum of the margins), ``slack`` and ``companions`` (the strongest pair's |a|, and the count
    of its companions), ``left`` and ``right`` (rows of that pair's mentions) and ``group``, the
    row of ``groups`` that holds both chains, or −1.
    ``groups``: chains in alike sentences, as ``recurring`` gives, with the highest of the columns
    above. ``members``: as ``of_members`` gives, with ``slack``, ``left``, ``right`` and, about the
    mention of another chain that is most like it, ``rival-rival`` (its row), ``rival-svm`` and
    ``rival-held-out``. ``tags`` and ``documents`` as their detectors give. ``chain`` is a code a
    mention, ``names`` the chains by code. A detector that is not chosen leaves no columns.
    """

    links: pd.DataFrame
    groups: pd.DataFrame
    members: pd.DataFrame
    tags: pd.DataFrame
    documents: pd.DataFrame
    chain: Ints = field(repr=False)
    names: pd.Index[str] = field(repr=False)
    model: Anchored | None = field(repr=False, default=None)


def prepare(corpus: Corpus, config: AuditConfig, progress: Progress = silent) -> Prepared:
    """Return what an audit of ``corpus`` needs, whatever the key.

    Raises LanguageError as ``heads`` does, CorpusError for a corpus without event mentions or
    without two that are alike.
    """
    made = pool(corpus, config, progress)
    if not len(made.pairs):
        raise CorpusError("no two event mentions are alike", place=f"{corpus.name} ({corpus.part})")
    design = Design.fit(made.features)
    return Prepared(made, design, design.apply(made.features), duplicates(corpus, config.identity))


def find(
    corpus: Corpus, prepared: Prepared, config: AuditConfig, progress: Progress = silent
) -> Finds:
    """Return what the detectors of ``config`` find in the key of ``corpus``.

    Raises CorpusError as ``held_out`` does.
    """
    codes, names = pd.factorize(corpus.events["chain"])
    chain = codes.astype(np.int64)
    pairs = prepared.pool.pairs
    inside = inside_chains(chain)
    scores, inside_scores, model = _learned(prepared, chain, inside, config, progress)
    links, members = pd.DataFrame(), pd.DataFrame()
    if scores:
        links = between_chains(pairs.left, pairs.right, chain, scores)
        best = links["pair"].to_numpy()
        links = links.assign(left=pairs.left[best], right=pairs.right[best])
        members = of_members(*inside, inside_scores)
        other = members["pair"].to_numpy()
        members = members.assign(left=inside[0][other], right=inside[1][other])
        nearest = rivals(pairs.left, pairs.right, chain, scores).add_prefix("rival-")
        members = members.join(nearest, on="mention")
    if model is not None:
        links["slack"] = model.anchors[links["pair"]]
        links["companions"] = _companions(corpus, prepared, chain, model)[links["pair"]]
        members["slack"] = 1 - inside_scores["svm"][members["pair"]]
    groups = pd.DataFrame()
    if "duplicate" in config.detectors:
        groups, links = _recurring(links, prepared.alike, corpus, chain)
    tags = contradictions(corpus) if "tags" in config.detectors else pd.DataFrame()
    documents = unfinished(corpus) if "review-list" in config.detectors else pd.DataFrame()
    return Finds(links, groups, members, tags, documents, chain, pd.Index(names), model)


def _learned(
    prepared: Prepared,
    chain: Ints,
    inside: tuple[Ints, Ints],
    config: AuditConfig,
    progress: Progress,
) -> tuple[dict[str, Floats], dict[str, Floats], Anchored | None]:
    """Return what the models say of the candidate pairs, and of the pairs inside chains."""
    scores: dict[str, Floats] = {}
    inside_scores: dict[str, Floats] = {}
    model = None
    if not {*LEARNED, "companions"} & set(config.detectors):
        return scores, inside_scores, model
    pairs, topics = prepared.pool.pairs, prepared.pool.topics
    linked = chain[pairs.left] == chain[pairs.right]
    others = prepared.design.apply(prepared.pool.describe(*inside))
    # One thread for each sum: several would add up in another order, with another last digit.
    with threadpool_limits(1):
        if {"svm", "companions"} & set(config.detectors):
            model = anchored(prepared.x, linked, config.cost)
            scores["svm"], inside_scores["svm"] = model.decide(prepared.x), model.decide(others)
        if "held-out" in config.detectors:
            rows = (Rows(prepared.x, topics[pairs.left]), Rows(others, topics[inside[0]]))
            odds = held_out(rows[0], linked, rows[1], config.folds, progress)
            # Half the log-odds are on the scale of a margin: e to the 2 f is the odds of f.
            scores["held-out"], inside_scores["held-out"] = odds[0] / 2, odds[1] / 2
    return scores, inside_scores, model


def _companions(corpus: Corpus, prepared: Prepared, chain: Ints, model: Anchored) -> Ints:
    """Return how many companions each pair has: pairs that are linked, or nearly by the SVM."""
    left, right = prepared.pool.pairs.left, prepared.pool.pairs.right
    places = corpus.events["doc"] + "#" + corpus.events["sentence"].astype(str)
    sentence = pd.factorize(places)[0].astype(np.int64)
    supported = (chain[left] == chain[right]) | (model.anchors > NEARLY)
    return companions(left, right, sentence, supported)


def _recurring(
    links: pd.DataFrame, alike: pd.DataFrame, corpus: Corpus, chain: Ints
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the groups of chains in alike sentences, and the links with their ``group``, or −1.

    A group has the highest of what the models say of the links inside it.
    """
    ids = corpus.events.index
    places = {side: ids.get_indexer(pd.Index(alike[side])) for side in ("left", "right")}
    groups = recurring(alike.assign(**places), chain)
    if links.empty:
        return groups, links
    numbered = enumerate(groups["codes"])
    inside = [(*pair, number) for number, codes in numbered for pair in combinations(codes, 2)]
    table = pd.DataFrame(inside, columns=["one", "two", "group"], dtype=np.int64)
    links = links.merge(table.drop_duplicates(["one", "two"]), how="left", on=["one", "two"])
    links["group"] = links["group"].fillna(-1).astype(np.int64)
    said = [name for name in (*LEARNED, "slack", "companions") if name in links]
    return groups.join(links[links["group"] >= 0].groupby("group")[said].max()), links
