"""Mentions apart from the text: rows with character offsets, key files, and brat's ``.ann`` files.

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
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cdec.corpus.frames import corpus_from
from cdec.corpus.model import ENTITY, EVENT, Corpus, natural_key
from cdec.corpus.texts import files_in, name_in, read_texts
from cdec.errors import FormatError
from cdec.errors.notices import Notice, warn_user
from cdec.files.input import FileKind, open_source
from cdec.formats.annotation import gaps, object_array
from cdec.formats.fields import ALIASES, canonical
from cdec.formats.heading import without_declaration
from cdec.formats.layouts import LEVEL_NAMES, named_rows
from cdec.formats.records import COLUMN_VALUES, bare_columns
from cdec.formats.registry import detect, parse_source

ENDING = ".ann"
_PAGE = "see docs/guides/your-own-articles.md"
_ANN = FileKind("a valid file of brat", FormatError, "corpus-file-invalid", _PAGE)
_TOKENS = ("start", "end", "tokens")
_NAMES = {
    **{field: ALIASES[field] for field in ("doc", "chain")},
    "id": (*ALIASES["mention"], *ALIASES["m_id"]),
    "from_char": ("char_start", "start_char", "begin_char", "start_offset"),
    "to_char": ("char_end", "end_char", "end_offset"),
    **LEVEL_NAMES,
    **dict.fromkeys(("kind", "text", *_TOKENS), ()),
}
_NAMED = ("csv", "tsv", "jsonl")
_SAME = re.compile(r"co-?ref|equiv|ident|same", re.IGNORECASE)
_LINE = {
    "T": re.compile(r"(T\S+)\t(\S+) ([0-9]{1,9} [0-9]{1,9}(?:;[0-9]{1,9} [0-9]{1,9})*)(?:\t(.*))?"),
    "E": re.compile(r"(E\S+)\t\S+?:(T\S+).*"),
    "R": re.compile(r"R\S*\t(\S+)((?: \S+?:\S+){2,})\s*"),
    "*": re.compile(r"\*\t(\S+)((?: \S+){2,})\s*"),
    "A": re.compile(r"A\S*\t(\S+) (\S+)(?: (.*))?"),
}
Rows = Iterator[tuple[str, dict[str, Any]]]


def read_standoff(
    texts: Path,
    mentions: Path,
    name: str,
    *,
    language: str = "",
) -> Corpus:
    """Return the corpus of texts and their mentions, with this name.

    ``texts`` and ``language`` as for ``cdec.corpus.texts.read_texts``; ``mentions`` is a table, a
    key file, an ``.ann`` file or a folder of these. Raises CorpusError and FormatError.
    """
    documents = read_texts(texts, language)
    known = list(documents.values())
    brat = mentions.is_dir() or mentions.suffix == ENDING
    rows = list(_of_brat(mentions) if brat else _of_file(mentions))
    if not rows:
        raise FormatError("corpus-empty", "no mentions", place=mentions, hint=_PAGE)

    def place(row: int) -> str:
        return rows[row - 1][0] if row > 0 else known[-row - 1].place

    return corpus_from(
        [row for _, row in rows],
        [document.record for document in known],
        name=name,
        texts=documents,
        place=place,
    )


def _of_file(path: Path) -> Rows:
    """Yield place and fields of the mentions in a table with offsets, or in a key file.

    The columns ``start`` and ``end`` of a table count tokens, with a notice.
    """
    source = open_source(path)
    content, _ = without_declaration(source)
    named: dict[str, dict[str, Any]] = {}
    bare = bare_columns(content.beginning(1)[0].split("\t"))
    tabular = not bare and (path.suffix.lower()[1:] in _NAMED or detect(content) in _NAMED)
    if tabular:
        named = dict(named_rows(content, _NAMES))
    if tabular and (not named or any("from_char" in row for row in named.values())):
        yield from ((place, {**row, **_numbers(row)}) for place, row in named.items())
        return
    annotation = parse_source(source, unlabelled=True)
    if tabular:
        message = "start and end count tokens; name columns of characters from_char and to_char"
        warn_user([Notice("reading-assumed", len(named), message, warning=False)])
    table = annotation.mentions.assign(tokens=object_array(gaps(annotation.mentions)))
    records: Any = table.to_dict("records")
    for row in records:
        place, first, last = annotation.place(row["line"]), row["start"], row["end"]
        if first < 0 or row["sentence"] >= 0:
            what = "an id only" if first < 0 else "token numbers in a sentence"
            hint = "give doc, from_char and to_char; or start and end, which count in the document"
            raise FormatError("field-invalid", f"the mention has {what}", place=place, hint=hint)
        given = {n: v for n, v in named.get(place, {}).items() if n in _KEPT}
        tokens = row["tokens"] or range(first, last + 1)
        own = {"doc": row["doc"], "chain": row["chain"] or None, "id": row["mention"] or None}
        yield place, {**given, **own, "tokens": list(tokens)}


_KEPT = ("kind", "topic", "subtopic", "text")


def _numbers(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the token numbers of a row, which are text in CSV and TSV."""
    given = {name: row[name] for name in _TOKENS if type(row.get(name)) is str}
    return {name: COLUMN_VALUES[name](value) for name, value in given.items()}


def _of_brat(path: Path) -> Rows:
    """Yield place and fields of the mentions in an .ann file, or in those of a folder."""
    folder = path if path.is_dir() else path.parent
    files = files_in(path, ENDING, _PAGE) if path.is_dir() else [path]
    rows: list[tuple[str, dict[str, Any]]] = []
    related = False
    for file in files:
        standoff = _Standoff(file, name_in(folder, file))
        rows += standoff.rows()
        related |= standoff.related
    if rows and not related:
        why = "no mention has a chain: no relation such as Coref, and no attribute chain"
        raise _ANN.refuse(path, why)
    yield from rows


class _Standoff:
    """The lines of a brat file by their first letter, each with its place.

    ``related``: whether it states a chain.
    """

    def __init__(self, path: Path, document: str) -> None:
        data = _ANN.read_bytes(path)
        text = _ANN.decode(data, path) if data.strip() else ""
        self._lines: dict[str, list[tuple[str, tuple[str, ...]]]] = {sign: [] for sign in _LINE}
        for number, line in enumerate(text.split("\n"), start=1):
            if line[:1] in _LINE:
                found = _LINE[line[0]].fullmatch(line.rstrip())
                if found is None:
                    raise _ANN.refuse(f"{path}:{number}", f"the line '{line.rstrip()[:60]}'")
                self._lines[line[0]].append((f"{path}:{number}", found.groups()))
        self._triggers: dict[str, str] = {}
        for place, (event, trigger) in self._lines["E"]:
            if self._triggers.setdefault(event, trigger) != trigger:
                raise _ANN.refuse(place, f"a second event '{event}'")
        self._mentions: dict[str, tuple[str, dict[str, Any]]] = {}
        for place, (id_, *more) in self._lines["T"]:
            if id_ in self._mentions:
                raise _ANN.refuse(place, f"a second mention '{id_}'")
            self._mentions[id_] = place, {"id": id_, "doc": document, **_of_line(*more)}
        self._links = [
            (place, [name.rpartition(":")[2] for name in names.split()])
            for place, (relation, names) in (*self._lines["R"], *self._lines["*"])
            if _SAME.match(relation)
        ]
        self.related = self._add_attributes() or bool(self._links)

    def rows(self) -> Rows:
        """Yield place and fields of each mention. Raises FormatError for a contradiction."""
        together = {name: {name} for name in self._mentions}
        for place, names in self._links:
            linked = {str(self._mention(name, place)["id"]) for name in names}
            group = set().union(*(together[name] for name in linked))
            together.update(dict.fromkeys(group, group))
        for name, (place, row) in self._mentions.items():
            labels = {self._mentions[other][1].get("chain") for other in together[name]} - {None}
            if len(labels) > 1:
                named = ", ".join(sorted(map(repr, labels)))
                raise _ANN.refuse(place, f"'{name}' is linked to mentions of the chains {named}")
            if not labels and len(together[name]) > 1:
                labels = {f"{row['doc']}/{min(together[name], key=natural_key)}"}
            yield place, {**row, "chain": next(iter(labels), None)}

    def _add_attributes(self) -> bool:
        """Add chains and kinds to their mentions; return whether there is a chain."""
        given: dict[tuple[str, str], str] = {}
        for place, (name, target, value) in self._lines["A"]:
            field = canonical(name) or name.casefold()
            if field in ("chain", "kind"):
                if not value:
                    raise _ANN.refuse(place, f"the attribute '{name}' has no value")
                mention = self._mention(target, place)
                first = given.setdefault((mention["id"], field), value)
                if first != value:
                    why = f"the {field} of '{target}' is '{value}', but also '{first}'"
                    raise _ANN.refuse(place, why)
                mention[field] = value
        return any(field == "chain" for _, field in given)

    def _mention(self, name: str, place: str) -> dict[str, Any]:
        """Return the fields of a mention, or of the trigger of an event."""
        known = self._mentions.get(self._triggers.get(name, name))
        if known is None:
            raise _ANN.refuse(place, f"there is no mention '{name}'")
        return known[1]


def _of_line(tag: str, spans: str, text: str | None) -> dict[str, Any]:
    """Return the fields that the line of a mention has, with its pieces."""
    pieces = [list(map(int, span.split())) for span in spans.split(";")]
    begin, end = map(list, zip(*pieces, strict=True))
    kind = ENTITY if tag.casefold().startswith(ENTITY) else EVENT
    return {"from_char": begin, "to_char": end, "kind": kind, "tag": tag, "text": text or None}
