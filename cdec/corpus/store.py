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
from typing import NamedTuple
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
from cdec.records import Row

# The endings of a stored corpus: in the interchange format, or its files as a zip, which has
# priority.
ENDINGS = (".jsonl.gz", ".zip")
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
    "digest",
    "kind",
    "variant",
    "variants",
    "levels",
    "text",
    "argument_kinds",
    "splits",
    "linked_within",
    "release",
    "format",
    "reader",
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
    corpora: dict[str, KnownCorpus] = {}
    for file in sorted(path.stem for path in (FOLDER / "corpora").glob("*.toml")):
        if file == _KINDS:
            continue
        shared = {**read_toml(f"corpora/{file}.toml")}
        shared |= shared.pop("download", {})
        for fields_of_corpus in shared.pop("corpora", {file: {}}).values():
            data = {**shared, **fields_of_corpus}
            data["blobs"] = shared.get("blobs", {}) | fields_of_corpus.get("blobs", {})
            if "digest" in data:
                listed = (FOLDER / f"corpora/{file}.sha256").read_text("utf-8")
                data["checksums"] = {
                    name: checksum
                    for checksum, name in (
                        line.split("  ", 1) for line in listed.splitlines()
                    )
                }
            known = KnownCorpus(**data)
            corpora |= dict.fromkeys((known.name, *known.aliases), known)
    return corpora


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
    return (
        Path(folder) if folder else platformdirs.user_data_path("cdec", appauthor=False)
    )


def installed() -> dict[str, Path]:
    """Return the installed corpora, name → file."""
    corpora: dict[str, Path] = {}
    for ending in ENDINGS:
        for path in (data_folder() / "corpora").glob(f"[!.]*{ending}"):
            corpora[path.name.removesuffix(ending)] = path
    return dict(sorted(corpora.items()))


def locate(choice: str | None = None) -> Located:
    """Return the corpus to use; ``choice`` is a path, the name of a corpus, or None.

    A reading of its key may follow, as in ``gvc:one-chain``.

    A name takes precedence over a file or folder with that name: write ``./sample`` for the folder.
    Raises CorpusError for a missing corpus, UnknownNameError for an unknown name.
    """
    name = RELEASE if choice is None else choice
    variant = None
    with_variant = re.fullmatch(r"(.+):([a-z][a-z0-9-]*)", name, re.DOTALL)
    # A published name may have a colon, as ucdcr:gvc.
    if with_variant and name.lower() not in known_corpora() and not Path(name).exists():
        name, variant = with_variant.groups()
    known = known_corpora().get(name.lower())
    label = known.name if known else name
    sample_path = Path(str(files("cdec.corpus") / SAMPLE))
    if label == SAMPLE:
        return Located(sample_path, SAMPLE, "argument", variant, "ecbplus")
    by_variable = os.environ.get(CORPUS_VARIABLE) if label == RELEASE else None
    if by_variable:
        path = Path(by_variable)
        if not path.exists():
            raise _not_found(f"{CORPUS_VARIABLE}={by_variable}")
        return Located(path, _name_of(path), "environment", variant)
    stored = installed()
    if label in stored:
        form = known.format if known else ""
        if stored[label].suffix == ".gz":
            form = "jsonl"
        return Located(stored[label], label, "installed", variant, form)
    if choice is None:
        return Located(sample_path, SAMPLE, "sample", variant, "ecbplus")
    if not name.strip():
        raise UsageError(
            "argument-invalid",
            "the name of the corpus is empty",
            hint="give a name or a path; is a variable of the shell empty?",
        )
    if Path(name).exists():
        return Located(Path(name), _name_of(Path(name)), "argument", variant)
    if known:
        hint = f"use `cdec corpus add PATH --name {known.name}`"
        if known.blobs:
            hint += f", or `cdec corpus add {known.name}`"
        raise CorpusError(
            "corpus-not-found", f"{known.title} is not installed", hint=hint
        )
    if not re.search(r"[/\\.]", name):
        names = {corpus.name for corpus in known_corpora().values()} | stored.keys()
        raise UnknownNameError("corpus", name, [*sorted(names), "PATH"])
    raise _not_found(choice)


def _name_of(path: Path) -> str:
    return re.sub(r"(\.zip|\.jsonl|\.jsonl\.gz)$", "", path.resolve().name)


def _not_found(place: str) -> CorpusError:
    return CorpusError(
        "corpus-not-found",
        "no such file or folder",
        place=place,
        hint=f"check the path; for ECB+ {HOW_TO_GET}",
    )


# Reading, through the cache.


def load(located: Located) -> Corpus:
    """Return the whole of a located corpus, from the cache if it was read before."""
    if located.format:
        source = files_of(located.path, CORPORA[located.format])
    else:
        source = open_source(located.path)
    published = {known.digest: known.name for known in known_corpora().values()}
    name = published.get(source.digest, located.name)
    form = source.format
    reader = "" if form.name in CORPORA.own else str(CORPORA.origin(form.name))
    parts = [_MODEL, form.name, form.schema, reader, source.digest]
    if (
        source.reviewed is not None
    ):  # a missing list differs from an empty one, which is an error
        parts.append(source.reviewed.hex())
    corpus = kept(
        "corpus", parts, _from_json, lambda: read_corpus(source, name), _to_json
    )
    return replace(corpus, name=name)


def _to_json(corpus: Corpus) -> bytes:
    names = [field_of_document.name for field_of_document in fields(Document)]
    content = {
        **{name: getattr(corpus, name) for name in _FACTS},
        "documents": [
            [getattr(document, name) for name in names]
            for document in corpus.documents.values()
        ],
        "index": corpus.mentions.index.tolist(),
        "columns": {
            str(name): values.tolist() for name, values in corpus.mentions.items()
        },
        "types": corpus.mentions.dtypes.astype(str).to_dict(),
        "reviewed": sorted(corpus.reviewed),
    }
    return json.dumps(content, ensure_ascii=False, default=dict).encode()


@collection_paused()
def _from_json(data: bytes) -> Corpus:
    content: Row = json.loads(data)
    documents = {}
    for id_, topic, subtopic, sentences, *others in content["documents"]:
        text = tuple(map(tuple, sentences))
        documents[id_] = Document(id_, topic, subtopic, text, *others)
    columns = content["columns"]
    columns["tokens"] = [tuple(tokens) for tokens in columns["tokens"]]
    index = pd.Index(content["index"], name="mention", dtype=str)
    mentions = pd.DataFrame(columns, index, dtype=object).astype(content["types"])
    facts = {name: content[name] for name in _FACTS}
    facts["splits"] = tuple(content["splits"])
    facts["reviewed"] = frozenset(map(tuple, content["reviewed"]))
    return Corpus("", documents=documents, mentions=mentions, **facts)


# Copies of published corpora.


def meant_by(source: Source) -> KnownCorpus | None:
    """Return the published corpus of which ``source`` is a copy, exact or changed.

    A copy has a file of it or (if line ends were converted) at least half of its file names, if
    these are many: a few names, as of two tables, are those of other corpora too.
    """
    checksums = _checksums(source).items()
    for known in known_corpora().values():
        names = known.checksums.keys() & source.files.keys()
        is_many = len(known.checksums) >= _MANY and 2 * len(names) >= len(
            known.checksums
        )
        if is_many or known.checksums.items() & checksums:
            return known
    return None


def _checksums(source: Source) -> dict[str, str]:
    return {name: sha256(data).hexdigest() for name, data in source.files.items()}


def difference(source: Source, known: KnownCorpus) -> list[str]:
    """Return each file that differs from the published ones, with how: damaged, missing or extra.

    The list of reviewed sentences counts if it is published.
    """
    checksums = _checksums(source)
    published = dict(known.checksums)
    listed = source.format.reviewed
    if listed in known.blobs:
        published[listed] = known.blobs[listed]
        if source.reviewed is not None:
            checksums[listed] = blob_id(source.reviewed)
    differences = []
    for name in sorted({**checksums, **published}, key=natural_key):
        if name not in published:
            differences.append(f"{name}: extra file")
        elif name not in checksums:
            differences.append(f"{name}: missing file")
        elif checksums[name] != published[name]:
            differences.append(f"{name}: damaged file")
    return differences


def changed_copy(known: KnownCorpus, differences: Sequence[str]) -> str:
    """Return the message that a corpus is not as published."""
    many = counted(len(differences), "file differs", "files differ")
    return f"not {known.title}: {many}, {differences[0]}"


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
    requested = path.resolve().name.partition(".")[0] if name is None else name
    if source and not topics:
        known = meant_by(source) if name is None else known_corpora().get(name.lower())
        if known:
            differences = difference(source, known) if known.digest else []
            if differences:
                raise CorpusError(
                    "checksum-mismatch",
                    changed_copy(known, differences),
                    place=path,
                    hint="get it again, or add it under another name",
                )
            if source.format.name == known.format:
                label = _label(known.name)
                if not known.digest:
                    read_corpus(source, label)
                return Added(_write(label, ".zip", [_zipped(source)]))
    label = _label(requested)
    published = known_corpora().get(label)
    if published and (build or label == RELEASE):
        raise UsageError(
            "argument-invalid",
            f"'{label}' is the name of a published corpus: {published.title}",
            hint="use another name",
        )
    if source:
        corpus = read_corpus(replace(source, key_labels=key_labels, noise=noise), label)
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
        raise UsageError(
            "argument-invalid",
            f"'{name}' is not a valid name",
            hint=f"use letters, digits, '+', '-' and '_', at most 100, and not '{SAMPLE}'",
        )
    return label


def _zipped(source: Source) -> bytes:
    """Return the files as one zip in the layout of their format; equal files, equal bytes."""
    form = source.format
    members = {
        f"{form.folder}/{name}".lstrip("/"): data for name, data in source.files.items()
    }
    if source.reviewed is not None:
        members[form.reviewed] = source.reviewed
    buffer = io.BytesIO()
    with ZipFile(buffer, "w") as archive:
        for name, data in members.items():
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
    return CorpusError(
        "file-unwritable",
        f"cannot write: {error.strerror or error}",
        place=place,
        hint=f"{how_to_write(error)}, or set {DATA_VARIABLE} to another folder",
    )
