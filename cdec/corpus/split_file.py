"""A split as a TOML file, one of ours (``configs/splits``) or the user's own.

::

    format = "cdec-split/1"          # may be left out
    title = "where it comes from"
    reviewed_only = false            # true: only mentions in fully reviewed sentences
    [topics]
    train = ["1-14", "16"]           # topics and ranges of numbered topics
    dev = ["23-25"]
    test = ["26-45"]
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, FailFast

from cdec.corpus.splits import ALL, Split, listed
from cdec.errors import UsageError
from cdec.io.inputfile import FileKind
from cdec.io.schema import LARGEST_TOML, FileModel, Schema, complaint, shown

FORMAT = "cdec-split/1"
_CURE = 'write [topics] and lines like test = ["26-45"]'
_KIND = FileKind("split", UsageError, _CURE, LARGEST_TOML)
_MOST = 100_000  # topics of a part: a slip of the keyboard in a range is no such number


def _topic(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise complaint(f"is {shown(value)}, not a topic")
    return str(value)


class _File(FileModel):
    title: str | None = None
    reviewed_only: bool = False
    topics: dict[str, Annotated[list[Annotated[str, BeforeValidator(_topic)]], FailFast()]]


_SCHEMA = Schema(_KIND, _File, FORMAT, since=1)


def read_split(path: Path) -> Split:
    """Return the split of a file. Raises UsageError for a file that is no split."""
    return parse_split(path.stem, _KIND.read_text(path), path)


def parse_split(name: str, text: str, place: object) -> Split:
    """Return the split of a TOML text. Raises UsageError for one that is no split."""
    file = _SCHEMA.parse_toml(text, place)
    title = name if file.title is None else file.title
    return Split(name, title, _parts(file.topics, place), file.reviewed_only)


def _parts(table: Mapping[str, Iterable[str]], place: object) -> dict[str, frozenset[str]]:
    if not table:
        raise UsageError("no [topics] table", place=place, cure=_CURE)
    parts: dict[str, frozenset[str]] = {}
    for part, entries in table.items():
        if part == ALL:
            message = f"a part cannot be called '{ALL}'"
            raise UsageError(message, place=place, cure="it means every topic: choose another name")
        given = chain.from_iterable(_expand(entry, place) for entry in entries)
        topics = Counter(islice(given, _MOST + 1))
        if topics.total() > _MOST:
            message = f"the part '{part}' names more than {_MOST:,} topics"
            raise UsageError(message, place=place, cure="name those that there are")
        twice = {topic for topic, count in topics.items() if count > 1}
        twice |= topics.keys() & set().union(*parts.values())
        if twice:
            cure = "name each topic in one part, once"
            raise UsageError(f"topic {listed(twice)} stands twice", place=place, cure=cure)
        parts[part] = frozenset(topics)
    return parts


def _expand(entry: str, place: object) -> Iterable[str]:
    bounds = re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9})", entry.strip())
    if bounds is None:
        return [entry.strip()]
    low, high = int(bounds[1]), int(bounds[2])
    if low > high:
        message = f"the range '{entry.strip()}' runs backwards"
        raise UsageError(message, place=place, cure=f"write '{high}-{low}'")
    return map(str, range(low, high + 1))
