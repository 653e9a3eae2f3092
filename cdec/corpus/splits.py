"""Splits: the topics, sub-topics, documents or mentions of the parts of a corpus.

A split is a TOML file, from ``configs/splits`` or the user's own::

    format = "cdec-split/1"          # optional
    title = "source of the split"
    reviewed_only = false            # true: only mentions in fully reviewed sentences
    [topics]                         # or [subtopics], [documents], or [mentions]
    train = ["1-14", "16"]           # names, and ranges of numbers
    dev = ["23-25"]
    test = ["26-45"]

Units that are not named are in no part. A part of mentions (``"36_1ecb/23"``) has their documents,
and no other mention is scored; two parts may share mentions.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256
from itertools import chain, islice
from pathlib import Path
from typing import Annotated

import pandas as pd
from pydantic import BeforeValidator, FailFast

from cdec.configs import read_text, toml_names
from cdec.corpus.known import known_corpora
from cdec.corpus.model import PART, Corpus, Document, Region, natural_key
from cdec.errors import CorpusError, UnknownNameError, UsageError, counted
from cdec.files.input import FileKind
from cdec.files.models import LARGEST_TOML, FileModel, Schema, complaint, shown

ALL, OFFICIAL = "all", "official"
TOTAL = "total"  # of all parts, in tables
SPLITS = toml_names("splits")  # those that come with cdec
UNITS = ("topic", "subtopic", "document", "mention")
FORMAT = "cdec-split/1"
_HINT = 'write [topics] and lines like test = ["26-45"]'
_KIND = FileKind("a split", UsageError, "corpus-invalid", _HINT, LARGEST_TOML)
_MOST = 100_000  # units of a part; more are probably a typing error in a range
_SHOWN = 10


@dataclass(frozen=True)
class Split:
    """A division of a corpus into parts; ``parts`` maps part → ids of units.

    ``unit`` is topic, subtopic or document. ``own``: the split is shipped with cdec, so that name
    and version of cdec identify it. ``mentions`` maps part → ids of the mentions that are scored;
    without them, all are.
    """

    name: str
    title: str
    parts: Mapping[str, frozenset[str]]
    unit: str = "topic"
    reviewed_only: bool = False
    own: bool = False
    mentions: Mapping[str, frozenset[str]] = field(default_factory=dict, repr=False)

    def unit_of(self, document: Document) -> str:
        """Return the id of the unit of a document."""
        return str(getattr(document, "id" if self.unit == "document" else self.unit))

    def present(self, corpus: Corpus) -> set[str]:
        """Return the ids of the units that a corpus has."""
        return set(map(self.unit_of, corpus.documents.values()))


NO_SPLIT = Split(ALL, "", {})


def _unit(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise complaint(f"is {shown(value)}, not the id of a unit")
    return str(value)


_Parts = dict[str, Annotated[list[Annotated[str, BeforeValidator(_unit)]], FailFast()]]


class _File(FileModel):
    title: str | None = None
    reviewed_only: bool = False
    topics: _Parts | None = None
    subtopics: _Parts | None = None
    documents: _Parts | None = None
    mentions: _Parts | None = None


_SCHEMA = Schema(_KIND, _File, FORMAT, since=1)


def load_split(name: str) -> Split:
    """Return a split by name or from a TOML file.

    Raises UnknownNameError for an unknown name, UsageError for an invalid file.
    """
    if name in SPLITS:
        return _shipped(name)
    path = Path(name)
    if path.suffix != ".toml":
        raise UnknownNameError("split", name, [*SPLITS, "FILE.toml"])
    return parse_split(path.stem, _KIND.read_text(path), path)


@cache
def _shipped(name: str) -> Split:
    return replace(parse_split(name, read_text(f"splits/{name}.toml"), name), own=True)


def parse_split(name: str, text: str, place: object) -> Split:
    """Return the split of a TOML text. Raises UsageError if it is invalid."""

    def refuse(message: str, hint: str) -> UsageError:
        return UsageError("corpus-invalid", message, place=place, hint=hint)

    file = _SCHEMA.parse_toml(text, place)
    given = {unit: table for unit in UNITS if (table := getattr(file, f"{unit}s")) is not None}
    if len(given) > 1:
        message = f"the split has the tables {' and '.join(f'[{unit}s]' for unit in given)}"
        raise refuse(message, "define its parts by one kind of unit")
    if not any(given.values()):
        raise refuse("the table [topics] is missing or empty", _HINT)
    ((unit, table),) = given.items()
    parts: dict[str, frozenset[str]] = {}
    for part, entries in table.items():
        if part in (ALL, TOTAL):
            raise refuse(f"a part cannot have the name '{part}'", "choose another name")
        expanded = chain.from_iterable(_expand(entry.strip()) for entry in entries)
        names = Counter(islice(expanded, _MOST + 1))
        if names.total() > _MOST:
            message = f"the part '{part}' has more than {_MOST:,} {unit}s"
            raise refuse(message, "check its ranges")
        repeated = {one for one, count in names.items() if count > 1}
        if unit != "mention":
            repeated |= names.keys() & set().union(*parts.values())
        if repeated:
            message = f"duplicate {unit} {', '.join(sorted(repeated, key=natural_key))}"
            raise refuse(message, f"list each {unit} once, in one part")
        parts[part] = frozenset(names)
    split = Split(
        name,
        name if file.title is None else file.title,
        parts,
        unit,
        file.reviewed_only,
    )
    if unit != "mention":
        return split
    homes = {part: frozenset(id_.rpartition("/")[0] for id_ in ids) for part, ids in parts.items()}
    return replace(split, parts=homes, unit="document", mentions=parts)


def _expand(entry: str) -> Iterable[str]:
    """Return the numbers of a range, or the entry."""
    bounds = re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9})", entry)
    numbers = range(int(bounds[1]), int(bounds[2]) + 1) if bounds else ()
    return map(str, numbers) if numbers else [entry]


# The parts of a corpus.


def default_split(corpus: Corpus) -> Split:
    """Return the default split of a corpus; NO_SPLIT if it has none.

    The first of: the split of a known corpus; the split that the files of the corpus define; the
    first of its ``splits`` that fits the corpus: each part has a topic (or other unit) of it, or
    it consists of whole parts.
    """
    known = {known.name: known.split for known in known_corpora()}.get(corpus.name)
    if known and known != OFFICIAL:
        return load_split(known)
    own = _official(corpus)
    if own.parts:
        return own
    for split in map(load_split, corpus.splits):
        present, parts = split.present(corpus), split.parts.values()
        whole = set().union(*(units for units in parts if units <= present))
        if all(units & present for units in parts) or present == whole:
            return split
    return NO_SPLIT


def _official(corpus: Corpus) -> Split:
    """Return the split that the documents state, with the usual parts first."""
    parts: dict[str, list[str]] = {part: [] for part in ("train", "dev", "test")}
    for id_, document in corpus.documents.items():
        parts.setdefault(document.attributes.get(PART, ""), []).append(id_)
    named = {part: frozenset(ids) for part, ids in parts.items() if part and ids}
    return Split(OFFICIAL, "as in the files of the corpus", named, "document", own=True)


def split_of(corpus: Corpus, name: str | None) -> Split:
    """Return a split by name or file, or the default split of the corpus."""
    if name == OFFICIAL and (own := _official(corpus)).parts:
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
        has_test = chosen.parts.get("test", frozenset()) & chosen.present(corpus)
        return select(corpus, "test" if has_test else ALL, chosen)
    name, _, part = split.rpartition("/")
    return select(corpus, part, split_of(corpus, name))


def named_part(part: str) -> str | None:
    """Return ``[SPLIT/]PART`` for the name of a part in a signature; None if it does not say.

    >>> named_part("cybulska-test"), named_part("all"), named_part("mine-test")
    ('cybulska/test', 'all', None)
    """
    known = [name for name in (*SPLITS, OFFICIAL) if part.startswith(f"{name}-")]
    if not known:
        return part if part == ALL else None
    name = max(known, key=len)
    return f"{name}/{part.removeprefix(f'{name}-')}"


def overlap_with_test(corpus: Corpus, split: str) -> str:
    """Return the reason why ``corpus``, the part ``split``, must not be used for tuning, or ''.

    The reason is a topic (or other unit) of the test part of its split. For a user-defined split
    the test part of the default split of the corpus counts as well.
    """
    explicit = split.rpartition("/")[0]
    chosen, default = split_of(corpus, explicit or None), default_split(corpus)
    named = {explicit or chosen.name: chosen}
    for name, known in (named if chosen.own else named | {default.name: default}).items():
        if shared := known.parts.get("test", frozenset()) & known.present(corpus):
            many = f"{len(shared)} of its {known.unit}s are"
            return f"{many} in the test part of the split '{name}'"
    return ""


def divided(corpus: Corpus, split: str | None = None) -> dict[str, Corpus]:
    """Return part → sub-corpus of a whole corpus under ``split`` (default: the corpus's own).

    Parts of which the corpus has no document are left out; without a split, the part is ``all``.
    """
    chosen = split_of(corpus, split)
    present = chosen.present(corpus)
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
    absent = sorted(chosen - set(units.values()), key=natural_key)
    if absent:
        shown = ", ".join(absent[:_SHOWN]) + (", …" if len(absent) > _SHOWN else "")
        raise CorpusError(
            "corpus-invalid",
            f"{split.unit} {shown} of the part '{part}' is not in the corpus '{corpus.name}'",
            place=f"split '{split.name}'",
            hint="check the corpus with `cdec corpus add … --check`, or use another split",
        )
    documents = [id_ for id_, unit in units.items() if unit in chosen]
    subset = corpus.subset(documents, f"{split.name}-{part}" if part != ALL else ALL)
    # The name does not identify the units of a user's split, nor the mentions in reviewed
    # sentences: the digest of the corpus does not cover the list of these sentences.
    named: dict[str, object] = {}
    if not split.own and part != ALL:
        named[f"{split.unit}s"] = sorted(split.parts[part])
        if split.mentions:
            named["scored"] = sorted(split.mentions[part])
    if split.reviewed_only:
        subset = _reviewed(subset)
        named["mentions"] = subset.mentions.index.tolist()
    if part in split.mentions:
        subset = _only(subset, split.mentions[part], f"split '{split.name}'")
    digest = sha256(json.dumps(named).encode()).hexdigest() if named else ""
    return replace(subset, split_digest=digest)


def _reviewed(corpus: Corpus) -> Corpus:
    inside = corpus.mentions["reviewed"]
    if not inside.any():
        message = "the split selects reviewed sentences, but the corpus has no list of them"
        hint = "put ECBplus_coreference_sentences.csv next to the folder ECB+"
        raise CorpusError("corpus-invalid", message, place=corpus.name, hint=hint)
    part = f"{corpus.part}-reviewed" if corpus.part == ALL else corpus.part
    region = Region(corpus.reviewed, corpus.mentions[~inside])
    return replace(corpus, mentions=corpus.mentions[inside], part=part, region=region)


def _only(corpus: Corpus, ids: frozenset[str], place: object) -> Corpus:
    """Return the corpus with these mentions only; all others are left out of responses too."""
    table = corpus.mentions
    unknown = sorted(ids.difference(table.index, corpus.removed.index), key=natural_key)
    if unknown:
        message = f"{counted(len(unknown), 'mention is', 'mentions are')} not in the corpus"
        hint = f"use the mention ids of the corpus; the first is '{unknown[0]}'"
        raise CorpusError("corpus-invalid", message, place=place, hint=hint)
    inside = table.index.isin(list(ids))
    outside = [table[~inside], *([corpus.region.outside] if corpus.region else [])]
    region = Region(frozenset(), pd.concat(outside), ids)
    return replace(corpus, mentions=table[inside], region=region)
