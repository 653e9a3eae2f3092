"""A CoNLL-U file as one side of a match: mentions as sets of places, ordered by entity."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pandas as pd

from cdec.arrays import Bools, Ints
from cdec.errors import ScoringError, UsageError
from cdec.formats.annotation import Annotation, Treebank
from cdec.formats.conllu.entities import Entities
from cdec.formats.conllu.heads import tree_heads, upos_of_heads
from cdec.formats.conllu.trees import Trees
from cdec.matching.policy import REPEATED, FilePolicy
from cdec.matching.spans import Spans, identities
from cdec.notices import Notice, notice

_HINT = "the response must have the sentences and words of the key; empty nodes may differ"


@dataclass(frozen=True, eq=False)
class Side:
    """The mentions of one file: ``row`` in its table, spans (places), entities, zeros.

    ``entity`` numbers the entities, ``label`` names them. A zero is a mention whose head is an
    empty node.
    """

    source: Annotation
    trees: Trees
    row: Ints = field(repr=False)
    spans: Spans = field(repr=False)
    entity: Ints = field(repr=False)
    label: npt.NDArray[np.object_] = field(repr=False)
    is_zero: Bools = field(repr=False)

    def take(self, rows: Ints | Bools) -> Side:
        """Return the side with these mentions only."""
        numbers = self.row[rows], self.spans.take(rows), self.entity[rows]
        return Side(self.source, self.trees, *numbers, self.label[rows], self.is_zero[rows])

    def column(self, name: str) -> npt.NDArray[np.object_]:
        """Return a column of the table of mentions, for the mentions of this side."""
        return np.array(self.source.mentions[name], dtype=object)[self.row]

    def ids(self) -> list[str]:
        """Return the mention ids: document and place."""
        return [f"{doc}/{self.span(k)}" for k, doc in enumerate(self.column("doc").tolist())]

    def span(self, number: int) -> str:
        """Return the place of a mention in its document: sentence and ids."""
        bank = self.source.trees
        return bank.spans[self.row[number]] if bank else ""

    def place(self, number: int) -> str:
        """Return ``file:line`` of a mention."""
        return self.source.place(int(self.column("line")[number]))


def prepared(annotation: Annotation, bank: Treebank, policy: FilePolicy, *, across: bool) -> Side:
    """Return the mentions without repeats in an entity, and, if so, without singletons.

    Entities are in order of their first mention (the longer first), mentions in text order.
    ``across``: whether chains can cross documents; without it an entity ends with its document.
    """
    trees, entities = bank.trees, bank.entities
    head = tree_heads(trees, entities) if policy.heads == "tree" else entities.head
    spans = Spans(entities.bounds, trees.place[entities.nodes], trees.place[head])
    label, entity = _entities(bank, policy, across)
    rows = np.arange(len(entities))
    side = Side(annotation, trees, rows, spans, entity, label, ~trees.is_word[head])
    order = spans.text_order
    codes = mention_codes(spans, policy.rule.kind == "head")[order]
    again = pd.DataFrame({"entity": entity[order], "code": codes}).duplicated().to_numpy()
    side = side.take(order[~again])
    if policy.upos:
        has = upos_of_heads(trees, entities, head, policy.upos)
        side = side.take(np.isin(side.entity, entity[has]))
    if policy.singletons == "drop":
        side = side.take(np.bincount(side.entity, minlength=1)[side.entity] > 1)
    return side.take(_entity_order(side))


def _entities(
    bank: Treebank, policy: FilePolicy, across: bool
) -> tuple[npt.NDArray[np.object_], Ints]:
    """Return the label of the entity of each mention, and its number."""
    trees, entities = bank.trees, bank.entities
    label, codes = entities.entity, entities.code
    if not len(entities):
        return label, entities.head
    document = trees.document[entities.first]
    if across:
        pairs = zip(document.tolist(), entities.entity, strict=True)
        label = np.array([f"{trees.names[doc]}:{eid}" for doc, eid in pairs], dtype=object)
        codes = pd.factorize(label)[0].astype(np.int64)
    if policy.chain != "entity":
        named = np.array(_identities(entities, policy.chain), dtype=object)
        label = np.where(named != "", named, label)
        codes = pd.factorize(label)[0].astype(np.int64)
    if not across:
        codes = pd.factorize(codes * len(trees.names) + document)[0].astype(np.int64)
    return label, codes


def _identities(entities: Entities, name: str) -> list[str]:
    """Return a field of each mention, that of another mention of its entity if it is empty."""
    if name not in entities.fields:
        message = f"'# global.Entity' has no field '{name}'"
        known = ", ".join(entities.fields)
        raise UsageError("entity-field-unknown", message, hint=f"its fields: {known}")
    return entities.column(name)


def mention_codes(spans: Spans, same_heads: bool) -> Ints:
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


def without_repeats(
    side: Side, policy: str, name: str, *, same_heads: bool
) -> tuple[Side, list[Notice]]:
    """Return the side with each mention in one entity, and a notice on the others.

    ``policy`` is a key of REPEATED; ``name`` is "key" or "response". Raises ScoringError.
    """
    codes = pd.Series(mention_codes(side.spans, same_heads))
    again = codes.duplicated().to_numpy()
    if not again.any():
        return side, []
    rows = np.flatnonzero(again).tolist()
    if policy == "error":
        message = f"duplicate mention '{side.span(rows[0])}' in the {name}, in two entities"
        hint = "keep one" + ("" if name == "key" else ", or use --repeated first|drop")
        place = side.place(rows[0])
        raise ScoringError("mention-duplicate", message, place=place, hint=hint)
    number = f"{len(rows):,} response mention{'s are' if len(rows) > 1 else ' is'}"
    message = f"{number} in a second entity; {REPEATED[policy]}"
    dropped = codes.duplicated(keep=False).to_numpy() if policy == "drop" else again
    cases = [f"{side.span(row)} at {side.place(row)}" for row in rows]
    return side.take(~dropped), [notice("mention-in-two-chains", message, cases)]


def check_same_text(key: Side, response: Side) -> None:
    """Raise ScoringError with the line of the first sentence or word that differs.

    Ids of sentences are compared if both files have one for each sentence.
    """
    ours, theirs = key.trees, response.trees
    left, right = np.flatnonzero(ours.is_word), np.flatnonzero(theirs.is_word)
    size = min(len(left), len(right))
    same = (ours.number[left[:size]] == theirs.number[right[:size]]) & (
        ours.document[left[:size]] == theirs.document[right[:size]]
    )
    if len(left) != len(right) or not same.all() or ours.names != theirs.names:
        at = int(np.flatnonzero(~same)[0]) if not same.all() else min(size, len(right) - 1)
        raise _differs(
            response, right, at, f"the key has {len(left):,} words, this file {len(right):,}"
        )
    forms = ours.texts.forms, theirs.texts.forms
    if forms[0] != forms[1]:
        words = [form.split(b"\t") for form in forms]
        at = next(k for k, (a, b) in enumerate(zip(*words, strict=True)) if a != b)
        raise _differs(response, right, at, f"the key has the word '{words[0][at].decode()[:40]}'")
    ids = ours.sent_ids, theirs.sent_ids
    if ids[0] != ids[1] and len(ids[0]) == len(ids[1]) == int(ours.sentence[-1]) + 1:
        at = next(k for k, (a, b) in enumerate(zip(*ids, strict=True)) if a != b)
        first = int(np.searchsorted(theirs.sentence[right], at))
        shown = ids[0][at].decode(errors="replace")[:60]
        raise _differs(response, right, first, f"in the key this sentence is '{shown}'")


def _differs(side: Side, words: Ints, at: int, expected: str) -> ScoringError:
    place = side.source.place(int(side.trees.line[words[at]]))
    message = f"a sentence or word differs from the key: {expected}"
    return ScoringError("text-mismatch", message, place=place, hint=_HINT)
