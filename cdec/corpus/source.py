"""The files of a corpus, from a folder, a zip or a file, and what its reader finds in them."""

from __future__ import annotations

import gzip
import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from os.path import lexists
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from cdec.corpus.model import natural_key
from cdec.errors import CorpusError
from cdec.files.input import FileKind, read_member

if TYPE_CHECKING:
    from cdec.corpus.formats import CorpusFormat

HINT = "fix this line, or get the corpus again"
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

    ``reviewed`` is the list of reviewed sentences (CSV), None if it is missing. A reader goes
    through names and bytes (``for name, data in source``), which moves the progress bar (``tick``).
    It notes irregularities in ``defects``, as (kind, item), and in ``remarks``. If the corpus is
    being checked, ``errors`` is the list of the errors of files that were left out; else None.
    """

    path: Path
    files: dict[str, bytes] = field(repr=False)
    reviewed: bytes | None = field(repr=False)
    format: CorpusFormat = field(repr=False)
    tick: Callable[[], object] = field(default=lambda: None, repr=False)
    defects: list[tuple[str, str]] = field(default_factory=list, repr=False)
    remarks: list[str] = field(default_factory=list, repr=False)
    errors: list[CorpusError] | None = field(default=None, repr=False)

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        for item in self.files.items():
            yield item
            self.tick()

    @cached_property
    def checksums(self) -> dict[str, str]:
        """The SHA-256 of each file."""
        return {name: sha256(data).hexdigest() for name, data in self.files.items()}

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the list of checksums in the format of ``sha256sum``, sorted by bytes.

        For ``.xml`` documents, in a shell, in the folder that contains the topic folders:
        ``LC_ALL=C sha256sum */*.xml | LC_ALL=C sort -k2 | sha256sum``.
        """
        lines = (f"{checksum}  {name}\n" for name, checksum in sorted(self.checksums.items()))
        return sha256("".join(lines).encode()).hexdigest()

    def note(self, kind: str, item: str) -> None:
        """Add a defect, of a document, of its token or of its mention."""
        self.defects.append((kind, item))

    @contextmanager
    def next_file(self) -> Iterator[None]:
        """Go on with the next file after an error, if the corpus is being checked."""
        try:
            yield
        except CorpusError as error:
            if self.errors is None:
                raise
            self.errors.append(error)

    def text(self, file: str) -> str:
        """Return the text of a file, which may be packed by gzip, with LF line ends.

        Raises CorpusError for other content, damaged compression and a text beyond the size limit.
        """
        data, kind = self.files[file], document_kind(self.format)
        text = kind.decode(kind.unpacked(data, file) if file.endswith(".gz") else data, file)
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def head(self, file: str, size: int = 4096) -> list[str]:
        """Return the first lines of a file for detection of its format; never raises."""
        data = self.files[file]
        if file.endswith(".gz"):
            try:
                with gzip.open(io.BytesIO(data)) as packed:
                    data = packed.read(size)
            except (OSError, EOFError, zlib.error):
                return []
        lines = data[:size].decode("utf-8-sig", "replace").replace("\r", "\n").split("\n")
        return [line for line in lines if line.strip()]

    def pack(self) -> bytes:
        """Return the files as one zip in the layout of their format; equal files, equal bytes."""
        buffer, folder = io.BytesIO(), self.format.folder
        named = {f"{folder}/{name}" if folder else name: data for name, data in self.files.items()}
        if self.reviewed is not None:
            named[self.format.reviewed] = self.reviewed
        with zipfile.ZipFile(buffer, "w") as archive:
            for name, data in named.items():
                info = zipfile.ZipInfo(name, _DATE)
                info.create_system, info.external_attr = _UNIX, _PLAIN_FILE
                archive.writestr(info, data, compress_type=zipfile.ZIP_DEFLATED)
        return buffer.getvalue()


def error(file: str, code: str, line: int, message: str, hint: str = HINT) -> CorpusError:
    """Return the error for a line of a file, 0 if unknown."""
    return CorpusError(code, message, place=f"{file}:{line}" if line else file, hint=hint)


def document_kind(form: CorpusFormat) -> FileKind:
    """Return the kind of file of a document in this format."""
    name = f"a document in {form.title} format"
    return FileKind(name, CorpusError, "corpus-invalid", "check the path", form.largest)


def list_kind(form: CorpusFormat) -> FileKind:
    """Return the kind of file of the list of reviewed sentences."""
    name, hint = "a list of reviewed sentences", f"get {form.reviewed} again, or remove it"
    return FileKind(name, CorpusError, "file-invalid", hint, form.largest)


def collect(path: Path, form: CorpusFormat) -> Source:
    """Return the files under ``path`` that are of this format; there may be none.

    ``path`` is the folder of the corpus, its inner folder, a zip, or a file. If a folder contains
    the packed archive only, the archive is read. Raises CorpusError if ``path`` is missing or the
    files are too large.
    """
    place, archive, inner = path, path / form.archive, path / form.folder
    try:
        if path.is_dir() and (inner.is_dir() or not archive.is_file()):
            root = inner if inner.is_dir() else path
            depth = max(pattern.count("/") for pattern in form.patterns)
            return _from_files(path, _walk(root, depth), root, form)
        place = archive if path.is_dir() else path
        if place.is_file() and zipfile.is_zipfile(place):
            return _from_zip(place, form)
        if place.is_file() and place.suffix != ".zip":
            return _from_files(path, iter([place]), place.parent, form)
    except OSError as problem:
        raise document_kind(form).unreadable(problem.filename or path, problem) from None
    hint = f"give the folder or the zip of {form.release or form.title}"
    if place.exists():
        raise CorpusError("corpus-invalid", "not a folder or valid zip", place=place, hint=hint)
    raise CorpusError("corpus-not-found", "no such file or folder", place=place, hint=hint)


def check_sizes(form: CorpusFormat, place: object, sizes: Iterable[int]) -> None:
    """Raise CorpusError if the files of these sizes are too large together."""
    if (total := sum(sizes)) > form.largest:
        message = f"too large for a corpus in {form.title} format: {total:,} bytes"
        hint = f"check that this is a corpus in {form.title} format"
        raise CorpusError("file-too-large", message, place=place, hint=hint)


def _walk(folder: Path, depth: int) -> Iterator[Path]:
    """Yield what is in ``folder`` and, to this depth, in its folders.

    Not by glob, which silently skips a folder without read permission.
    """
    for entry in folder.iterdir():
        if entry.name[0] == ".":
            continue
        if depth and entry.is_dir():
            yield from _walk(entry, depth - 1)
        else:
            yield entry


def _from_files(path: Path, found: Iterator[Path], root: Path, form: CorpusFormat) -> Source:
    named = {file.relative_to(root).as_posix(): file for file in found}
    named = {name: file for name, file in named.items() if form.named(PurePosixPath(name)) == name}
    for name, file in named.items():
        if name != name.encode("utf-8", "replace").decode():  # digests and tables need Unicode
            message, hint = "the name is not UTF-8", "rename the file or folder"
            raise CorpusError("file-unreadable", message, place=ascii(str(file)), hint=hint)
    check_sizes(form, path, (file.stat().st_size for file in named.values()))
    files = {name: _read(file, document_kind(form)) for name, file in named.items()}
    return _sorted(path, files, _sentence_list(form, root, root.parent), form)


def _sorted(
    path: Path, files: Mapping[str, bytes], reviewed: bytes | None, form: CorpusFormat
) -> Source:
    return Source(path, {n: files[n] for n in sorted(files, key=natural_key)}, reviewed, form)


def _sentence_list(form: CorpusFormat, *folders: Path) -> bytes | None:
    """Return the list of reviewed sentences from the first of these folders that contains it."""
    lists = [folder / form.reviewed for folder in folders if form.reviewed]
    return next((_read(file, list_kind(form)) for file in lists if lexists(file)), None)


def _read(file: Path, kind: FileKind) -> bytes:
    """Return the content of a file or of the target of a link; a pipe or device is an error."""
    if not file.is_file() and not file.is_dir() and file.exists():
        message = "cannot read: this is a pipe or a device"
        raise CorpusError("file-unreadable", message, place=file, hint=kind.hint)
    return kind.read_bytes(file)


def _from_zip(path: Path, form: CorpusFormat) -> Source:
    files: dict[str, bytes] = {}
    reviewed = None
    try:
        with zipfile.ZipFile(path) as archive:
            members = list(_members(path, archive))
            check_sizes(form, path, (info.file_size for _, info in members))
            for member, info in members:
                name = form.named(member)
                if member.name == form.reviewed:
                    reviewed = read_member(archive, info)
                elif name in files:
                    message, hint = f"duplicate file {name} in the zip", "keep one of them"
                    raise CorpusError("corpus-invalid", message, place=path, hint=hint)
                elif name is not None:
                    files[name] = read_member(archive, info)
    except (*_DAMAGE, OSError) as problem:
        if getattr(problem, "errno", None):  # bz2 reports damaged data by an OSError without errno
            raise
        message = f"the zip cannot be read: {problem or type(problem).__name__}"
        hint = "get it again, or unpack it"
        raise CorpusError("corpus-invalid", message, place=path, hint=hint) from None
    if reviewed is None:
        reviewed = _sentence_list(form, path.parent)
    return _sorted(path, files, reviewed, form)


def _members(
    path: Path, archive: zipfile.ZipFile
) -> Iterator[tuple[PurePosixPath, zipfile.ZipInfo]]:
    """Yield the files of a zip; folders, and what macOS adds, are no files of the corpus."""
    for info in archive.infolist():
        member = PurePosixPath(info.filename)
        parts = member.parts
        if info.is_dir() or not parts or parts[0] == "__MACOSX" or parts[-1].startswith("."):
            continue
        if ".." in parts or member.is_absolute() or "\\" in info.filename or ":" in parts[0]:
            message = f"the path of the member '{info.filename}' is outside the archive"
            hint = "do not trust this file: get it again"
            raise CorpusError("corpus-invalid", message, place=path, hint=hint)
        yield member, info
