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
from collections.abc import Collection, Iterable, Mapping
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
UNITS = ("topic", "subtopic", "document", "mention")
_MENTION = UNITS[-1]
FORMAT = "cdec-split/1"
_HINT = 'write [topics] and lines like test = ["26-45"]'
_KIND = FileKind("a split", UsageError, "corpus-invalid", _HINT, LARGEST_TOML)
_MOST = 100_000  # units of a part; more are probably a typing error in a range
_TEST = "test"
_USUAL = ("train", "dev", _TEST)  # the order of the parts
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


def split_names() -> tuple[str, ...]:
    """Return the names of the splits that come with cdec."""
    return toml_names("splits")


def load_split(name: str) -> Split:
    """Return a split by name or from a TOML file.

    Raises UnknownNameError for an unknown name, UsageError for an invalid file.
    """
    if name in split_names():
        return _shipped(name)
    path = Path(name)
    if path.suffix != ".toml":
        raise UnknownNameError("split", name, [*split_names(), "FILE.toml"])
    return parse_split(path.stem, _KIND.read_text(path), path)


@cache
def _shipped(name: str) -> Split:
    return replace(parse_split(name, read_text(f"splits/{name}.toml"), name), own=True)


def parse_split(name: str, text: str, place: object) -> Split:
    """Return the split of a TOML text. Raises UsageError if it is invalid."""
    file = _SCHEMA.parse_toml(text, place)
    tables = {unit: getattr(file, f"{unit}s") for unit in UNITS}
    given = [unit for unit, table in tables.items() if table is not None]

    def refuse(message: str, hint: str) -> UsageError:
        return UsageError("corpus-invalid", message, place=place, hint=hint)

    if len(given) > 1:
        message = f"the split has the tables [{given[0]}s] and [{given[1]}s]"
        raise refuse(message, "define its parts by one kind of unit")
    if not given or not tables[given[0]]:
        raise refuse("the table [topics] is missing or empty", _HINT)
    (unit,) = given
    parts: dict[str, frozenset[str]] = {}
    for part, entries in tables[unit].items():
        if part in (ALL, TOTAL):
            raise refuse(f"a part cannot have the name '{part}'", "choose another name")
        expanded = chain.from_iterable(_expand(entry.strip(), place) for entry in entries)
        names = Counter(islice(expanded, _MOST + 1))
        if names.total() > _MOST:
            message = f"the part '{part}' has more than {_MOST:,} {unit}s"
            raise refuse(message, "check its ranges")
        repeated = {one for one, count in names.items() if count > 1}
        if unit != _MENTION:
            repeated |= names.keys() & set().union(*parts.values())
        if repeated:
            message = f"duplicate {unit} {', '.join(sorted(repeated, key=natural_key))}"
            raise refuse(message, f"list each {unit} once, in one part")
        parts[part] = frozenset(names)
    title = name if file.title is None else file.title
    if unit != _MENTION:
        return Split(name, title, parts, unit, file.reviewed_only)
    wrong = sorted(id_ for ids in parts.values() for id_ in ids if "/" not in id_)
    if wrong:
        message = f"'{wrong[0]:.60}' is not the id of a mention"
        raise refuse(message, "write document/number, as in 36_1ecb/23")
    homes = {part: frozenset(id_.rpartition("/")[0] for id_ in ids) for part, ids in parts.items()}
    return Split(name, title, homes, "document", file.reviewed_only, mentions=parts)


def _expand(entry: str, place: object) -> Iterable[str]:
    """Return the numbers of a range, or the entry."""
    bounds = re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9})", entry)
    if bounds is None:
        return [entry]
    low, high = int(bounds[1]), int(bounds[2])
    if low > high:
        message, hint = f"the range '{entry}' is descending", f"write '{high}-{low}'"
        raise UsageError("corpus-invalid", message, place=place, hint=hint)
    return map(str, range(low, high + 1))


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
        present, parts = _present(split, corpus), split.parts.values()
        whole = set().union(*(units for units in parts if units <= present))
        if all(units & present for units in parts) or present == whole:
            return split
    return NO_SPLIT


def _official(corpus: Corpus) -> Split:
    """Return the split that the documents state, with the usual parts first."""
    parts: dict[str, list[str]] = {part: [] for part in _USUAL}
    for id_, document in corpus.documents.items():
        parts.setdefault(document.attributes.get(PART, ""), []).append(id_)
    named = {part: frozenset(ids) for part, ids in parts.items() if part and ids}
    return Split(OFFICIAL, "as in the files of the corpus", named, "document", own=True)


def _present(split: Split, corpus: Corpus) -> set[str]:
    """Return the units of a split that a corpus has."""
    return {split.unit_of(document) for document in corpus.documents.values()}


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
        has_test = chosen.parts.get(_TEST, frozenset()) & _present(chosen, corpus)
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


def overlap_with_test(corpus: Corpus, split: str) -> str:
    """Return the reason why ``corpus``, the part ``split``, must not be used for tuning, or ''.

    The reason is a topic (or other unit) of the test part of its split. For a user-defined split
    the test part of the default split of the corpus counts as well.
    """
    explicit = split.rpartition("/")[0]
    chosen, default = split_of(corpus, explicit or None), default_split(corpus)
    named = {explicit or chosen.name: chosen}
    for name, known in (named if chosen.own else named | {default.name: default}).items():
        units = {known.unit_of(document) for document in corpus.documents.values()}
        shared = known.parts.get("test", frozenset()) & units
        if shared:
            many = f"{len(shared)} of its {known.unit}s are"
            return f"{many} in the test part of the split '{name}'"
    return ""


def divided(corpus: Corpus, split: str | None = None) -> dict[str, Corpus]:
    """Return part → sub-corpus of a whole corpus under ``split`` (default: the corpus's own).

    Parts of which the corpus has no document are left out; without a split, the part is ``all``.
    """
    chosen = split_of(corpus, split)
    present = _present(chosen, corpus)
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
    if split.reviewed_only:
        subset = _reviewed(subset)
    if part in split.mentions:
        subset = only(subset, split.mentions[part], f"split '{split.name}'")
    # The name does not identify the units of a user's split, nor the mentions in reviewed
    # sentences: the digest of the corpus does not cover the list of these sentences.
    named: dict[str, object] = {}
    if not split.own and part != ALL:
        named[f"{split.unit}s"] = sorted(split.parts[part])
        if split.mentions:
            named["scored"] = sorted(split.mentions[part])
    if split.reviewed_only:
        named["mentions"] = subset.mentions.index.tolist()
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


def only(corpus: Corpus, ids: Collection[str], place: object) -> Corpus:
    """Return the corpus with these mentions only; all others are left out of responses too.

    Raises CorpusError, with ``place``, for an id that is not in the corpus.
    """
    table = corpus.mentions
    unknown = sorted(set(ids).difference(table.index, corpus.removed.index), key=natural_key)
    if unknown:
        message = f"{counted(len(unknown), 'mention is', 'mentions are')} not in the corpus"
        hint = f"use the mention ids of the corpus; the first is '{unknown[0]}'"
        raise CorpusError("corpus-invalid", message, place=place, hint=hint)
    kept = table[table.index.isin(list(ids))]
    others = [table.drop(kept.index), *([corpus.region.outside] if corpus.region else [])]
    region = Region(frozenset(), pd.concat(others), frozenset(ids))
    return replace(corpus, mentions=kept, region=region)
