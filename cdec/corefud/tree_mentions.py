"""A CoNLL-U file as one side of a match: mentions as sets of places, ordered by entity."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cdec.arrays import Bools, Ints
from cdec.corefud.heads import tree_heads, upos_of_heads
from cdec.corefud.treebank import Treebank
from cdec.corefud.trees import WIDTH, Trees
from cdec.errors import ScoringError
from cdec.errors.notices import Notice, notice
from cdec.formats.annotation import Annotation
from cdec.matching.policy import REPEATED, FilePolicy
from cdec.matching.spans import Spans, identities

IDENTITY = "identity"  # the field of Entity= that names a chain across documents
_HINT = "the response must have the sentences and words of the key; empty nodes may differ"


@dataclass(frozen=True, eq=False)
class TreeMentions:
    """The mentions of one file: ``row`` in its table, spans (places), entities, zeros.

    ``entity`` numbers the entities, ``label`` names them. A zero is a mention whose head is an
    empty node. Mentions of both sides with the same ``words`` have the same words; with the same
    ``code`` they are equal: also in their heads, if the rule compares heads.
    """

    source: Annotation
    bank: Treebank
    row: Ints = field(repr=False)
    spans: Spans = field(repr=False)
    entity: Ints = field(repr=False)
    label: npt.NDArray[np.object_] = field(repr=False)
    is_zero: Bools = field(repr=False)
    words: Ints = field(repr=False)
    code: Ints = field(repr=False)

    @property
    def trees(self) -> Trees:
        """The trees of the file."""
        return self.bank.trees

    def take(self, rows: Ints | Bools) -> TreeMentions:
        """Return the side with these mentions only."""
        names = ("row", "entity", "label", "is_zero", "words", "code")
        taken = {name: getattr(self, name)[rows] for name in names}
        return replace(self, spans=self.spans.take(rows), **taken)

    def column(self, name: str) -> npt.NDArray[Any]:
        """Return a column of the table of mentions, for the mentions of this side."""
        return self.source.mentions[name].to_numpy()[self.row]

    def ids(self, mentions: Ints | slice = slice(None)) -> list[str]:
        """Return the ids of these mentions: document and place."""
        rows = self.row[mentions]
        first = self.bank.entities.first[rows]
        names = np.array(self.trees.names, dtype=object)[self.trees.document[first]].tolist()
        spans = self.bank.spans_of(rows)
        return [f"{doc}/{span}" for doc, span in zip(names, spans, strict=True)]

    def span(self, number: int) -> str:
        """Return the place of a mention in its document: sentence and ids."""
        return self.bank.spans_of(self.row[[number]])[0]

    def place(self, number: int) -> str:
        """Return ``file:line`` of a mention."""
        return self.source.place(int(self.column("line")[number]))


def mentions_of_both(
    key: tuple[Annotation, Treebank],
    response: tuple[Annotation, Treebank],
    policy: FilePolicy,
    *,
    across: bool,
) -> tuple[TreeMentions, TreeMentions]:
    """Return the mentions of both files, prepared and with common codes.

    ``across``: whether chains can cross documents; without it an entity ends with its document.
    """
    heads = [
        tree_heads(bank.trees, bank.entities) if policy.heads == "tree" else bank.entities.head
        for _, bank in (key, response)
    ]
    spans = [
        Spans(
            bank.entities.bounds,
            bank.trees.place[bank.entities.nodes],
            bank.trees.place[head],
        )
        for (_, bank), head in zip((key, response), heads, strict=True)
    ]
    words = identities(spans[0], spans[1], WIDTH)
    codes = _with_heads(words, spans) if policy.rule.kind == "head" else words
    made = []
    for (source, bank), head, places, same, code in zip(
        (key, response), heads, spans, words, codes, strict=True
    ):
        label, entity = _entities(bank, across)
        rows, is_zero = np.arange(len(head)), ~bank.trees.is_word[head]
        if bank.changed is not None:
            is_zero &= ~bank.changed
        side = TreeMentions(source, bank, rows, places, entity, label, is_zero, same, code)
        made.append(_prepared(side, head, policy))
    return made[0], made[1]


def _prepared(side: TreeMentions, head: Ints, policy: FilePolicy) -> TreeMentions:
    """Return the mentions without repeats in an entity, and, if so, without singletons.

    Entities are in order of their first mention (the longer first), mentions in text order.
    """
    trees, entities, entity = side.trees, side.bank.entities, side.entity
    side = side.take(side.spans.text_order)
    again = pd.Index(side.entity * (int(side.code.max(initial=0)) + 1) + side.code).duplicated()
    side = side.take(~again) if again.any() else side
    if policy.upos:
        has = upos_of_heads(trees, entities, head, policy.upos)
        side = side.take(np.isin(side.entity, entity[has]))
    if policy.singletons == "drop":
        side = side.take(np.bincount(side.entity, minlength=1)[side.entity] > 1)
    return side.take(_entity_order(side))


def _with_heads(words: list[Ints], spans: list[Spans]) -> list[Ints]:
    """Return codes that differ also for the same words with other heads."""
    heads = np.concatenate([side.head for side in spans])
    codes = np.concatenate(words) * (int(heads.max(initial=0)) + 1) + heads
    return np.split(pd.factorize(codes)[0].astype(np.int64), [len(words[0])])


def _entities(bank: Treebank, across: bool) -> tuple[npt.NDArray[np.object_], Ints]:
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
    if across and IDENTITY in entities.fields:  # chains across documents
        named = np.array(entities.column(IDENTITY), dtype=object)
        label = np.where(named != "", named, label)
        codes = pd.factorize(label)[0].astype(np.int64)
    if not across:
        codes = pd.factorize(codes * len(trees.names) + document)[0].astype(np.int64)
    return label, codes


def _entity_order(side: TreeMentions) -> Ints:
    """Return the mentions, in text order in ``side``, by entity; the longer of two comes first."""
    first = np.lexsort((-side.spans.last, side.spans.first))
    rank = np.empty(int(side.entity.max(initial=-1)) + 1, dtype=np.int64)
    numbers = pd.unique(side.entity[first])
    rank[numbers] = np.arange(len(numbers))
    return np.argsort(rank[side.entity], kind="stable")


def without_repeats(
    side: TreeMentions, policy: str, name: str
) -> tuple[TreeMentions, list[Notice]]:
    """Return the side with each mention in one entity, and a notice on the others.

    ``policy`` is a key of REPEATED; ``name`` is "key" or "response". Raises ScoringError.
    """
    codes = pd.Index(side.code)
    again = codes.duplicated()
    if not again.any():
        return side, []
    rows = np.flatnonzero(again).tolist()
    if policy == "error":
        message = f"duplicate mention '{side.span(rows[0])}' in the {name}, in two entities"
        hint = "keep one" + ("" if name == "key" else ", or use repeated=first or repeated=drop")
        place = side.place(rows[0])
        raise ScoringError("mention-duplicate", message, place=place, hint=hint)
    number = f"{len(rows):,} response mention{'s are' if len(rows) > 1 else ' is'}"
    message = f"{number} in a second entity; {REPEATED[policy]}"
    dropped = codes.duplicated(keep=False) if policy == "drop" else again
    cases = [f"{side.span(row)} at {side.place(row)}" for row in rows]
    return side.take(~dropped), [notice("mention-in-two-chains", message, cases)]


def check_same_text(key: TreeMentions, response: TreeMentions) -> None:
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
    words = ours.forms, theirs.forms
    if words[0] != words[1]:
        at = next(k for k, (a, b) in enumerate(zip(*words, strict=True)) if a != b)
        raise _differs(response, right, at, f"the key has the word '{words[0][at][:40]}'")
    ids = ours.sent_ids, theirs.sent_ids
    if ids[0] != ids[1] and len(ids[0]) == len(ids[1]) == int(ours.sentence[-1]) + 1:
        at = next(k for k, (a, b) in enumerate(zip(*ids, strict=True)) if a != b)
        first = int(np.searchsorted(theirs.sentence[right], at))
        raise _differs(response, right, first, f"in the key this sentence is '{ids[0][at][:60]}'")


def _differs(side: TreeMentions, words: Ints, at: int, expected: str) -> ScoringError:
    place = side.source.place(int(side.trees.line[words[at]]))
    message = f"a sentence or word differs from the key: {expected}"
    return ScoringError("text-mismatch", message, place=place, hint=_HINT)
