"""The corpora that cdec knows and has: which one a name means, what is installed and cached.

The order of precedence: the argument (a path or the name of a corpus), the variable
``CDEC_ECBPLUS``, the installed ECB+, the embedded sample. An installed corpus is a file in the data
folder: a zip, or the corpus in the interchange format.
"""

from __future__ import annotations

import io
import json
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from hashlib import sha1, sha256
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pandas as pd
import platformdirs

from cdec.configs import FOLDER, read_toml
from cdec.corpus.model import Corpus, Document, natural_key
from cdec.corpus.source import CORPORA, Source, files_of, open_source, read_corpus
from cdec.errors import CorpusError, Notice, UnknownNameError, UsageError, counted
from cdec.files.cache import kept
from cdec.files.input import collection_paused, how_to_write
from cdec.files.output import save
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
_KINDS = "kinds"  # in configs/corpora: the meaning of defects
_MANY = 10  # file names that identify a corpus
_MODEL = "9"  # raise it when the data model changes, so that older entries are not used
# The fields of Corpus that its reader sets, beside documents and mentions.
_FACTS = (
    *("digest", "kind", "variant", "variants", "levels", "text", "argument_kinds", "splits"),
    *("linked_within", "release", "format", "reader"),
)
_LEVEL = 4  # of compression: 6 takes twice as long for 5% less
_DATE = (1980, 1, 1, 0, 0, 0)  # of files in a zip, so that equal files give equal bytes


@dataclass(frozen=True)
class KnownCorpus:
    """A corpus of configs/corpora; ``digest`` is None without published checksums.

    ``checksums`` maps file → SHA-256; ``blobs`` maps the name of a download → its git blob id, ''
    if that is not known; ``urls`` has the addresses of downloads that are not at ``base_url``;
    ``split`` is the default split, '' if there is none; ``format`` is the name of the format;
    ``note`` is for users.
    """

    name: str
    title: str
    citation: str
    licence: str
    split: str
    format: str = "ecbplus"
    note: str = ""
    aliases: tuple[str, ...] = ()
    digest: str | None = None
    checksums: Mapping[str, str] = field(default_factory=dict, repr=False)
    base_url: str = ""
    blobs: Mapping[str, str] = field(default_factory=dict, repr=False)
    urls: Mapping[str, str] = field(default_factory=dict, repr=False)


@cache
def known_corpora() -> Mapping[str, KnownCorpus]:
    """Return name or alias → corpus of configs/corpora: the published ones and the sample.

    A file has one, or several in its table ``corpora``, which share its other keys.
    """
    found = dict[str, KnownCorpus]()
    for file in sorted(path.stem for path in (FOLDER / "corpora").glob("*.toml")):
        if file == _KINDS:
            continue
        shared = {**read_toml(f"corpora/{file}.toml")}
        shared |= shared.pop("download", {})
        for own in shared.pop("corpora", {file: {}}).values():
            data = {**shared, **own, "blobs": shared.get("blobs", {}) | own.get("blobs", {})}
            sums = FOLDER / f"corpora/{file}.sha256"
            lines = sums.read_text("utf-8").splitlines() if "digest" in data else []
            pairs = (line.partition("  ") for line in lines)
            data["checksums"] = {name: checksum for checksum, _, name in pairs}
            known = KnownCorpus(**data)
            found |= dict.fromkeys((known.name, *known.aliases), known)
    return found


@dataclass(frozen=True)
class Located:
    """A corpus to read: ``variant`` is that of its key.

    ``origin`` is the source of the choice: argument, environment, installed or sample. ``format``
    is the name of its format, '' if that must be found.
    """

    path: Path
    name: str
    origin: str = "argument"
    variant: str | None = None
    format: str = ""


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
    name, variant = RELEASE if choice is None else choice, None
    found = re.fullmatch(r"(.+):([a-z][a-z0-9-]*)", name, re.DOTALL)
    if found and name.lower() not in known_corpora() and not Path(name).exists():  # as ucdcr:gvc
        name, variant = found.groups()
    known = known_corpora().get(name.lower())
    label = known.name if known else name
    sample = Located(
        Path(str(files("cdec.corpus") / SAMPLE)), SAMPLE, "argument", variant, "ecbplus"
    )
    if label == SAMPLE:
        return sample
    given = os.environ.get(CORPUS_VARIABLE) if label == RELEASE else None
    path, place = Path(given or name), f"{CORPUS_VARIABLE}={given}" if given else choice
    here = installed()
    if label in here and not given:
        form = "jsonl" if here[label].suffix == ".gz" else known.format if known else ""
        return Located(here[label], label, "installed", variant, form)
    if choice is None and not given:
        return replace(sample, origin="sample")
    if not name.strip():
        hint = "give a name or a path; is a variable of the shell empty?"
        raise UsageError("argument-invalid", "the name of the corpus is empty", hint=hint)
    if not path.exists():
        if known and not given:
            hint = f"use `cdec corpus add PATH --name {known.name}`"
            hint += f", or `cdec corpus add {known.name}`" if known.blobs else ""
            raise CorpusError("corpus-not-found", f"{known.title} is not installed", hint=hint)
        if not given and not re.search(r"[/\\.]", name):
            names = {one.name for one in known_corpora().values()} | here.keys()
            raise UnknownNameError("corpus", name, [*sorted(names), "PATH"])
        message, hint = "no such file or folder", f"check the path; for ECB+ {HOW_TO_GET}"
        raise CorpusError("corpus-not-found", message, place=place, hint=hint)
    label = re.sub(r"(\.zip|\.jsonl|\.jsonl\.gz)$", "", path.resolve().name)
    return Located(path, label, "environment" if given else "argument", variant)


# Reading, through the cache.


def load(located: Located) -> Corpus:
    """Return the whole of a located corpus, from the cache if it was read before."""
    path, known = located.path, located.format
    source = files_of(path, CORPORA[known]) if known else open_source(path)
    published = known_corpora().values()
    names = (one.name for one in published if one.digest == source.digest)
    name, form = next(names, located.name), source.format
    # A missing list differs from an empty one, which is an error.
    reviewed = () if source.reviewed is None else (source.reviewed.hex(),)
    reader = "" if form.name in CORPORA.own else str(CORPORA.origin(form.name))
    parts = (_MODEL, form.name, form.schema, reader, source.digest, *reviewed)
    corpus = kept("corpus", parts, _from_json, lambda: read_corpus(source, name), _to_json)
    return replace(corpus, name=name)


def _to_json(corpus: Corpus) -> bytes:
    names = [each.name for each in fields(Document)]
    content = {
        **{name: getattr(corpus, name) for name in _FACTS},
        "documents": [[getattr(doc, n) for n in names] for doc in corpus.documents.values()],
        "index": corpus.mentions.index.tolist(),
        "columns": {str(name): values.tolist() for name, values in corpus.mentions.items()},
        "types": corpus.mentions.dtypes.astype(str).to_dict(),
        "reviewed": sorted(corpus.reviewed),
    }
    return json.dumps(content, ensure_ascii=False, default=dict).encode()


@collection_paused()
def _from_json(data: bytes) -> Corpus:
    content: dict[str, Any] = json.loads(data)
    documents = [
        Document(id_, topic, subtopic, tuple(map(tuple, sentences)), *others)
        for id_, topic, subtopic, sentences, *others in content["documents"]
    ]
    columns = content["columns"]
    columns["tokens"] = [tuple(tokens) for tokens in columns["tokens"]]
    index = pd.Index(content["index"], name="mention", dtype=str)
    mentions = pd.DataFrame(columns, index, dtype=object).astype(content["types"])
    facts = {name: content[name] for name in _FACTS} | {"splits": tuple(content["splits"])}
    facts["reviewed"] = frozenset(map(tuple, content["reviewed"]))
    return Corpus("", documents={d.id: d for d in documents}, mentions=mentions, **facts)


# Copies of published corpora.


def meant_by(source: Source) -> KnownCorpus | None:
    """Return the published corpus of which ``source`` is a copy, exact or changed.

    A copy has a file of it or (if line ends were converted) at least half of its file names, if
    these are many: a few names, as of two tables, are those of other corpora too.
    """
    ours = _checksums(source).items()
    for known in known_corpora().values():
        names = known.checksums.keys() & source.files.keys()
        is_many = len(known.checksums) >= _MANY and 2 * len(names) >= len(known.checksums)
        if is_many or known.checksums.items() & ours:
            return known
    return None


def _checksums(source: Source) -> dict[str, str]:
    return {name: sha256(data).hexdigest() for name, data in source.files.items()}


def difference(source: Source, known: KnownCorpus) -> list[str]:
    """Return each file that differs from the published ones, with how: damaged, missing or extra.

    The list of reviewed sentences counts if it is published.
    """
    ours, theirs = _checksums(source), dict(known.checksums)
    listed = source.format.reviewed
    if listed in known.blobs:
        theirs[listed] = known.blobs[listed]
        ours |= {} if source.reviewed is None else {listed: blob_id(source.reviewed)}
    how = {name: "damaged" if name in ours else "missing" for name in theirs}
    different = [name for name in {**ours, **how} if ours.get(name) != theirs.get(name)]
    return [f"{name}: {how.get(name, 'extra')} file" for name in sorted(different, key=natural_key)]


def blob_id(data: bytes) -> str:
    """Return git's id of a file with this content."""
    # Git uses SHA-1; the check that counts is the SHA-256 digest of the files.
    return sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


# Adding.


class Added(NamedTuple):
    """The file of a stored corpus, and the corpus and its defects if it was read.

    ``replaced``: a corpus of this name was there before.
    """

    file: Path
    corpus: Corpus | None = None
    defects: Sequence[tuple[str, str]] = ()
    replaced: bool = False


def add(
    path: Path,
    name: str | None = None,
    *,
    build: Callable[[str], Corpus] | None = None,
    topics: Path | None = None,
    key_labels: str | None = None,
    noise: str | None = None,
) -> Added:
    """Store the corpus at ``path`` in the data folder, under ``name`` (default: that of the file).

    The copy of a published corpus is stored as a zip of its files, which must equal the published
    ones, or be readable if these have no checksums; it is recognised by its files or by ``name``.
    Any other corpus is read and stored in the interchange format. ``build``
    returns the corpus of this name if it is in no format, as texts with
    mentions. ``key_labels`` and ``noise`` say what chain labels mean, as for ``build_corpus``.
    ``topics`` is a table document → topic and sub-topic. The file is replaced atomically;
    nothing is stored after an error. Raises CorpusError and UsageError.
    """
    from cdec.corpus.interchange import lines  # noqa: PLC0415
    from cdec.corpus.topics import read_topics, with_topics  # noqa: PLC0415

    source = None if build else open_source(path)
    own = path.resolve().name.partition(".")[0] if name is None else name
    if source and not topics:
        known = meant_by(source) if name is None else known_corpora().get(name.lower())
        if known and known.digest and (differences := difference(source, known)):
            many = counted(len(differences), "file differs", "files differ")
            message = f"not {known.title}: {many}, {differences[0]}"
            hint = "get it again, or add it under another name"
            raise CorpusError("checksum-mismatch", message, place=path, hint=hint)
        if known and source.format.name == known.format:
            label = _label(known.name)
            if not known.digest:
                read_corpus(source, label)
            return Added(_write(label, ".zip", [_zipped(source)]))
    label = _label(own)
    if (taken := known_corpora().get(label)) and (build or label == RELEASE):
        message, hint = f"'{label}' is the name of a published corpus", "use another name"
        raise UsageError("argument-invalid", f"{message}: {taken.title}", hint=hint)
    if source:
        told = replace(source, key_labels=key_labels, noise=noise)
        corpus = read_corpus(told, label)
    elif build:
        corpus = build(label)
    if topics:
        corpus = with_topics(corpus, read_topics(topics), topics)
    replaced = label in installed()
    total = 1 + len(corpus.documents) + len(corpus.mentions)
    records = notebook()(lines(corpus), total, "storing")
    file = _write(label, ".jsonl.gz", _packed(records))
    return Added(file, corpus, source.defects if source else [], replaced)


def _label(name: str) -> str:
    known = known_corpora().get(name.lower())
    label = known.name if known else name.lower()
    if label == SAMPLE or not re.fullmatch(r"[a-z0-9][a-z0-9+_-]{0,99}", label):
        hint = f"use letters, digits, '+', '-' and '_', at most 100, and not '{SAMPLE}'"
        raise UsageError("argument-invalid", f"'{name}' is not a valid name", hint=hint)
    return label


def _zipped(source: Source) -> bytes:
    """Return the files as one zip in the layout of their format; equal files, equal bytes."""
    buffer, form = io.BytesIO(), source.format
    named = {f"{form.folder}/{name}".lstrip("/"): data for name, data in source.files.items()}
    named |= {} if source.reviewed is None else {form.reviewed: source.reviewed}
    with ZipFile(buffer, "w") as archive:
        for name, data in named.items():
            archive.writestr(ZipInfo(name, _DATE), data, ZIP_DEFLATED)
    return buffer.getvalue()


def _packed(lines: Iterable[str]) -> Iterator[bytes]:
    packer = zlib.compressobj(_LEVEL, wbits=31)  # of gzip, without name and date
    yield from (packer.compress(line.encode()) for line in lines)
    yield packer.flush()


def _write(label: str, ending: str, pieces: Iterable[bytes]) -> Path:
    """Replace the stored corpus of this name, whatever its ending was."""
    target = data_folder() / "corpora" / f"{label}{ending}"
    save(pieces, target, parents=True)
    for other in set(ENDINGS) - {ending}:
        target.with_name(f"{label}{other}").unlink(missing_ok=True)
    return target


def unwritable(place: Path, error: OSError) -> CorpusError:
    """Return the error for a file or folder in the data folder that cannot be written."""
    message = f"cannot write: {error.strerror or error}"
    hint = f"{how_to_write(error)}, or set {DATA_VARIABLE} to another folder"
    return CorpusError("file-unwritable", message, place=place, hint=hint)
