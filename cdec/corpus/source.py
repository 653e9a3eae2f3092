"""The bytes of a corpus: the files of a folder or a zip, as its format lays them out."""

from __future__ import annotations

import hashlib
import io
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
from cdec.errors import CorpusError
from cdec.io.inputfile import FileKind

# What zipfile raises for an archive that is cut short, altered, encrypted or of a foreign method.
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, MemoryError),
    *(NotImplementedError, RuntimeError, ValueError, OverflowError, IndexError),
)
# The largest file of a known corpus has 0.3 MB, all of it 29 MB: more than this is a bomb.
LARGEST_FILE, LARGEST_CORPUS = 2**24, 2**29
# The oldest date that a zip can hold: no clock in the content.
_DATE = (1980, 1, 1, 0, 0, 0)
_UNIX, _PLAIN_FILE = 3, 0o100644 << 16


@dataclass(frozen=True)
class Layout:
    """How the files of a corpus format lie in a folder or zip, and what messages call them.

    Documents are the files ``<folder>/<file>`` with the ending ``suffix`` (as ``.json``);
    ``expected`` shows the form of their names. ``name`` is the entry of the format, ``title`` is
    for people, ``release`` the corpus to name where there is none. The folders may be in
    ``folder``, or packed in ``archive``; ``reviewed`` is the file that lists the fully reviewed
    sentences.
    """

    name: str
    title: str
    suffix: str
    expected: str
    release: str = ""
    folder: str = ""
    archive: str = ""
    reviewed: str = ""

    @cached_property
    def document(self) -> FileKind:
        """One document, as a file that a user names."""
        hint = f"is it a document of {self.title}?"
        return FileKind(
            f"a document of {self.title}", CorpusError, "document-invalid", hint, LARGEST_FILE
        )

    @cached_property
    def sentence_list(self) -> FileKind:
        """The list of reviewed sentences, as a file that a user names."""
        hint = f"get {self.reviewed} again, or remove it"
        return FileKind(
            "a list of reviewed sentences", CorpusError, "sentence-list-invalid", hint, LARGEST_FILE
        )

    def check_sizes(self, place: Path, sizes: Iterable[tuple[object, int]]) -> None:
        """Raise CorpusError for a file too large to be a document, or files that are together.

        ``sizes`` are the files, by what messages call them, ``place`` is where they lie.
        """
        total, hint = 0, f"is this {self.title}? get it again"
        for file, size in sizes:
            total += size
            if size > LARGEST_FILE:
                article = "an" if self.title[0] in "AEIOU" else "a"
                message = f"{size:,} bytes are too many for {article} {self.title} document"
                raise CorpusError(message, place=file, hint=hint)
        if total > LARGEST_CORPUS:
            message = f"{total:,} bytes are too many for a corpus in {self.title} format"
            raise CorpusError(message, place=place, hint=hint)


@dataclass(frozen=True)
class Source:
    """The files of one corpus: ``files`` maps ``<folder>/<file>`` to its bytes.

    ``reviewed`` is the reviewed-sentence list (CSV) or None where it is missing; ``layout`` is
    that of the format.
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
        """SHA-256 over the list of checksums, as ``sha256sum`` writes it, sorted by bytes.

        In a shell, in the folder of the folders, for documents that end in ``.xml``:
        ``LC_ALL=C sha256sum */*.xml | LC_ALL=C sort -k2 | sha256sum``.
        """
        lines = (f"{checksum}  {name}\n" for name, checksum in sorted(self.checksums.items()))
        return hashlib.sha256("".join(lines).encode()).hexdigest()


def collect(path: Path, layout: Layout) -> Source:
    """Return the files under ``path`` that ``layout`` takes for documents; there may be none.

    ``path`` is the folder of the corpus, its inner folder, or a zip; a folder that holds the
    packed archive only is read from that. Raises CorpusError where ``path`` is none of these or
    a file is too large.
    """
    try:
        if path.is_dir():
            archive = path / layout.archive
            packed = not (path / layout.folder).is_dir() and archive.is_file()
            return _from_zip(archive, layout) if packed else _from_folder(path, layout)
        if path.is_file() and zipfile.is_zipfile(path):
            return _from_zip(path, layout)
    except OSError as error:
        raise layout.document.unreadable(error.filename or path, error) from None
    what = "neither a folder nor a whole zip" if path.exists() else "no such file or folder"
    hint = f"name the folder or the zip of {layout.release or layout.title}"
    raise CorpusError(what, place=path, hint=hint)


def pack(source: Source) -> bytes:
    """Return ``source`` as one zip, laid out by its format: the same files give the same bytes."""
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
    # Not by a pattern: that passes over a folder which one is not allowed to read.
    folders = [folder for folder in root.iterdir() if folder.name[0] != "." and folder.is_dir()]
    found = [
        file
        for folder in folders
        for file in folder.iterdir()
        if file.suffix == layout.suffix and file.name[0] != "."
    ]
    layout.check_sizes(path, [(file, file.stat().st_size) for file in found])
    files = {f"{file.parent.name}/{file.name}": _read(file, layout.document) for file in found}
    ordered = {name: files[name] for name in sorted(files, key=natural_key)}
    return Source(path, ordered, _sentence_list(layout, root, root.parent), layout)


def _sentence_list(layout: Layout, *folders: Path) -> bytes | None:
    """Return the list of reviewed sentences from the first of these folders that has one."""
    lists = [folder / layout.reviewed for folder in folders if layout.reviewed]
    return next((_read(file, layout.sentence_list) for file in lists if lexists(file)), None)


def _read(file: Path, kind: FileKind) -> bytes:
    """Return the content of a file, or of one that a link names; not of a pipe or a device."""
    if not file.is_file() and not file.is_dir() and file.exists():
        raise CorpusError("this is a pipe or a device", place=file, hint=kind.hint)
    return kind.read_bytes(file)


def _from_zip(path: Path, layout: Layout) -> Source:
    try:
        with zipfile.ZipFile(path) as archive:
            files, reviewed = _unpacked(path, archive, layout)
    except _DAMAGE as error:
        message = f"the zip is damaged: {error or type(error).__name__}"
        raise CorpusError(message, place=path, hint="get it again") from None
    if reviewed is None:
        reviewed = _sentence_list(layout, path.parent)
    ordered = {name: files[name] for name in sorted(files, key=natural_key)}
    return Source(path, ordered, reviewed, layout)


def _unpacked(
    path: Path, archive: zipfile.ZipFile, layout: Layout
) -> tuple[dict[str, bytes], bytes | None]:
    files: dict[str, bytes] = {}
    reviewed = None
    members = [(_place_inside(path, info.filename), info) for info in _members(archive)]
    layout.check_sizes(path, [(f"{path}:{member}", info.file_size) for member, info in members])
    for member, info in members:
        if member.name == layout.reviewed:
            reviewed = archive.read(info)
        elif member.suffix == layout.suffix and len(member.parts) > 1:
            name = "/".join(member.parts[-2:])
            if name in files:
                message, hint = f"{name} stands twice in the zip", "keep one of them"
                raise CorpusError(message, place=path, hint=hint)
            files[name] = archive.read(info)
    return files, reviewed


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
        raise CorpusError(message, place=path, hint="do not trust this file: get it again")
    return member
