"""Locate the corpus to use, and install corpora.

The order of precedence: the argument (a path or the name of a corpus), the variable
``CDEC_ECBPLUS``, the installed ECB+, the embedded sample. An installed corpus is a file in the data
folder: a zip, or the corpus in the interchange format.
"""

from __future__ import annotations

import gzip
import os
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Literal

import platformdirs

from cdec.corpus.adapter import open_source, read_corpus
from cdec.corpus.interchange.reader import LAYOUT as INTERCHANGE
from cdec.corpus.interchange.writer import lines
from cdec.corpus.known import KnownCorpus, by_name, known_corpora
from cdec.corpus.model import Corpus
from cdec.corpus.source import Source, pack
from cdec.corpus.store.difference import difference
from cdec.errors import CorpusError, UnknownNameError, UsageError
from cdec.io.inputfile import GZIP, how_to_write
from cdec.io.output import replacing
from cdec.io.progress import Progress, silent
from cdec.notices import Notice

# The endings of a stored corpus: its files as a zip, or the corpus in the interchange format.
_ENDINGS = (".zip", ".jsonl.gz")
CORPUS_VARIABLE, DATA_VARIABLE = "CDEC_ECBPLUS", "CDEC_DATA"
RELEASE, SAMPLE = "ecb+", "sample"
_LEVEL = 4  # of compression: 6 takes twice as long for 5% less
HOW_TO_GET = "use `cdec corpus fetch`, or `cdec corpus install PATH` for a local copy"
SAMPLE_NOTICE = Notice(
    "sample-corpus",
    1,
    f"the results are for the small sample corpus of cdec, not ECB+ (for ECB+ {HOW_TO_GET})",
    warning=False,
)

Origin = Literal["argument", "environment", "installed", "sample"]


@dataclass(frozen=True)
class Located:
    """A corpus to read; ``origin`` is the source of the choice."""

    path: Path
    name: str
    origin: Origin
    notice: Notice | None = None


def data_folder() -> Path:
    """Return the data folder: the value of ``CDEC_DATA``, else the default of the platform."""
    folder = os.environ.get(DATA_VARIABLE)
    return Path(folder) if folder else platformdirs.user_data_path("cdec", appauthor=False)


def release() -> KnownCorpus:
    """Return the published ECB+ 1.0."""
    return next(known for known in known_corpora() if known.name == RELEASE)


def known_named(name: str) -> KnownCorpus:
    """Return a known corpus by name or alias. Raises UnknownNameError."""
    known = by_name(name)
    if known is None:
        raise UnknownNameError("corpus", name, [k.name for k in known_corpora()])
    return known


def installed() -> dict[str, Path]:
    """Return the installed corpora, name → file."""
    found = [(path, end) for end in _ENDINGS for path in _corpora_folder().glob(f"[!.]*{end}")]
    return {path.name.removesuffix(end): path for path, end in sorted(found)}


def sample_path() -> Path:
    """Return the folder of the embedded sample."""
    return Path(str(files("cdec.corpus") / SAMPLE))


def locate(choice: str | None = None) -> Located:
    """Return the corpus to use; ``choice`` is a path, the name of a corpus, or None.

    A name takes precedence over a file or folder with that name: write ``./sample`` for the folder.
    Raises CorpusError for a missing corpus, UnknownNameError for an unknown name.
    """
    if choice is not None:
        return _named(choice)
    ecbplus = _ecbplus()
    return ecbplus or Located(sample_path(), SAMPLE, "sample", SAMPLE_NOTICE)


def install(path: Path | str, name: str | None = None, *, known: KnownCorpus | None = None) -> Path:
    """Install the corpus at ``path`` in the data folder; return the file written.

    Without ``name`` it is ``known`` (ECB+ 1.0). The files of a published corpus must equal the
    published ones; under another name, any corpus that can be read is allowed. A corpus in the
    interchange format is stored as it is, compressed; any other as a zip of its files. The file is
    replaced atomically. Raises CorpusError, and UsageError for an invalid name.
    """
    label = _label(name, known or release())
    expected = known if known and known.name == label else by_name(label)
    source = open_source(path)
    if expected and expected.digest:
        _require(source, expected)
    else:
        read_corpus(source, label)
    if source.layout == INTERCHANGE:
        (data,) = source.files.values()
        packed = data if data.startswith(GZIP) else gzip.compress(data, _LEVEL, mtime=0)
        return _write(label, ".jsonl.gz", [packed])
    return _write(label, ".zip", [pack(source)])


def store(corpus: Corpus, progress: Progress = silent) -> Path:
    """Store a corpus under its name in the interchange format; return the file written.

    The file is replaced atomically. Raises CorpusError.
    """
    total = 1 + len(corpus.documents) + len(corpus.mentions)
    return _write(corpus.name, ".jsonl.gz", _compressed(progress(lines(corpus), total, "storing")))


def _compressed(texts: Iterable[str]) -> Iterator[bytes]:
    packer = zlib.compressobj(_LEVEL, wbits=31)  # of gzip, without name and date
    for text in texts:
        yield packer.compress(text.encode())
    yield packer.flush()


def own_name(name: str) -> str:
    """Return the name under which a corpus of the user's is stored.

    Raises UsageError for an invalid name, and for that of a corpus of cdec.
    """
    label = _label(name, release())
    if label == RELEASE:
        message = f"--name '{name}' is the name of the published ECB+"
        hint = "use another name; the published files are stored by `cdec corpus install`"
        raise UsageError("option-invalid", message, hint=hint)
    return label


def _named(choice: str) -> Located:
    if not choice.strip():
        hint = "give a name or a path; is a variable of the shell empty?"
        raise UsageError("option-invalid", "the name of the corpus is empty", hint=hint)
    known = by_name(choice)
    name = known.name if known else choice
    if name.lower() == SAMPLE:
        return Located(sample_path(), SAMPLE, "argument")
    if name.lower() == RELEASE:
        ecbplus = _ecbplus()
        if ecbplus is None:
            raise CorpusError("corpus-not-found", "ECB+ is not installed", hint=HOW_TO_GET)
        return ecbplus
    if name in installed():
        return Located(installed()[name], name, "argument")
    if known and not Path(choice).exists():
        hint = f"use `cdec corpus install PATH --name {known.name}`"
        hint += f", or `cdec corpus fetch {known.name}`" if known.blobs else ""
        raise CorpusError("corpus-not-found", f"{known.title} is not installed", hint=hint)
    if not Path(choice).exists() and not re.search(r"[/\\.]", choice):
        names = {known.name for known in known_corpora()} | installed().keys()
        raise UnknownNameError("corpus", choice, [*sorted(names), "PATH"])
    return _at_path(Path(choice), choice, "argument")


def _ecbplus() -> Located | None:
    """Return ECB+ at the path in ``CDEC_ECBPLUS``, else the installed one."""
    path = os.environ.get(CORPUS_VARIABLE)
    if path:
        return _at_path(Path(path), f"{CORPUS_VARIABLE}={path}", "environment")
    ecbplus = installed().get(RELEASE)
    return Located(ecbplus, RELEASE, "installed") if ecbplus else None


def _at_path(path: Path, place: str, origin: Origin) -> Located:
    """Return the corpus at a path, with its file name; ``place`` is for error messages."""
    if not path.exists():
        message = "no such file or folder"
        hint = f"check the path; for ECB+ {HOW_TO_GET}"
        raise CorpusError("corpus-not-found", message, place=place, hint=hint)
    name = path.resolve().name
    ending = next((end for end in (*_ENDINGS, ".jsonl") if name.endswith(end)), "")
    return Located(path, name.removesuffix(ending), origin)


def _label(name: str | None, expected: KnownCorpus) -> str:
    label = (name or expected.name).lower()
    if named := by_name(label):
        label = named.name
    if label == SAMPLE:
        message, hint = f"--name '{name}' is the name of the embedded sample", "use another name"
        raise UsageError("option-invalid", message, hint=hint)
    if not re.fullmatch(r"[a-z0-9][a-z0-9+_-]{0,99}", label):
        hint = "use at most 100 characters: letters, digits, '+', '-' and '_'"
        raise UsageError("option-invalid", f"--name '{name}' is not a valid name", hint=hint)
    return label


def _require(source: Source, expected: KnownCorpus) -> None:
    differences = difference(source, expected)
    if differences:
        raise CorpusError(
            "checksum-mismatch",
            f"not {expected.title}: {differences}",
            place=source.path,
            hint="get it again, or install it under another name with --name",
        )


def _corpora_folder() -> Path:
    return data_folder() / "corpora"


def _write(label: str, ending: str, pieces: Iterable[bytes]) -> Path:
    """Replace the stored corpus of this name, whatever its ending was."""
    target = _corpora_folder() / f"{label}{ending}"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing(target) as file:
            file.writelines(pieces)
        for other in set(_ENDINGS) - {ending}:
            target.with_name(f"{label}{other}").unlink(missing_ok=True)
    except OSError as error:
        raise unwritable(target, error) from None
    return target


def unwritable(place: Path, error: OSError) -> CorpusError:
    """Return the error for a file or folder in the data folder that cannot be written."""
    message = f"cannot write: {error.strerror or error}"
    hint = f"{how_to_write(error)}, or set {DATA_VARIABLE} to another folder"
    return CorpusError("file-unwritable", message, place=place, hint=hint)
