"""Named splits: which topics are train, dev and test.

A split is a TOML file, one of ours (``configs/splits``) or the user's own::

    title = "where it comes from"
    reviewed_only = false            # true: only mentions in fully reviewed sentences
    [topics]
    train = ["1-14", "16"]           # topics and ranges of numbered topics
    dev = ["23-25"]
    test = ["26-45"]
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from cdec.corpus.model import Corpus, natural_key
from cdec.errors import CorpusError, UnknownNameError, UsageError

ALL = "all"
_FIELDS = ("title", "reviewed_only", "topics")


@dataclass(frozen=True)
class Split:
    """A division of topics into parts; ``topics`` maps part → topic ids."""

    name: str
    title: str
    topics: Mapping[str, frozenset[str]]
    reviewed_only: bool = False


def split_names() -> list[str]:
    """Return the names of the splits that come with cdec."""
    folder = files("cdec.configs") / "splits"
    return sorted(
        f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith(".toml")
    )


def load_split(name: str) -> Split:
    """Return a split by name, or from the user's TOML file.

    Raises UnknownNameError for a name that is neither, UsageError for a file that is no split.
    """
    if name in split_names():
        text = (files("cdec.configs") / "splits" / f"{name}.toml").read_text("utf-8")
        return _parse(name, text, name)
    path = Path(name)
    if path.suffix != ".toml":
        raise UnknownNameError("split", name, [*split_names(), "FILE.toml"])
    try:
        return _parse(path.stem, path.read_text("utf-8"), path)
    except FileNotFoundError:
        raise UsageError("no such split file", place=path) from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the split: {error}", place=path) from None


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
    return _reviewed(subset) if split.reviewed_only else subset


def _check_topics(corpus: Corpus, split: Split, part: str, present: set[str]) -> None:
    lost = present.difference(*split.topics.values())
    if lost:
        raise CorpusError(
            f"topic {_listed(lost)} of the corpus '{corpus.name}' is in no part of the split",
            place=f"split '{split.name}'",
            cure="add it to a part, or choose another split",
        )
    missing = split.topics[part] - present
    if missing:
        raise CorpusError(
            f"topic {_listed(missing)} of the part '{part}' is not in the corpus '{corpus.name}'",
            place=f"split '{split.name}'",
            cure="is it complete (`cdec corpus verify`)? is its split another (--split NAME/PART)?",
        )


def _reviewed(corpus: Corpus) -> Corpus:
    if not corpus.mentions["reviewed"].any():
        raise CorpusError(
            "the split wants reviewed sentences, and the corpus has no list of them",
            place=corpus.name,
            cure="put ECBplus_coreference_sentences.csv beside the folder ECB+",
        )
    part = f"{corpus.part}-reviewed" if corpus.part == ALL else corpus.part
    return replace(corpus, mentions=corpus.mentions[corpus.mentions["reviewed"]], part=part)


def _listed(topics: Iterable[str]) -> str:
    return ", ".join(sorted(topics, key=natural_key))


def _parse(name: str, text: str, place: object) -> Split:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"not TOML: {error}", place=place) from None
    unknown = set(data).difference(_FIELDS)
    if unknown:
        cure = f"known: {', '.join(_FIELDS)}"
        raise UsageError(f"unknown key {_listed(unknown)}", place=place, cure=cure)
    reviewed_only = data.get("reviewed_only", False)
    if not isinstance(reviewed_only, bool):
        raise UsageError("reviewed_only is true or false", place=place)
    topics = _parts(data.get("topics"), place)
    return Split(name, str(data.get("title", name)), topics, reviewed_only)


def _parts(table: Any, place: object) -> dict[str, frozenset[str]]:
    if not isinstance(table, dict) or not table:
        raise UsageError(
            "no [topics] table", place=place, cure='write [topics] and lines like test = ["26-45"]'
        )
    parts: dict[str, frozenset[str]] = {}
    for part, entries in table.items():
        if not isinstance(entries, list):
            raise UsageError(f"the part '{part}' is not a list of topics", place=place)
        topics = [topic for entry in entries for topic in _expand(str(entry), place)]
        twice = {topic for topic in topics if topics.count(topic) > 1}
        twice |= set(topics).intersection(*[set().union(*parts.values())])
        if twice:
            raise UsageError(f"topic {_listed(twice)} stands twice", place=place)
        parts[str(part)] = frozenset(topics)
    return parts


def _expand(entry: str, place: object) -> list[str]:
    bounds = re.fullmatch(r"(\d+)-(\d+)", entry.strip())
    if bounds is None:
        return [entry.strip()]
    low, high = int(bounds[1]), int(bounds[2])
    if low > high:
        raise UsageError(f"the range '{entry.strip()}' runs backwards", place=place)
    return [str(number) for number in range(low, high + 1)]
