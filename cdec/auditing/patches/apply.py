"""Apply a patch: to the chains of a key, and to the mentions of a corpus."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain as flat
from typing import Any

import pandas as pd
from scipy.cluster.hierarchy import DisjointSet

from cdec.auditing.about import check_origin
from cdec.auditing.case import Operation
from cdec.auditing.patches.model import Groups, Patch, contradiction
from cdec.clustering import Clustering
from cdec.corpus.assembly import corpus_of
from cdec.corpus.model import Corpus
from cdec.errors import FormatError, ScoringError, UsageError, one_of
from cdec.files.input import integer

_SHOWN = 10  # mentions in a message
_HINT = "use the corpus or key for which the patch was made"
# Two products of an audit, by --reviewed: corrections in reviewed sentences, and all others.
PRODUCTS = {"only": "A", "outside": "B"}


def apply_patch(
    key: Clustering, patch: Patch, known: Mapping[str, str] | None = None
) -> Clustering:
    """Return the key with the corrected chains; ``key`` is not modified.

    Operations whose mentions are all outside the key are ignored, so that the patch of a corpus
    fits its parts. ``known`` maps mentions of the patch to mentions of the key, if their ids
    differ. Raises ScoringError if no mention of the patch is in the key, or an operation is only
    partly in the key; FormatError if merges undo a move.
    """
    names = known or {mention: mention for mention in patch.mentions}
    present = {m: names[m] for m in patch.mentions if names.get(m) in key.labels.index}
    if patch.mentions and not present:
        message = "no mention of the patch is in the key"
        raise ScoringError("input-mismatch", message, place=patch.name, hint=_HINT)
    moves, merges = (_in_key(groups, present, patch.name) for groups in (patch.move, patch.merge))
    before = key.labels.astype(object)
    moved = before.copy()
    for number, group in enumerate(moves):
        moved[list(group)] = f"patch/{patch.digest[:8]}/{number}"
    chains = DisjointSet(moved.unique())
    for group in merges:
        for mention in group[1:]:
            chains.merge(moved[group[0]], moved[mention])
    after = moved.map(chains.__getitem__)
    stay = before == moved
    homes = {*zip(before[stay], after[stay], strict=True)}
    undone = [m for m in flat.from_iterable(moves) if (before[m], after[m]) in homes]
    if undone:
        message = "merges return moved mentions to the chain they are moved from"
        raise contradiction(f"{message}: {_listed(undone)}", patch.name)
    return Clustering(after)


def _listed(mentions: list[str]) -> str:
    """Return the first mentions as text."""
    shown = ", ".join(f"'{mention}'" for mention in mentions[:_SHOWN])
    return shown if len(mentions) <= _SHOWN else f"{shown} and {len(mentions) - _SHOWN} more"


def _in_key(groups: Groups, present: Mapping[str, str], name: str) -> Groups:
    """Return the groups whose mentions are in the key, with the mention ids of the key."""
    in_key: list[tuple[str, ...]] = []
    for group in groups:
        missing = [mention for mention in group if mention not in present]
        if missing and len(missing) < len(group):
            known = next(mention for mention in group if mention in present)
            raise ScoringError(
                "input-mismatch",
                f"mention '{missing[0]}' is not in the key, but '{known}' of the same operation is",
                place=name,
                hint=_HINT,
            )
        if not missing:
            in_key.append(tuple(present[mention] for mention in group))
    return tuple(in_key)


def edited(corpus: Corpus, patch: Patch) -> pd.DataFrame:
    """Return the mentions of ``corpus`` with all changes of ``patch`` except to chains.

    The id of an added mention is its place, ``document/tokens``, with ``+`` if another mention has
    this id; its chain and tag are those of the mention that it is added to. Operations on documents
    outside the corpus are ignored. Raises FormatError for a mention that is not in its document, or
    tokens outside one sentence.
    """
    known = [*patch.remove, *patch.span, *patch.tag, *patch.add.values()]
    for mention in known:
        if mention.rpartition("/")[0] in corpus.documents and mention not in corpus.mentions.index:
            raise _mismatch(f"mention '{mention}' is not in the corpus", patch.name)
    rows: dict[Any, dict[Any, Any]] = corpus.mentions.to_dict("index")
    for mention, tag in patch.tag.items():
        if mention in rows:
            rows[mention]["tag"] = tag
    for mention, span in patch.span.items():
        if mention in rows:
            place = f"{rows[mention]['doc']}/{span}"
            rows[mention]["tokens"], _ = _tokens(corpus, place, patch.name)
    for place, model in patch.add.items():
        doc, _, _ = place.rpartition("/")
        if doc in corpus.documents and model in rows:
            tokens, _ = _tokens(corpus, place, patch.name)
            rows[_free(place, rows)] = {**rows[model], "doc": doc, "tokens": tokens}
    for mention in patch.remove:
        rows.pop(mention, None)
    columns = {str(n): [row[n] for row in rows.values()] for n in corpus.mentions}

    def fail(code: str, row: int, message: str, hint: str) -> FormatError:
        return _mismatch(message, patch.name)

    about = (corpus.name, corpus.digest, corpus.documents)
    columns["id"] = [*rows]
    return corpus_of(*about, columns, fail, reviewed=corpus.reviewed).mentions


def products(patch: Patch, corpus: Corpus, scope: str = "all") -> dict[str, Patch]:
    """Return product → the patch of its operations; ``scope`` is a key of PRODUCTS, or ``all``.

    A: each mention of the operation, and the sentence of an added one, is reviewed; B: all others.
    ``about`` of B has the number of operations ``across`` both. For ``all``, a product without an
    operation is left out; a corpus without a list of reviewed sentences has one product, ''. Raises
    UsageError for another ``scope`` on such a corpus, FormatError if the patch is for another one.
    """
    one_of("review scope", scope, (*PRODUCTS, "all"))
    check_origin(patch.about, corpus, patch.name)
    if not corpus.mentions["reviewed"].astype(bool).any():
        if scope == "all":
            return {"": patch}
        message, hint = "the corpus has no list of reviewed sentences", "leave out the restriction"
        raise UsageError("annotation-missing", message, hint=hint)
    inside = [_reviewed(operation, corpus, patch.name) for operation in patch.operations]
    chosen = {}
    for own, product in PRODUCTS.items():
        pairs = zip(patch.operations, inside, strict=True)
        of_it = tuple(operation for operation, of in pairs if all(of) == (own == "only"))
        across = sum(any(of) and not all(of) for of in inside) if own == "outside" else 0
        about = {**patch.about, "product": product} | ({"across": across} if across else {})
        if scope == own or (scope == "all" and of_it):
            chosen[product] = replace(patch, operations=of_it, about=about)
    return chosen


def _reviewed(operation: Operation, corpus: Corpus, name: str) -> list[bool]:
    """Return whether each mention that an operation names, or adds, is in a reviewed sentence."""
    mentions = corpus.mentions
    for mention in operation.mentions:
        if mention not in mentions.index:
            raise _mismatch(f"mention '{mention}' is not in the corpus", name)
    added = [_tokens(corpus, place, name)[1] in corpus.reviewed for place in operation.add]
    return [*mentions.loc[[*operation.mentions], "reviewed"].astype(bool), *added]


def _free(place: str, rows: Mapping[Any, object]) -> str:
    """Return the id of a mention added at ``place``: ids of ECB+ have the form of a place."""
    return _free(f"{place}+", rows) if place in rows else place


def _tokens(corpus: Corpus, place: str, name: str) -> tuple[tuple[int, ...], tuple[str, int]]:
    """Return the tokens at a place, ``document/34-35,37``, and their sentence."""
    doc, _, tokens = place.rpartition("/")
    if doc not in corpus.documents:
        raise _mismatch(f"document '{doc}' is not in the corpus", name)
    document, numbers = corpus.documents[doc], token_numbers(tokens)
    inside = bool(numbers) and numbers[-1] < len(document.tokens)
    sentences = {bisect_right(document.sentence_starts, number) - 1 for number in numbers}
    if not inside or len(sentences) > 1 or numbers != sorted(set(numbers)):
        raise _mismatch(f"'{tokens}' are not tokens of one sentence of {doc}", name)
    return tuple(numbers), (doc, sentences.pop())


def token_numbers(tokens: str) -> list[int]:
    """Return the numbers of ``34-35,37``; none if the text is not of this form."""
    ends = [list(map(integer, part.split("-"))) for part in tokens.split(",")]
    if not all(len(end) <= 2 and min(end) >= 0 for end in ends):
        return []
    return [token for end in ends for token in range(end[0], end[-1] + 1)]


def _mismatch(message: str, name: str) -> FormatError:
    hint = "use the corpus for which the patch was made"
    return FormatError("input-mismatch", message, place=name, hint=hint)
