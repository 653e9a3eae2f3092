"""Where the bytes of an ECB+ corpus are: a folder or a zip, with the reviewed-sentence list."""

from __future__ import annotations

import hashlib
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from os.path import lexists
from pathlib import Path, PurePosixPath

from cdec.corpus.model import natural_key
from cdec.corpus.readers import can_read
from cdec.errors import CorpusError
from cdec.io.inputfile import FileKind

ARCHIVE = "ECB+.zip"
REVIEWED = "ECBplus_coreference_sentences.csv"
# What zipfile raises for an archive that is cut short, altered, encrypted or of a foreign method.
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, MemoryError),
    *(NotImplementedError, RuntimeError, ValueError, OverflowError, IndexError),
)
# The largest file of the release has 0.3 MB, all of it 29 MB: more than this is a bomb.
LARGEST_FILE, LARGEST_CORPUS = 2**24, 2**29
_DOCUMENT = FileKind("document of ECB+", CorpusError, "is it a document of ECB+?", LARGEST_FILE)
_AGAIN = f"get {REVIEWED} again, or remove it"
LIST = FileKind("list of reviewed sentences", CorpusError, _AGAIN, LARGEST_FILE)


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
        raise _DOCUMENT.unreadable(error.filename or path, error) from None
    what = "neither a folder nor a whole zip" if path.exists() else "no such file or folder"
    raise CorpusError(what, place=path, cure="name the folder or the zip of ECB+ 1.0")


def _from_folder(path: Path) -> Source:
    inner = path / "ECB+"
    root = inner if inner.is_dir() else path
    # Not by a pattern: that passes over a folder which one is not allowed to read.
    folders = [folder for folder in root.iterdir() if folder.name[0] != "." and folder.is_dir()]
    found = [
        file
        for folder in folders
        for file in folder.iterdir()
        if can_read(file.name) and file.name[0] != "."
    ]
    sizes = {file: file.stat().st_size for file in found}
    for file, size in sizes.items():
        _check_size(file, size)
    _check_total(path, sizes.values())
    files = {f"{file.parent.name}/{file.name}": _read(file, _DOCUMENT) for file in found}
    lists = [folder / REVIEWED for folder in (root, root.parent) if lexists(folder / REVIEWED)]
    return _source(path, files, _read(lists[0], LIST) if lists else None)


def _read(file: Path, kind: FileKind) -> bytes:
    """Return the content of a file, or of one that a link names; not of a pipe or a device."""
    if not file.is_file() and not file.is_dir() and file.exists():
        raise CorpusError("this is a pipe or a device", place=file, cure=kind.cure)
    return kind.read_bytes(file)


def _from_zip(path: Path) -> Source:
    files: dict[str, bytes] = {}
    reviewed = None
    try:
        with zipfile.ZipFile(path) as archive:
            members = list(_members(archive))
            _check_total(path, (info.file_size for info in members))
            for info in members:
                member = _place_inside(path, info.filename)
                _check_size(f"{path}:{member}", info.file_size)
                if member.name == REVIEWED:
                    reviewed = archive.read(info)
                elif can_read(member.name) and len(member.parts) > 1:
                    name = "/".join(member.parts[-2:])
                    if name in files:
                        message, cure = f"{name} stands twice in the zip", "keep one of them"
                        raise CorpusError(message, place=path, cure=cure)
                    files[name] = archive.read(info)
    except _DAMAGE as error:
        message = f"the zip is damaged: {error or type(error).__name__}"
        raise CorpusError(message, place=path, cure="get it again") from None
    beside = path.parent / REVIEWED
    if reviewed is None and lexists(beside):
        reviewed = _read(beside, LIST)
    return _source(path, files, reviewed)


def _members(archive: zipfile.ZipFile) -> Iterable[zipfile.ZipInfo]:
    """Skip folders and what macOS adds to an archive."""
    for info in archive.infolist():
        parts = PurePosixPath(info.filename).parts
        hidden = not parts or parts[0] == "__MACOSX" or parts[-1].startswith(".")
        if not info.is_dir() and not hidden:
            yield info


def _place_inside(path: Path, name: str) -> PurePosixPath:
    """Return where a member stands in the archive; raises CorpusError where it leads out of it."""
    member = PurePosixPath(name)
    if ".." in member.parts or member.is_absolute() or "\\" in name or ":" in member.parts[0]:
        message = f"the member '{name}' leads out of the archive"
        raise CorpusError(message, place=path, cure="do not trust this file: get it again")
    return member


def _check_size(place: object, size: int) -> None:
    if size > LARGEST_FILE:
        message = f"{size:,} bytes are too many for an ECB+ document"
        raise CorpusError(message, place=place, cure="is this ECB+? get it again")


def _check_total(path: Path, sizes: Iterable[int]) -> None:
    total = sum(sizes)
    if total > LARGEST_CORPUS:
        message = f"{total:,} bytes are too many for a corpus in ECB+ format"
        raise CorpusError(message, place=path, cure="is this ECB+? get it again")


def _source(path: Path, files: dict[str, bytes], reviewed: bytes | None) -> Source:
    if not files:
        raise CorpusError(
            "no ECB+ documents here",
            place=path,
            cure="expected <topic>/<topic>_<number>ecb.xml, as in the release",
        )
    ordered = {name: files[name] for name in sorted(files, key=natural_key)}
    return Source(path, ordered, reviewed)
