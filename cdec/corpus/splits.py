"""Splits: which topics are train, dev and test, and the parts of a corpus under one.

A split is a TOML file, one of ours (``configs/splits``) or the user's own::

    format = "cdec-split/1"          # may be left out
    title = "where it comes from"
    reviewed_only = false            # true: only mentions in fully reviewed sentences
    [topics]
    train = ["1-14", "16"]           # topics and ranges of numbered topics
    dev = ["23-25"]
    test = ["26-45"]
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from itertools import chain, islice
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, FailFast

from cdec.configs import read_text, toml_names
from cdec.corpus.known import known_corpora
from cdec.corpus.model import Corpus, natural_key
from cdec.errors import CorpusError, UnknownNameError, UsageError
from cdec.io.inputfile import FileKind
from cdec.io.schema import LARGEST_TOML, FileModel, Schema, complaint, shown

ALL = "all"
_DEFAULT = "ycf"  # of a corpus without a split of its own
FORMAT = "cdec-split/1"
_HINT = 'write [topics] and lines like test = ["26-45"]'
_KIND = FileKind("a split", UsageError, "split-invalid", _HINT, LARGEST_TOML)
_MOST = 100_000  # topics of a part: a slip of the keyboard in a range is no such number


@dataclass(frozen=True)
class Split:
    """A division of topics into parts; ``topics`` maps part → topic ids.

    ``own`` says that the split comes with cdec: its name and the version of cdec identify it.
    """

    name: str
    title: str
    topics: Mapping[str, frozenset[str]]
    reviewed_only: bool = False
    own: bool = False


def split_names() -> tuple[str, ...]:
    """Return the names of the splits that come with cdec."""
    return toml_names("splits")


def load_split(name: str) -> Split:
    """Return a split by name, or from the user's TOML file.

    Raises UnknownNameError for a name that is neither, UsageError for a file that is no split.
    """
    if name in split_names():
        return _own(name)
    path = Path(name)
    if path.suffix != ".toml":
        raise UnknownNameError("split", name, [*split_names(), "FILE.toml"])
    return _parse(path.stem, _KIND.read_text(path), path)


@cache
def _own(name: str) -> Split:
    return replace(_parse(name, read_text(f"splits/{name}.toml"), name), own=True)


def default_split(corpus: Corpus) -> str:
    """Return the name of the corpus's own split; that of ECB+ where it has none."""
    return {known.name: known.split for known in known_corpora()}.get(corpus.name, _DEFAULT)


def part_of(corpus: Corpus, split: str) -> Corpus:
    """Return the part of a whole corpus that ``split`` names, ``[SPLIT/]PART``."""
    named, _, part = split.rpartition("/")
    return select(corpus, part, load_split(named or default_split(corpus)))


def divided(corpus: Corpus, split: str | None = None) -> dict[str, Corpus]:
    """Return each part of a whole corpus under ``split`` (default: the corpus's own)."""
    chosen = load_split(split or default_split(corpus))
    return {part: select(corpus, part, chosen) for part in chosen.topics}


def select(corpus: Corpus, part: str, split: Split) -> Corpus:
    """Return the part of ``corpus`` that ``split`` calls ``part``; ``all`` is every document.

    Raises UnknownNameError for an unknown part, CorpusError where a topic of the corpus stands
    in no part, or the part names a topic that the corpus lacks.
    """
    if part != ALL and part not in split.topics:
        raise UnknownNameError(f"part of the split '{split.name}':", part, [*split.topics, ALL])
    present = {document.topic for document in corpus.documents.values()}
    if part == ALL:
        chosen = present
    else:
        chosen = set(split.topics[part])
        _check_topics(corpus, split, part, present)
    documents = [id_ for id_, document in corpus.documents.items() if document.topic in chosen]
    subset = corpus.subset(documents, f"{split.name}-{part}" if part != ALL else ALL)
    if split.reviewed_only:
        subset = _reviewed(subset)
    return replace(subset, split_digest=_digest(split, part, subset))


def _digest(split: Split, part: str, subset: Corpus) -> str:
    """Return the SHA-256 of what the name of a part does not identify; '' if it says everything.

    That is the topics of a user's split, and the mentions in reviewed sentences: the list of these
    sentences is no part of the corpus's digest.
    """
    named: dict[str, object] = {}
    if not split.own and part != ALL:
        named["topics"] = sorted(split.topics[part])
    if split.reviewed_only:
        named["mentions"] = subset.mentions.index.tolist()
    return sha256(json.dumps(named).encode()).hexdigest() if named else ""


def _check_topics(corpus: Corpus, split: Split, part: str, present: set[str]) -> None:
    lost = present.difference(*split.topics.values())
    if lost:
        raise CorpusError(
            f"topic {_listed(lost)} of the corpus '{corpus.name}' is in no part of the split",
            place=f"split '{split.name}'",
            hint="add it to a part, or choose another split",
        )
    missing = split.topics[part] - present
    if missing:
        raise CorpusError(
            f"topic {_listed(missing)} of the part '{part}' is not in the corpus '{corpus.name}'",
            place=f"split '{split.name}'",
            hint="is it complete (`cdec corpus verify`)? is its split another (--split NAME/PART)?",
        )


def _reviewed(corpus: Corpus) -> Corpus:
    if not corpus.mentions["reviewed"].any():
        raise CorpusError(
            "the split wants reviewed sentences, and the corpus has no list of them",
            place=corpus.name,
            hint="put ECBplus_coreference_sentences.csv beside the folder ECB+",
        )
    part = f"{corpus.part}-reviewed" if corpus.part == ALL else corpus.part
    return replace(corpus, mentions=corpus.mentions[corpus.mentions["reviewed"]], part=part)


def _listed(topics: Iterable[str]) -> str:
    """Return topics in their order, for a message."""
    return ", ".join(sorted(topics, key=natural_key))


def _topic(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise complaint(f"is {shown(value)}, not a topic")
    return str(value)


class _File(FileModel):
    title: str | None = None
    reviewed_only: bool = False
    topics: dict[str, Annotated[list[Annotated[str, BeforeValidator(_topic)]], FailFast()]]


_SCHEMA = Schema(_KIND, _File, FORMAT, since=1)


def _parse(name: str, text: str, place: object) -> Split:
    """Return the split of a TOML text. Raises UsageError for one that is no split."""
    file = _SCHEMA.parse_toml(text, place)
    title = name if file.title is None else file.title
    return Split(name, title, _parts(file.topics, place), file.reviewed_only)


def _parts(table: Mapping[str, Iterable[str]], place: object) -> dict[str, frozenset[str]]:
    if not table:
        raise UsageError("no [topics] table", place=place, hint=_HINT)
    parts: dict[str, frozenset[str]] = {}
    for part, entries in table.items():
        if part == ALL:
            message = f"a part cannot be called '{ALL}'"
            raise UsageError(message, place=place, hint="it means every topic: choose another name")
        given = chain.from_iterable(_expand(entry, place) for entry in entries)
        topics = Counter(islice(given, _MOST + 1))
        if topics.total() > _MOST:
            message = f"the part '{part}' names more than {_MOST:,} topics"
            raise UsageError(message, place=place, hint="name those that there are")
        twice = {topic for topic, count in topics.items() if count > 1}
        twice |= topics.keys() & set().union(*parts.values())
        if twice:
            hint = "name each topic in one part, once"
            raise UsageError(f"topic {_listed(twice)} stands twice", place=place, hint=hint)
        parts[part] = frozenset(topics)
    return parts


def _expand(entry: str, place: object) -> Iterable[str]:
    bounds = re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9})", entry.strip())
    if bounds is None:
        return [entry.strip()]
    low, high = int(bounds[1]), int(bounds[2])
    if low > high:
        message = f"the range '{entry.strip()}' runs backwards"
        raise UsageError(message, place=place, hint=f"write '{high}-{low}'")
    return map(str, range(low, high + 1))
