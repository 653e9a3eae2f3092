"""Texts with their mentions apart: a table with character offsets, or brat's files.

A brat file is beside, or in a folder of the same layout as, the ``.txt`` file of its name:

=========================  =====================================================================
``T1  Event 5 9;12 15 …``  a mention, here with a gap; the type is its tag, and an entity's if it
                           begins with "Entity"
``R1  Coref Arg1:T1 …``    two mentions of one chain, of this document; also Equiv, Identity, Same
``*   Coref T1 T2 T3``     several
``A1  chain T1 fire``      the chain of a mention, of all documents; also cluster, coref_id
``E1  Attack:T1 …``        an event: its trigger is the mention, also in relations and attributes
=========================  =====================================================================

The attribute ``kind`` says event or entity. All other lines of brat are ignored.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from scipy.cluster.hierarchy import DisjointSet

from cdec.corpus.interchange import TABLE_FIELDS, build_corpus
from cdec.corpus.model import ENTITY, EVENT, Corpus, natural_key
from cdec.corpus.readers.texts import ENDING as TEXT_ENDING
from cdec.corpus.readers.texts import files_in, read_texts
from cdec.errors import FormatError, Notice, UsageError, warn_of
from cdec.files.input import FileKind, open_source
from cdec.formats.fields import (
    ALIASES,
    LEVEL_NAMES,
    canonical,
    chains_by_side,
    check_fields,
    is_chain,
    named_rows,
)
from cdec.formats.records import COLUMN_VALUES
from cdec.records import Columns, Row

ENDING = ".ann"
_PAGE = "see docs/your-own-articles.md"
_ANN = FileKind("a valid file of brat", FormatError, "corpus-invalid", _PAGE)
_TOKENS = ("start", "end", "tokens")
_PLACE = ("sentence", *_TOKENS)
_NAMES = {
    **{field: ALIASES[field] for field in ("doc", "chain", *_PLACE)},
    "id": (*ALIASES["mention"], *ALIASES["m_id"]),
    "from_char": ("char_start", "start_char", "begin_char", "start_offset"),
    "to_char": ("char_end", "end_char", "end_offset"),
    **LEVEL_NAMES,
    **dict.fromkeys(("kind", "text"), ()),
}
_IDS = {"mention": "id"}  # the name in --columns → in the rows
SAME = re.compile(r"co-?ref|equiv|ident|same", re.IGNORECASE)
_LINE = {
    "T": re.compile(
        r"(T\S+)\t(\S+) ([0-9]{1,9} [0-9]{1,9}(?:;[0-9]{1,9} [0-9]{1,9})*)(?:\t(.*))?"
    ),
    "E": re.compile(r"(E\S+)\t\S+?:(T\S+).*"),
    "R": re.compile(r"R\S*\t(\S+)((?: \S+?:\S+){2,})\s*"),
    "*": re.compile(r"\*\t(\S+)((?: \S+){2,})\s*"),
    "A": re.compile(r"A\S*\t(\S+) (\S+)(?: (.*))?"),
}
Rows = list[tuple[str, Row]]


def read_standoff(
    texts: Path,
    mentions: Path,
    name: str,
    *,
    language: str,
    key_labels: str | None,
    noise: str | None,
    columns: Columns | None,
) -> Corpus:
    """Return the corpus of texts and their mentions, with this name.

    ``texts`` and ``language`` as for ``read_texts``; ``mentions`` is a table, an ``.ann`` file or a
    folder of these; ``columns``: field → name of the column of the table that holds it;
    ``key_labels`` and ``noise`` as for ``build_corpus``. Raises CorpusError, FormatError and
    UsageError.
    """
    documents = read_texts(texts, language)
    is_brat = mentions.is_dir() or mentions.suffix == ENDING
    if is_brat and columns:
        raise UsageError(
            "option-conflict",
            "columns have no effect on files of brat",
            hint="name a table of mentions",
        )
    rows = _of_brat(mentions) if is_brat else _of_table(mentions, columns or {})
    if not rows:
        raise FormatError("corpus-invalid", "no mentions", place=mentions, hint=_PAGE)
    return build_corpus(
        [row for _, row in rows],
        [row for _, row in documents],
        name=name,
        key_labels=key_labels,
        noise=noise,
        place=lambda row: rows[row - 1][0] if row > 0 else documents[-row - 1][0],
    )


def is_brat(path: Path) -> bool:
    """Return whether a path is a folder in which a text has a file of brat beside it.

    >>> is_brat(Path("no folder"))
    False
    """
    files = path.rglob(f"*{ENDING}")  # none in a file
    return any(file.with_suffix(TEXT_ENDING).is_file() for file in files)


def _of_table(path: Path, columns: Columns) -> Rows:
    """Return place and fields of the mentions in a table.

    The columns ``start`` and ``end`` count tokens, with a notice. Of the chains of a key and of a
    response in one table, those of the key count.
    """
    check_fields(columns, TABLE_FIELDS)
    stated = {_IDS.get(field, field): name for field, name in columns.items()}
    rows = list(named_rows(open_source(path), _NAMES, stated))
    if "chain" not in stated:
        names = dict.fromkeys(name for _, row in rows for name in row)
        for gold in chains_by_side(names, is_chain).get("gold", ())[:1]:
            rows = [(place, {**row, "chain": row.get(gold, "")}) for place, row in rows]
    if rows and not any("from_char" in row for _, row in rows):
        warn_of(
            [
                Notice(
                    "reading-assumed",
                    len(rows),
                    "start and end count tokens; name columns of characters from_char and to_char",
                )
            ]
        )
    for place, row in rows:
        if "sentence" in row or "doc" not in row:
            raise FormatError(
                "field-invalid",
                f"no place in a document: {', '.join(row):.80}",
                place=place,
                hint="give doc, from_char and to_char; or start and end, which count in the "
                "document",
            )
        # Token numbers are text in CSV and TSV.
        texts = {name: row[name] for name in _TOKENS if type(row.get(name)) is str}
        row.update({name: COLUMN_VALUES[name](text) for name, text in texts.items()})
    return rows


def _of_brat(path: Path) -> Rows:
    """Return place and fields of the mentions in an .ann file, or in those of a folder."""
    files = files_in(path, ENDING, _PAGE) if path.is_dir() else {path.stem: path}
    rows = [row for document, file in files.items() for row in _of_ann(file, document)]
    if rows and all(row["chain"] is None for _, row in rows):
        raise _ANN.refuse(
            path,
            "no mention has a chain: no relation such as Coref, and no attribute chain",
        )
    return rows


def _lines(path: Path) -> dict[str, list[tuple[str, Any]]]:
    """Return the lines of a brat file by their first letter: place, and the parts of each."""
    data = _ANN.read_bytes(path)
    text = _ANN.decode(data, path) if data.strip() else ""
    lines: dict[str, list[tuple[str, Any]]] = {sign: [] for sign in _LINE}
    for number, line in enumerate(map(str.rstrip, text.split("\n")), start=1):
        sign = line[:1]
        if sign in lines:
            match = _LINE[sign].fullmatch(line)
            if match is None:
                raise _ANN.refuse(f"{path}:{number}", f"the line '{line[:60]}'")
            lines[sign].append((f"{path}:{number}", match.groups()))
    return lines


def _of_ann(path: Path, document: str) -> Rows:
    """Return place and fields of the mentions in a file; the chain of a singleton can be None.

    Raises FormatError with the line of an invalid or contradictory one.
    """
    lines = _lines(path)
    mentions: dict[str, Row] = {}
    places: dict[str, str] = {}
    for place, (id_, tag, spans, text) in lines["T"]:
        if places.setdefault(id_, place) != place:
            raise _ANN.refuse(place, f"a second mention '{id_}'")
        bounds = [[int(number) for number in span.split()] for span in spans.split(";")]
        mentions[id_] = {
            "id": id_,
            "doc": document,
            "from_char": [begin for begin, _ in bounds],
            "to_char": [end for _, end in bounds],
            "kind": ENTITY if tag.casefold().startswith(ENTITY) else EVENT,
            "tag": tag,
            "text": text or None,
        }
    trigger_of = {id_: id_ for id_ in mentions}
    for place, (event, trigger) in lines["E"]:
        if trigger not in mentions or trigger_of.setdefault(event, trigger) != trigger:
            raise _ANN.refuse(
                place, f"a second event '{event}', or no mention '{trigger}'"
            )

    def mention(name: str, place: str) -> str:
        if name not in trigger_of:
            raise _ANN.refuse(place, f"there is no mention '{name}'")
        return trigger_of[name]

    # Mention and field (chain or kind) → its value.
    stated: dict[tuple[str, str], str] = {}
    for place, (name, target, value) in lines["A"]:
        field = canonical(name) or name.casefold()
        if field in ("chain", "kind"):
            first = stated.setdefault((mention(target, place), field), value)
            if not value or first != value:
                raise _ANN.refuse(
                    place,
                    f"the {field} of '{target}' is '{value or ''}', after '{first or ''}'",
                )
            mentions[trigger_of[target]][field] = value
    together = DisjointSet(mentions)
    relations = (*lines["R"], *lines["*"])
    links = [(place, names) for place, (kind, names) in relations if SAME.match(kind)]
    for place, names in links:
        linked = [mention(name.rpartition(":")[2], place) for name in names.split()]
        for other in linked[1:]:
            together.merge(linked[0], other)
    for name, row in mentions.items():
        group = together.subset(name)
        labels = {
            stated[other, "chain"] for other in group if (other, "chain") in stated
        }
        if len(labels) > 1:
            raise _ANN.refuse(
                places[name],
                f"'{name}' is linked to mentions of the chains {', '.join(sorted(labels))}",
            )
        chain = None
        if len(group) > 1:
            chain = f"{document}/{min(group, key=natural_key)}"
        row["chain"] = next(iter(labels), chain)
    return [(places[name], row) for name, row in mentions.items()]
