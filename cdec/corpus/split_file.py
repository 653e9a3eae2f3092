"""Split files: the topics, sub-topics or documents of train, dev and test.

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

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, FailFast

from cdec.configs import read_text, toml_names
from cdec.corpus.model import Document, natural_key
from cdec.errors import UnknownNameError, UsageError
from cdec.files.input import FileKind
from cdec.files.models import LARGEST_TOML, FileModel, Schema, complaint, shown

ALL = "all"
UNITS = ("topic", "subtopic", "document", "mention")
_MENTION = UNITS[-1]
TOTAL = "total"  # of all parts, in tables
_TAKEN = (ALL, TOTAL)
FORMAT = "cdec-split/1"
_HINT = 'write [topics] and lines like test = ["26-45"]'
_KIND = FileKind("a split", UsageError, "split-invalid", _HINT, LARGEST_TOML)
_MOST = 100_000  # units of a part; more are probably a typing error in a range


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


def _listed(names: Iterable[str]) -> str:
    """Return the names in natural order, for a message."""
    return ", ".join(sorted(names, key=natural_key))


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


def parse_split(name: str, text: str, place: object) -> Split:
    """Return the split of a TOML text. Raises UsageError if it is invalid."""
    file = _SCHEMA.parse_toml(text, place)
    title = name if file.title is None else file.title
    tables = {unit: getattr(file, f"{unit}s") for unit in UNITS}
    given = [unit for unit, table in tables.items() if table is not None]
    if len(given) > 1:
        message = f"the split has the tables [{given[0]}s] and [{given[1]}s]"
        raise _error(message, place, "define its parts by one kind of unit")
    if not given or not tables[given[0]]:
        raise _error("the table [topics] is missing or empty", place, _HINT)
    unit = given[0]
    parts = _parts(tables[unit], unit, place)
    if unit != _MENTION:
        return Split(name, title, parts, unit, file.reviewed_only)
    wrong = sorted(id_ for ids in parts.values() for id_ in ids if "/" not in id_)
    if wrong:
        hint = "write document/number, as in 36_1ecb/23"
        raise _error(f"'{wrong[0]:.60}' is not the id of a mention", place, hint)
    homes = {part: frozenset(id_.rpartition("/")[0] for id_ in ids) for part, ids in parts.items()}
    return Split(name, title, homes, "document", file.reviewed_only, mentions=parts)


def _parts(
    table: Mapping[str, Iterable[str]], unit: str, place: object
) -> dict[str, frozenset[str]]:
    parts: dict[str, frozenset[str]] = {}
    for part, entries in table.items():
        if part in _TAKEN:
            raise _error(f"a part cannot have the name '{part}'", place, "choose another name")
        expanded = chain.from_iterable(_expand(entry, place) for entry in entries)
        names = Counter(islice(expanded, _MOST + 1))
        if names.total() > _MOST:
            message = f"the part '{part}' has more than {_MOST:,} {unit}s"
            raise _error(message, place, "check its ranges")
        repeated = {name for name, count in names.items() if count > 1}
        if unit != _MENTION:
            repeated |= names.keys() & set().union(*parts.values())
        if repeated:
            message = f"duplicate {unit} {_listed(repeated)}"
            raise _error(message, place, f"list each {unit} once, in one part")
        parts[part] = frozenset(names)
    return parts


def _error(message: str, place: object, hint: str) -> UsageError:
    return UsageError("split-invalid", message, place=place, hint=hint)


def _expand(entry: str, place: object) -> Iterable[str]:
    bounds = re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9})", entry.strip())
    if bounds is None:
        return [entry.strip()]
    low, high = int(bounds[1]), int(bounds[2])
    if low > high:
        message = f"the range '{entry.strip()}' is descending"
        raise _error(message, place, f"write '{high}-{low}'")
    return map(str, range(low, high + 1))
