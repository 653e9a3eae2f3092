"""The files of the corpus formats of cdec: by them a source is recognised.

The reader of a format is imported only if a source has a file of its layout.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from operator import itemgetter
from pathlib import Path, PurePosixPath
from typing import Any

from cdec.configs import read_toml
from cdec.errors import CorpusError
from cdec.io.inputfile import FileKind

LARGEST = 2**29  # bytes of a corpus; ECB+ has 29 MB: a larger zip is probably a bomb


@dataclass(frozen=True)
class Layout:
    """The file layout of a corpus format, and its names in messages.

    The files of the corpus are those whose path matches one of ``patterns`` (of ``fnmatch``),
    from the folder of the corpus: ``*/*.xml`` is every XML file in a sub-folder, ``*.jsonl`` every
    such file in the folder itself, which may then also be given as the corpus. ``expected``
    describes them in messages. ``name`` is the registered name of the format, ``title`` its name in
    messages, ``release`` the corpus to suggest. The files may be in ``folder``, or in the zip
    ``archive``; ``reviewed`` is the file that lists the fully reviewed sentences. ``largest`` is
    the limit in bytes for all files together.
    """

    name: str
    title: str
    patterns: tuple[str, ...]
    expected: str
    release: str = ""
    folder: str = ""
    archive: str = ""
    reviewed: str = ""
    largest: int = LARGEST

    def named(self, path: PurePosixPath) -> str | None:
        """Return the name in the corpus of the file at ``path``; None if it is not part of it."""
        for pattern in self.patterns:
            parts = path.parts[-1 - pattern.count("/") :]
            if len(parts) == 1 + pattern.count("/") and fnmatchcase("/".join(parts), pattern):
                return "/".join(parts)
        return None

    @cached_property
    def document(self) -> FileKind:
        """The kind of file of a document."""
        name = f"a document in {self.title} format"
        hint = "check the path"
        return FileKind(name, CorpusError, "corpus-file-invalid", hint, self.largest)

    @cached_property
    def sentence_list(self) -> FileKind:
        """The kind of file of the list of reviewed sentences."""
        hint = f"get {self.reviewed} again, or remove it"
        return FileKind(
            "a list of reviewed sentences", CorpusError, "table-invalid", hint, self.largest
        )

    def check_sizes(self, place: Path, sizes: Iterable[tuple[object, int]]) -> None:
        """Raise CorpusError if all files together are too large.

        ``sizes`` has the name and size of each file, ``place`` is their folder. The message names
        the file that is too large alone, else the folder.
        """
        sizes = list(sizes)
        total = sum(size for _, size in sizes)
        if total > self.largest:
            message = f"the files are too large for a corpus in {self.title} format: {total:,} B"
            hint = f"check that this is a corpus in {self.title} format"
            name, size = max(sizes, key=itemgetter(1))
            where = name if size > self.largest else place
            raise CorpusError("file-too-large", message, place=where, hint=hint)


def _layout(name: str, patterns: Iterable[str], **facts: Any) -> Layout:
    return Layout(name, patterns=tuple(patterns), **facts)


LAYOUTS: Mapping[str, Layout] = {
    name: _layout(name, **facts) for name, facts in read_toml("layouts.toml").items()
}
"""Format → its layout, in the order in which they are tried: the most specific first."""
