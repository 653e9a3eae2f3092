"""Splits: the topics of train, dev and test, and the parts of a corpus.

A split is a TOML file, from ``configs/splits`` or the user's own::

    format = "cdec-split/1"          # optional
    title = "source of the split"
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
from cdec.corpus.region import Region
from cdec.corpus.statistics import TOTAL
from cdec.errors import CorpusError, UnknownNameError, UsageError
from cdec.io.inputfile import FileKind
from cdec.io.schema import LARGEST_TOML, FileModel, Schema, complaint, shown

ALL = "all"
_TAKEN = (ALL, TOTAL)
_DEFAULT = "ycf"  # for a corpus without a default split
FORMAT = "cdec-split/1"
_HINT = 'write [topics] and lines like test = ["26-45"]'
_KIND = FileKind("a split", UsageError, "split-invalid", _HINT, LARGEST_TOML)
_MOST = 100_000  # topics of a part; more are probably a typing error in a range


@dataclass(frozen=True)
class Split:
    """A division of topics into parts; ``topics`` maps part → topic ids.

    ``own``: the split is shipped with cdec, so that name and version of cdec identify it.
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
    """Return a split by name or from a TOML file.

    Raises UnknownNameError for an unknown name, UsageError for an invalid file.
    """
    if name in split_names():
        return _shipped(name)
    path = Path(name)
    if path.suffix != ".toml":
        raise UnknownNameError("split", name, [*split_names(), "FILE.toml"])
    return _parse(path.stem, _KIND.read_text(path), path)


@cache
def _shipped(name: str) -> Split:
    return replace(_parse(name, read_text(f"splits/{name}.toml"), name), own=True)


def default_split(corpus: Corpus) -> str:
    """Return the name of the default split of a corpus; that of ECB+ if it has none."""
    return {known.name: known.split for known in known_corpora()}.get(corpus.name, _DEFAULT)


def part_of(corpus: Corpus, split: str) -> Corpus:
    """Return the part ``split``, written ``[SPLIT/]PART``, of a whole corpus."""
    name, _, part = split.rpartition("/")
    return select(corpus, part, load_split(name or default_split(corpus)))


def divided(corpus: Corpus, split: str | None = None) -> dict[str, Corpus]:
    """Return part → sub-corpus of a whole corpus under ``split`` (default: the corpus's own)."""
    chosen = load_split(split or default_split(corpus))
    return {part: select(corpus, part, chosen) for part in chosen.topics}


def select(corpus: Corpus, part: str, split: Split) -> Corpus:
    """Return the part ``part`` of ``corpus`` under ``split``; ``all`` is every document.

    Raises UnknownNameError for an unknown part, CorpusError if a topic of the corpus is in no part
    or a topic of the part is not in the corpus.
    """
    if part != ALL and part not in split.topics:
        raise UnknownNameError("part", part, [*split.topics, ALL])
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
    """Return the SHA-256 of the content of a part; '' if its name identifies the content.

    The name does not identify the topics of a user's split, nor the mentions in reviewed sentences:
    the digest of the corpus does not cover the list of these sentences.
    """
    named: dict[str, object] = {}
    if not split.own and part != ALL:
        named["topics"] = sorted(split.topics[part])
    if split.reviewed_only:
        named["mentions"] = subset.mentions.index.tolist()
    return sha256(json.dumps(named).encode()).hexdigest() if named else ""


def _check_topics(corpus: Corpus, split: Split, part: str, present: set[str]) -> None:
    unassigned = present.difference(*split.topics.values())
    if unassigned:
        topics = _listed(unassigned)
        raise CorpusError(
            "topic-unassigned",
            f"topic {topics} of the corpus '{corpus.name}' is not in any part of the split",
            place=f"split '{split.name}'",
            hint="add it to a part, or choose another split",
        )
    missing = split.topics[part] - present
    if missing:
        raise CorpusError(
            "topic-missing",
            f"topic {_listed(missing)} of the part '{part}' is not in the corpus '{corpus.name}'",
            place=f"split '{split.name}'",
            hint="check the corpus with `cdec corpus verify`, or use --split NAME/PART",
        )


def _reviewed(corpus: Corpus) -> Corpus:
    if not corpus.mentions["reviewed"].any():
        raise CorpusError(
            "sentence-list-missing",
            "the split selects reviewed sentences, but the corpus has no list of them",
            place=corpus.name,
            hint="put ECBplus_coreference_sentences.csv next to the folder ECB+",
        )
    part = f"{corpus.part}-reviewed" if corpus.part == ALL else corpus.part
    inside = corpus.mentions["reviewed"]
    region = Region(corpus.reviewed, corpus.mentions[~inside])
    return replace(corpus, mentions=corpus.mentions[inside], part=part, region=region)


def _listed(topics: Iterable[str]) -> str:
    """Return the topics in natural order, for a message."""
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
    """Return the split of a TOML text. Raises UsageError if it is invalid."""
    file = _SCHEMA.parse_toml(text, place)
    title = name if file.title is None else file.title
    return Split(name, title, _parts(file.topics, place), file.reviewed_only)


def _parts(table: Mapping[str, Iterable[str]], place: object) -> dict[str, frozenset[str]]:
    if not table:
        raise _error("the table [topics] is missing or empty", place, _HINT)
    parts: dict[str, frozenset[str]] = {}
    for part, entries in table.items():
        if part in _TAKEN:
            raise _error(f"a part cannot have the name '{part}'", place, "choose another name")
        expanded = chain.from_iterable(_expand(entry, place) for entry in entries)
        topics = Counter(islice(expanded, _MOST + 1))
        if topics.total() > _MOST:
            message = f"the part '{part}' has more than {_MOST:,} topics"
            raise _error(message, place, "check its ranges")
        repeated = {topic for topic, count in topics.items() if count > 1}
        repeated |= topics.keys() & set().union(*parts.values())
        if repeated:
            message = f"duplicate topic {_listed(repeated)}"
            raise _error(message, place, "list each topic once, in one part")
        parts[part] = frozenset(topics)
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
