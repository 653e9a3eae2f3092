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
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Annotated

import pandas as pd
from pydantic import FailFast

from cdec.configs import FOLDER, read_toml
from cdec.corpus.model import PART, Corpus, Document, Region, natural_key
from cdec.corpus.store import known_corpora
from cdec.errors import CorpusError, UnknownNameError, UsageError, counted
from cdec.files.input import FileKind
from cdec.files.models import LARGEST_TOML, FileModel, Schema

ALL, OFFICIAL = "all", "official"
TOTAL = "total"  # of all parts, in tables
SPLITS = sorted(path.stem for path in (FOLDER / "splits").glob("*.toml"))  # of cdec
LISTS = ("xamr",)  # those of mentions, whatever the corpus is named
UNITS = ("topic", "subtopic", "document", "mention")
FORMAT = "cdec-split/1"
_HINT = 'write [topics] and lines like test = ["26-45"]'
_KIND = FileKind("a split", UsageError, "corpus-invalid", _HINT, LARGEST_TOML)
_MOST = 100_000  # units; more are probably a typing error in a range
_SHOWN = 10
_RANGE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")


@dataclass(frozen=True)
class Split:
    """A division of a corpus into parts; ``parts`` maps part → ids of units.

    ``unit`` is topic, subtopic or document. ``own``: the split is shipped with cdec, so that name
    and version of cdec identify it. ``mentions`` maps part → ids of the mentions that are scored;
    without them, all are.
    """

    name: str
    parts: Mapping[str, frozenset[str]]
    unit: str = "topic"
    reviewed_only: bool = False
    own: bool = False
    mentions: Mapping[str, frozenset[str]] = field(default_factory=dict, repr=False)

    def units(self, documents: Mapping[str, Document]) -> dict[str, str]:
        """Return document → the id of its unit."""
        if self.unit == "document":
            return {id_: id_ for id_ in documents}
        return {id_: str(getattr(one, self.unit)) for id_, one in documents.items()}


NO_SPLIT = Split(ALL, {})
_Parts = dict[str, Annotated[list[str | int], FailFast()]]


class _File(FileModel):
    title: str | None = None
    reviewed_only: bool = False
    topics: _Parts | None = None
    subtopics: _Parts | None = None
    documents: _Parts | None = None
    mentions: _Parts | None = None


def load_split(name: str) -> Split:
    """Return a split by name or from a TOML file.

    Raises UnknownNameError for an unknown name, UsageError for an invalid file.
    """
    path, own = Path(name), name in SPLITS
    if own:
        file = _File.model_construct(**read_toml(f"splits/{name}.toml"))
    elif path.suffix == ".toml":
        file = Schema(_KIND, _File, FORMAT, since=1).read_toml(path)
    else:
        raise UnknownNameError("split", name, [*SPLITS, "FILE.toml"])

    def refuse(message: str, hint: str) -> UsageError:
        return UsageError("corpus-invalid", message, place=path, hint=hint)

    given = {unit: table for unit in UNITS if (table := getattr(file, f"{unit}s")) is not None}
    if len(given) != 1 or not any(given.values()):
        found = " and ".join(f"[{unit}s]" for unit in given) or "no table"
        raise refuse(f"expected the parts by one kind of unit, got {found}", _HINT)
    ((unit, table),) = given.items()
    listed: list[tuple[str, str]] = []
    for part, entries in table.items():
        if part in (ALL, TOTAL) or not part.strip():
            raise refuse(f"a part cannot have the name '{part}'", "choose another name")
        for entry in (str(each).strip() for each in entries):
            bounds = _RANGE.fullmatch(entry)
            numbers = range(int(bounds[1]), int(bounds[2]) + 1) if bounds else ()
            listed += [(part, str(one)) for one in numbers[: _MOST + 1] or [entry]]
            if len(listed) > _MOST:
                raise refuse(f"'{part}': more than {_MOST:,} {unit}s", "check the ranges")
    once = Counter(listed if unit == "mention" else (one for _, one in listed))
    if repeated := {str(one) for one, number in once.items() if number > 1}:
        message = f"duplicate {unit} {', '.join(sorted(repeated, key=natural_key))}"
        raise refuse(message, f"list each {unit} once, in one part")
    parts = {part: frozenset(one for home, one in listed if home == part) for part in table}
    if unit != "mention":
        return Split(path.stem, parts, unit, file.reviewed_only, own)
    homes = {part: frozenset(one.rpartition("/")[0] for one in parts[part]) for part in parts}
    return Split(path.stem, homes, "document", file.reviewed_only, own, parts)


# The parts of a corpus.


def split_of(corpus: Corpus, name: str | None = None) -> Split:
    """Return a split by name or file, or the default split of the corpus; NO_SPLIT if it has none.

    That is the first of: the split of a known corpus; the split that its documents state, with the
    usual parts first; the first of its ``splits`` that fits it: each part has a topic (or other
    unit) of it, or it consists of whole parts.
    """
    if name == ALL:
        return NO_SPLIT
    known = known_corpora().get(corpus.name.lower())
    if not name and known and known.name == corpus.name and known.split != OFFICIAL:
        name = known.split
    if not name or name == OFFICIAL:
        parts: dict[str, list[str]] = {part: [] for part in ("train", "dev", "test")}
        for id_, document in corpus.documents.items():
            parts.setdefault(document.attributes.get(PART, ""), []).append(id_)
        stated = {part: frozenset(ids) for part, ids in parts.items() if part and ids}
        if stated:
            return Split(OFFICIAL, stated, "document", own=True)
    if name:
        return load_split(name)
    for split in map(load_split, corpus.splits):
        present, units = {*split.units(corpus.documents).values()}, split.parts.values()
        whole = set().union(*(own for own in units if own <= present))
        if all(own & present for own in units) or present == whole:
            return split
    return NO_SPLIT


def part_of(corpus: Corpus, split: str | None) -> Corpus:
    """Return the part ``split``, written ``[SPLIT/]PART``, of a whole corpus; ``all`` is all of it.

    None is the test part of the default split, or the whole corpus if that has none. Raises
    UnknownNameError for an unknown part, CorpusError if a unit or mention of the part is not in the
    corpus, or the corpus does not say which sentences were reviewed.
    """
    name, _, part = (split or "").rpartition("/")
    chosen = split_of(corpus, name)
    units = chosen.units(corpus.documents)
    present = {*units.values()}
    if split is None:
        part = ALL if chosen.parts.get("test", frozenset()).isdisjoint(present) else "test"
    if part != ALL and part not in chosen.parts:
        raise UnknownNameError("part", part, [*chosen.parts, ALL])

    def refuse(message: str, hint: str) -> CorpusError:
        return CorpusError("corpus-invalid", message, place=f"split '{chosen.name}'", hint=hint)

    wanted = present if part == ALL else chosen.parts[part]
    if wanted - present:
        absent = sorted(wanted - present, key=natural_key)
        shown = ", ".join(absent[:_SHOWN]) + (", …" if len(absent) > _SHOWN else "")
        message = f"{chosen.unit} {shown} of '{part}' is not in the corpus '{corpus.name}'"
        hint = "check the corpus with `cdec corpus add … --check`, or use another split"
        raise refuse(message, hint)
    inside = {id_: one for id_, one in corpus.documents.items() if units[id_] in wanted}
    outside = {id_: one for id_, one in corpus.documents.items() if id_ not in inside}
    table, region = corpus.mentions[corpus.mentions["doc"].isin(inside)], corpus.region
    # The name does not identify the units of a user's split, nor the mentions in reviewed
    # sentences: the digest of the corpus does not cover the list of these sentences.
    named: dict[str, object] = {}
    if not chosen.own and part != ALL:
        named[f"{chosen.unit}s"] = sorted(chosen.parts[part])
        named |= {"scored": sorted(chosen.mentions[part])} if chosen.mentions else {}
    if chosen.reviewed_only:
        if not table["reviewed"].any():
            message = f"'{corpus.name}' has no list of the reviewed sentences that it selects"
            raise refuse(message, "put ECBplus_coreference_sentences.csv next to the folder ECB+")
        region = Region(corpus.reviewed, table[~table["reviewed"]])
        table = table[table["reviewed"]]
        named["mentions"] = table.index.tolist()
    if listed := chosen.mentions.get(part):
        unknown = sorted(listed.difference(table.index, corpus.removed.index), key=natural_key)
        if unknown:
            message = f"{counted(len(unknown), 'mention is', 'mentions are')} not in the corpus"
            raise refuse(message, f"use the ids of the corpus; the first is '{unknown[0]}'")
        scored = table.index.isin(list(listed))
        others = [table[~scored], *([region.outside] if region else [])]
        table, region = table[scored], Region(frozenset(), pd.concat(others), listed)
    name = f"{chosen.name}-{part}" if part != ALL else f"{ALL}{'-reviewed' * chosen.reviewed_only}"
    return replace(
        corpus,
        part=name,
        documents=inside,
        elsewhere={**corpus.elsewhere, **outside},
        mentions=table,
        region=region,
        split_digest=sha256(json.dumps(named).encode()).hexdigest() if named else "",
        undecided=False,
    )


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
    explicit = (named_part(split) or split).rpartition("/")[0]
    chosen = split_of(corpus, explicit or None)
    for known in (chosen,) if chosen.own else (chosen, split_of(corpus)):
        units = known.units(corpus.documents).values()
        if shared := known.parts.get("test", frozenset()).intersection(units):
            name = explicit if explicit and known is chosen else known.name
            many = f"{len(shared)} of its {known.unit}s are"
            return f"{many} in the test part of the split '{name}'"
    return ""


def divided(corpus: Corpus, split: str | None = None) -> dict[str, Corpus]:
    """Return part → sub-corpus of a whole corpus under ``split`` (default: the corpus's own).

    Parts of which the corpus has no document are left out; without a split, the part is ``all``.
    """
    chosen = split_of(corpus, split)
    present = {*chosen.units(corpus.documents).values()}
    named = [part for part, units in chosen.parts.items() if units & present]
    return {part: part_of(corpus, f"{split or ''}/{part}") for part in named or [ALL]}
