"""Pairs of mentions of a corpus, with or without scores: candidates, and the scores of a system.

A pair in both directions is one pair; its score is the mean of both. A pair of a mention with
itself is left out and counted. A pair whose score is missing has not been scored: it is a hole in
the list, and never linked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import union_categoricals
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from cdec.arrays import Bools, Floats, Ints
from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.errors import EXAMPLES, Notice, ScoringError, counted
from cdec.formats.annotation import Annotation, mention_table, object_array
from cdec.matching.match import ids_in_corpus
from cdec.matching.names import annotated
from cdec.matching.notices import left_out_by_region, left_out_of_key, other_split
from cdec.pairs.pair_files import LABEL, SCORE, PairTable


@dataclass(frozen=True, eq=False)
class MentionPairs:
    """Distinct pairs of mentions of ``corpus``, in text order of the first mention, then second.

    ``every``: ``first`` < ``second``, positions in ``corpus.selected``, and ``score``, which is NaN
    for a pair without one. Mentions that are not scored have the positions after those of the
    corpus: chains are made of all pairs, then restricted. All else is of the pairs ``inside``.
    ``notices`` says what was inferred or left out. ``log_odds``: whether any score of the table,
    before directions are combined, is outside [0, 1]; ``directions``: "mean" if any pair has a
    score in both directions, for the signature.

    >>> from cdec import load_corpus
    >>> corpus = load_corpus("sample", "test")
    >>> a, b, c = corpus.selected.index[:3]
    >>> rows = pd.DataFrame({"a": [a, b, a], "b": [b, a, c], "score": [0.5, 0.7, 0.2]})
    >>> pairs = MentionPairs.of_table(PairTable.of("mine", rows), corpus)
    >>> pairs.first.tolist(), pairs.second.tolist(), pairs.scores.round(2).tolist()
    ([0, 0], [1, 2], [0.6, 0.2])
    """

    name: str
    corpus: Corpus = field(repr=False)
    every: pd.DataFrame = field(repr=False)
    has_scores: bool = False
    log_odds: bool = False
    directions: str = ""
    notices: tuple[Notice, ...] = ()

    @classmethod
    def of_table(cls, given: PairTable, corpus: Corpus) -> MentionPairs:
        """Return the pairs of a table with ``a``, ``b`` and, optionally, ``score``.

        Raises ScoringError for a mention that is not in the corpus, FormatError for one direction
        of a pair with two scores, each with its place.
        """
        codes, notices = _positions(corpus, given)
        number, (low, high) = len(corpus.selected), np.sort(codes, axis=0)
        row, size = np.flatnonzero((low >= 0) & (low < high)), number + codes.size
        pair, group = np.unique(low[row] * size + high[row], return_inverse=True)
        swapped = (codes[0] == high)[row].astype(np.int64)
        rows = given.rows.iloc[row].assign(pair=group, swapped=swapped)
        again = rows.duplicated(["pair", "swapped"])
        if SCORE in rows and again.any():
            other = again & ~rows.duplicated(["pair", "swapped", SCORE])
            for at in row[other][:1]:
                message = "the pair has another score in an earlier line"
                raise given.refuse(int(at), message, "keep one of them")
        notices += given.notices
        for why, out in {
            "of mentions that are not scored left out": low < 0,
            "of mentions that are not scored, but can join others": (low >= 0) & (high >= number),
            "of a mention with itself left out": (low >= 0) & (low == high) & (high < number),
            "that repeat an earlier one left out": again,
        }.items():
            if count := int(out.sum()):
                message = f"{counted(count, 'pair')} {why}"
                notices.append(Notice("pairs-left-out", count, message, warning=False))
        both = np.full((2, len(pair)), np.nan)
        both[swapped, group] = rows.get(SCORE, np.nan)
        known = ~np.isnan(both)
        score = np.where(known, both, both[::-1]).sum(axis=0) / 2
        first, second = np.divmod(pair, size)
        every = pd.DataFrame({"first": first, "second": second, SCORE: score})
        outside = _outside(given)
        pairs = cls(
            given.name,
            corpus,
            every,
            SCORE in rows,
            log_odds=any(one.count for one in outside),
            directions="mean" if known.all(axis=0).any() else "",
        )
        rows = rows[rows["pair"].isin(pairs.inside.index)]
        notices += [*outside, *_irregular(pairs, rows)]
        return replace(pairs, notices=tuple(notices))

    @cached_property
    def inside(self) -> pd.DataFrame:
        """The pairs of two mentions that are scored."""
        return self.every[self.every["second"] < len(self.corpus.selected)]

    @property
    def first(self) -> Ints:
        """The positions of the first mentions."""
        return self.inside["first"].to_numpy()

    @property
    def second(self) -> Ints:
        """The positions of the second mentions."""
        return self.inside["second"].to_numpy()

    @property
    def scores(self) -> Floats:
        """The scores; of a list without them, NaN."""
        return self.inside[SCORE].to_numpy()

    @property
    def gold(self) -> Bools:
        """Whether each pair is a link of the key."""
        chains = pd.factorize(self.corpus.gold.labels)[0]
        return np.asarray(chains[self.first] == chains[self.second])

    def __len__(self) -> int:
        return len(self.inside)

    def scored(self) -> MentionPairs:
        """Return the pairs that have a score."""
        return replace(self, every=self.every.dropna(subset=[SCORE]))

    def probabilities(self, scores: Floats) -> Floats:
        """Return scores in [0, 1]: as they are, or the sigmoid of log-odds."""
        return np.asarray(expit(scores), np.float64) if self.log_odds else scores

    @property
    def size(self) -> int:
        """The number of mentions, of the corpus and those of the pairs that are not scored."""
        last = self.every["second"].to_numpy().max(initial=-1)
        return max(len(self.corpus.selected), int(last) + 1)

    def clustering(self, chains: Any) -> Clustering:
        """Return the chains of the mentions of the corpus; ``chains`` has those of all mentions."""
        ids = self.corpus.selected.index
        return Clustering(pd.Series(chains[: len(ids)], ids))

    def closed(self, first: Any, second: Any) -> Clustering:
        """Return the chains that these links make."""
        graph = coo_array((np.ones(len(first)), (first, second)), (self.size, self.size))
        return self.clustering(connected_components(graph, directed=False)[1])

    @property
    def about(self) -> dict[str, object]:
        """The fields of the signature."""
        both = {"directions": self.directions} if self.directions else {}
        return {"pairs": self.digest, **both}

    @property
    def digest(self) -> str:
        """The digest of all pairs and scores, the same for every format of the file."""
        columns = (self.every[name].to_numpy() for name in ("first", "second", SCORE))
        return sha256(b"".join(column.tobytes() for column in columns)).hexdigest()[:12]


def _outside(given: PairTable) -> list[Notice]:
    """Return the notice of scores outside [0, 1], if any: a warning if most are inside."""
    scores = given.rows.get(SCORE, pd.Series(dtype=float)).dropna()
    outside = int((~scores.between(0, 1)).sum())
    message = f"{outside:,} of {counted(len(scores), 'score')} outside [0, 1]: "
    message += "all are read as log-odds"
    warning = 2 * outside < len(scores)
    return [Notice("reading-assumed", outside, message, warning=warning)] if outside else []


def _irregular(pairs: MentionPairs, rows: pd.DataFrame) -> Iterator[Notice]:
    """Yield notices of pairs without a score, of another part, and of labels not in the key.

    ``rows`` has the rows of the table whose ``pair`` is inside. Most labels that are not in the key
    are a warning.
    """
    corpus = pairs.corpus
    holes = rows[pairs.every[SCORE].isna().to_numpy()[rows["pair"]]]
    if pairs.has_scores and len(holes):
        count = holes["pair"].nunique()
        message = f"{counted(count, 'pair has', 'pairs have')} no score; they are never linked"
        lines = tuple(f"{pairs.name}:{line}" for line in holes.index[:EXAMPLES])
        yield Notice("pairs-left-out", count, message, lines)
    covered = {*corpus.selected["doc"].iloc[np.union1d(pairs.first, pairs.second)]}
    if corpus.elsewhere and covered and covered != corpus.documents.keys():
        yield from other_split(corpus, covered)
    if LABEL in rows:
        known, gold = rows.dropna(subset=[LABEL]), pd.Series(pairs.gold, pairs.inside.index)
        wrong = known.index[gold[known["pair"]].to_numpy() != (known[LABEL] == 1)]
        message = f"{len(wrong):,} of {counted(len(known), 'label')} of pairs differ from the key"
        lines = tuple(f"{pairs.name}:{line}" for line in wrong[:EXAMPLES])
        warning = 2 * len(wrong) > len(known)
        if len(wrong):
            yield Notice("reading-assumed", len(wrong), message, lines, warning=warning)


def _positions(corpus: Corpus, given: PairTable) -> tuple[Ints, list[Notice]]:
    """Return the positions of both mentions in ``corpus.selected``, shape (2, pairs); notices.

    A mention that the variant of the key leaves out has −1. Others that are not scored, removed by
    a patch or outside the part, follow by name.
    """
    both = union_categoricals([given.rows["a"], given.rows["b"]])
    codes = both.codes.astype(np.int64).reshape(2, -1)
    names = [str(name) for name in both.categories]
    # A name has the line of its first pair, for errors.
    row = np.unique(codes.T.reshape(-1), return_index=True)[1] // 2
    known = _known(corpus)
    named = object_array([known.get(name, "") for name in names])
    others = np.flatnonzero(named == "")
    ids, notices = dict[int, str](), list[Notice]()
    if len(others):
        lines: Ints = given.rows.index[row[others]].to_numpy(np.int64)
        blank, nowhere = [""] * len(others), [-1] * len(others)
        by_name = [names[at] for at in others]
        table = mention_table(blank, nowhere, nowhere, by_name, mention=by_name, line=lines)
        listed = Annotation(given.name, "pairs", table, {"": None})
        ids, notices = ids_in_corpus(listed, corpus)
    named[others] = [ids.get(at) or names[other] for at, other in enumerate(others)]
    by_id = pd.Index(named, dtype=object)
    place: Ints = corpus.selected.index.get_indexer(by_id).astype(np.int64)
    away = place < 0
    dropped, left = left_out_of_key(corpus, by_id[away])
    outside, beyond = left_out_by_region(corpus, by_id[away])
    # A list of another part is an error.
    elsewhere = [] if away.all() else [names[others[at]] for at, id_ in ids.items() if id_ == ""]
    lost = away & ~by_id.isin([*dropped, *outside, *elsewhere])
    if lost.any():
        unknown = int(np.where(lost, row, len(given.rows)).argmin())
        message = f"mention '{names[unknown]}' is not a mention of the key"
        hint = "use mention ids of the corpus, or doc/start-end"
        where = given.place(int(row[unknown]))
        raise ScoringError("mention-unknown", message, place=where, hint=hint)
    # The variant says what the mentions of the corpus are: no pair of another one counts.
    away &= ~by_id.isin(corpus.mentions.index)
    place[away] = len(corpus.selected) + np.unique(by_id[away], return_inverse=True)[1]
    return place[codes], [*notices, *left, *beyond]


def _known(corpus: Corpus) -> dict[str, str]:
    """Return id and ``doc/start-end`` of each mention of the corpus → its id."""
    table = pd.concat([annotated(corpus), corpus.selected])  # of equal places the last counts
    columns = (table[name] for name in ("doc", "start", "end"))
    places = [f"{doc}/{start}-{end}" for doc, start, end in zip(*columns, strict=True)]
    return dict(zip(places, table.index, strict=True)) | {id_: id_ for id_ in table.index}
