"""Install a corpus as it is, or import it: list its defects, store it in the interchange format.

A corpus that is imported may have its topics from a table document → topic, sub-topic.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pandas as pd

from cdec.columns.tables import named_rows
from cdec.corpus.adapter import CORPORA, Defect, Tick, guarded, open_source, read_corpus
from cdec.corpus.assembly import text_order
from cdec.corpus.inspection import irregularities
from cdec.corpus.interchange.writer import content_digest, lines
from cdec.corpus.known import KnownCorpus, by_name, difference
from cdec.corpus.layouts import LAYOUTS
from cdec.corpus.model import LEVELS, Corpus, Document
from cdec.corpus.source import Source, pack
from cdec.corpus.store.locate import (
    DATA_VARIABLE,
    ENDINGS,
    RELEASE,
    SAMPLE,
    corpora_folder,
    release,
)
from cdec.corpus.store.verify import defect_table
from cdec.errors import CorpusError, FormatError, UsageError, counted
from cdec.io.inputfile import GZIP, FileKind, how_to_write
from cdec.io.output import replacing
from cdec.io.progress import Progress, silent
from cdec.io.source import Source as TextFile

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


@dataclass(frozen=True)
class Imported:
    """A corpus that was imported: the file written, its format before, and its defects.

    ``defects`` has the columns of ``cdec.corpus.store.verify.DEFECT_COLUMNS``.
    """

    path: Path
    corpus: Corpus = field(repr=False)
    format: str
    content: str
    defects: pd.DataFrame = field(repr=False)


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
    table = read_topics(topics) if topics else None
    corpus, special = (build(label), []) if build else _read(path, label, format, tick)
    known = corpus.format in ("", _INTERCHANGE.name) and table is None
    if table is not None:
        corpus = with_topics(corpus, table, topics)
    defects = list(irregularities(corpus))
    general = {defect.kind for defect in defects}
    defects += [defect for defect in special if defect.kind not in general]
    written = store(corpus, progress)
    content = corpus.digest if known else content_digest(corpus)
    form = corpus.format or "texts with mentions"
    return Imported(written, corpus, form, content, defect_table(defects))


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
        message = f"--name '{name}' is the name of the published ECB+"
        hint = "use another name; the published files are stored by `cdec corpus install`"
        raise UsageError("option-invalid", message, hint=hint)
    return label


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


# The names of the columns, as they occur in published tables.
_NAMES = {
    "document": ("documentid", "doc", "docid"),
    "topic": ("topicid",),
    "subtopic": ("subtopicid", "event", "eventid"),
}
_KIND = FileKind(
    "a table of topics",
    FormatError,
    "table-invalid",
    "begin with the header document,topic or document,topic,subtopic",
)
Topics = Mapping[str, Mapping[str, str]]


def read_topics(path: Path) -> Topics:
    """Return document → (topic and subtopic, as far as the table has them) of a CSV or TSV file.

    Raises FormatError with the line of an invalid row, or if it is no table.
    """
    table: dict[str, dict[str, str]] = {}
    for place, named in named_rows(TextFile(str(path), _KIND.read_text(path)), _NAMES):
        fields = {name: str(named[name]).strip() for name in _NAMES if name in named}
        document = fields.pop("document", None)
        first = next(iter(table.values()), fields)
        if document is None or not fields or fields.keys() != first.keys():
            raise _KIND.refuse(place, "the row lacks a document, topic or sub-topic")
        if table.setdefault(document, fields) is not fields:
            raise _KIND.refuse(place, f"a second row of the document '{document}'")
    if not table:
        raise _KIND.refuse(f"{path}:1", "no row has a document and its topic")
    return table


def with_topics(corpus: Corpus, topics: Topics, place: object) -> Corpus:
    """Return the corpus with these topics; those of documents it lacks are ignored.

    A level that the table does not have stays as it is. ``place`` is the table, for the error:
    raises CorpusError if a document of the corpus is not in it.
    """
    missing = [id_ for id_ in corpus.documents if id_ not in topics]
    if missing:
        absent = counted(len(missing), "document is missing", "documents are missing")
        message = f"{absent} from the table: {', '.join(missing[:3])}"
        hint = "add a row for each document of the corpus"
        raise CorpusError("document-unassigned", message, place=place, hint=hint)
    changed = (_placed(document, topics[id_]) for id_, document in corpus.documents.items())
    documents = {document.id: document for document in sorted(changed, key=text_order)}
    rank = {id_: number for number, id_ in enumerate(documents)}
    mentions = corpus.mentions.iloc[corpus.mentions["doc"].map(rank).argsort(kind="stable")]
    present = [level for level in LEVELS if any(getattr(d, level) for d in documents.values())]
    return replace(
        corpus,
        documents=documents,
        mentions=mentions.assign(
            **{
                level: [getattr(documents[doc], level) for doc in mentions["doc"]]
                for level in LEVELS
            }
        ),
        levels={level: corpus.levels.get(level, LEVELS[level]) for level in present},
    )


def _placed(document: Document, topics: Mapping[str, str]) -> Document:
    topic, subtopic = (topics.get(level, getattr(document, level)) for level in LEVELS)
    return replace(document, topic=topic, subtopic=subtopic)
