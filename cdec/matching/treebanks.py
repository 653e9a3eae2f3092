"""Match two CoNLL-U files: mentions are sets of nodes, empty nodes (zeros) among them.

The order of the shared tasks on multilingual coreference (CRAC): equal mentions of an entity count
once; each side may drop its own singletons; then mentions are aligned; then chains are compared.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Ints
from cdec.clustering import Clustering
from cdec.errors import ScoringError
from cdec.formats.annotation import Annotation
from cdec.formats.conllu.heads import tree_heads
from cdec.formats.conllu.trees import Trees
from cdec.matching.coverage import Matched, with_coverage
from cdec.matching.zeros import Zeros, same_dependents, zero_anaphors, zeros_of
from cdec.matching.pairing import completed, equal
from cdec.matching.policy import REPEATED, FilePolicy
from cdec.matching.rule import shared_words
from cdec.matching.spans import Spans, identities
from cdec.notices import Notice, notice

_HINT = "the response must have the sentences and words of the key; empty nodes may differ"


@dataclass(frozen=True, eq=False)
class Side:
    """The mentions of one file: ``row`` in its table, spans (places), entity numbers, zeros."""

    source: Annotation
    row: Ints = field(repr=False)
    spans: Spans = field(repr=False)
    entity: Ints = field(repr=False)
    is_zero: Bools = field(repr=False)

    @property
    def trees(self) -> Trees:
        """The nodes of the file."""
        assert self.source.trees is not None
        return self.source.trees.trees

    def take(self, rows: Ints | Bools) -> Side:
        """Return the side with these mentions only."""
        return Side(
            self.source,
            self.row[rows],
            self.spans.take(rows),
            self.entity[rows],
            self.is_zero[rows],
        )

    def place(self, number: int) -> str:
        """Return ``file:line`` of a mention."""
        return self.source.place(int(self.source.mentions["line"].iloc[self.row[number]]))


def match_trees(key: Annotation, response: Annotation, policy: FilePolicy) -> Matched:
    """Match two CoNLL-U files; raises ScoringError if their sentences or words differ.

    A repeated mention in two entities of the key is an error; in the response ``policy.repeated``
    decides.
    """
    same_heads = policy.rule.kind == "head"
    ours, theirs = (prepared(side, policy, same_heads) for side in (key, response))
    check_same_text(ours.trees, theirs.trees, key, response)
    ours = _without_repeats(ours, "error", "key", same_heads)[0]
    kept, notices = _without_repeats(theirs, policy.repeated, "response", same_heads)
    partner = align(ours, kept, policy, same_heads)
    ids, places = _ids(ours), _ids(kept)
    names = _named(ids, places, partner)
    table = _table(ours, kept, ids, names, partner, places)
    table = table.assign(**_tallies(ours, theirs, kept, partner, ids, names, table.index))
    labels = (np.array(side.source.mentions["chain"], dtype=object)[side.row] for side in (ours, kept))
    gold, answer = (
        Clustering(pd.Series(label, index=pd.Index(index, dtype=object), dtype=object))
        for label, index in zip(labels, (ids, names), strict=True)
    )
    matched = Matched(table, gold, answer, (*key.notices, *response.notices, *notices))
    return with_coverage(matched, key.name, response.name, allow_empty=policy.allow_empty)


def check_same_text(key: Trees, response: Trees, ours: Annotation, theirs: Annotation) -> None:
    """Raise ScoringError with the line of the first sentence or word that differs.

    Ids of sentences are compared if both files have one for each sentence.
    """
    left, right = (np.flatnonzero(trees.is_word) for trees in (key, response))
    size = min(len(left), len(right))
    same = (key.number[left[:size]] == response.number[right[:size]]) & (
        key.document[left[:size]] == response.document[right[:size]]
    )
    if len(left) != len(right) or not same.all() or key.names != response.names:
        at = int(np.flatnonzero(~same)[0]) if not same.all() else min(size, len(right) - 1)
        raise _differs(theirs, response, right, at, f"the key has {len(left):,} words")
    forms = key.texts.forms, response.texts.forms
    if forms[0] != forms[1]:
        words = [form.split(b"\t") for form in forms]
        at = next(k for k, (a, b) in enumerate(zip(*words, strict=True)) if a != b)
        shown = words[0][at].decode()[:40]
        raise _differs(theirs, response, right, at, f"the key has '{shown}'")
    ids = key.sent_ids, response.sent_ids
    count = int(key.sentence[-1]) + 1
    if ids[0] != ids[1] and len(ids[0]) == len(ids[1]) == count:
        at = next(k for k, (a, b) in enumerate(zip(*ids, strict=True)) if a != b)
        first = int(np.searchsorted(response.sentence[right], at))
        shown = ids[0][at].decode(errors="replace")[:60]
        raise _differs(theirs, response, right, first, f"in the key the sentence is '{shown}'")


def _differs(
    theirs: Annotation, response: Trees, words: Ints, at: int, expected: str
) -> ScoringError:
    place = theirs.place(int(response.line[words[at]]))
    message = f"sentence or word differs from the key: {expected}"
    return ScoringError("text-mismatch", message, place=place, hint=_HINT)


def prepared(annotation: Annotation, policy: FilePolicy, same_heads: bool) -> Side:
    """Return the mentions without repeats in an entity, and, if so, without singletons.

    Entities are in order of their first mention (the longer first), mentions in text order.
    """
    assert annotation.trees is not None
    trees, entities = annotation.trees
    head = tree_heads(trees, entities) if policy.heads == "tree" else entities.head
    spans = Spans(entities.bounds, trees.place[entities.nodes], trees.place[head])
    document = trees.document[entities.nodes[entities.bounds[:-1]]] if len(entities) else head
    labels = pd.factorize(np.array(entities.entity, dtype=object))[0].astype(np.int64)
    entity = pd.factorize(labels * (len(trees.names) + 1) + document)[0].astype(np.int64)
    rows = np.arange(len(entities))
    side = Side(annotation, rows, spans, entity, ~trees.is_word[head])
    code = _mention_codes(spans, same_heads)
    order = spans.text_order
    again = pd.DataFrame({"entity": entity[order], "code": code[order]}).duplicated().to_numpy()
    side = side.take(order[~again])
    if policy.singletons == "drop":
        side = side.take(np.bincount(side.entity, minlength=1)[side.entity] > 1)
    return side.take(_entity_order(side))


def _mention_codes(spans: Spans, same_heads: bool) -> Ints:
    """Return a number for each mention: equal for equal mentions."""
    codes = identities(spans, spans.take(np.array([], dtype=np.int64)))[0]
    if same_heads:
        heads = pd.factorize(spans.head)[0]
        codes = pd.factorize(codes * (int(heads.max(initial=0)) + 1) + heads)[0].astype(np.int64)
    return codes


def _entity_order(side: Side) -> Ints:
    """Return the mentions, in text order in ``side``, by entity; the longer of two comes first."""
    first = np.lexsort((-side.spans.last, side.spans.first))
    rank = np.empty(int(side.entity.max(initial=-1)) + 1, dtype=np.int64)
    numbers = pd.unique(side.entity[first])
    rank[numbers] = np.arange(len(numbers))
    return np.argsort(rank[side.entity], kind="stable")


def _without_repeats(
    side: Side, policy: str, name: str, same_heads: bool
) -> tuple[Side, list[Notice]]:
    """Return the side with each mention in one entity, and a notice on the others."""
    codes = pd.Series(_mention_codes(side.spans, same_heads))
    again = codes.duplicated().to_numpy()
    if not again.any():
        return side, []
    cases = [
        f"{side.source.mentions['mention'].iloc[side.row[k]]} at {side.place(k)}"
        for k in np.flatnonzero(again).tolist()
    ]
    if policy == "error":
        at = int(np.flatnonzero(again)[0])
        message = f"duplicate mention '{cases[0].split(' at ')[0]}' in the {name}: two entities"
        hint = "keep one" + ("" if name == "key" else ", or use --repeated first|drop")
        raise ScoringError("mention-duplicate", message, place=side.place(at), hint=hint)
    number = f"{len(cases):,} response mention{'s are' if len(cases) > 1 else ' is'}"
    message = f"{number} in a second entity; {REPEATED[policy]}"
    dropped = codes.duplicated(keep=False).to_numpy() if policy == "drop" else again
    return side.take(~dropped), [notice("mention-in-two-chains", message, cases)]


def align(key: Side, response: Side, policy: FilePolicy, same_heads: bool) -> Ints:
    """Return the key mention of each response mention, −1 for a twinless mention."""
    ours, theirs = key.spans, response.spans
    partner = np.full(len(theirs), -1, dtype=np.int64)
    if policy.zeros == "dependent" and key.is_zero.any() and response.is_zero.any():
        partner = same_dependents(_zeros(key), _zeros(response), ours, theirs, partner)
    left, right = np.ones(len(ours), np.bool_), np.flatnonzero(partner < 0)
    left[partner[partner >= 0]] = False
    rows = np.flatnonzero(left)
    found = equal(ours.take(rows), theirs.take(right), same_heads=same_heads)
    partner[right[found >= 0]] = rows[found[found >= 0]]
    return completed(ours, theirs, policy.rule, partner)


def _zeros(side: Side) -> Zeros:
    assert side.source.trees is not None
    return zeros_of(side.trees, side.spans, side.is_zero)


def _ids(side: Side) -> list[str]:
    """Return the mention ids: document and place."""
    table = side.source.mentions
    docs, spans = (np.array(table[name], dtype=object)[side.row] for name in ("doc", "mention"))
    return [f"{doc}/{span}" for doc, span in zip(docs, spans, strict=True)]


def _named(ids: list[str], places: list[str], partner: Ints) -> list[str]:
    """Return the ids of the response mentions: that of the key mention, else a free one."""
    taken = set(ids)
    names = []
    for place, row in zip(places, partner.tolist(), strict=True):
        name, number = place, 1
        while row < 0 and name in taken:
            number += 1
            name = f"{place}#{number}"
        names.append(ids[row] if row >= 0 else name)
        taken.add(names[-1])
    return names


def _table(
    key: Side, response: Side, ids: list[str], names: list[str], partner: Ints, places: list[str]
) -> pd.DataFrame:
    """Return all mentions in text order, with the response's own place where it differs."""
    columns = ["doc", "start", "end", "tokens", "line"]
    twinless = np.flatnonzero(partner < 0)
    gold = key.source.mentions[columns].iloc[key.row].set_axis(pd.Index(ids, dtype=object))
    line = np.zeros(len(gold), dtype=np.int64)
    found = partner >= 0
    lines = response.source.mentions["line"].to_numpy()[response.row]
    line[partner[found]] = lines[found]
    own = np.full(len(gold), "", dtype=object)
    own[partner[found]] = np.array(places, dtype=object)[found]
    own[own == np.array(ids, dtype=object)] = ""
    gold = gold.assign(line=line, place=own)
    others = response.source.mentions[columns].iloc[response.row[twinless]]
    index = pd.Index([names[k] for k in twinless.tolist()], dtype=object)
    table = pd.concat([gold, others.set_axis(index).assign(place="")])
    spans = [side.spans for side in (key, response.take(twinless))]
    first, last = (np.concatenate([getattr(s, at) for s in spans]) for at in ("first", "last"))
    return table.iloc[np.lexsort((last, first))]


def _tallies(
    key: Side,
    whole: Side,
    kept: Side,
    partner: Ints,
    ids: list[str],
    names: list[str],
    index: pd.Index[str],
) -> dict[str, Ints]:
    """Return the tally columns for mentions in the order of ``index``.

    ``whole``: the response with the repeats that ``kept`` leaves out. Their words count with those
    of the mention they repeat.
    """
    rows, cols = index.get_indexer(ids), index.get_indexer(names)
    columns: dict[str, Ints] = {}

    def add(name: str, at: Ints, values: Ints) -> None:
        columns[name] = np.zeros(len(index), dtype=np.int64)
        np.add.at(columns[name], at[at >= 0], values[at >= 0])

    shared, found = shared_words(key.spans, whole.spans)
    repeated = equal(kept.spans, whole.spans)
    repeated[pd.Index(whole.row).get_indexer(kept.row)] = np.arange(len(kept.row))
    owner = np.where(repeated >= 0, cols[repeated], -1) if len(cols) else repeated
    add("mor.r_num", rows, shared)
    add("mor.r_den", rows, key.spans.sizes)
    add("mor.p_num", owner, found)
    add("mor.p_den", owner, whole.spans.sizes)
    if key.is_zero.any() or kept.is_zero.any():
        counts = zero_anaphors(key.entity, key.is_zero, kept.entity, kept.is_zero, partner)
        for name, at, values in zip(counts._fields, (cols, cols, rows, rows), counts, strict=True):
            add(f"zeros.{name}", at, values)
    return columns
