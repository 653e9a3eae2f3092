"""One-to-one alignment of the mentions of a response with those of a key, as sets of places.

The rules are those of the shared tasks on multilingual coreference (Žabokrtský et al. 2022, CRAC,
section 3; head match and zeros as since 2024)::

    exact      the same tokens
    partial    R ⊆ K, and R has the head of K                    weight |K ∩ R| / |K|
    head       K and R have the same head                        weight |K ∩ R| / |K|
    overlap:x  |K ∩ R| / |K ∪ R| ≥ x, the weight

Equal mentions are aligned first and leave the pool. Of the others, candidates by the rule are
aligned one to one with maximum total weight, by connected components of the graph of candidates:
sparse, never a matrix of a whole document. Among assignments of the same weight the one with the
earliest mentions, the earliest with the earliest, is chosen.

The mention overlap ratio (``mor``) counts the words that two sides share in the best choice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, pairwise

import numpy as np
import pandas as pd

from cdec.arrays import TALLY_COLUMNS, Bools, Floats, Ints
from cdec.corpus.model import Corpus
from cdec.errors import ScoringError, spelled
from cdec.matching.match import SPAN
from cdec.matching.policy import BY_HEAD, FilePolicy, Rule
from cdec.metrics.align import best_assignment

# Far below the least difference of two sums of weights, far above a rounding error.
_TIE = 1e-9


@dataclass(frozen=True, eq=False)
class Spans:
    """The places of n mentions, and their heads.

    A place is an integer that identifies a token in all documents of both sides and increases with
    the text. ``places[bounds[i]:bounds[i + 1]]`` are those of mention i, increasing; a mention
    without tokens has none. ``head`` is the place of the head, −1 if unknown.

    >>> spans = Spans.of([[1, 2, 3], [7]], head=[2, 7])
    >>> spans.first.tolist(), spans.last.tolist(), spans.sizes.tolist()
    ([1, 7], [3, 7], [3, 1])
    """

    bounds: Ints
    places: Ints = field(repr=False)
    head: Ints = field(repr=False)

    @classmethod
    def of(
        cls, mentions: Iterable[Sequence[int] | Ints], head: Sequence[int] | Ints | None = None
    ) -> Spans:
        """Return the spans of mentions, each given as its places in text order."""
        sets = list(mentions)
        bounds = np.cumsum([0, *map(len, sets)], dtype=np.int64)
        places = np.fromiter(chain.from_iterable(sets), dtype=np.int64, count=int(bounds[-1]))
        heads = np.full(len(sets), -1) if head is None else np.asarray(head, dtype=np.int64)
        return cls(bounds, places, heads)

    @classmethod
    def ranges(cls, first: Ints, sizes: Ints) -> Spans:
        """Return spans of consecutive places, without heads.

        >>> Spans.ranges(np.array([5, 0]), np.array([2, 3])).places.tolist()
        [5, 6, 0, 1, 2]
        """
        bounds = np.concatenate([[0], np.cumsum(sizes)])
        places = np.arange(bounds[-1]) - np.repeat(bounds[:-1] - first, sizes)
        return cls(bounds, places, np.full(len(sizes), -1))

    def __len__(self) -> int:
        return len(self.head)

    @cached_property
    def sizes(self) -> Ints:
        """The number of places of each mention."""
        return np.diff(self.bounds)

    @cached_property
    def first(self) -> Ints:
        """The first place of each mention; −1 without places."""
        return np.where(self.sizes > 0, np.append(self.places, -1)[self.bounds[:-1]], -1)

    @cached_property
    def last(self) -> Ints:
        """The last place of each mention; −1 without places."""
        return np.where(self.sizes > 0, np.append(self.places, -1)[self.bounds[1:] - 1], -1)

    @property
    def text_order(self) -> Ints:
        """The rows in text order: by first place, last place and size."""
        return np.lexsort((self.sizes, self.last, self.first))

    def take(self, rows: Ints | Bools) -> Spans:
        """Return the spans at these rows."""
        at = Spans.ranges(self.bounds[:-1][rows], self.sizes[rows])
        return Spans(at.bounds, self.places[at.places], self.head[rows])

    def rows(self) -> Ints:
        """Return the mention of each entry of ``places``."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def runs(self) -> tuple[Ints, Ints, Ints]:
        """Return the runs of consecutive places: their mentions, first and last places.

        >>> [values.tolist() for values in Spans.of([[1, 2, 5], [6]]).runs()]
        [[0, 0, 1], [1, 5, 6], [2, 5, 6]]
        """
        begins = np.diff(self.places, prepend=-2) != 1
        begins[self.bounds[:-1][self.sizes > 0]] = True
        ends = np.append(begins[1:], True)[: len(begins)]
        return self.rows()[begins], self.places[begins], self.places[ends]


def of_tables(key: pd.DataFrame, response: pd.DataFrame) -> tuple[Spans, Spans]:
    """Return the spans of two tables with the columns SPAN: documents follow one another.

    Both can have a column ``head``, the number of each head in its document, −1 if unknown.
    """
    ends = pd.concat([key[["doc", "end"]], response[["doc", "end"]]])
    sizes = ends.groupby("doc", sort=False)["end"].max().clip(lower=0) + 1
    found = []
    for table in (key, response):
        base = table["doc"].map(sizes.cumsum() - sizes).to_numpy(np.int64)
        rows = zip(*(table[name] for name in SPAN[1:]), base.tolist(), strict=True)
        sets = (
            [at + token for token in tokens] or range(at + start, at + end + 1 if start >= 0 else 0)
            for start, end, tokens, at in rows
        )
        head = table["head"].to_numpy() if "head" in table else np.full(len(table), -1)
        found.append(Spans.of(sets, np.where(head < 0, -1, head + base)))
    return found[0], found[1]


def identities(*sides: Spans) -> list[Ints]:
    """Return a number for each mention of each side: equal numbers are equal sets of places.

    >>> numbers = identities(Spans.of([[1, 2], [1, 3]]), Spans.of([[1, 3], [1, 2]]))
    >>> [n.tolist() for n in numbers]
    [[0, 1], [1, 0]]
    """
    known: dict[bytes, int] = {}
    found = []
    for side in sides:
        sets = (side.places[a:b].tobytes() for a, b in pairwise(side.bounds.tolist()))
        numbers = (known.setdefault(content, len(known)) for content in sets)
        found.append(np.fromiter(numbers, np.int64, len(side)))
    return found


def same_code(ours: Ints, theirs: Ints) -> Ints:
    """Return the position in ``ours`` of each code in ``theirs``; −1 for a code that is not there.

    Of equal codes the first of each side counts; the others in ``theirs`` get −1.

    >>> same_code(np.array([5, 5, 2]), np.array([2, 5, 2, 9])).tolist()
    [2, 0, -1, -1]
    """
    codes, first = np.unique(ours, return_index=True)
    partner = np.append(first, -1)[pd.Index(codes).get_indexer(pd.Index(theirs))]
    partner[pd.Index(theirs).duplicated()] = -1
    return partner


def paired(key: Spans, response: Spans, rule: Rule, partner: Ints) -> Ints:
    """Return the key mention of each response mention, as row numbers; −1 for a twinless mention.

    ``partner`` has those that are aligned before the rule, usually equal mentions.

    >>> key, response = Spans.of([[1, 2, 3], [5]], head=[2, 5]), Spans.of([[2, 3], [5], [6]])
    >>> paired(key, response, Rule("exact"), np.array([-1, 1, -1])).tolist()
    [-1, 1, -1]
    >>> paired(key, response, Rule("partial"), np.array([-1, 1, -1])).tolist()
    [0, 1, -1]
    """
    if rule.kind == "exact":
        return partner
    rows, cols, left, right = _left(key, response, partner)
    i, j, shared = overlapping(left, right)
    weight = shared / left.sizes[i]
    if rule.kind == "overlap":
        weight = shared / (left.sizes[i] + right.sizes[j] - shared)
        kept = weight >= rule.threshold
    elif rule.kind == "head":
        kept = (left.head[i] == right.head[j]) & (left.head[i] >= 0)
    else:
        wide = int(max(left.head.max(initial=0), right.places.max(initial=0))) + 1
        has_head = np.isin(j * wide + left.head[i], right.rows() * wide + right.places)
        kept = has_head & (left.head[i] >= 0) & (shared == right.sizes[j])
    chosen = np.flatnonzero(kept)[assigned(left, right, i[kept], j[kept], weight[kept])]
    done = partner.copy()
    done[cols[j[chosen]]] = rows[i[chosen]]
    return done


def _left(key: Spans, response: Spans, partner: Ints) -> tuple[Ints, Ints, Spans, Spans]:
    """Return the rows of the mentions that have no partner yet, and their spans, of both sides."""
    free = np.ones(len(key), dtype=np.bool_)
    free[partner[partner >= 0]] = False
    rows, cols = np.flatnonzero(free), np.flatnonzero(partner < 0)
    return rows, cols, key.take(rows), response.take(cols)


def overlapping(key: Spans, response: Spans) -> tuple[Ints, Ints, Ints]:
    """Return all pairs of mentions with a common place (rows of both), and how many they share.

    >>> [values.tolist() for values in overlapping(Spans.of([[1, 2], [5]]), Spans.of([[2, 3]]))]
    [[0], [0], [1]]
    """
    from scipy.sparse import csr_array  # noqa: PLC0415  # slow to import

    places, column = np.unique(np.append(key.places, response.places), return_inverse=True)
    ours, theirs = (
        csr_array((np.ones(len(at), np.int64), at, side.bounds), shape=(len(side), len(places)))
        for side, at in zip((key, response), np.split(column, [len(key.places)]), strict=True)
    )
    shared = (ours @ theirs.T).tocsr()
    shared.sort_indices()
    rows, cols = (at.astype(np.int64) for at in shared.tocoo().coords)
    return rows, cols, shared.data


def assigned(key: Spans, response: Spans, rows: Ints, cols: Ints, weight: Floats) -> Ints:
    """Return the pairs of the assignment with maximum total weight, as positions, sorted.

    Of those with the same weight it is the one with the earliest mentions in text order.
    """
    if not len(weight):
        return np.array([], dtype=np.int64)
    from scipy.sparse import coo_array  # noqa: PLC0415  # slow imports
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    size = len(key) + len(response)
    graph = coo_array((np.ones(len(rows)), (rows, cols + len(key))), shape=(size, size))
    component = connected_components(graph, directed=False)[1].astype(np.int64)
    ranks = []  # in text order, inside the component
    for side, at, own in ((key, rows, component), (response, cols, component[len(key) :])):
        used, rank = np.unique(at), np.zeros(len(side), np.int64)
        in_text = pd.Series(np.argsort(side.text_order)[used])
        rank[used] = in_text.groupby(own[used]).rank(method="first") - 1
        ranks.append(rank[at])
    i, j = ranks
    sums, products = (i + j) / (i + j).max(initial=1), i * j / (i * j).max(initial=1)
    return best_assignment(rows, cols, weight + _TIE * (2 - sums + products / 1000))


def shared_words(key: Spans, response: Spans, partner: Ints) -> tuple[Ints, Ints]:
    """Return how many places each mention shares with its partner in the best one-to-one choice.

    The best choice maximises the sum. Equal mentions are partners in one of the best choices:
    ``partner`` has the equal key mention of each response mention (−1: none).
    """
    same = np.flatnonzero(partner >= 0)
    ours, theirs = np.zeros(len(key), dtype=np.int64), np.zeros(len(response), dtype=np.int64)
    ours[partner[same]] = theirs[same] = response.sizes[same]
    rows, cols, *left = _left(key, response, partner)
    i, j, words = overlapping(left[0], left[1])
    chosen = best_assignment(i, j, words.astype(np.float64))
    ours[rows[i[chosen]]] = theirs[cols[j[chosen]]] = words[chosen]
    return ours, theirs


# ---- tables, without trees ----


def aligned(
    gold: pd.DataFrame, table: pd.DataFrame, policy: FilePolicy, corpus: Corpus | None
) -> pd.Index[str]:
    """Return the id of the key mention that each mention is aligned with, or its own.

    Both tables are indexed by id; all occurrences of a repeated mention get the same. Heads are
    those of a pipeline in the ``corpus``. Raises ScoringError if the rule needs them without one.
    """
    once = table[~table.index.duplicated()]
    key, answers = gold, once
    if policy.alignment in BY_HEAD:
        key = key.assign(head=-1 if corpus is None else _heads(corpus, policy.nlp, key))
        if (key["head"] < 0).all() or corpus is None:
            message = "the mentions of the key have no heads, which the alignment needs"
            hint = f"use {spelled('alignment', 'overlap:0.5')}, or a CoNLL-U key"
            raise ScoringError("annotation-missing", message, hint=hint)
        if policy.rule.kind == "head":
            answers = once.assign(head=_heads(corpus, policy.nlp, once))
    sides = of_tables(key, answers)
    partner = paired(*sides, policy.rule, gold.index.get_indexer(once.index))
    ids = np.where(partner < 0, once.index, gold.index[partner])
    return pd.Index(ids[once.index.get_indexer(table.index)], dtype=object)


def _heads(corpus: Corpus, nlp: str, mentions: pd.DataFrame) -> Ints:
    """Return the heads of mentions in the documents of ``corpus``, found by a pipeline."""
    from cdec.language.heads import heads  # noqa: PLC0415  # only some rules need heads

    columns = (mentions[name] for name in ("start", "end", "tokens"))
    tokens = [t or tuple(range(s, e + 1)) for s, e, t in zip(*columns, strict=True)]
    spans = mentions[["doc"]].assign(tokens=pd.Series(tokens, index=mentions.index))
    return heads(replace(corpus, mentions=spans), nlp)["head"].to_numpy()


def word_counts(key: pd.DataFrame, response: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of ``mor`` for the mentions of both; none if one has no tokens at all.

    The tables are indexed by mention id and have the columns SPAN.

    >>> key, response = (
    ...     pd.DataFrame({"doc": ["d"], "start": 0, "end": end, "tokens": [()]}, index=["d/1"])
    ...     for end in (1, 2)
    ... )
    >>> word_counts(key, response).loc["d/1"].iloc[:4].tolist()
    [2.0, 3.0, 2.0, 2.0]
    """
    if not ((key["start"] >= 0).any() and (response["start"] >= 0).any()):
        return pd.DataFrame()
    ours, theirs = of_tables(key, response)
    equal = same_code(*identities(ours, theirs))
    equal[theirs.sizes == 0] = -1
    in_key, in_response = shared_words(ours, theirs, equal)
    recall = {"mor.r_num": in_key, "mor.r_den": ours.sizes}
    precision = {"mor.p_num": in_response, "mor.p_den": theirs.sizes}
    sides = pd.DataFrame(precision, index=response.index), pd.DataFrame(recall, index=key.index)
    # No format but CoNLL-U has zeros.
    return pd.concat(sides, axis=1).reindex(columns=[*TALLY_COLUMNS]).fillna(0.0)
