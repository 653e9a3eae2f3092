"""Reading and writing key and response files; the format is seen in the content."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

from cdec.errors import FormatError, PluginError
from cdec.formats import clusters, jsonl, records, table
from cdec.formats.annotation import Annotation
from cdec.formats.conll import reader as conll
from cdec.formats.conll import writer as conll_writer
from cdec.formats.conll.blocks import BEGIN
from cdec.io.output import save
from cdec.io.source import Source, open_source
from cdec.io.strict_json import parse
from cdec.plugins import Registry

_HEAD = 1000


@dataclass(frozen=True)
class Format:
    """A file format: its id, what it is, and how it is read and written.

    A plug-in's format is read where it is named; with ``sniff``, which tells whether a file is in
    this format, also where no format is named and the file is in none of cdec's own.

    >>> FORMATS["jsonl"].description
    'JSON Lines: one mention a line'
    """

    id: str
    description: str
    read: Callable[[Source], Annotation]
    write: Callable[[Annotation], Iterator[str]]
    sniff: Callable[[Source], bool] | None = None


def _check(name: str, value: Any) -> None:
    if not isinstance(value, Format):
        raise TypeError(f"expected a cdec.formats.Format, got {type(value).__name__}")
    if value.id != name:
        raise ValueError(f"the id of the format is '{value.id}'")


_OWN = (
    Format(
        "conll",
        "CoNLL-2012 and its cousins: '#begin document', brackets in the last column",
        conll.read,
        conll_writer.write,
    ),
    Format("jsonl", "JSON Lines: one mention a line", jsonl.read, jsonl.write),
    Format("csv", "CSV: header, one mention a row", table.read_csv, table.write_csv),
    Format("tsv", "TSV: header, one mention a row", table.read_tsv, table.write_tsv),
    Format("json", "JSON: chains of mentions", clusters.read, clusters.write),
)
FORMATS = Registry[Format]("format", "cdec.formats", {own.id: own for own in _OWN}, _check)


def read(path: Path | str, format: str | None = None) -> Annotation:
    """Read a key or response file (``-`` is stdin) in the format that its content shows.

    ``format`` is a key of FORMATS and is detected by default. Raises FormatError with
    ``file:line`` for a file that is empty, binary, unclear or malformed.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w+") as file:
    ...     _ = file.write('{"doc": "d", "start": 0, "end": 1, "chain": "x"}')
    ...     file.flush()
    ...     annotation = read(file.name)
    >>> annotation.format, len(annotation)
    ('jsonl', 1)
    """
    return parse_source(open_source(path), format)


def parse_source(source: Source, format: str | None = None) -> Annotation:
    """Read what is in ``source``; see ``read``."""
    chosen = FORMATS[detect(source) if format is None else format]
    collecting = gc.isenabled()
    gc.disable()  # it would look again and again through objects that all stay
    try:
        return replace(chosen.read(source), format=chosen.id, digest=source.digest)
    except MemoryError:
        raise source.error(0, "too large for the memory", "allow the process more") from None
    finally:
        if collecting:
            gc.enable()


def write(annotation: Annotation, target: Path | str | TextIO, format: str) -> None:
    """Write ``annotation`` to a path, to stdout (``-``) or to a text stream.

    A file is complete or not there: it is written beside the target and then renamed. Raises
    FormatError for what the format cannot hold and for a target that cannot be written.

    >>> from cdec import load_corpus
    >>> corpus = load_corpus("sample", "test")
    >>> from io import StringIO
    >>> from cdec.formats import from_corpus
    >>> text = StringIO()
    >>> write(from_corpus(corpus, corpus.gold), text, "csv")
    >>> text.getvalue().splitlines()[0]
    'doc,start,end,tokens,mention,chain'
    """
    save(FORMATS[format].write(annotation), target)


def detect(source: Source) -> str:
    """Return the id of the format of ``source``; raises FormatError where it is not clear."""
    lines = list(islice((line for line in source.lines if line.strip()), _HEAD))
    head = next((line for line in lines if not line.startswith("#") or BEGIN.match(line)), "")
    if BEGIN.match(head):
        return "conll"
    if head.lstrip()[:1] in {"{", "["}:
        return _json_kind(lines, head)
    for separator, format_ in (("\t", "tsv"), (",", "csv"), (";", "csv")):
        names = [name.strip('" ') for name in head.split(separator)]
        if len(names) > 1 and "chain" in {records.canonical(name) for name in names}:
            return format_
    return _from_plugin(source, head or lines[0])


def _from_plugin(source: Source, head: str) -> str:
    """Return the format of a plug-in that knows the file as its own."""
    usable = list(_usable())
    for known in usable:
        if known.sniff is not None and known.sniff(source):
            return known.id
    seen = f"the first line is '{head.strip()[:60]}'"
    accepted = "; ".join(f"{known.id} ({known.description})" for known in usable)
    raise FormatError(f"unclear format: {seen}", place=source.name, hint=f"accepted: {accepted}")


def _usable() -> Iterator[Format]:
    """Yield all formats but those of plug-ins that cannot be imported: they hinder no other."""
    for name in FORMATS:
        with suppress(PluginError):
            yield FORMATS[name]


def _json_kind(lines: list[str], head: str) -> str:
    """Tell one JSON value a line from one JSON value in the file."""
    try:
        first = parse(head)
    except ValueError:
        return "json"
    if isinstance(first, dict) and _is_mention(first):
        return "jsonl"
    return "jsonl" if len(lines) > 1 else "json"


def _is_mention(record: dict[str, object]) -> bool:
    """Tell a mention from a mapping of chains, one of which may be called ``label``."""
    if all(isinstance(value, list) for value in record.values()):
        return False
    return "chain" in {records.canonical(name) for name in record}
