"""Corpus formats and the files of a corpus: detection, and what a reader finds.

A package adds a format by an entry point with its name::

    [project.entry-points."cdec.corpora"]
    my-format = "my_package:FORMAT"
"""

from __future__ import annotations

import gzip
import io
import logging
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cached_property
from hashlib import sha256
from os.path import lexists
from pathlib import Path, PurePosixPath

from cdec.corpus.model import Corpus, natural_key
from cdec.errors import CorpusError, PluginError
from cdec.files.input import FileKind, read_member
from cdec.files.progress import counter
from cdec.plugins import Registry, errors_of_plugin

HINT = "fix this line, or get the corpus again"
LARGEST = 2**29  # bytes of a corpus; ECB+ has 29 MB: a larger zip is probably a bomb
_log = logging.getLogger(__name__)
_TEXTS = "docs/corpora.md has the formats; docs/your-own-articles.md: texts with mentions"
# Exceptions of zipfile for a truncated, altered or encrypted archive or an unknown method.
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, MemoryError),
    *(NotImplementedError, RuntimeError, ValueError, OverflowError, IndexError),
)
# A constant, so that equal files give equal bytes: the oldest date of the zip format.
_DATE = (1980, 1, 1, 0, 0, 0)
_UNIX, _PLAIN_FILE = 3, 0o100644 << 16


@dataclass(frozen=True)
class CorpusFormat:
    """A corpus format: the files of a corpus, and their reader.

    * ``name`` is the registered name of the format, ``title`` its name in messages;
    * ``patterns`` (of ``fnmatch``): the files of the corpus are those whose path from its folder
      matches one. ``*/*.xml`` is every XML file in a sub-folder, ``*.jsonl`` every such file in the
      folder itself, which may then also be given as the corpus;
    * ``expected`` describes these files in messages;
    * ``sniff`` returns whether a source with at least one file is in the format;
    * ``read`` returns its corpus, by ``cdec.corpus.build``; it goes through ``source`` to move the
      progress bar, and raises CorpusError if the source is invalid;
    * ``schema`` is the version of the reader: raise it when the same files give another corpus;
    * ``release`` is the corpus to suggest. The files may be in ``folder``, or in the zip
      ``archive``; ``reviewed`` is the file that lists the fully reviewed sentences; ``largest`` is
      the limit in bytes for all files together.
    """

    name: str
    title: str
    patterns: tuple[str, ...]
    expected: str
    sniff: Callable[[Source], bool]
    read: Callable[[Source], Corpus]
    schema: str = "1"
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


def _check(name: str, value: object) -> None:
    if not isinstance(value, CorpusFormat):
        raise TypeError(f"expected a CorpusFormat, got {type(value).__name__}")
    if value.name != name:
        raise ValueError(f"it is named '{value.name}'")


# In the order in which they are tried: the most specific first.
_OWN = {
    "ecbplus": "cdec.corpus.readers.ecbplus:FORMAT",
    "gvc": "cdec.corpus.readers.gvc:FORMAT",
    "meantime": "cdec.corpus.readers.meantime:FORMAT",
    "fcc-t": "cdec.corpus.readers.fcct:FORMAT",
    "cd2cr": "cdec.corpus.readers.cd2cr:FORMAT",
    "wec": "cdec.corpus.readers.wec:FORMAT",
    "ucdcr": "cdec.corpus.readers.ucdcr:FORMAT",
    "jsonl": "cdec.corpus.interchange:JSONL",
    "scico": "cdec.corpus.readers.scico:FORMAT",
    "conll": "cdec.corpus.readers.conll:FORMAT",
}
CORPORA: Registry[CorpusFormat] = Registry("corpus format", "cdec.corpora", _OWN, _check)


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


def open_source(path: Path | str, format: str | None = None) -> Source:
    """Return the files of the corpus at ``path`` (a folder, a zip or a file).

    ``format`` is its format; by default it is the first that recognises the files, of cdec before
    those of other packages. Raises CorpusError if there is no file of the corpus or the files are
    too large, UnknownNameError.
    """
    if format is not None:
        form = CORPORA[format]
        source = collect(Path(path), form)
        if source.files:
            return source
        message, hint = f"no {form.title} documents found", f"expected {form.expected}"
        raise CorpusError("corpus-invalid", message, place=path, hint=hint)
    readable = None
    for name in CORPORA:
        try:
            source = collect(Path(path), CORPORA[name])
            with _blaming(source):
                if source.files and source.format.sniff(source):
                    return source
        except (PluginError, CorpusError) as error:
            if name in CORPORA.own:
                raise
            _log.warning("%s", error)
        else:
            readable = readable or (source if source.files and name in CORPORA.own else None)
    if readable:  # no format recognises the files: the reader for their names reports why
        return readable
    titles = ", ".join(CORPORA[name].title for name in CORPORA.own)
    message = f"no corpus in a known format ({titles})"
    raise CorpusError("corpus-invalid", message, place=path, hint=_TEXTS)


def read_corpus(source: Source, name: str) -> Corpus:
    """Return the corpus in ``source`` under ``name``, with its format and what package reads it.

    Raises CorpusError if the corpus is invalid, PluginError if the reader of a package fails.
    """
    with _blaming(source), counter("reading the corpus") as tick:
        corpus = source.format.read(replace(source, tick=tick))
        if not corpus.documents:
            message = f"no document in {source.format.title} format"
            hint = f"expected {source.format.expected}"
            raise CorpusError("corpus-invalid", message, place=source.path, hint=hint)
    own = source.format.name
    return replace(
        corpus,
        name=name,
        digest=corpus.digest or source.digest,
        format=own,
        reader=str(CORPORA.origin(own) or ""),
    )


def _blaming(source: Source) -> AbstractContextManager[None]:
    """Turn an exception in the code of the package that reads ``source`` into a PluginError."""
    name, origin = source.format.name, CORPORA.origin(source.format.name)
    if origin is None:
        return nullcontext()
    message = f"the corpus format '{name}' of {origin} failed"
    return errors_of_plugin(message, "report it to the authors of that package", source.path)


# ---- files ----


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
            files, reviewed = _from_files(path, _walk(root, depth), root, form)
        else:
            place = archive if path.is_dir() else path
            if place.is_file() and zipfile.is_zipfile(place):
                path = place
                files, reviewed = _from_zip(place, form)
            elif place.is_file() and place.suffix != ".zip":
                files, reviewed = _from_files(path, iter([place]), place.parent, form)
            else:
                code, message = "corpus-not-found", "no such file or folder"
                if place.exists():
                    code, message = "corpus-invalid", "not a folder or valid zip"
                hint = f"give the folder or the zip of {form.release or form.title}"
                raise CorpusError(code, message, place=place, hint=hint)
    except OSError as problem:
        raise document_kind(form).unreadable(problem.filename or path, problem) from None
    return Source(path, {n: files[n] for n in sorted(files, key=natural_key)}, reviewed, form)


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


def _from_files(
    path: Path, found: Iterator[Path], root: Path, form: CorpusFormat
) -> tuple[dict[str, bytes], bytes | None]:
    """Return the content of the files of the corpus, and the list of reviewed sentences."""
    named = {file.relative_to(root).as_posix(): file for file in found}
    named = {name: file for name, file in named.items() if form.named(PurePosixPath(name)) == name}
    for name, file in named.items():
        if name != name.encode("utf-8", "replace").decode():  # digests and tables need Unicode
            message, hint = "the name is not UTF-8", "rename the file or folder"
            raise CorpusError("file-unreadable", message, place=ascii(str(file)), hint=hint)
    check_sizes(form, path, (file.stat().st_size for file in named.values()))
    kind = document_kind(form)
    files = {name: _read(file, kind) for name, file in named.items()}
    return files, _sentence_list(form, root, root.parent)


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


def _from_zip(path: Path, form: CorpusFormat) -> tuple[dict[str, bytes], bytes | None]:
    """Return as ``_from_files``."""
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
    return files, _sentence_list(form, path.parent) if reviewed is None else reviewed


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
