"""Where the bytes of an ECB+ corpus are: a folder or a zip, with the reviewed-sentence list."""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath

from cdec.corpus.model import natural_key
from cdec.corpus.readers import can_read
from cdec.errors import CorpusError

ARCHIVE = "ECB+.zip"
REVIEWED = "ECBplus_coreference_sentences.csv"
# What zipfile raises for an archive that is cut short, altered, encrypted or of a foreign method.
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)
# The largest file of the release has 0.3 MB: more than this is no ECB+ document but a bomb.
LARGEST_FILE = 64 * 2**20


@dataclass(frozen=True)
class Source:
    """The files of one corpus: ``files`` maps ``<folder>/<file>`` to its bytes.

    ``reviewed`` is the reviewed-sentence list (CSV) or None where it is missing.
    """

    path: Path
    files: dict[str, bytes] = field(repr=False)
    reviewed: bytes | None = field(repr=False)

    @cached_property
    def checksums(self) -> dict[str, str]:
        """The SHA-256 of each file."""
        return {name: hashlib.sha256(data).hexdigest() for name, data in self.files.items()}

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the list of checksums, as ``sha256sum`` writes it, sorted by bytes.

        In a shell: ``cd ECB+ && LC_ALL=C sha256sum */*.xml | LC_ALL=C sort -k2 | sha256sum``.
        """
        return hashlib.sha256(checksum_list(self.checksums).encode()).hexdigest()


def checksum_list(checksums: dict[str, str]) -> str:
    """Return the checksums as a text file that ``sha256sum --check`` reads."""
    return "".join(f"{checksums[name]}  {name}\n" for name in sorted(checksums))


def open_source(path: Path | str) -> Source:
    """Return the files under ``path``: the release's folder, its ``ECB+`` folder, or a zip.

    The authors' repository, with ``ECB+.zip`` still packed, is such a folder too. Raises
    CorpusError where there is nothing to read or a file is too large to be ECB+.
    """
    path = Path(path)
    try:
        if path.is_dir():
            packed = not (path / "ECB+").is_dir() and (path / ARCHIVE).is_file()
            return _from_zip(path / ARCHIVE) if packed else _from_folder(path)
        if path.is_file() and zipfile.is_zipfile(path):
            return _from_zip(path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise CorpusError(f"cannot be read: {reason}", place=error.filename or path) from None
    what = "neither a folder nor a whole zip" if path.exists() else "no such file or folder"
    raise CorpusError(what, place=path, cure="name the folder or the zip of ECB+ 1.0")


def _from_folder(path: Path) -> Source:
    inner = path / "ECB+"
    root = inner if inner.is_dir() else path
    found = [file for file in root.glob("*/*") if can_read(file.name) and file.name[0] != "."]
    for file in found:
        _check_size(file, file.stat().st_size)
    files = {f"{file.parent.name}/{file.name}": file.read_bytes() for file in found}
    lists = [folder / REVIEWED for folder in (root, root.parent) if (folder / REVIEWED).is_file()]
    return _source(path, files, lists[0].read_bytes() if lists else None)


def _from_zip(path: Path) -> Source:
    files: dict[str, bytes] = {}
    reviewed = None
    try:
        with zipfile.ZipFile(path) as archive:
            for info in _members(archive):
                member = PurePosixPath(info.filename)
                _check_size(f"{path}:{member}", info.file_size)
                if member.name == REVIEWED:
                    reviewed = archive.read(info)
                elif can_read(member.name):
                    name = "/".join(member.parts[-2:])
                    if name in files:
                        raise CorpusError(f"{name} stands twice in the zip", place=path)
                    files[name] = archive.read(info)
    except _DAMAGE as error:
        raise CorpusError(f"the zip is damaged: {error}", place=path, cure="get it again") from None
    beside = path.parent / REVIEWED
    if reviewed is None and beside.is_file():
        reviewed = beside.read_bytes()
    return _source(path, files, reviewed)


def _members(archive: zipfile.ZipFile) -> Iterable[zipfile.ZipInfo]:
    """Skip folders and what macOS adds to an archive."""
    for info in archive.infolist():
        parts = PurePosixPath(info.filename).parts
        hidden = not parts or parts[0] == "__MACOSX" or parts[-1].startswith(".")
        if not info.is_dir() and not hidden:
            yield info


def _check_size(place: object, size: int) -> None:
    if size > LARGEST_FILE:
        raise CorpusError(f"{size:,} bytes are too many for an ECB+ document", place=place)


def _source(path: Path, files: dict[str, bytes], reviewed: bytes | None) -> Source:
    if not files:
        raise CorpusError(
            "no ECB+ documents here",
            place=path,
            cure="expected <topic>/<topic>_<number>ecb.xml, as in the release",
        )
    ordered = {name: files[name] for name in sorted(files, key=natural_key)}
    return Source(path, ordered, reviewed)
