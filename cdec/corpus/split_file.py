"""The file of a split, as a user writes it: what may be in it (``cdec.corpus.splits``)."""

from __future__ import annotations

from typing import Annotated

from pydantic import FailFast

from cdec.corpus.splits import HINT
from cdec.errors import UsageError
from cdec.files.input import FileKind
from cdec.files.models import LARGEST_TOML, FileModel, Schema

_KIND = FileKind("a split", UsageError, "corpus-invalid", HINT, LARGEST_TOML)
_Parts = dict[str, Annotated[list[str | int], FailFast()]]


class SplitFile(FileModel):
    """The parts by one kind of unit, and whether only reviewed sentences count."""

    title: str | None = None
    reviewed_only: bool = False
    topics: _Parts | None = None
    subtopics: _Parts | None = None
    documents: _Parts | None = None
    mentions: _Parts | None = None


SCHEMA = Schema(_KIND, SplitFile, "cdec-split/1", since=1)
