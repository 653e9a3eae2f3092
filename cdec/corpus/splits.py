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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

import pandas as pd

from cdec.configs import FOLDER, read_toml
from cdec.corpus.model import PART, Corpus, Document, Documents, Region, natural_key
from cdec.corpus.store import known_corpora
from cdec.errors import CorpusError, UnknownNameError, UsageError, counted

ALL, OFFICIAL = "all", "official"
TOTAL = "total"  # of all parts, in tables
SPLITS = sorted(path.stem for path in (FOLDER / "splits").glob("*.toml"))  # of cdec
LISTS = ("xamr",)  # those of mentions, whatever the corpus is named
UNITS = ("topic", "subtopic", "document", "mention")
_HINT = 'write [topics] and lines like test = ["26-45"]'
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

    def units(self, documents: Documents) -> dict[str, str]:
        """Return document → the id of its unit."""
        name = "id" if self.unit == "document" else self.unit
        return {id_: getattr(document, name) for id_, document in documents.items()}


NO_SPLIT = Split(ALL, {})


def load_split(name: str) -> Split:
    """Return a split by name or from a TOML file.

    Raises UnknownNameError for an unknown name, UsageError for an invalid file.
    """
    path = Path(name)
    is_shipped = name in SPLITS
    if is_shipped:
        content = read_toml(f"splits/{name}.toml")
    elif path.suffix == ".toml":
        from cdec.corpus.split_file import read_split  # noqa: PLC0415  # cdec's own are valid

        content = read_split(path, _HINT)
    else:
        raise UnknownNameError("split", name, [*SPLITS, "FILE.toml"])

    def refuse(message: str, hint: str) -> UsageError:
        return UsageError("corpus-invalid", message, place=path, hint=hint)

    tables = {unit: content[f"{unit}s"] for unit in UNITS if f"{unit}s" in content}
    if len(tables) != 1 or not any(tables.values()):
        names = " and ".join(f"[{unit}s]" for unit in tables) or "no table"
        raise refuse(f"expected the parts by one kind of unit, got {names}", _HINT)
    ((unit, table),) = tables.items()
    units: dict[str, list[str]] = {}
    number_of_units = 0
    for part, entries in table.items():
        if part in (ALL, TOTAL) or not part.strip():
            raise refuse(f"a part cannot have the name '{part}'", "choose another name")
        units[part] = []
        for entry in entries:
            name_of_unit = str(entry).strip()
            bounds = _RANGE.fullmatch(name_of_unit)
            ids: Sequence[object] = [name_of_unit]
            if bounds and int(bounds[1]) <= int(bounds[2]):
                ids = range(int(bounds[1]), int(bounds[2]) + 1)
            number_of_units += len(ids)
            if number_of_units > _MOST:
                raise refuse(
                    f"'{part}': more than {_MOST:,} {unit}s", "check the ranges"
                )
            units[part] += map(str, ids)
    counts = Counter[str]()
    for part, ids_of_part in units.items():
        # Two parts may share mentions.
        counts.update(
            f"{part} {id_}" if unit == "mention" else id_ for id_ in ids_of_part
        )
    repeated = [id_ for id_, count in counts.items() if count > 1]
    if repeated:
        raise refuse(
            f"duplicate {unit} {', '.join(sorted(repeated, key=natural_key))}",
            f"list each {unit} once, in one part",
        )
    parts = {part: frozenset(ids_of_part) for part, ids_of_part in units.items()}
    mentions = {}
    if unit == "mention":
        unit = "document"
        mentions = parts
        parts = {
            part: frozenset(id_.rpartition("/")[0] for id_ in ids_of_part)
            for part, ids_of_part in mentions.items()
        }
    reviewed_only = content.get("reviewed_only", False)
    return Split(path.stem, parts, unit, reviewed_only, is_shipped, mentions)


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
        stated: dict[str, list[str]] = {part: [] for part in ("train", "dev", "test")}
        for id_, document in corpus.documents.items():
            stated.setdefault(document.attributes.get(PART, ""), []).append(id_)
        parts = {part: frozenset(ids) for part, ids in stated.items() if part and ids}
        if parts:
            return Split(OFFICIAL, parts, "document", own=True)
    if name:
        return load_split(name)
    for split in map(load_split, corpus.splits):
        present = {*split.units(corpus.documents).values()}
        units = split.parts.values()
        whole = set().union(*(ids for ids in units if ids <= present))
        if present == whole or all(ids & present for ids in units):
            return split
    return NO_SPLIT


def part_of(corpus: Corpus, split: str | None) -> Corpus:
    """Return the part ``split``, written ``[SPLIT/]PART``, of a whole corpus; ``all`` is all of it.

    None is the test part of the default split, or the whole corpus if that has none. Raises
    UnknownNameError for an unknown part, CorpusError if a unit or mention of the part is not in the
    corpus, or the corpus does not say which sentences were reviewed.
    """
    name, _, part = (split or "").rpartition("/")
    definition = split_of(corpus, name)
    units = definition.units(corpus.documents)
    present = {*units.values()}
    if split is None:
        test = definition.parts.get("test", frozenset())
        part = ALL if test.isdisjoint(present) else "test"
    if part != ALL and part not in definition.parts:
        raise UnknownNameError("part", part, [*definition.parts, ALL])
    units_of_part = present if part == ALL else definition.parts[part]
    absent = units_of_part - present
    if absent:
        names = sorted(absent, key=natural_key)[:_SHOWN]
        more = ", …" if len(absent) > _SHOWN else ""
        raise _invalid(
            definition,
            f"{definition.unit} {', '.join(names)}{more} of '{part}' is not in the corpus "
            f"'{corpus.name}'",
            "check the corpus with `cdec corpus add … --check`, or use another split",
        )
    inside: dict[str, Document] = {}
    outside = dict(corpus.elsewhere)
    for id_, document in corpus.documents.items():
        documents = inside if units[id_] in units_of_part else outside
        documents[id_] = document
    table = corpus.mentions[corpus.mentions["doc"].isin(inside)]
    region = corpus.region
    name = ALL if part == ALL else f"{definition.name}-{part}"
    # The name does not identify the units of a user's split, nor the mentions in reviewed
    # sentences: the digest of the corpus does not cover the list of these sentences.
    contents = {}
    if not definition.own and part != ALL:
        contents[f"{definition.unit}s"] = sorted(definition.parts[part])
        if definition.mentions:
            contents["scored"] = sorted(definition.mentions[part])
    if definition.reviewed_only:
        if not table["reviewed"].any():
            raise _invalid(
                definition,
                f"'{corpus.name}' has no list of the reviewed sentences that it selects",
                "put ECBplus_coreference_sentences.csv next to the folder ECB+",
            )
        region = Region(corpus.reviewed, table[~table["reviewed"]])
        table = table[table["reviewed"]]
        contents["mentions"] = table.index.tolist()
        if part == ALL:
            name += "-reviewed"
    listed = definition.mentions.get(part)
    if listed:
        absent = listed.difference(table.index, corpus.removed.index)
        if absent:
            raise _invalid(
                definition,
                f"{counted(len(absent), 'mention is', 'mentions are')} not in the corpus",
                f"use the ids of the corpus; the first is '{min(absent, key=natural_key)}'",
            )
        is_scored = table.index.isin(list(listed))
        others = table[~is_scored]
        if region:
            others = pd.concat([others, region.outside])
        region = Region(frozenset(), others, listed)
        table = table[is_scored]
    return replace(
        corpus,
        part=name,
        documents=inside,
        elsewhere=outside,
        mentions=table,
        region=region,
        split_digest=sha256(json.dumps(contents).encode()).hexdigest()
        if contents
        else "",
        undecided=False,
    )


def _invalid(split: Split, message: str, hint: str) -> CorpusError:
    return CorpusError(
        "corpus-invalid", message, place=f"split '{split.name}'", hint=hint
    )


def named_part(part: str) -> str | None:
    """Return ``[SPLIT/]PART`` for the name of a part in a signature; None if it does not say.

    >>> named_part("cybulska-test"), named_part("all"), named_part("mine-test")
    ('cybulska/test', 'all', None)
    """
    names = [name for name in (*SPLITS, OFFICIAL) if part.startswith(f"{name}-")]
    if not names:
        return part if part == ALL else None
    name = max(names, key=len)
    return f"{name}/{part.removeprefix(f'{name}-')}"


def overlap_with_test(corpus: Corpus, split: str) -> str:
    """Return the reason why ``corpus``, the part ``split``, must not be used for tuning, or ''.

    The reason is a topic (or other unit) of the test part of its split. For a user-defined split
    the test part of the default split of the corpus counts as well.
    """
    explicit = (named_part(split) or split).rpartition("/")[0]
    definitions = [split_of(corpus, explicit or None)]
    if not definitions[0].own:
        definitions.append(split_of(corpus))
    for definition in definitions:
        units = definition.units(corpus.documents).values()
        shared = definition.parts.get("test", frozenset()).intersection(units)
        if shared:
            name = definition.name
            if explicit and definition is definitions[0]:
                name = explicit
            return (
                f"{len(shared)} of its {definition.unit}s are in the test part of the split "
                f"'{name}'"
            )
    return ""


def divided(corpus: Corpus, split: str | None = None) -> dict[str, Corpus]:
    """Return part → sub-corpus of a whole corpus under ``split`` (default: the corpus's own).

    Parts of which the corpus has no document are left out; without a split, the part is ``all``.
    """
    definition = split_of(corpus, split)
    present = {*definition.units(corpus.documents).values()}
    parts = [part for part, units in definition.parts.items() if units & present]
    return {part: part_of(corpus, f"{split or ''}/{part}") for part in parts or [ALL]}


def train_and_dev(corpus: Corpus, split: str | None) -> tuple[Corpus, Corpus]:
    """Return these parts of a whole corpus under ``split`` (default: the corpus's own)."""
    name = split or ""
    return part_of(corpus, f"{name}/train"), part_of(corpus, f"{name}/dev")
