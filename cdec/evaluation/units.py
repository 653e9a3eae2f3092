"""Units of documents that a file or a dict gives: topics with sub-topics, and groups (genres)."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path

import pandas as pd

from cdec.errors import FormatError, ScoringError, UsageError
from cdec.io.inputfile import FileKind

_TOPICS = FileKind(
    "a file of topics",
    FormatError,
    "table-invalid",
    "one line per document: document,topic or document,topic,sub-topic",
)
_GROUPS = FileKind(
    "a file of groups", FormatError, "table-invalid", "one line per document: document,group"
)
Topics = Mapping[str, str | tuple[str, str]]


def _rows(kind: FileKind, path: Path) -> Iterator[tuple[int, list[str]]]:
    """Return the rows of a CSV or TSV file without header, with the number of their line."""
    text = kind.read_text(path)
    rows = csv.reader(text.splitlines(), delimiter="\t" if "\t" in text else ",")
    return enumerate(rows, start=1)


def read_topics(path: Path) -> Topics:
    """Return document → topic and sub-topic from a CSV or TSV file without header.

    Without a third column the sub-topic is the topic. Raises FormatError.
    """
    topics: dict[str, tuple[str, str]] = {}
    for number, row in _rows(_TOPICS, path):
        if not row:
            continue
        if len(row) not in (2, 3):
            raise _TOPICS.refuse(f"{path}:{number}", f"{len(row)} columns instead of 2 or 3")
        document, levels = row[0].strip(), (row[1].strip(), row[-1].strip())
        if topics.setdefault(document, levels) != levels:
            raise _TOPICS.refuse(f"{path}:{number}", f"another topic of the document '{document}'")
    return topics


def with_topics(mentions: pd.DataFrame, topics: Topics | None) -> pd.DataFrame:
    """Return the mentions with the columns ``topic`` and ``subtopic``, if ``topics`` are given.

    Raises ScoringError for a document without a topic, UsageError for a topic that is not text.
    """
    if topics is None:
        return mentions
    if "doc" not in mentions:
        message = "topics have no effect: the mentions have no documents"
        hint = "name mentions (doc, start, end) or doc/mention"
        raise UsageError("level-missing", message, hint=hint)
    missing = [doc for doc in mentions["doc"].unique() if doc not in topics]
    if missing:
        message, hint = f"the document '{missing[0]}' has no topic", "add a line for it"
        raise ScoringError("document-unassigned", message, hint=hint)
    levels_of = {doc: _levels(doc, topics[doc]) for doc in mentions["doc"].unique()}
    pairs = [levels_of[doc] for doc in mentions["doc"]]
    levels = {"topic": [t for t, _ in pairs], "subtopic": [f"{t}/{s}" for t, s in pairs]}
    return mentions.assign(**{name: pd.Series(v, mentions.index) for name, v in levels.items()})


def _levels(document: str, topic: object) -> tuple[str, str]:
    """Return topic and sub-topic; text alone is both, as in a file of two columns."""
    if isinstance(topic, str):
        return topic, topic
    if isinstance(topic, tuple | list) and [type(level) for level in topic] == [str, str]:
        return topic[0], topic[1]
    message = f"the topic of the document '{document}' is {topic!r:.60}"
    raise UsageError("argument-type", message, hint="give text, or (topic, sub-topic)")


def digest_of(mentions: pd.DataFrame) -> str:
    """Return a digest of the topic and sub-topic of each document."""
    levels = mentions[["doc", "topic", "subtopic"]].drop_duplicates().sort_values("doc")
    return sha256(levels.to_json(orient="values").encode()).hexdigest()


def read_groups(path: Path) -> dict[str, str]:
    """Return document → group from a CSV or TSV file without header; raises FormatError."""
    groups = {}
    for number, row in _rows(_GROUPS, path):
        if len(row) != 2:
            raise _GROUPS.refuse(f"{path}:{number}", f"{len(row)} columns instead of 2")
        groups[row[0].strip()] = row[1].strip()
    return groups


def with_groups(mentions: pd.DataFrame, groups: Mapping[str, str] | None) -> pd.DataFrame:
    """Return the mentions with a column ``group``.

    Without ``groups`` it is the first part of a path such as ``bc/cctv/00/cctv_0001``; the column
    is left out if no document has a path. Raises ScoringError for a document without a group.

    >>> with_groups(pd.DataFrame({"doc": ["(bc/cctv/00/cctv_0001); part 000"]}), None)["group"][0]
    'bc'
    """
    if "doc" not in mentions:
        return mentions
    documents = mentions["doc"].unique().tolist()
    if groups is None:
        if not any("/" in doc for doc in documents):
            return mentions
        groups = {doc: doc.lstrip("(").split("/")[0] for doc in documents}
    missing = [doc for doc in documents if doc not in groups]
    if missing:
        message = f"the document '{missing[0]}' has no group"
        raise ScoringError("document-unassigned", message, hint="add a line for it: document,group")
    return mentions.assign(group=mentions["doc"].map(dict(groups)).astype(object))
