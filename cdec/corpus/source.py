"""Collect the files of a corpus from a folder or a zip, in the layout of its format."""

from __future__ import annotations

import hashlib
import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from os.path import lexists
from pathlib import Path, PurePosixPath

from cdec.corpus.layouts import Layout
from cdec.corpus.model import natural_key
from cdec.errors import CorpusError
from cdec.files.input import FileKind, read_member

# Exceptions of zipfile for a truncated, altered or encrypted archive or an unknown method.
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, MemoryError),
    *(NotImplementedError, RuntimeError, ValueError, OverflowError, IndexError),
)
# A constant, so that equal files give equal bytes: the oldest date of the zip format.
_DATE = (1980, 1, 1, 0, 0, 0)
_UNIX, _PLAIN_FILE = 3, 0o100644 << 16


@dataclass(frozen=True)
class Source:
    """The files of one corpus: ``files`` maps the name of each in the corpus to its bytes.

    ``reviewed`` is the list of reviewed sentences (CSV), None if it is missing.
    """

    path: Path
    files: dict[str, bytes] = field(repr=False)
    reviewed: bytes | None = field(repr=False)
    layout: Layout = field(repr=False)

    @cached_property
    def checksums(self) -> dict[str, str]:
        """The SHA-256 of each file."""
        return {name: hashlib.sha256(data).hexdigest() for name, data in self.files.items()}

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the list of checksums in the format of ``sha256sum``, sorted by bytes.

        For ``.xml`` documents, in a shell, in the folder that contains the topic folders:
        ``LC_ALL=C sha256sum */*.xml | LC_ALL=C sort -k2 | sha256sum``.
        """
        lines = (f"{checksum}  {name}\n" for name, checksum in sorted(self.checksums.items()))
        return hashlib.sha256("".join(lines).encode()).hexdigest()


def collect(path: Path, layout: Layout) -> Source:
    """Return the files under ``path`` that ``layout`` names; there may be none.

    ``path`` is the folder of the corpus, its inner folder, a zip, or a file. If a folder contains
    the packed archive only, the archive is read. Raises CorpusError if ``path`` is missing or the
    files are too large.
    """
    try:
        if path.is_dir():
            archive = path / layout.archive
            packed = not (path / layout.folder).is_dir() and archive.is_file()
            return _from_zip(archive, layout) if packed else _from_folder(path, layout)
        if path.is_file() and zipfile.is_zipfile(path):
            return _from_zip(path, layout)
        if path.is_file() and path.suffix != ".zip":
            return _from_files(path, [path], path.parent, layout)
    except OSError as error:
        raise layout.document.unreadable(error.filename or path, error) from None
    hint = f"give the folder or the zip of {layout.release or layout.title}"
    if path.exists():
        raise CorpusError("corpus-file-invalid", "not a folder or valid zip", place=path, hint=hint)
    raise CorpusError("corpus-not-found", "no such file or folder", place=path, hint=hint)


def pack(source: Source) -> bytes:
    """Return ``source`` as one zip in the layout of its format; equal files give equal bytes."""
    buffer, folder = io.BytesIO(), source.layout.folder
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in source.files.items():
            _add(archive, f"{folder}/{name}" if folder else name, data)
        if source.reviewed is not None:
            _add(archive, source.layout.reviewed, source.reviewed)
    return buffer.getvalue()


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    info = zipfile.ZipInfo(name, _DATE)
    info.create_system, info.external_attr = _UNIX, _PLAIN_FILE
    archive.writestr(info, data, compress_type=zipfile.ZIP_DEFLATED)


def _from_folder(path: Path, layout: Layout) -> Source:
    inner = path / layout.folder
    root = inner if inner.is_dir() else path
    # Not by glob, which silently skips a folder without read permission.
    depth = max(pattern.count("/") for pattern in layout.patterns)
    return _from_files(path, _walk(root, depth), root, layout)


def _walk(folder: Path, depth: int) -> Iterator[Path]:
    """Yield what is in ``folder`` and, to this depth, in its folders."""
    for entry in folder.iterdir():
        if entry.name[0] == ".":
            continue
        if depth and entry.is_dir():
            yield from _walk(entry, depth - 1)
        else:
            yield entry


def _from_files(path: Path, found: Iterable[Path], root: Path, layout: Layout) -> Source:
    named = {}
    for file in found:
        name = layout.named(PurePosixPath(*file.relative_to(root).parts))
        if name is not None and name.count("/") == len(file.relative_to(root).parts) - 1:
            _check_name(name, file)
            named[name] = file
    layout.check_sizes(path, [(file, file.stat().st_size) for file in named.values()])
    ordered = {name: _read(named[name], layout.document) for name in sorted(named, key=natural_key)}
    return Source(path, ordered, _sentence_list(layout, root, root.parent), layout)


def _check_name(name: str, file: Path) -> None:
    """Raise CorpusError if the name is not Unicode: digests and tables could not contain it."""
    try:
        name.encode()
    except UnicodeEncodeError:
        hint = "rename the file or folder"
        raise CorpusError(
            "file-unreadable", "the name is not UTF-8", place=ascii(str(file)), hint=hint
        ) from None


def _sentence_list(layout: Layout, *folders: Path) -> bytes | None:
    """Return the list of reviewed sentences from the first of these folders that contains it."""
    lists = [folder / layout.reviewed for folder in folders if layout.reviewed]
    return next((_read(file, layout.sentence_list) for file in lists if lexists(file)), None)


def _read(file: Path, kind: FileKind) -> bytes:
    """Return the content of a file or of the target of a link; a pipe or device is an error."""
    if not file.is_file() and not file.is_dir() and file.exists():
        message = "cannot read: this is a pipe or a device"
        raise CorpusError("file-unreadable", message, place=file, hint=kind.hint)
    return kind.read_bytes(file)


def _from_zip(path: Path, layout: Layout) -> Source:
    try:
        with zipfile.ZipFile(path) as archive:
            files, reviewed = _unpacked(path, archive, layout)
    except (*_DAMAGE, OSError) as error:
        if getattr(error, "errno", None):  # bz2 reports damaged data by an OSError without errno
            raise
        message = f"the zip cannot be read: {error or type(error).__name__}"
        hint = "get it again, or unpack it"
        raise CorpusError("corpus-file-invalid", message, place=path, hint=hint) from None
    if reviewed is None:
        reviewed = _sentence_list(layout, path.parent)
    ordered = {name: files[name] for name in sorted(files, key=natural_key)}
    return Source(path, ordered, reviewed, layout)


def _unpacked(
    path: Path, archive: zipfile.ZipFile, layout: Layout
) -> tuple[dict[str, bytes], bytes | None]:
    files: dict[str, bytes] = {}
    reviewed = None
    members = [(_checked_path(path, info.filename), info) for info in _members(archive)]
    layout.check_sizes(path, [(f"{path}:{member}", info.file_size) for member, info in members])
    for member, info in members:
        name = layout.named(member)
        if member.name == layout.reviewed:
            reviewed = read_member(archive, info)
        elif name is not None:
            if name in files:
                message, hint = f"duplicate file {name} in the zip", "keep one of them"
                raise CorpusError("corpus-file-invalid", message, place=path, hint=hint)
            files[name] = read_member(archive, info)
    return files, reviewed


def _members(archive: zipfile.ZipFile) -> Iterable[zipfile.ZipInfo]:
    """Yield the members of an archive without folders and the files that macOS adds."""
    for info in archive.infolist():
        parts = PurePosixPath(info.filename).parts
        hidden = not parts or parts[0] == "__MACOSX" or parts[-1].startswith(".")
        if not info.is_dir() and not hidden:
            yield info


def _checked_path(path: Path, name: str) -> PurePosixPath:
    """Return the path of a member in the archive; raises CorpusError if it is outside of it."""
    member = PurePosixPath(name)
    if ".." in member.parts or member.is_absolute() or "\\" in name or ":" in member.parts[0]:
        message = f"the path of the member '{name}' is outside the archive"
        hint = "do not trust this file: get it again"
        raise CorpusError("corpus-file-invalid", message, place=path, hint=hint)
    return member
