"""Match two files with trees: mentions are sets of nodes, empty nodes (zeros) among them.

The order of the shared tasks on multilingual coreference (CRAC): equal mentions of an entity count
once; each side may drop its own singletons; then mentions are aligned; then chains are compared.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import chain, count

import numpy as np
import numpy.typing as npt
import pandas as pd

from cdec.arrays import TALLY_COLUMNS, Bools, Ints
from cdec.corefud.heads import has_upos, tree_heads
from cdec.corefud.nodes import WIDTH, Nodes
from cdec.corefud.spans import Spans, identities, paired, same_code, shared_words
from cdec.corefud.treebank import Treebank
from cdec.corefud.zeros import ZeroCounts, by_parents, zero_anaphors
from cdec.errors import Notice, ScoringError, notice
from cdec.formats.annotation import Annotation, object_array
from cdec.matching.alignment import Alignment
from cdec.matching.notices import exchanged, with_coverage
from cdec.matching.policy import REPEATED, FilePolicy

_HINT = "the response must have the sentences and words of the key; empty nodes may differ"
_COLUMNS = ["doc", "start", "end", "tokens"]


def match_trees(
    key: Annotation, response: Annotation, policy: FilePolicy, *, across: bool = False
) -> Alignment:
    """Match two files with trees; raises ScoringError if their sentences or words differ.

    A repeated mention in two entities of the key is an error; in the response ``policy.repeated``
    decides. ``across``: whether chains can cross documents.
    """
    banks = key.trees, response.trees
    _check_same_text(response, *(bank.nodes for bank in banks))
    places = [_places(bank, policy) for bank in banks]
    words = identities(*places)
    same = ["words", "head"] if policy.rule.kind == "head" else ["words"]
    ours, whole = (
        _mentions(*side, same, policy, across=across)
        for side in zip((key, response), places, words, strict=True)
    )
    ours, _ = _without_repeats(ours, key, same, "error", "key")
    kept, notices = _without_repeats(whole, response, same, policy.repeated, "response")

    # 1. zeros by their parents, if the policy says so; 2. equal mentions; 3. by the rule.
    spans = places[0].take(ours.index.to_numpy()), places[1].take(kept.index.to_numpy())
    partner = np.full(len(kept), -1)
    if policy.zeros == "dependent":
        zeros = ours["zero"].to_numpy(), kept["zero"].to_numpy()
        partner = by_parents((banks[0].nodes, banks[1].nodes), spans, zeros)
    equal = pd.MultiIndex.from_frame(ours[same]).get_indexer(pd.MultiIndex.from_frame(kept[same]))
    free = (partner < 0) & ~np.isin(equal, partner[partner >= 0])
    partner = paired(*spans, policy.rule, np.where(free, equal, partner))

    ids = object_array(_distinct(banks[0].ids(ours.index.to_numpy()), set()))
    own = object_array(banks[1].ids(kept.index.to_numpy()))
    names, twinless = np.append(ids, "")[partner], partner < 0
    names[twinless] = _distinct(own[twinless], {*ids})
    words_of = np.append(ours["words"], -1)[partner]
    moved = ~twinless & (kept["words"].to_numpy() != words_of) & (own != names)
    lone = kept[twinless]
    table = pd.concat(
        [
            key.mentions.loc[ours.index, _COLUMNS].assign(key=ours["chain"]),
            response.mentions.loc[lone.index, _COLUMNS],
        ]
    ).set_axis(np.concatenate([ids, names[twinless]]))
    answers = pd.DataFrame(
        {
            "response": kept["chain"],
            "line": response.mentions.loc[kept.index, "line"],
            "place": np.where(moved, own, ""),
        }
    ).set_axis(names)
    table = table.join(answers).fillna({"line": 0, "place": ""}).astype({"line": np.int64})
    first, last = (np.concatenate([ours[name], lone[name]]) for name in ("first", "last"))
    table = table.iloc[np.lexsort((last, first))]

    # The words of a repeat that is left out count with those of the mention it repeats.
    first_of = pd.Series(names, index=kept["words"])
    owner = whole["words"].map(first_of[~first_of.index.duplicated()]).astype(object)
    owner[kept.index] = names
    aligned = Alignment(
        table,
        notices=(*key.notices, *response.notices, *notices, *exchanged(key, response)),
        about={"response_digest": response.digest},
        system=response.name,
        words=partial(
            _word_counts,
            table.index,
            (ids, names, owner.to_numpy()),
            (spans[0], places[1].take(whole.index.to_numpy())),
            same_code(ours["words"].to_numpy(), whole["words"].to_numpy()),
            partial(zero_anaphors, *_entities(ours), *_entities(kept), partner),
        ),
    )
    return with_coverage(aligned, key.name, response.name, policy=policy, across=across)


def _entities(side: pd.DataFrame) -> tuple[Ints, Bools]:
    """Return the entity of each mention, and whether it is a zero."""
    return side["entity"].to_numpy(), side["zero"].to_numpy()


def _places(bank: Treebank, policy: FilePolicy) -> Spans:
    """Return the mentions as places, which are the same in both files."""
    nodes, spans, head = bank.nodes, bank.spans, bank.spans.head
    if policy.heads == "tree":
        head = tree_heads(nodes, spans, has_heads=bank.has_heads)
    return Spans(spans.bounds, nodes.place[spans.places], nodes.place[head])


def _mentions(
    file: Annotation,
    spans: Spans,
    words: Ints,
    same: list[str],
    policy: FilePolicy,
    *,
    across: bool,
) -> pd.DataFrame:
    """Return the mentions of a file, without repeats in an entity and, if so, without singletons.

    They are indexed by their rows in the file, in order of the first mentions of their entities
    (the longer first), those of an entity in text order. Mentions of both files with the same
    ``words`` have the same words. ``across``: whether chains can cross documents; otherwise an
    entity ends with its document.
    """
    bank, label = file.trees, file.mentions["chain"].to_numpy()
    document = bank.nodes.document[bank.spans.first]
    if across:
        pairs = zip(document.tolist(), label, strict=True)
        local = object_array(f"{bank.nodes.names[at]}:{name}" for at, name in pairs)
        label = local if bank.identity is None else np.where(bank.identity, bank.identity, local)
    entity = pd.factorize(label)[0] * (1 if across else len(bank.nodes.names))
    entity += 0 if across else document
    zero = spans.head % WIDTH > 0  # an empty node
    side = pd.DataFrame(
        {
            "chain": label,
            "entity": entity,
            "words": words,
            "head": spans.head,
            "first": spans.first,
            "last": spans.last,
            "zero": zero if bank.changed is None else zero & ~bank.changed,
        }
    ).iloc[spans.text_order]
    side = side[~side.duplicated(["entity", *same])]
    if policy.upos:
        chosen = entity[has_upos(bank.nodes, bank.nodes.at(spans.head), policy.upos)]
        side = side[side["entity"].isin(chosen)]
    if policy.singletons == "drop":
        side = side[side.groupby("entity")["entity"].transform("size") > 1]
    longest_first = side.iloc[np.lexsort((-side["last"], side["first"]))]
    rank = pd.Index(longest_first["entity"].unique()).get_indexer(side["entity"])
    return side.iloc[np.argsort(rank, kind="stable")]


def _without_repeats(
    side: pd.DataFrame, file: Annotation, same: list[str], policy: str, name: str
) -> tuple[pd.DataFrame, list[Notice]]:
    """Return the mentions, each in one entity, and a notice on the others.

    ``policy`` is a key of REPEATED; ``name`` is "key" or "response". Raises ScoringError.
    """
    again = side.duplicated(same)
    if not again.any():
        return side, []
    rows = side.index[again].to_numpy()
    where = file.trees.places(rows)
    lines = [file.place(line) for line in file.mentions.loc[rows, "line"].tolist()]
    if policy == "error":
        message = f"duplicate mention '{where[0]}' in the {name}, in two entities"
        hint = "keep one" + ("" if name == "key" else ", or use repeated=first or repeated=drop")
        raise ScoringError("mention-duplicate", message, place=lines[0], hint=hint)
    number = f"{len(rows):,} response mention{'s are' if len(rows) > 1 else ' is'}"
    message = f"{number} in a second entity; {REPEATED[policy]}"
    cases = [f"{place} at {line}" for place, line in zip(where, lines, strict=True)]
    dropped = side.duplicated(same, keep=False) if policy == "drop" else again
    return side[~dropped], [notice("mention-duplicate", message, cases)]


def _word_counts(
    index: pd.Index[str],
    names: tuple[npt.NDArray[np.object_], ...],
    spans: tuple[Spans, Spans],
    equal: Ints,
    zeros: partial[ZeroCounts],
) -> pd.DataFrame:
    """Return TALLY_COLUMNS by mention id: words that are shared, and zeros.

    ``names`` has the ids of the key mentions, of the response mentions, and of all response
    mentions with repeats; ``spans`` those of the first and the last, of which ``equal`` are equal.
    """
    of_key, of_response, of_whole = (index.get_indexer(pd.Index(some)) for some in names)
    in_key, in_response = shared_words(*spans, equal)
    found = zeros()
    values = (
        (of_whole, in_response), (of_whole, spans[1].sizes),
        (of_key, in_key), (of_key, spans[0].sizes),
        (of_response, found.p_num), (of_response, found.p_den),
        (of_key, found.r_num), (of_key, found.r_den),
    )  # fmt: skip
    columns = (
        np.bincount(at[at >= 0], numbers[at >= 0], minlength=len(index)).astype(np.int64)
        for at, numbers in values
    )
    return pd.DataFrame(dict(zip(TALLY_COLUMNS, columns, strict=True)), index=index)


def _distinct(names: Iterable[str], taken: set[str]) -> list[str]:
    """Return the names, with a number behind each that is taken."""
    distinct = []
    for name in names:
        choices = chain([name], (f"{name}#{number}" for number in count(2)))
        distinct.append(next(choice for choice in choices if choice not in taken))
        taken.add(distinct[-1])
    return distinct


def _check_same_text(response: Annotation, ours: Nodes, theirs: Nodes) -> None:
    """Raise ScoringError with the line of the first sentence or word that differs.

    Ids of sentences are compared if both files have one for each sentence.
    """
    left, right = np.flatnonzero(ours.is_word), np.flatnonzero(theirs.is_word)
    size = min(len(left), len(right))
    same = (ours.number[left[:size]] == theirs.number[right[:size]]) & (
        ours.document[left[:size]] == theirs.document[right[:size]]
    )
    at, expected = -1, ""
    ids = ours.sent_ids, theirs.sent_ids
    if len(left) != len(right) or not same.all() or ours.names != theirs.names:
        at = int(same.argmin()) if not same.all() else min(size, len(right) - 1)
        expected = f"the key has {len(left):,} words, this file {len(right):,}"
    elif ours.forms != theirs.forms:
        at = next(
            k for k, (a, b) in enumerate(zip(ours.forms, theirs.forms, strict=True)) if a != b
        )
        expected = f"the key has the word '{ours.forms[at][:40]}'"
    elif ids[0] != ids[1] and len(ids[0]) == len(ids[1]) == int(ours.sentence[-1]) + 1:
        number = next(k for k, (a, b) in enumerate(zip(*ids, strict=True)) if a != b)
        at = int(np.searchsorted(theirs.sentence[right], number))
        expected = f"in the key this sentence is '{ids[0][number][:60]}'"
    if expected:
        place = response.place(int(theirs.line[right[at]]))
        message = f"a sentence or word differs from the key: {expected}"
        raise ScoringError("text-mismatch", message, place=place, hint=_HINT)
