"""Corpus formats and the files of a corpus: detection, and what a reader finds.

A package adds a format by an entry point with its name::

    [project.entry-points."cdec.corpora"]
    my-format = "my_package:FORMAT"
"""

from __future__ import annotations

import fnmatch
import gzip
import io
import logging
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from hashlib import sha256
from os.path import lexists
from pathlib import Path, PurePosixPath

from cdec.catalogue import added
from cdec.corpus.model import Corpus, natural_key
from cdec.errors import CdecError, CorpusError, PluginError
from cdec.files.input import GZIP, Budget, FileKind, collection_paused, read_member
from cdec.files.progress import counter
from cdec.plugins import Registry, errors_of_plugin

HINT = "fix this line, or get the corpus again"
_HEAD = 2**18  # bytes that show the format of a file
LARGEST = 2**29  # bytes of a corpus; ECB+ has 29 MB: a larger zip is probably a bomb
DOCUMENT = FileKind(
    "a file of a corpus", CorpusError, "corpus-invalid", "check the path", LARGEST
)
_PACKED = (".gz", ".parquet")
_log = logging.getLogger(__name__)
_KNOWN = (
    "docs/corpora.md has the formats; docs/your-own-articles.md: texts with mentions"
)


@dataclass(frozen=True)
class CorpusFormat:
    """A corpus format: the files of a corpus, and their reader.

    * ``name`` is the registered name of the format, ``title`` its name in messages;
    * ``patterns`` (of ``fnmatch``): the files of the corpus are those whose path from its folder
      matches one. ``*/*.xml`` is every XML file in a sub-folder, ``*.jsonl`` every such file in the
      folder itself, which may then also be given as the corpus;
    * ``begins`` is the pattern (of ``re``) with which a file of such a corpus begins, without its
      blank lines; only its first 256 KB are looked at;
    * ``read`` returns its corpus, by ``cdec.corpus.build``; it goes through ``source`` to move the
      progress bar, and raises CorpusError if the source is invalid;
    * ``schema`` is the version of the reader: raise it when the same files give another corpus;
    * the files may be in ``folder``, or in the zip of this name; ``reviewed`` is the file that
      lists the fully reviewed sentences.
    """

    name: str
    title: str
    patterns: tuple[str, ...]
    begins: str
    read: Callable[[Source], Corpus]
    schema: str = "1"
    folder: str = ""
    reviewed: str = ""


def _check(name: str, value: object) -> None:
    if not isinstance(value, CorpusFormat):
        raise TypeError(f"expected a CorpusFormat, got {type(value).__name__}")
    if value.name != name:
        raise ValueError(f"it is named '{value.name}'")
    re.compile(value.begins)


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
    **added("corpus format"),
    "documents": "cdec.corpus.readers.documents:FORMAT",
}
CORPORA: Registry[CorpusFormat] = Registry(
    "corpus format", "cdec.corpora", _OWN, _check
)


@dataclass(frozen=True, eq=False, repr=False)
class Source:
    """The files of one corpus: ``files`` maps the name of each in the corpus to its bytes.

    ``reviewed`` is the list of reviewed sentences (CSV), None if it is missing. A reader goes
    through names and bytes (``for name, data in source``) in natural order, which moves the
    progress bar (``tick``). It notes irregularities in ``defects``, as (kind, item). ``key_labels``
    and ``noise`` are what the caller says of chain labels, for readers of files of any corpus.
    ``budget`` is that of all packed files, if there are some.
    """

    path: Path
    files: dict[str, bytes]
    reviewed: bytes | None
    format: CorpusFormat
    tick: Callable[[], object] = lambda: None
    defects: list[tuple[str, str]] = field(default_factory=list)
    key_labels: str | None = None
    noise: str | None = None
    budget: Budget | None = None

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        for name in sorted(self.files, key=natural_key):
            yield name, self.files[name]
            self.tick()

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the list of checksums in the format of ``sha256sum``, sorted by bytes.

        For ``.xml`` documents, in a shell, in the folder that contains the topic folders:
        ``LC_ALL=C sha256sum */*.xml | LC_ALL=C sort -k2 | sha256sum``.
        """
        lines = (
            f"{sha256(self.files[name]).hexdigest()}  {name}\n"
            for name in sorted(self.files)
        )
        return sha256("".join(lines).encode()).hexdigest()

    def note(self, kind: str, item: str) -> None:
        """Add a defect, of a document, of its token or of its mention."""
        self.defects.append((kind, item))

    def text(self, file: str) -> str:
        """Return the text of a file, which may be packed by gzip, with LF line ends.

        Raises CorpusError for other content, damaged compression and a text beyond the size limit.
        """
        data = self.files[file]
        if file.endswith(".gz") and data.startswith(GZIP):
            data = DOCUMENT.unpacked(data, file, self.budget)
        text = DOCUMENT.decode(data, file)
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def begins(self, file: str, pattern: str) -> bool:
        """Return whether the lines of a file that are not blank begin with a pattern."""
        data = self.files[file]
        if file.endswith(".gz"):
            try:
                data = gzip.GzipFile(fileobj=io.BytesIO(data)).read(_HEAD)
            except (OSError, EOFError, zlib.error):
                return False
        lines = (
            data[:_HEAD].decode("utf-8-sig", "replace").replace("\r", "\n").split("\n")
        )
        return re.match(pattern, "\n".join(filter(str.strip, lines))) is not None

    @property
    def is_known(self) -> bool:
        """Whether a file begins as those of the format do."""
        return any(self.begins(file, self.format.begins) for file in self.files)


def error(
    file: str, code: str, line: int, message: str, hint: str = HINT
) -> CorpusError:
    """Return the error for a line of a file, 0 if unknown."""
    return CorpusError(
        code, message, place=f"{file}:{line}" if line else file, hint=hint
    )


@cache
def odd(token: str) -> tuple[str, ...]:
    """Return the kinds of defect that a token has."""
    kinds = ("replacement-character",) if "\N{REPLACEMENT CHARACTER}" in token else ()
    if not token.strip():
        return (*kinds, "blank-token")
    return (*kinds, "white-space-in-token") if token.split() != [token] else kinds


def open_source(path: Path | str) -> Source:
    """Return the files of the corpus at ``path`` (a folder, a zip or a file), in their format.

    That is the first format that recognises them, of cdec before those of other packages. Raises
    CorpusError if there is no file of a corpus or the files are too large.
    """
    readable = None
    for name in CORPORA:
        is_own = name in CORPORA.own
        try:
            source = files_of(Path(path), CORPORA[name])
            if source.is_known:
                return source
        except (PluginError, CorpusError) as problem:
            if is_own:
                raise
            _log.warning("%s", problem)
            continue
        if source.files and is_own:
            readable = readable or source
    if (
        readable
    ):  # no format recognises the files: the reader for their names reports why
        return readable
    titles = ", ".join(CORPORA[name].title for name in CORPORA.own)
    raise CorpusError(
        "corpus-invalid",
        f"no files of a corpus in a known format ({titles})",
        place=path,
        hint=_KNOWN,
    )


def read_corpus(source: Source, name: str) -> Corpus:
    """Return the corpus in ``source`` under ``name``, with its format and what package reads it.

    Raises CorpusError if the corpus is invalid, PluginError if the reader of a package fails.
    """
    form = source.format
    names = ", ".join(source.files)
    origin = CORPORA.origin(form.name)
    plugin: AbstractContextManager[None] = nullcontext()
    if origin:
        message = f"the corpus format '{form.name}' of {origin} failed"
        hint = "report it to the authors of that package"
        plugin = errors_of_plugin(message, hint, source.path)
    with plugin, collection_paused(), counter("reading the corpus") as tick:
        corpus = form.read(replace(source, tick=tick)) if names else None
        if not corpus or not corpus.documents:
            message = f"no known format of a corpus in {names:.200}"
            hint = _KNOWN
            if source.is_known:
                message = f"no document in {names:.200}"
                hint = f"expected {', '.join(form.patterns)}"
            raise CorpusError("corpus-invalid", message, place=source.path, hint=hint)
    return replace(
        corpus,
        name=name,
        digest=corpus.digest or source.digest,
        format=form.name,
        reader=str(origin or ""),
    )


# ---- files ----


def files_of(path: Path, form: CorpusFormat) -> Source:
    """Return the files at ``path`` that are of this format; there may be none.

    ``path`` is the folder of the corpus or contains it, packed or not; a zip; or a file. Raises
    CorpusError if it is missing or the files are too large.
    """
    root = path
    archive = path / f"{form.folder}.zip"
    if (path / form.folder).is_dir():
        root = path / form.folder
    elif archive.is_file():
        root = archive
    home = root
    paths = []
    files = {}
    try:
        if root.is_dir():
            depth = max(pattern.count("/") for pattern in form.patterns)
            paths = _entries(root, depth)
        elif not root.is_file():
            raise CorpusError(
                "corpus-not-found",
                "no file or folder",
                place=root,
                hint="give the folder, the zip or the file of a corpus",
            )
        elif root.suffix == ".zip" or (
            root.suffix != ".xlsx" and zipfile.is_zipfile(root)
        ):
            files = _unpacked(root, form)
        else:
            home = root.parent
            paths = [root]
        selected = _matching(home, paths, form)
        total = sum(file.stat().st_size for file in selected.values())
        if total > LARGEST:
            raise CorpusError(
                "file-too-large",
                f"too large for a corpus: {total:,} bytes",
                place=path,
                hint="check that this is a corpus",
            )
        if form.reviewed and form.reviewed not in files:
            for folder in (home.parent, home):
                if lexists(folder / form.reviewed):
                    selected[form.reviewed] = folder / form.reviewed
        for name, file in selected.items():
            files[name] = _bytes_of(file, name)
    except OSError as problem:
        raise DOCUMENT.unreadable(problem.filename or path, problem) from None
    reviewed = files.pop(form.reviewed, None)
    budget = Budget() if any(name.endswith(_PACKED) for name in files) else None
    files = {name: files[name] for name in sorted(files)}
    return Source(path, files, reviewed, form, budget=budget)


def _entries(root: Path, depth: int) -> list[Path]:
    """Return what is in a folder and in its folders to this depth.

    Not by glob, which silently skips a folder without read permission.
    """
    entries = []
    for entry in root.iterdir():
        if not entry.name.startswith("."):
            entries.append(entry)
            if depth and entry.is_dir():
                entries += _entries(entry, depth - 1)
    return entries


def _matching(home: Path, paths: Iterable[Path], form: CorpusFormat) -> dict[str, Path]:
    """Return the files of a corpus by their names, in the order of the patterns."""
    names = {path.relative_to(home).as_posix(): path for path in paths}
    selected = {}
    for pattern in form.patterns:
        for name in fnmatch.filter(names, pattern):
            if name.count("/") == pattern.count("/"):  # a star is also for "/"
                selected[name] = names[name]
    return selected


def _bytes_of(file: Path, name: str) -> bytes:
    if file.exists() and not (file.is_file() or file.is_dir()):
        raise CorpusError(
            "file-unreadable",
            "cannot read: this is a pipe or a device",
            place=file,
            hint=DOCUMENT.hint,
        )
    if (
        name != name.encode("utf-8", "replace").decode()
    ):  # digests and tables need Unicode
        raise CorpusError(
            "file-unreadable",
            "the name is not UTF-8",
            place=ascii(str(file)),
            hint="rename the file or folder",
        )
    return DOCUMENT.read_bytes(file)


def _unpacked(path: Path, form: CorpusFormat) -> dict[str, bytes]:
    """Return the files of a zip that are of this format, and its list of reviewed sentences."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = _members(path, archive.infolist(), form)
            return {name: read_member(archive, info) for name, info in members.items()}
    except CdecError:
        raise
    except (
        Exception
    ) as problem:  # what zipfile raises for damaged data depends on the damage
        if isinstance(problem, OSError) and problem.errno:
            raise
        raise CorpusError(
            "corpus-invalid",
            f"the zip cannot be read: {problem or type(problem).__name__}",
            place=path,
            hint="get it again, or unpack it",
        ) from None


def _members(
    path: Path, infos: Iterable[zipfile.ZipInfo], form: CorpusFormat
) -> dict[str, zipfile.ZipInfo]:
    """Return the files by name; folders, and what macOS adds, are no files of the corpus."""
    members = {}
    for info in infos:
        member = PurePosixPath(info.filename)
        parts = member.parts or (".",)
        if info.is_dir() or parts[0] == "__MACOSX" or parts[-1].startswith("."):
            continue
        outside = ".." in parts or member.is_absolute() or "\\" in info.filename
        if outside or ":" in parts[0]:
            raise CorpusError(
                "corpus-invalid",
                f"the path of the member '{info.filename}' is outside the archive",
                place=path,
                hint="do not trust this file: get it again",
            )
        name = _name_in_corpus(parts, form)
        if name and name in members:
            raise CorpusError(
                "corpus-invalid",
                f"duplicate file {name} in the zip",
                place=path,
                hint="keep one of them",
            )
        if name:
            members[name] = info
    budget = Budget()
    for name, info in members.items():
        DOCUMENT.check_unpacked(
            f"{path}: {name}", info.file_size, info.compress_size, budget
        )
    return members


def _name_in_corpus(parts: Sequence[str], form: CorpusFormat) -> str:
    """Return the name of the member of a zip, in which the corpus may be in a folder, or ''."""
    if parts[-1] == form.reviewed:
        return form.reviewed
    for pattern in form.patterns:
        depth = pattern.count("/")
        name = "/".join(parts[-1 - depth :])
        if name.count("/") == depth and fnmatch.fnmatchcase(name, pattern):
            return name
    return ""
