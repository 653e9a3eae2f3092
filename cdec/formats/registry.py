"""The file formats, and the detection of the format from the content."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from json import JSONDecodeError
from pathlib import Path
from typing import TextIO

from cdec.catalogue import added, entries, imported
from cdec.errors import FormatError, Notice, Notices, PluginError, warn_of
from cdec.files.input import TextFile, collection_paused, open_source
from cdec.files.output import save
from cdec.files.strict_json import parse
from cdec.formats import conll, documents, records, tools, writers
from cdec.formats.annotation import Annotation
from cdec.formats.brackets import BEGIN
from cdec.formats.fields import (
    canonical,
    chains_by_side,
    check_columns,
    check_fields,
    is_chain,
    pair_names,
    stated_columns,
)
from cdec.formats.folder import read_folder
from cdec.formats.heading import (
    ANSWER,
    merge_answers,
    read_complete,
    without_answer,
    without_declaration,
)
from cdec.formats.reading import Choice
from cdec.plugins import Registry, errors_of_plugin
from cdec.records import Columns, Row

_HEAD = 1000
_log = logging.getLogger(__name__)
# Results, key patches, corpora and other files of cdec name their format in the first object.
_WRITTEN = re.compile(r'\s*\{[^{}]{0,200}"format":\s*"(cdec-[a-z-]+/[0-9]+)"')


@dataclass(frozen=True)
class Format:
    """A file format: its id, a description, and the functions that read and write it.

    ``write`` is None for a format that is only read.
    ``sniff`` returns whether a file is in this format, if no format is named: a room of cdec is
    asked first, a plug-in if the file is in none of cdec's own formats. ``lost`` returns notices on
    the mentions that the written file has otherwise. ``endings`` are those of its files, with the
    dot; a file with another ending is written if the call names the format and no other has it.

    >>> FORMATS["jsonl"].description
    'JSON Lines: one mention per line'
    """

    id: str
    description: str
    read: Callable[[TextFile], Annotation]
    write: Callable[[Annotation], Iterator[str]] | None
    sniff: Callable[[TextFile], bool] | None = None
    lost: Callable[[Annotation], Iterable[Notice]] | None = None
    endings: tuple[str, ...] = ()


def _check(name: str, value: object) -> None:
    if not isinstance(value, Format):
        raise TypeError(f"expected a cdec.formats.Format, got {type(value).__name__}")
    if value.id != name:
        raise ValueError(f"the id of the format is '{value.id}'")


CONLL = Format(
    "conll",
    "CoNLL-2012 and variants: '#begin document', brackets in the last column",
    conll.read,
    writers.conll,
    lost=writers.without_gaps,
    endings=(".conll",),
)
JSONL = Format(
    "jsonl",
    "JSON Lines: one mention per line",
    records.read_lines,
    writers.lines,
    endings=(".jsonl",),
)
CSV = Format(
    "csv",
    "CSV: a header such as doc,start,end,chain, and a mention per row",
    records.read_table,
    partial(writers.table, separator=","),
    endings=(".csv",),
)
TSV = Format(
    "tsv",
    "TSV: a header, and a mention per row",
    records.read_table,
    partial(writers.table, separator="\t"),
    endings=(".tsv",),
)
JSON = Format(
    "json",
    "JSON: chains of mentions",
    records.read_chains,
    writers.chains,
    endings=(".json",),
)
DOCUMENTS = Format(
    "documents",
    "JSON Lines: one document with clusters per line",
    documents.read,
    writers.documents,
    lost=writers.without_gaps,
    endings=(".jsonl", ".json"),
)
FORMATS = Registry[Format](
    "format",
    "cdec.formats",
    {**entries("format of a tool"), **entries("format")},
    _check,
)


def endings_of_formats() -> dict[str, tuple[str, ...]]:
    """Return the formats that are written → the endings of their files.

    A plug-in that cannot be imported has none.
    """
    endings = dict[str, tuple[str, ...]]()
    for name in FORMATS:
        if name in entries("format of a tool"):
            continue
        endings[name] = ()
        with suppress(PluginError):
            endings[name] = FORMATS[name].endings
    return endings


def read(
    path: Path | str,
    format: str | None = None,
    *,
    unlabelled: bool = False,
    columns: Columns | None = None,
) -> Annotation:
    """Read a key or response file (``-`` is stdin).

    ``format`` is a key of FORMATS; by default it is detected from the content. ``unlabelled``: a
    mention may lack a chain label, which is then ''. ``columns``: field → name of the column, or of
    the field of a record, that holds it. Raises FormatError, with ``file:line`` where possible,
    UnknownNameError for an unknown format or field, and UsageError for a column that is not there.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w+") as file:
    ...     _ = file.write('{"doc": "d", "start": 0, "end": 1, "chain": "x"}')
    ...     file.flush()
    ...     annotation = read(file.name)
    >>> annotation.format, len(annotation)
    ('jsonl', 1)
    """
    annotation = read_file(path, format, columns)
    if columns:
        check_columns(columns, [(annotation.name, annotation.columns)])
    if not unlabelled:
        annotation.as_key().labelled()
        annotation.labelled()
    return annotation


def read_file(
    path: Path | str,
    format: str | None = None,
    columns: Columns | None = None,
    *,
    lenient: bool | None = None,
    part: TextFile | None = None,
) -> Annotation:
    """Read one of the files of a call, or all in a folder as one, as ``read`` does.

    The fences of an answer of a language model are in one format, that of the first.

    A mention may lack a chain label, and the file may lack some of ``columns``: other files of the
    call may have them. ``lenient``: of an answer that was cut at its end, what is complete is read;
    None: the caller has no such choice. ``part`` is this part of it.
    """
    folder = Path(path)
    if folder.is_dir():
        for reader in added("folder of a tool").values():
            of_tool: Annotation | None = imported(reader)(folder)
            if of_tool is not None:
                return of_tool
        read_one = partial(read_file, format=format, columns=columns, lenient=lenient)
        return read_folder(folder, read_one)
    source = part or open_source(path)
    if columns:
        check_fields(columns)
        source = replace(source, columns=dict(columns))
    notices: Notices = ()
    declared: Row = {}
    parts = [source]
    annotations = []
    try:
        if ANSWER.match(source.text):
            parts, notices = without_answer(source)
        if "cdec" in source.text:
            parts[0], declared = without_declaration(parts[0])
        format_ = FORMATS[format or detect(parts[0])]
        with collection_paused(), _blaming(format_.id, source.name):
            for content in parts:
                annotation = format_.read(content)
                if not isinstance(annotation, Annotation):
                    raise TypeError(
                        f"its reader must return an Annotation, got {type(annotation)}"
                    )
                annotations.append(annotation)
    except MemoryError:
        raise source.error(
            "file-too-large",
            0,
            "the file is too large for the available memory",
            "allow the process more memory",
        ) from None
    except FormatError as error:
        error = tools.with_tool(error, source)
        again = partial(_read_part, format=format, columns=columns)
        annotation, left_out = read_complete(source, error, again, lenient=lenient)
        choices = {**annotation.reading, "lenient": Choice("truncated", "caller")}
        notices = (left_out, *annotation.notices)
        return replace(annotation, notices=notices, reading=choices)
    annotation = annotations[0]
    if len(annotations) > 1:
        annotation = merge_answers(annotations)
    gold = annotation.gold
    if gold is not None:
        gold = replace(
            gold,
            format=format_.id,
            notices=(*notices, *gold.notices),
            digest=source.digest,
            declared=declared,
        )
    return replace(
        annotation,
        format=format_.id,
        notices=(*notices, *annotation.notices),
        digest=source.digest,
        declared=declared,
        gold=gold,
    )


def _read_part(
    part: TextFile, format: str | None, columns: Columns | None
) -> Annotation:
    return read_file(part.name, format, columns, part=part).labelled()


def write(
    annotation: Annotation,
    target: Path | str | TextIO,
    format: str,
    notify: Callable[[Iterable[Notice]], None] = warn_of,
) -> None:
    """Write ``annotation`` to a path, to stdout (``-``) or to a text stream.

    ``notify`` gets notices on mentions that the format cannot hold as they are.
    A file is written atomically. Raises FormatError if the format cannot express the annotation or
    the target cannot be written, and UnknownNameError for an unknown format.

    >>> from cdec import load_corpus
    >>> corpus = load_corpus("sample", "test")
    >>> from io import StringIO
    >>> from cdec.formats import from_corpus
    >>> text = StringIO()
    >>> write(from_corpus(corpus, corpus.gold), text, "csv")
    >>> text.getvalue().splitlines()[0]
    'doc,start,end,tokens,mention,chain'
    """
    format_ = FORMATS[format]
    if format_.write is None:
        raise FormatError(
            "format-unsuitable",
            f"the format '{format}' is only read",
            place=annotation.name,
            hint="use conll, documents or jsonl",
        )
    with _blaming(format, annotation.name):
        pieces = iter(format_.write(annotation.unbroken()))
        first = next(pieces, None)
        if first is None:
            raise FormatError(
                "format-unsuitable",
                "the annotation has no mentions, and a file in this format must have one",
                place=annotation.name,
                hint="use conll or json",
            )
        save(_without_nul(chain([first], pieces), annotation.name), target)
        if format_.lost is not None:
            notify(format_.lost(annotation))


def _blaming(format: str, place: str) -> AbstractContextManager[None]:
    """Turn an exception in the code of the package that has a format into a PluginError."""
    if format in FORMATS.own:
        return nullcontext()
    what = f"the format '{format}' of {FORMATS.origin(format)} failed"
    return errors_of_plugin(what, "report it to the authors of that package", place)


def _without_nul(pieces: Iterable[str], name: str) -> Iterator[str]:
    for piece in pieces:
        if "\0" in piece:
            raise FormatError(
                "format-unsuitable",
                "a token, name or label has a NUL character, which this format cannot contain",
                place=name,
                hint="use jsonl or json",
            )
        yield piece


def detect(source: TextFile) -> str:
    """Return the id of the format of ``source``; raises FormatError if it cannot be detected."""
    lines = list(islice(filter(str.strip, source.lines), _HEAD))
    head = next(
        (line for line in lines if not line.startswith("#") or BEGIN.match(line)), ""
    )
    if BEGIN.match(head):
        return "conll"
    usable = []
    for name in FORMATS:
        with suppress(PluginError):  # of a plug-in that cannot be imported
            usable.append(FORMATS[name])
    of_rooms = [format_ for format_ in usable if format_.id in FORMATS.own]
    of_plugins = [format_ for format_ in usable if format_.id not in FORMATS.own]
    id_ = (
        _sniffed(source, of_rooms)
        or _own(source, lines, head)
        or _sniffed(source, of_plugins)
    )
    if not id_:
        raise tools.unknown_format(source, (head or lines[0]).strip())
    return id_


def _sniffed(source: TextFile, formats: Iterable[Format]) -> str:
    """Return the id of the first format that says that a file is in it, or ''."""
    for format_ in formats:
        try:
            with _blaming(format_.id, source.name):
                if format_.sniff is not None and format_.sniff(source):
                    return format_.id
        except PluginError as problem:  # files in other formats are read
            _log.warning("%s", problem)
    return ""


def _own(source: TextFile, lines: Sequence[str], head: str) -> str:
    """Return the id of cdec's own format with these lines, or ''."""
    written = _WRITTEN.match(source.text)
    if written is not None:
        raise source.error(
            "format-undetected",
            0,
            f"expected mentions and chains, got what cdec has written as {written[1]}",
            "name the key or response itself, not its results or another file about it",
        )
    if head.lstrip()[:1] in ("{", "["):
        return _json_format(source, lines, head)
    for separator, id_ in (("\t", "tsv"), (",", "csv"), (";", "csv")):
        names = [name.strip('" ') for name in head.split(separator)]
        if len(names) > 1 and (
            "chain" in map(canonical, names)
            or chains_by_side(names, is_chain)
            or pair_names(names)
            or stated_columns(names, source.columns)
        ):
            return id_
    return ""


def _json_format(source: TextFile, lines: Sequence[str], head: str) -> str:
    """Return the id of the format of a file in JSON, or with a JSON value on each line."""
    by_line = len(lines) > 1
    value = None
    try:
        value = parse(head)
    except (
        JSONDecodeError
    ):  # a value of several lines, which is parsed if it may be a document
        by_line = False
        if documents.FIELD.search(source.text):
            with suppress(ValueError):
                value = parse(source.text)
    except ValueError:  # the reader reports it
        pass
    if documents.is_document(value):
        return "documents"
    if by_line:
        return "jsonl"
    # A mention has a value that is no list: it is not a mapping with a chain called ``label``.
    fields = value if isinstance(value, dict) else {}
    is_mention = not all(isinstance(item, list) for item in fields.values())
    has_chain = "chain" in map(canonical, fields) or stated_columns(
        [*fields], source.columns
    )
    return "jsonl" if is_mention and has_chain else "json"
