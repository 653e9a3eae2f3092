"""The formats of corpus files: the ending of a name, and what reads such a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePosixPath

from cdec.corpus import ecbplus as xml
from cdec.corpus.parsed import ParsedFile

# Name in the corpus (``<folder>/<file>``) and bytes → document and mentions; raises CorpusError
# with the name, and the line where there is one, for what is not of the format.
Reader = Callable[[str, bytes], ParsedFile]

READERS: dict[str, Reader] = {".xml": xml.parse_file}


def can_read(name: str) -> bool:
    """Tell whether a file of this name is a document of a corpus."""
    return PurePosixPath(name).suffix in READERS


def parse_file(name: str, data: bytes) -> ParsedFile:
    """Return what the file says, read by the reader of its ending. Raises CorpusError."""
    return READERS[PurePosixPath(name).suffix](name, data)
