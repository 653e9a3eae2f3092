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
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from cdec.columns.tables import named_rows, renamed
from cdec.corpus.frames import Origin, corpus_from
from cdec.corpus.model import ENTITY, EVENT, Corpus, natural_key
from cdec.corpus.texts import name_in, read_texts
from cdec.errors import CorpusError, FormatError
from cdec.errors.notices import Notice, warn_user
from cdec.formats.annotation import gaps
from cdec.formats.declaration import without_declaration
from cdec.formats.fields import ALIASES, canonical
from cdec.formats.registry import detect, parse_source
from cdec.formats.table import bare_columns
from cdec.io.inputfile import FileKind
from cdec.io.progress import Progress, silent
from cdec.io.source import open_source

ENDING = ".ann"
_PAGE = "see docs/guides/your-own-articles.md"
_KIND = FileKind("a corpus", CorpusError, "corpus-record-invalid", _PAGE)
_ANN = FileKind("a file of brat", FormatError, "format-undetected", _PAGE)
_NAMES = {
    **{field: ALIASES[field] for field in ("doc", "chain")},
    "id": (*ALIASES["mention"], *ALIASES["m_id"]),
    "from_char": ("char_start", "start_char", "begin_char", "start_offset"),
    "to_char": ("char_end", "end_char", "end_offset"),
    "subtopic": ("sub_topic",),
}
_NAMED = ("csv", "tsv", "jsonl")
_SAME = re.compile(r"co-?ref|equiv|ident|same", re.IGNORECASE)
_LINE = {
    "T": re.compile(r"(T\S+)\t(\S+) (\d+ \d+(?:;\d+ \d+)*)(?:\t(.*))?"),
    "E": re.compile(r"(E\S+)\t\S+?:(T\S+).*"),
    "R": re.compile(r"R\S*\t(\S+)((?: \S+?:\S+){2,})\s*"),
    "*": re.compile(r"\*\t(\S+)((?: \S+){2,})\s*"),
    "A": re.compile(r"[AM]\S*\t(\S+) (\S+)(?: (.*))?"),
}
_LINE["M"] = _LINE["A"]
Rows = Iterator[tuple[str, dict[str, Any]]]


def read_standoff(
    texts: Path,
    mentions: Path,
    name: str,
    *,
    language: str = "",
    progress: Progress = silent,
    notify: Callable[[Iterable[Notice]], None] = warn_user,
) -> Corpus:
    """Return the corpus of texts and their mentions, with this name.

    ``texts`` and ``language`` as for ``cdec.corpus.texts.read_texts``; ``mentions`` is a table, a
    key file, an ``.ann`` file or a folder of these. Raises CorpusError and FormatError.
    """
    documents = read_texts(texts, language, progress)
    of_documents = [document.place for document in documents.values()]
    brat = mentions.is_dir() or mentions.suffix == ENDING
    rows = list(_of_brat(mentions) if brat else _of_file(mentions))
    if not rows:
        hint = "check the path; without mentions there is no key"
        raise FormatError("corpus-empty", "no mentions", place=mentions, hint=hint)

    def place(row: int) -> str:
        return rows[row - 1][0] if row > 0 else of_documents[-row - 1]

    origin = Origin(_KIND, place, notify)
    return corpus_from([row for _, row in rows], documents, name=name, origin=origin)


def _of_file(path: Path) -> Rows:
    """Yield place and fields of the mentions in a table with offsets, or in a key file."""
    source = open_source(path)
    content, _ = without_declaration(source)
    named: dict[str, dict[str, Any]] = {}
    bare = bare_columns(content.beginning(1)[0].split("\t"))
    if not bare and detect(content) in _NAMED:
        for place, row in named_rows(content):
            named[place] = renamed(row, _NAMES, place)
    if any("from_char" in row for row in named.values()):
        yield from named.items()
        return
    annotation = parse_source(source, unlabelled=True)
    table = annotation.mentions
    columns = [table[name].tolist() for name in ("doc", "start", "end", "chain", "line", "mention")]
    columns += [gaps(table), table["sentence"].tolist()]
    for doc, start, end, chain, line, mention, tokens, sentence in zip(*columns, strict=True):
        place = annotation.place(line)
        if start < 0 or sentence >= 0:
            what = "an id only" if start < 0 else "token numbers in a sentence"
            hint = "give doc, from_char and to_char; or start and end, which count in the document"
            raise FormatError("field-invalid", f"the mention has {what}", place=place, hint=hint)
        given = {n: v for n, v in named.get(place, {}).items() if n in _KEPT}
        numbers = list(tokens) or list(range(start, end + 1))
        own = {"doc": doc, "tokens": numbers, "chain": chain or None, "id": mention or None}
        yield place, {n: v for n, v in (given | own).items() if v is not None}


_KEPT = ("kind", "topic", "subtopic", "text")


def _of_brat(path: Path) -> Rows:
    """Yield place and fields of the mentions in an .ann file, or in those of a folder."""
    folder = path if path.is_dir() else path.parent
    files = sorted(path.rglob(f"*{ENDING}"), key=lambda p: natural_key(str(p))) or [path]
    if path.is_dir() and files == [path]:
        hint = f"name the folder with the {ENDING} files of brat, or a table"
        raise FormatError("corpus-empty", f"no {ENDING} file", place=path, hint=hint)
    related = False
    rows: list[tuple[str, dict[str, Any]]] = []
    for file in files:
        mentions = Standoff(file, name_in(folder, file))
        rows += mentions.rows()
        related |= mentions.related
    if rows and not related:
        message = "no mention has a chain: neither a relation such as Coref nor an attribute chain"
        raise FormatError("format-undetected", message, place=path, hint=_PAGE)
    yield from rows


class Standoff:
    """The mentions and chains of a brat file; ``related``: whether it states any chain."""

    def __init__(self, path: Path, document: str) -> None:
        self.path, self.document, self.related = path, document, False
        self._mentions: dict[str, tuple[str, dict[str, Any]]] = {}
        self._triggers: dict[str, str] = {}
        self._links: list[tuple[str, list[str]]] = []
        self._attributes: list[tuple[str, str, str, str]] = []
        data = _ANN.read_bytes(path)
        text = _ANN.decode(data, path) if data.strip() else ""
        for number, line in enumerate(text.split("\n"), start=1):
            self._read(f"{path}:{number}", line.rstrip())

    def rows(self) -> Rows:
        """Yield place and fields of each mention. Raises FormatError for a contradiction."""
        for place, name, target, value in self._attributes:
            self._mention(target, place)[name] = value
        together = {name: {name} for name in self._mentions}
        for place, names in self._links:
            for name in names:
                self._mention(name, place)
            linked = {self._triggers.get(name, name) for name in names}
            group = set().union(*(together[name] for name in linked))
            together.update(dict.fromkeys(group, group))
        for name, (place, row) in self._mentions.items():
            labels = {self._mentions[other][1].get("chain") for other in together[name]} - {None}
            if len(labels) > 1:
                message = f"the mention '{name}' is linked to mentions of the chains "
                message += ", ".join(sorted(map(repr, labels)))
                hint = "remove the relation, or correct the attribute"
                raise FormatError("label-ambiguous", message, place=place, hint=hint)
            if not labels and len(together[name]) > 1:
                labels = {f"{self.document}/{min(together[name], key=natural_key)}"}
            yield place, {**row, "chain": next(iter(labels), None)}

    def _read(self, place: str, line: str) -> None:
        if line[:1] not in _LINE:
            return
        found = _LINE[line[0]].fullmatch(line)
        if found is None:
            message = f"not a line of brat: '{line[:60]}'"
            hint = "write 'T1<tab>Event 5 9<tab>fire', 'R1<tab>Coref Arg1:T1 Arg2:T2'"
            raise FormatError("format-undetected", message, place=place, hint=hint)
        match line[0]:
            case "T":
                self._mentions[found[1]] = place, self._row(*found.groups())
            case "E":
                self._triggers[found[1]] = found[2]
            case "A" | "M":
                self._attribute(place, *found.groups())
            case _ if _SAME.match(found[1]):
                self.related = True
                self._links.append((place, [a.rpartition(":")[2] for a in found[2].split()]))

    def _row(self, id_: str, tag: str, spans: str, text: str | None) -> dict[str, Any]:
        pieces = [list(map(int, span.split())) for span in spans.split(";")]
        begin, end = map(list, zip(*pieces, strict=True))
        kind = ENTITY if tag.casefold().startswith(ENTITY) else EVENT
        row = {"id": id_, "doc": self.document, "from_char": begin, "to_char": end}
        return {**row, "kind": kind, "tag": tag} | ({"text": text} if text else {})

    def _attribute(self, place: str, name: str, target: str, value: str | None) -> None:
        field = canonical(name) or name.casefold()
        if field in ("chain", "kind"):
            if not value:
                message, hint = f"the attribute '{name}' has no value", "write 'A1<tab>chain T1 7'"
                raise FormatError("field-invalid", message, place=place, hint=hint)
            self.related |= field == "chain"
            self._attributes.append((place, field, target, value))

    def _mention(self, name: str, place: str) -> dict[str, Any]:
        """Return the fields of a mention, or of the trigger of an event."""
        known = self._mentions.get(self._triggers.get(name, name))
        if known is None:
            message, hint = f"there is no mention '{name}'", "correct or remove this line"
            raise FormatError("format-undetected", message, place=place, hint=hint)
        return known[1]
