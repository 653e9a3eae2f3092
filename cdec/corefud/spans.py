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

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise

import numpy as np
import pandas as pd

from cdec.arrays import COUNTS, Bools, Floats, Ints, IntSeries, StrIndex
from cdec.corpus.model import Corpus
from cdec.errors import ScoringError, spelled
from cdec.formats.annotation import object_array
from cdec.matching.policy import BY_HEAD, FilePolicy, Rule
from cdec.metrics.align import best_assignment

# Far below the least difference of two sums of weights, far above a rounding error.
_TIE = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
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
    places: Ints
    head: Ints

    @classmethod
    def of(
        cls,
        mentions: Iterable[Sequence[int] | Ints],
        head: Sequence[int] | Ints | int = -1,
    ) -> Spans:
        """Return the spans of mentions, each given as its places in text order."""
        sets = list(mentions)
        bounds = np.cumsum([0, *map(len, sets)], dtype=np.int64)
        places = np.fromiter(
            chain.from_iterable(sets), dtype=np.int64, count=int(bounds[-1])
        )
        return cls(bounds, places, np.full(len(sets), head, np.int64))

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
        places = np.append(self.places, -1)
        return np.where(self.sizes > 0, places[self.bounds[:-1]], -1)

    @cached_property
    def last(self) -> Ints:
        """The last place of each mention; −1 without places."""
        places = np.append(self.places, -1)
        return np.where(self.sizes > 0, places[self.bounds[1:] - 1], -1)

    @property
    def text_order(self) -> Ints:
        """The rows in text order: by first place, last place and size."""
        return np.lexsort((self.sizes, self.last, self.first))

    def take(self, rows: Ints | Bools) -> Spans:
        """Return the spans at these rows."""
        positions = Spans.ranges(self.bounds[:-1][rows], self.sizes[rows])
        return Spans(positions.bounds, self.places[positions.places], self.head[rows])

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
    base = sizes.cumsum() - sizes
    return _of_table(key, base), _of_table(response, base)


def _of_table(table: pd.DataFrame, base: IntSeries) -> Spans:
    """Return the spans of a table; ``base`` has the number of places before each document."""
    first_places = table["doc"].map(base).to_numpy(np.int64)
    mentions = []
    for first_place, tokens in zip(first_places.tolist(), _tokens(table), strict=True):
        mentions.append([first_place + token for token in tokens])
    head = np.full(len(table), -1)
    if "head" in table:
        in_document = table["head"].to_numpy()
        head = np.where(in_document < 0, -1, in_document + first_places)
    return Spans.of(mentions, head)


def _tokens(table: pd.DataFrame) -> Iterator[Sequence[int]]:
    """Yield the tokens of each mention, none for a mention that has only an id."""
    for start, end, tokens in zip(
        table["start"], table["end"], table["tokens"], strict=True
    ):
        if start < 0:
            yield ()
        else:
            yield tokens or range(start, end + 1)


def identities(*sides: Spans) -> list[Ints]:
    """Return a number for each mention of each side: equal numbers are equal sets of places.

    >>> numbers = identities(Spans.of([[1, 2], [1, 3]]), Spans.of([[1, 3], [1, 2]]))
    >>> [n.tolist() for n in numbers]
    [[0, 1], [1, 0]]
    """
    number_of: dict[bytes, int] = {}
    numbers = []
    for spans in sides:
        codes = []
        for start, end in pairwise(spans.bounds.tolist()):
            places = spans.places[start:end].tobytes()
            codes.append(number_of.setdefault(places, len(number_of)))
        numbers.append(np.array(codes, np.int64))
    return numbers


def same_code(key_codes: Ints, codes: Ints) -> Ints:
    """Return the position in ``key_codes`` of each of ``codes``; −1 for a code that is not there.

    Of equal codes the first of each side counts; the others of ``codes`` get −1.

    >>> same_code(np.array([5, 5, 2]), np.array([2, 5, 2, 9])).tolist()
    [2, 0, -1, -1]
    """
    unique_codes, first = np.unique(key_codes, return_index=True)
    partner = np.append(first, -1)[pd.Index(unique_codes).get_indexer(pd.Index(codes))]
    partner[pd.Index(codes).duplicated()] = -1
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
    rows, cols = _without_partner(key, partner)
    key = key.take(rows)
    response = response.take(cols)
    i, j, shared = overlapping(key, response)
    weight = shared / key.sizes[i]
    head = key.head[i]
    if rule.kind == "overlap":
        weight = shared / (key.sizes[i] + response.sizes[j] - shared)
        is_candidate = weight >= rule.threshold
    elif rule.kind == "head":
        is_candidate = (head == response.head[j]) & (head >= 0)
    else:
        # A response mention and a place as one number.
        width = 1 + max(head.max(initial=0), response.places.max(initial=0))
        has_head = np.isin(j * width + head, response.rows() * width + response.places)
        is_inside = shared == response.sizes[j]
        is_candidate = has_head & is_inside & (head >= 0)
    candidates = np.flatnonzero(is_candidate)
    i = i[candidates]
    j = j[candidates]
    pairs = assigned(key, response, i, j, weight[candidates])
    by_rule = partner.copy()
    by_rule[cols[j[pairs]]] = rows[i[pairs]]
    return by_rule


def _without_partner(key: Spans, partner: Ints) -> tuple[Ints, Ints]:
    is_free = np.ones(len(key), dtype=np.bool_)
    is_free[partner[partner >= 0]] = False
    return np.flatnonzero(is_free), np.flatnonzero(partner < 0)


def overlapping(key: Spans, response: Spans) -> tuple[Ints, Ints, Ints]:
    """Return all pairs of mentions with a common place (rows of both), and how many they share.

    >>> [values.tolist() for values in overlapping(Spans.of([[1, 2], [5]]), Spans.of([[2, 3]]))]
    [[0], [0], [1]]
    """
    key_places = pd.DataFrame({"place": key.places, "row": key.rows()})
    response_places = pd.DataFrame({"place": response.places, "col": response.rows()})
    common = key_places.merge(response_places, on="place")
    shared = common.groupby(["row", "col"], as_index=False).size()
    return shared["row"].to_numpy(), shared["col"].to_numpy(), shared["size"].to_numpy()


def assigned(
    key: Spans, response: Spans, rows: Ints, cols: Ints, weight: Floats
) -> Ints:
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
    i = _ranks(key, rows, component[: len(key)])
    j = _ranks(response, cols, component[len(key) :])
    sums = (i + j) / (i + j).max(initial=1)
    products = i * j / (i * j).max(initial=1)
    return best_assignment(rows, cols, weight + _TIE * (2 - sums + products / 1000))


def _ranks(spans: Spans, rows: Ints, component: Ints) -> Ints:
    """Return the rank in text order of each of these mentions, among those of its component."""
    mentions = np.unique(rows)
    position = pd.Series(np.argsort(spans.text_order)[mentions])
    rank = np.zeros(len(spans), np.int64)
    rank[mentions] = position.groupby(component[mentions]).rank(method="first") - 1
    return rank[rows]


def shared_words(key: Spans, response: Spans, partner: Ints) -> tuple[Ints, Ints]:
    """Return how many places each mention shares with its partner in the best one-to-one choice.

    The best choice maximises the sum. Equal mentions are partners in one of the best choices:
    ``partner`` has the equal key mention of each response mention (−1: none).
    """
    equal = np.flatnonzero(partner >= 0)
    in_response = np.zeros(len(response), dtype=np.int64)
    in_response[equal] = response.sizes[equal]
    in_key = np.zeros(len(key), dtype=np.int64)
    in_key[partner[equal]] = response.sizes[equal]
    rows, cols = _without_partner(key, partner)
    i, j, words = overlapping(key.take(rows), response.take(cols))
    pairs = best_assignment(i, j, words.astype(np.float64))
    in_key[rows[i[pairs]]] = words[pairs]
    in_response[cols[j[pairs]]] = words[pairs]
    return in_key, in_response


# ---- tables, without trees ----


def aligned(
    gold: pd.DataFrame, table: pd.DataFrame, policy: FilePolicy, corpus: Corpus | None
) -> StrIndex:
    """Return the id of the key mention that each mention is aligned with, or its own.

    Both tables are indexed by id; all occurrences of a repeated mention get the same. Heads are
    those of a pipeline in the ``corpus``. Raises ScoringError if the rule needs them without one.
    """
    response = table[~table.index.duplicated()]
    key = gold
    key_row = gold.index.get_indexer(response.index)
    if policy.alignment in BY_HEAD:
        if corpus is None:
            raise ScoringError(
                "annotation-missing",
                "the mentions of the key have no heads, which the alignment needs",
                hint=f"use {spelled('alignment', 'overlap:0.5')}, or a CoNLL-U key",
            )
        key = key.assign(head=_heads(corpus, policy.nlp, key))
        if policy.rule.kind == "head":
            response = response.assign(head=_heads(corpus, policy.nlp, response))
    partner = paired(*of_tables(key, response), policy.rule, key_row)
    ids = np.where(partner < 0, response.index, gold.index[partner])
    return pd.Index(ids[response.index.get_indexer(table.index)], dtype=object)


def _heads(corpus: Corpus, nlp: str, mentions: pd.DataFrame) -> Ints:
    """Return the heads of mentions in the documents of ``corpus``, found by a pipeline."""
    from cdec.language.heads import heads  # noqa: PLC0415  # only some rules need heads

    spans = mentions[["doc"]].assign(tokens=object_array(map(tuple, _tokens(mentions))))
    return heads(replace(corpus, mentions=spans), nlp)["head"].to_numpy()


def word_counts(key: pd.DataFrame, response: pd.DataFrame) -> pd.DataFrame:
    """Return the counts of MOR and zeros of each mention; none if a side has no tokens at all.

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
    key_spans, response_spans = of_tables(key, response)
    equal = same_code(*identities(key_spans, response_spans))
    equal[response_spans.sizes == 0] = -1
    in_key, in_response = shared_words(key_spans, response_spans, equal)
    recall = pd.DataFrame(
        {"mor.r_num": in_key, "mor.r_den": key_spans.sizes},
        index=key.index,
    )
    precision = pd.DataFrame(
        {"mor.p_num": in_response, "mor.p_den": response_spans.sizes},
        index=response.index,
    )
    counts = pd.concat([precision, recall], axis=1)
    # No format but CoNLL-U has zeros.
    counts[[f"zeros.{count}" for count in COUNTS]] = 0.0
    return counts.fillna(0.0)
