"""The file formats, and the detection of the format from the content."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO

from cdec.columns.blocks import BEGIN
from cdec.errors import FormatError, PluginError
from cdec.errors.notices import Notice, warn_user
from cdec.files.input import Source, collection_paused, open_source
from cdec.files.output import save
from cdec.files.strict_json import parse
from cdec.formats import fields, table
from cdec.formats.annotation import Annotation
from cdec.formats.heading import without_declaration
from cdec.plugins import Registry
from cdec.rooms import added, imported

_HEAD = 1000


@dataclass(frozen=True)
class Format:
    """A file format: its id, a description, and the functions that read and write it.

    The format of a plug-in is used if the user names it. ``sniff`` returns whether a file is in
    this format; it is called if no format is named: of a room
    of cdec first, of a plug-in if the file is in none of cdec's own formats.
    ``lost`` returns notices on the mentions that the written file has otherwise.

    >>> FORMATS["jsonl"].description
    'JSON Lines: one mention per line'
    """

    id: str
    description: str
    read: Callable[[Source], Annotation]
    write: Callable[[Annotation], Iterator[str]]
    sniff: Callable[[Source], bool] | None = None
    lost: Callable[[Annotation], Sequence[Notice]] | None = None


def _check(name: str, value: Any) -> None:
    if not isinstance(value, Format):
        raise TypeError(f"expected a cdec.formats.Format, got {type(value).__name__}")
    if value.id != name:
        raise ValueError(f"the id of the format is '{value.id}'")


def _imported(text: str) -> Callable[..., Any]:
    """Return the function ``module:name``, which is imported when it is called."""

    def call(given: Any) -> Any:
        return imported(f"cdec.formats.{text}")(given)

    return call


# Format → what it is, and the functions that read and write it.
_OWN: dict[str, tuple[str, tuple[str, str]]] = {
    "conll": (
        "CoNLL-2012 and variants: '#begin document', brackets in the last column",
        ("conll.reader:read", "conll.writer:write"),
    ),
    "jsonl": (
        "JSON Lines: one mention per line",
        ("json_files:read_lines", "json_files:write_lines"),
    ),
    "csv": ("CSV: header, one mention per row", ("table:read_csv", "table:write_csv")),
    "tsv": ("TSV: header, one mention per row", ("table:read_tsv", "table:write_tsv")),
    "json": ("JSON: chains of mentions", ("json_files:read_chains", "json_files:write_chains")),
}
FORMATS = Registry[Format](
    "format",
    "cdec.formats",
    {
        **{
            id_: Format(id_, text, _imported(reads), _imported(writes))
            for id_, (text, (reads, writes)) in _OWN.items()
        },
        **added("format"),
    },
    _check,
)


def read(path: Path | str, format: str | None = None, *, unlabelled: bool = False) -> Annotation:
    """Read a key or response file (``-`` is stdin).

    ``format`` is a key of FORMATS; by default it is detected from the content. ``unlabelled``: a
    mention may lack a chain label, which is then ''. Raises FormatError, with ``file:line`` where
    possible, and UnknownNameError for an unknown format.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w+") as file:
    ...     _ = file.write('{"doc": "d", "start": 0, "end": 1, "chain": "x"}')
    ...     file.flush()
    ...     annotation = read(file.name)
    >>> annotation.format, len(annotation)
    ('jsonl', 1)
    """
    return parse_source(open_source(path), format, unlabelled=unlabelled)


def parse_source(
    source: Source, format: str | None = None, *, unlabelled: bool = False
) -> Annotation:
    """Read ``source``; see ``read``."""
    content, declared = without_declaration(source)
    chosen = FORMATS[detect(content) if format is None else format]
    try:
        with collection_paused():
            annotation = chosen.read(content)
            annotation = replace(annotation, format=chosen.id, digest=source.digest)
            annotation = replace(annotation, declared=declared)
            return annotation if unlabelled else annotation.labelled()
    except MemoryError:
        message = "the file is too large for the available memory"
        raise source.error("out-of-memory", 0, message, "allow the process more memory") from None


def write(
    annotation: Annotation,
    target: Path | str | TextIO,
    format: str,
    notify: Callable[[Iterable[Notice]], None] = warn_user,
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
    chosen = FORMATS[format]
    save(_not_empty(chosen.write(annotation.unbroken()), annotation), target)
    if chosen.lost is not None:
        notify(chosen.lost(annotation))


def _not_empty(pieces: Iterator[str], annotation: Annotation) -> Iterator[str]:
    """Yield ``pieces``; raise FormatError if there is none, as no reader accepts an empty file."""
    first = next(pieces, None)
    if first is None:
        message, hint = "without mentions the file would be empty", "use csv, tsv or json"
        raise FormatError("format-unsuitable", message, place=annotation.name, hint=hint)
    yield first
    yield from pieces


def detect(source: Source) -> str:
    """Return the id of the format of ``source``; raises FormatError if it cannot be detected."""
    for name in added("format"):
        if (sniff := FORMATS[name].sniff) is not None and sniff(source):
            return name
    lines = source.beginning(_HEAD)
    head = next((line for line in lines if not line.startswith("#") or BEGIN.match(line)), "")
    if BEGIN.match(head):
        return "conll"
    if head.lstrip()[:1] in {"{", "["}:
        return _json_or_lines(source.name, lines, head)
    for separator, format_ in (("\t", "tsv"), (",", "csv"), (";", "csv")):
        names = [name.strip('" ') for name in head.split(separator)]
        fields.refuse_pairs(names, source.name)
        if len(names) > 1 and "chain" in {fields.canonical(name) for name in names}:
            return format_
    if lines and all(table.bare_columns(line.split("\t")) for line in lines):
        return "tsv"
    return _from_plugin(source, head or lines[0])


def _from_plugin(source: Source, head: str) -> str:
    """Return the id of the plug-in format that recognises the file."""
    usable = list(_usable())
    for known in usable:
        if known.sniff is not None and known.sniff(source):
            return known.id
    seen = f"the first line is '{head.strip()[:60]}'"
    accepted = "; ".join(f"{known.id} ({known.description})" for known in usable)
    message = f"the file format cannot be detected: {seen}"
    hint = f"accepted formats: {accepted}"
    raise FormatError("format-undetected", message, place=source.name, hint=hint)


def _usable() -> Iterator[Format]:
    """Yield all formats except those of plug-ins that cannot be imported."""
    for name in FORMATS:
        with suppress(PluginError):
            yield FORMATS[name]


def _json_or_lines(name: str, lines: list[str], head: str) -> str:
    """Return ``jsonl`` for one JSON value per line, ``json`` for one JSON value in the file."""
    try:
        first = parse(head)
    except ValueError:
        return "json"
    if isinstance(first, dict) and len(lines) > 1:
        fields.refuse_pairs(first, name)
    if isinstance(first, dict) and _is_mention(first):
        return "jsonl"
    return "jsonl" if len(lines) > 1 else "json"


def _is_mention(record: dict[str, object]) -> bool:
    """Return whether the object is a mention, not a mapping with a chain called ``label``."""
    if all(isinstance(value, list) for value in record.values()):
        return False
    return "chain" in {fields.canonical(name) for name in record}
