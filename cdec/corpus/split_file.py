"""The file of a split, as a user writes it: what may be in it (``cdec.corpus.splits``)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import FailFast

from cdec.errors import UsageError
from cdec.files.input import FileKind
from cdec.files.models import LARGEST_TOML, FileModel, Schema
from cdec.records import Row

_Parts = dict[str, Annotated[list[str | int], FailFast()]]


class SplitFile(FileModel):
    """The parts by one kind of unit, and whether only reviewed sentences count."""

    title: str | None = None
    reviewed_only: bool = False
    topics: _Parts | None = None
    subtopics: _Parts | None = None
    documents: _Parts | None = None
    mentions: _Parts | None = None


def read_split(path: Path, hint: str) -> Row:
    """Return the content of a file; raises UsageError, with ``hint``, for an invalid one."""
    kind = FileKind("a split", UsageError, "corpus-invalid", hint, LARGEST_TOML)
    file = Schema(kind, SplitFile, "cdec-split/1", since=1).read_toml(path)
    return file.model_dump(exclude_none=True)
