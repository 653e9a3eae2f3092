"""What one file of a corpus says: its document, its mentions, and what is odd in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from cdec.corpus.model import Document


class Defect(NamedTuple):
    """Something odd that was read on purpose: kind, and the document, token or mention."""

    kind: str
    item: str


class Row(NamedTuple):
    """One mention: the columns of ``cdec.corpus.model.COLUMNS`` that one file can tell."""

    id: str
    sentence: int
    start: int
    end: int
    tokens: tuple[int, ...]
    text: str
    tag: str
    is_event: bool
    chain: str
    relation: str
    descriptor: str


@dataclass(frozen=True)
class ParsedFile:
    """A document, its mentions in the order of the file, and the defects that were met."""

    document: Document
    rows: list[Row] = field(default_factory=list)
    defects: list[Defect] = field(default_factory=list)
