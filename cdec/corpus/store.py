"""Where corpora are: which one a name means, what is installed, and the cache of what was read.

The order of precedence: the argument (a path or the name of a corpus), the variable
``CDEC_ECBPLUS``, the installed ECB+, the embedded sample. An installed corpus is a file in the data
folder: a zip, or the corpus in the interchange format.

The digest of a corpus is that of its source files. So that it is true of what is read, the cached
content of a published corpus must be the one in ``configs/read-corpora.toml`` (cache key →
SHA-256).
"""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd
import platformdirs

from cdec.configs import read_toml
from cdec.corpus.build import column
from cdec.corpus.formats import CORPORA, open_source, read_corpus, stamped
from cdec.corpus.known import (
    KnownCorpus,
    by_digest,
    by_name,
    described,
    difference,
    known_corpora,
    meant_by,
)
from cdec.corpus.model import Corpus, Document
from cdec.corpus.source import Source
from cdec.corpus.splits import part_of
from cdec.errors import CorpusError, Notice, UnknownNameError, UsageError
from cdec.files import cache
from cdec.files.input import GZIP, collection_paused, how_to_write
from cdec.files.output import replacing
from cdec.files.progress import notebook

# The endings of a stored corpus: its files as a zip, or the corpus in the interchange format.
ENDINGS = (".zip", ".jsonl.gz")
CORPUS_VARIABLE, DATA_VARIABLE = "CDEC_ECBPLUS", "CDEC_DATA"
RELEASE, SAMPLE = "ecb+", "sample"
HOW_TO_GET = "use `cdec corpus add ecb+`, or `cdec corpus add PATH` for a local copy"
SAMPLE_NOTICE = Notice(
    "sample-corpus",
    1,
    f"the results are for the small sample corpus of cdec, not ECB+ (for ECB+ {HOW_TO_GET})",
    warning=False,
)
_RECORDS, _KIND = "read-corpora.toml", "corpus"
_MODEL = "5"  # raise it when the data model changes, so that older entries are not used
# The fields of Corpus that its reader sets, beside documents and mentions.
_FACTS = (
    *("digest", "kind", "variant", "variants", "levels", "text", "argument_kinds", "splits"),
    *("linked_within", "release"),
)
_LEVEL = 4  # of compression: 6 takes twice as long for 5% less


@dataclass(frozen=True)
class Located:
    """A corpus to read: ``variant`` is that of its key.

    ``origin`` is the source of the choice: argument, environment, installed or sample.
    """

    path: Path
    name: str
    origin: str
    notice: Notice | None = None
    variant: str | None = None


def data_folder() -> Path:
    """Return the data folder: the value of ``CDEC_DATA``, else the default of the platform."""
    folder = os.environ.get(DATA_VARIABLE)
    return Path(folder) if folder else platformdirs.user_data_path("cdec", appauthor=False)


def installed() -> dict[str, Path]:
    """Return the installed corpora, name → file."""
    folder = data_folder() / "corpora"
    found = [(path, end) for end in ENDINGS for path in folder.glob(f"[!.]*{end}")]
    return {path.name.removesuffix(end): path for path, end in sorted(found)}


def locate(choice: str | None = None) -> Located:
    """Return the corpus to use; ``choice`` is a path, the name of a corpus, or None.

    A reading of its key may follow, as in ``gvc:one-chain``.

    A name takes precedence over a file or folder with that name: write ``./sample`` for the folder.
    Raises CorpusError for a missing corpus, UnknownNameError for an unknown name.
    """
    sample = Located(Path(str(files("cdec.corpus") / SAMPLE)), SAMPLE, "sample", SAMPLE_NOTICE)
    if choice is None:
        return _ecbplus() or sample
    name, _, variant = choice.rpartition(":")
    is_variant = bool(name) and re.fullmatch(r"[a-z][a-z0-9-]*", variant) is not None
    if not is_variant or by_name(choice) or Path(choice).exists():  # as ucdcr:gvc
        name, variant = choice, ""
    known = by_name(name)
    label = known.name if known else name
    if label.lower() == SAMPLE:
        found = replace(sample, origin="argument", notice=None)
    elif label.lower() == RELEASE:
        ecbplus = _ecbplus()
        if ecbplus is None:
            raise CorpusError("corpus-not-found", "ECB+ is not installed", hint=HOW_TO_GET)
        found = ecbplus
    elif label in installed():
        found = Located(installed()[label], label, "argument")
    else:
        found = _at_path(name, known)
    return replace(found, variant=variant or None)


def _ecbplus() -> Located | None:
    """Return ECB+ at the path in ``CDEC_ECBPLUS``, else the installed one."""
    if path := os.environ.get(CORPUS_VARIABLE):
        return _located(path, "environment", f"{CORPUS_VARIABLE}={path}")
    ecbplus = installed().get(RELEASE)
    return Located(ecbplus, RELEASE, "installed") if ecbplus else None


def _at_path(name: str, known: KnownCorpus | None) -> Located:
    """Return the corpus at a path; raise the error for a name that is not installed."""
    if not name.strip():
        hint = "give a name or a path; is a variable of the shell empty?"
        raise UsageError("argument-invalid", "the name of the corpus is empty", hint=hint)
    if known and not Path(name).exists():
        hint = f"use `cdec corpus add PATH --name {known.name}`"
        hint += f", or `cdec corpus add {known.name}`" if known.blobs else ""
        raise CorpusError("corpus-not-found", f"{known.title} is not installed", hint=hint)
    if not Path(name).exists() and not re.search(r"[/\\.]", name):
        names = {known.name for known in known_corpora()} | installed().keys()
        raise UnknownNameError("corpus", name, [*sorted(names), "PATH"])
    return _located(name, "argument", name)


def _located(path: str, origin: str, place: str) -> Located:
    if not Path(path).exists():
        message, hint = "no such file or folder", f"check the path; for ECB+ {HOW_TO_GET}"
        raise CorpusError("corpus-not-found", message, place=place, hint=hint)
    name = Path(path).resolve().name
    ending = next((end for end in (*ENDINGS, ".jsonl") if name.endswith(end)), "")
    return Located(Path(path), name.removesuffix(ending), origin)


# Reading, through the cache.


def read_part(
    located: Located,
    split: str | None = "all",
    correct: Callable[[Corpus], Corpus] | None = None,
    format: str | None = None,
) -> Corpus:
    """Load the part ``split`` of a located corpus (None: test, if there is one).

    ``correct`` returns the whole corpus with a corrected
    key, because a chain may have mentions inside and outside the part. ``format``: by default
    detected.
    """
    source = open_source(located.path, format)
    known = by_digest(source.digest)
    corpus = load(source, known.name if known else located.name)
    return part_of(correct(corpus) if correct else corpus, split)


def load(source: Source, name: str) -> Corpus:
    """Return the corpus in ``source`` under ``name``, from the cache if it was read before."""
    form, origin = source.format, CORPORA.origin(source.format.name)
    # A missing list differs from an empty one, which is an error.
    reviewed = () if source.reviewed is None else (source.reviewed.hex(),)
    reader = (form.name,) if origin is None else (form.name, str(origin))
    key = cache.key(_MODEL, form.schema, source.digest, *reviewed, *reader)
    cached = cache.parsed(_KIND, key, lambda body: _from_json(body, name, key))
    if cached is not None:
        return stamped(cached, source)
    corpus = read_corpus(source, name)
    cache.write(_KIND, key, _to_json(corpus))
    return corpus


def _to_json(corpus: Corpus) -> bytes:
    names = [each.name for each in fields(Document)]
    facts = {name: getattr(corpus, name) for name in _FACTS}
    content = {
        **{name: dict(v) if isinstance(v, Mapping) else v for name, v in facts.items()},
        "documents": [[getattr(doc, n) for n in names] for doc in corpus.documents.values()],
        "index": corpus.mentions.index.tolist(),
        "columns": {str(name): column.tolist() for name, column in corpus.mentions.items()},
        "reviewed": sorted(corpus.reviewed),
    }
    return json.dumps(content, ensure_ascii=False).encode()


@collection_paused()
def _from_json(data: bytes, name: str, key: str) -> Corpus:
    """Return the corpus of the entry ``key``. Raises ValueError if it is not the recorded one."""
    found = sha256(data).hexdigest()
    if read_toml(_RECORDS).get(key, found) != found:
        raise ValueError("not the corpus that the source files contain")
    content: dict[str, Any] = json.loads(data)
    documents = [
        Document(id_, topic, subtopic, tuple(map(tuple, sentences)), *others)
        for id_, topic, subtopic, sentences, *others in content["documents"]
    ]
    columns = content["columns"]
    columns["tokens"] = [tuple(tokens) for tokens in columns["tokens"]]
    index = pd.Index(content["index"], name="mention", dtype=str)
    mentions = pd.DataFrame({n: column(values, index) for n, values in columns.items()}, index)
    facts = {name: content[name] for name in _FACTS} | {"splits": tuple(content["splits"])}
    facts["reviewed"] = frozenset((doc, sentence) for doc, sentence in content["reviewed"])
    return Corpus(name, documents={d.id: d for d in documents}, mentions=mentions, **facts)


# Installing.


def published(path: Path | str, name: str | None) -> str | None:
    """Return the name of the published corpus at ``path``; None for a corpus of the user's.

    ``name`` is the one to store it under: a copy under another name is the user's. Raises
    CorpusError as ``open_source`` does.
    """
    known = meant_by(open_source(path)) if name is None else by_name(name)
    return known.name if known else None


def install(path: Path | str, name: str) -> Path:
    """Install the corpus at ``path`` in the data folder; return the file written.

    The files of a published corpus must equal the published ones; under another name, any corpus
    that can be read is allowed. A corpus in the interchange format is stored as it is, compressed;
    any other as a zip of its files. The file is replaced atomically. Raises CorpusError, and
    UsageError for an invalid name.
    """
    label, source = _label(name), open_source(path)
    expected = by_name(label)
    if expected and expected.digest:
        if differences := difference(source, expected):
            message = f"not {expected.title}: {described(differences)}"
            hint = "get it again, or add it under another name"
            raise CorpusError("checksum-mismatch", message, place=source.path, hint=hint)
    else:
        read_corpus(source, label)
    if source.format.name == "jsonl":
        (data,) = source.files.values()
        packed = data if data.startswith(GZIP) else gzip.compress(data, _LEVEL, mtime=0)
        return _write(label, ".jsonl.gz", [packed])
    return _write(label, ".zip", [source.pack()])


@dataclass(frozen=True)
class Imported:
    """A corpus that was imported: the file written, its format before, and its defects.

    ``defects`` has (kind, item) of each. ``replaced``: it replaced a corpus of this name.
    """

    path: Path
    corpus: Corpus = field(repr=False)
    format: str
    content: str
    defects: list[tuple[str, str]] = field(repr=False)
    replaced: bool = False


def import_corpus(
    path: Path,
    name: str | None = None,
    *,
    format: str | None = None,
    build: Callable[[str], Corpus] | None = None,
    topics: Path | None = None,
) -> Imported:
    """Read the corpus at ``path``, store it under ``name`` and return it with its defects.

    ``name`` is by default that of the file, ``format`` is its format, by default detected;
    ``build`` returns the corpus of this name if it is in no format, as texts with mentions.
    ``topics`` is a table document → topic and sub-topic. Nothing is stored after an error. Raises
    CorpusError and UsageError.
    """
    from cdec.corpus.check import irregularities  # noqa: PLC0415
    from cdec.corpus.interchange import content_digest, lines  # noqa: PLC0415
    from cdec.corpus.topics import read_topics, with_topics  # noqa: PLC0415

    label = _label(path.resolve().name.partition(".")[0] if name is None else name)
    if label == RELEASE:
        message, hint = f"'{label}' is the name of the published ECB+", "use another name"
        raise UsageError("argument-invalid", message, hint=hint)
    if build and (taken := by_name(label)):
        message, hint = f"'{label}' is the name of a published corpus", "use another name"
        raise UsageError("argument-invalid", f"{message}: {taken.title}", hint=hint)
    table = read_topics(topics) if topics else None
    special: list[tuple[str, str]] = []
    if build:
        corpus = build(label)
    else:
        source = open_source(path, format)
        corpus, special = read_corpus(source, label), source.defects
    if table is not None:
        corpus = with_topics(corpus, table, topics)
    replaced, total = label in installed(), 1 + len(corpus.documents) + len(corpus.mentions)
    packer = zlib.compressobj(_LEVEL, wbits=31)  # of gzip, without name and date
    pieces = (packer.compress(x.encode()) for x in notebook()(lines(corpus), total, "storing"))
    written = _write(label, ".jsonl.gz", pieces, packer.flush)
    form = corpus.format or "texts with mentions"
    return Imported(
        written, corpus, form, content_digest(corpus), irregularities(corpus, special), replaced
    )


def _label(name: str) -> str:
    known = by_name(name)
    label = known.name if known else name.lower()
    if label == SAMPLE:
        message, hint = f"'{name}' is the name of the embedded sample", "use another name"
        raise UsageError("argument-invalid", message, hint=hint)
    if not re.fullmatch(r"[a-z0-9][a-z0-9+_-]{0,99}", label):
        hint = "use at most 100 characters: letters, digits, '+', '-' and '_'"
        raise UsageError("argument-invalid", f"'{name}' is not a valid name", hint=hint)
    return label


def _write(
    label: str, ending: str, pieces: Iterable[bytes], last: Callable[[], bytes] = bytes
) -> Path:
    """Replace the stored corpus of this name, whatever its ending was."""
    target = data_folder() / "corpora" / f"{label}{ending}"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing(target) as file:
            file.writelines(pieces)
            file.write(last())
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
