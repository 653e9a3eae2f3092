"""The parts of a corpus under a split, and the default split of a corpus."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import replace
from hashlib import sha256

import pandas as pd

from cdec.corpus.known import known_corpora
from cdec.corpus.model import Corpus, Region, natural_key
from cdec.corpus.split_file import ALL, Split, load_split, split_names
from cdec.errors import CorpusError, UnknownNameError, counted

PART = "part"  # the attribute of a document: its part of the official split
OFFICIAL = "official"
NO_SPLIT = Split(ALL, "", {})
_TEST = "test"
_USUAL = ("train", "dev", _TEST)  # the order of the parts
_SHOWN = 10


def default_split(corpus: Corpus) -> Split:
    """Return the default split of a corpus; NO_SPLIT if it has none.

    The first of: the split of a known corpus; the split that the files of the corpus define; the
    first of its ``splits`` that fits the corpus: each part has a topic (or other unit) of it, or
    it consists of whole parts.
    """
    known = {known.name: known.split for known in known_corpora()}.get(corpus.name)
    if known and known != OFFICIAL:
        return load_split(known)
    own = _of_documents(corpus)
    if own.parts:
        return own
    splits = (load_split(name) for name in corpus.splits)
    return next((split for split in splits if _fits(split, corpus)), NO_SPLIT)


def _of_documents(corpus: Corpus) -> Split:
    parts: dict[str, list[str]] = {}
    for id_, document in corpus.documents.items():
        if document.attributes.get(PART):
            parts.setdefault(document.attributes[PART], []).append(id_)
    usual = {part: parts.pop(part) for part in _USUAL if part in parts}
    named = {part: frozenset(ids) for part, ids in (usual | parts).items()}
    return Split(OFFICIAL, "as in the files of the corpus", named, "document", own=True)


def _fits(split: Split, corpus: Corpus) -> bool:
    present = {split.unit_of(document) for document in corpus.documents.values()}
    parts = split.parts.values()
    return all(units & present for units in parts) or present == set().union(
        *(units for units in parts if units <= present)
    )


def split_of(corpus: Corpus, name: str | None) -> Split:
    """Return a split by name or file, or the default split of the corpus."""
    if name == OFFICIAL and (own := _of_documents(corpus)).parts:
        return own
    if name == ALL:
        return NO_SPLIT
    return load_split(name) if name else default_split(corpus)


def part_of(corpus: Corpus, split: str | None) -> Corpus:
    """Return the part ``split``, written ``[SPLIT/]PART``, of a whole corpus.

    None is the test part of the default split, or the whole corpus if that has none.
    """
    if split is None:
        chosen = default_split(corpus)
        present = {chosen.unit_of(document) for document in corpus.documents.values()}
        has_test = bool(chosen.parts.get(_TEST, frozenset()) & present)
        return select(corpus, _TEST if has_test else ALL, chosen)
    name, _, part = split.rpartition("/")
    return select(corpus, part, split_of(corpus, name))


def named_part(part: str) -> str | None:
    """Return ``[SPLIT/]PART`` for the name of a part in a signature; None if it does not say.

    >>> named_part("cybulska-test"), named_part("all"), named_part("mine-test")
    ('cybulska/test', 'all', None)
    """
    known = [name for name in (*split_names(), OFFICIAL) if part.startswith(f"{name}-")]
    if not known:
        return part if part == ALL else None
    name = max(known, key=len)
    return f"{name}/{part.removeprefix(f'{name}-')}"


def divided(corpus: Corpus, split: str | None = None) -> dict[str, Corpus]:
    """Return part → sub-corpus of a whole corpus under ``split`` (default: the corpus's own).

    Parts of which the corpus has no document are left out; without a split, the part is ``all``.
    """
    chosen = split_of(corpus, split)
    present = {chosen.unit_of(document) for document in corpus.documents.values()}
    named = [part for part, units in chosen.parts.items() if units & present]
    return {part: select(corpus, part, chosen) for part in named or [ALL]}


def select(corpus: Corpus, part: str, split: Split) -> Corpus:
    """Return the part ``part`` of ``corpus`` under ``split``; ``all`` is every document.

    Raises UnknownNameError for an unknown part, CorpusError if a unit of the part is not in the
    corpus.
    """
    if part != ALL and part not in split.parts:
        raise UnknownNameError("part", part, [*split.parts, ALL])
    units = {id_: split.unit_of(document) for id_, document in corpus.documents.items()}
    chosen = set(units.values()) if part == ALL else split.parts[part]
    _check_units(corpus, split, part, chosen - set(units.values()))
    documents = [id_ for id_, unit in units.items() if unit in chosen]
    subset = corpus.subset(documents, f"{split.name}-{part}" if part != ALL else ALL)
    if split.reviewed_only:
        subset = _reviewed(subset)
    if part in split.mentions:
        subset = only(subset, split.mentions[part], f"split '{split.name}'")
    return replace(subset, split_digest=_digest(split, part, subset))


def _digest(split: Split, part: str, subset: Corpus) -> str:
    """Return the SHA-256 of the content of a part; '' if its name identifies the content.

    The name does not identify the units of a user's split, nor the mentions in reviewed sentences:
    the digest of the corpus does not cover the list of these sentences.
    """
    named: dict[str, object] = {}
    if not split.own and part != ALL:
        named[f"{split.unit}s"] = sorted(split.parts[part])
        if split.mentions:
            named["scored"] = sorted(split.mentions[part])
    if split.reviewed_only:
        named["mentions"] = subset.mentions.index.tolist()
    return sha256(json.dumps(named).encode()).hexdigest() if named else ""


def _check_units(corpus: Corpus, split: Split, part: str, missing: Iterable[str]) -> None:
    absent = sorted(missing, key=natural_key)
    if absent:
        shown = ", ".join(absent[:_SHOWN]) + (", …" if len(absent) > _SHOWN else "")
        raise CorpusError(
            "split-invalid",
            f"{split.unit} {shown} of the part '{part}' is not in the corpus '{corpus.name}'",
            place=f"split '{split.name}'",
            hint="check the corpus with `cdec corpus add … --check`, or use another split",
        )


def _reviewed(corpus: Corpus) -> Corpus:
    if not corpus.mentions["reviewed"].any():
        raise CorpusError(
            "split-invalid",
            "the split selects reviewed sentences, but the corpus has no list of them",
            place=corpus.name,
            hint="put ECBplus_coreference_sentences.csv next to the folder ECB+",
        )
    part = f"{corpus.part}-reviewed" if corpus.part == ALL else corpus.part
    inside = corpus.mentions["reviewed"]
    region = Region(corpus.reviewed, corpus.mentions[~inside])
    return replace(corpus, mentions=corpus.mentions[inside], part=part, region=region)


def only(corpus: Corpus, ids: Collection[str], place: object) -> Corpus:
    """Return the corpus with these mentions only; all others are left out of responses too.

    Raises CorpusError, with ``place``, for an id that is not in the corpus.
    """
    table = corpus.mentions
    unknown = sorted(set(ids).difference(table.index, corpus.removed.index), key=natural_key)
    if unknown:
        message = f"{counted(len(unknown), 'mention is', 'mentions are')} not in the corpus"
        hint = f"use the mention ids of the corpus; the first is '{unknown[0]}'"
        raise CorpusError("split-invalid", message, place=place, hint=hint)
    kept = table[table.index.isin(list(ids))]
    others = [table.drop(kept.index), *([corpus.region.outside] if corpus.region else [])]
    region = Region(frozenset(), pd.concat(others), frozenset(ids))
    return replace(corpus, mentions=kept, region=region)
