"""Install a corpus as it is, or import it: list its defects, store it in the interchange format.

A corpus that is imported may have its topics from a table (``cdec.corpus.topics``).
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from cdec.corpus.adapter import CORPORA, Defect, Tick, guarded, open_source, read_corpus
from cdec.corpus.inspection import irregularities
from cdec.corpus.interchange.writer import content_digest, lines
from cdec.corpus.known import KnownCorpus, by_name, difference, meant_by
from cdec.corpus.layouts import LAYOUTS
from cdec.corpus.model import Corpus
from cdec.corpus.source import Source, pack
from cdec.corpus.store.locate import (
    DATA_VARIABLE,
    ENDINGS,
    RELEASE,
    SAMPLE,
    corpora_folder,
    installed,
    release,
)
from cdec.corpus.store.verify import defect_table
from cdec.corpus.topics import read_topics, with_topics
from cdec.errors import CorpusError, UsageError
from cdec.files.input import GZIP, how_to_write
from cdec.files.output import replacing
from cdec.files.progress import Progress, silent

_INTERCHANGE = LAYOUTS["jsonl"]
_LEVEL = 4  # of compression: 6 takes twice as long for 5% less


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
    if source.layout == _INTERCHANGE:
        (data,) = source.files.values()
        packed = data if data.startswith(GZIP) else gzip.compress(data, _LEVEL, mtime=0)
        return _write(label, ".jsonl.gz", [packed])
    return _write(label, ".zip", [pack(source)])


def published(path: Path | str, name: str | None) -> str | None:
    """Return the name of the published corpus at ``path``; None for a corpus of the user's.

    ``name`` is the one to store it under: a copy under another name is the user's. Raises
    CorpusError as ``open_source`` does.
    """
    if name is not None:
        known = by_name(name)
        return known.name if known else None
    source = open_source(path)
    meant = meant_by(source)
    return meant.name if meant else None


@dataclass(frozen=True)
class Imported:
    """A corpus that was imported: the file written, its format before, and its defects.

    ``defects`` has the columns of ``cdec.corpus.store.verify.DEFECT_COLUMNS``. ``replaced``: it
    replaced a corpus of this name.
    """

    path: Path
    corpus: Corpus = field(repr=False)
    format: str
    content: str
    defects: pd.DataFrame = field(repr=False)
    replaced: bool = False


def import_corpus(
    path: Path,
    name: str | None = None,
    *,
    format: str | None = None,
    build: Callable[[str], Corpus] | None = None,
    topics: Path | None = None,
    tick: Tick = lambda: None,
    progress: Progress = silent,
) -> Imported:
    """Read the corpus at ``path``, store it under ``name`` and return it with its defects.

    ``name`` is by default that of the file, ``format`` is its format, by default detected;
    ``build`` returns the corpus of this name if it is in no format, as texts with mentions.
    ``topics`` is a table document → topic and sub-topic. Nothing is stored after an error. Raises
    CorpusError and UsageError.
    """
    label = own_name(path.resolve().name.partition(".")[0] if name is None else name)
    if build and (published := by_name(label)):
        message, hint = f"'{label}' is the name of a published corpus", "use another name"
        raise UsageError("option-invalid", f"{message}: {published.title}", hint=hint)
    table = read_topics(topics) if topics else None
    corpus, special = (build(label), []) if build else _read(path, label, format, tick)
    known = corpus.format in ("", _INTERCHANGE.name) and table is None
    if table is not None:
        corpus = with_topics(corpus, table, topics)
    defects = list(irregularities(corpus))
    general = {defect.kind for defect in defects}
    defects += [defect for defect in special if defect.kind not in general]
    replaced = label in installed()
    written = store(corpus, progress)
    content = corpus.digest if known else content_digest(corpus)
    form = corpus.format or "texts with mentions"
    return Imported(written, corpus, form, content, defect_table(defects), replaced)


def _read(
    path: Path, label: str, format: str | None, tick: Tick
) -> tuple[Corpus, Sequence[Defect]]:
    """Return the corpus at ``path``, and the defects that only its format knows."""
    source = open_source(path, format)
    corpus = read_corpus(source, label, tick)
    inspect = CORPORA[source.layout.name].inspect
    if inspect is None:
        return corpus, ()
    with guarded(source):
        return corpus, inspect(source, lambda: None).defects


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
        message = f"'{name}' is the name of the published ECB+"
        hint = "use another name"
        raise UsageError("option-invalid", message, hint=hint)
    return label


def _label(name: str | None, expected: KnownCorpus) -> str:
    label = (name or expected.name).lower()
    if named := by_name(label):
        label = named.name
    if label == SAMPLE:
        message, hint = f"'{name}' is the name of the embedded sample", "use another name"
        raise UsageError("option-invalid", message, hint=hint)
    if not re.fullmatch(r"[a-z0-9][a-z0-9+_-]{0,99}", label):
        hint = "use at most 100 characters: letters, digits, '+', '-' and '_'"
        raise UsageError("option-invalid", f"'{name}' is not a valid name", hint=hint)
    return label


def _require(source: Source, expected: KnownCorpus) -> None:
    differences = difference(source, expected)
    if differences:
        raise CorpusError(
            "checksum-mismatch",
            f"not {expected.title}: {differences}",
            place=source.path,
            hint="get it again, or add it under another name",
        )


def _write(label: str, ending: str, pieces: Iterable[bytes]) -> Path:
    """Replace the stored corpus of this name, whatever its ending was."""
    target = corpora_folder() / f"{label}{ending}"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing(target) as file:
            file.writelines(pieces)
        for other in set(ENDINGS) - {ending}:
            target.with_name(f"{label}{other}").unlink(missing_ok=True)
    except OSError as error:
        raise unwritable(target, error) from None
    return target


def unwritable(place: Path, error: OSError) -> CorpusError:
    """Return the error for a file or folder in the data folder that cannot be written."""
    message = f"cannot write: {error.strerror or error}"
    hint = f"{how_to_write(error)}, or set {DATA_VARIABLE} to another folder"
    return CorpusError("file-unwritable", message, place=place, hint=hint)
