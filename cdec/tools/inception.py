"""INCEpTION and WebAnno: their TSV 3, and UIMA CAS as XMI or JSON, with a chain layer.

In TSV a link is ``label->chain-number`` on each of its tokens. In a CAS a chain has its first link,
and a link the next one: chains have no id, the first link need not be the first in the text, and
one span can be in two chains. Offsets of a CAS count UTF-16 code units. Words and sentences are the
tokens and sentences of the file; a CAS without them is divided as ``cdec corpus add TEXTS`` does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from lxml import etree

from cdec.errors import FormatError, notice
from cdec.files.input import TextFile
from cdec.files.strict_json import parse_at
from cdec.formats import documents
from cdec.formats.annotation import Annotation
from cdec.formats.reading import words_at
from cdec.records import Row
from cdec.tools.links import Chains, Mention, record_of_text

_LINK = re.compile(r".*?->([0-9]+)-([0-9]+)(?:\[[0-9]+\])?")
_ROW = re.compile(r"([0-9]+)-([0-9]+)(\.[0-9]+)?")
_HINT = "annotate chains in a chain layer, and export it as TSV 3 or UIMA CAS"
_XMI_ID = "{http://www.omg.org/XMI}id"
_WORD = "Token"
_SENTENCE = "Sentence"


def _fail(source: TextFile, message: str, line: int = 0) -> FormatError:
    return source.error("field-invalid", line, message, _HINT)


# ---- TSV ----


def read_webanno(source: TextFile) -> Annotation:
    """Read WebAnno TSV 3; raises FormatError with ``file:line``."""
    columns, unread = _layers(source)
    sentences: dict[str, list[str]] = {}
    # Column and number of the chain → number of the link → its first and last token.
    chains: dict[tuple[int, str], dict[str, list[int]]] = {}
    size = 0
    cut = []
    for number, line in enumerate(source.lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = line.split("\t")
        row = _ROW.fullmatch(cells[0])
        if row is None or len(cells) <= max(columns):
            raise _fail(source, f"'{line[:60]}' is not a token", number)
        sentence, _, part = row.groups()
        if part is None:
            word = re.sub(r"\\(.)", r"\1", cells[2])
            sentences.setdefault(sentence, []).append(word)
            size += 1
        for column in columns:
            for item in re.split(r"(?<!\\)\|", cells[column]):
                match = _LINK.fullmatch(item)
                if match is None:
                    continue
                chain, link = match.groups()
                links = chains.setdefault((column, chain), {})
                mention = links.setdefault(link, [size - 1, size - 1])
                mention[1] = size - 1
                if part is not None:
                    cut.append(source.place(number))
    clusters = [[*links.values()] for links in chains.values()]
    record: Row = {"sentences": [*sentences.values()], "clusters": clusters}
    annotation = documents.of_records(source, [(0, record)])
    notices = annotation.notices
    if cut:
        message = "mentions that are a part of a token have all of it"
        notices = (*notices, notice("reading-assumed", message, cut))
    return replace(annotation, notices=notices, unread=unread)


def _layers(source: TextFile) -> tuple[list[int], tuple[str, ...]]:
    """Return the columns that have links of chains, and the layers that are not read."""
    column = 3  # after number, offsets and token
    columns = []
    other_layers = []
    for line in source.lines:
        match = re.match(r"#T_(CH|SP|RL)=([^|]*)(.*)", line)
        if match is None:
            continue
        kind, name, features = match.groups()
        width = features.count("|") or 1
        if kind == "RL":
            width += 1
        if kind == "CH":
            columns.append(column)
        else:
            other_layers.append(name)
        column += width
    if not columns:
        raise _fail(source, "the file has no chain layer (#T_CH)")
    return columns, tuple(other_layers)


# ---- UIMA CAS ----


class _Span(NamedTuple):
    """An annotation of a CAS: the last part of its type, its place and its references."""

    kind: str
    begin: int
    end: int
    next: str
    first: str
    sofa: str


Structures = dict[str, tuple[str, Mapping[str, str]]]  # id → type, and its features


def read_xmi(source: TextFile) -> Annotation:
    """Read a CAS in XMI; raises FormatError."""
    parser = etree.XMLParser(resolve_entities=False, huge_tree=True)
    try:
        root = etree.fromstring(source.text.encode(), parser)
    except etree.XMLSyntaxError as problem:
        raise _fail(source, f"invalid XML: {problem}") from None
    structures: Structures = {}
    for element in root:
        values = dict(element.attrib)
        if _XMI_ID in values:
            kind = etree.QName(element).localname
            structures[values[_XMI_ID]] = (kind, values)
    return _of_cas(source, structures)


def read_cas_json(source: TextFile) -> Annotation:
    """Read a CAS in UIMA's JSON, where the name of a reference begins with ``@``."""
    value = parse_at(source.text, 1, source.error, last=True)
    structures: Structures = {}
    for structure in value["%FEATURE_STRUCTURES"]:
        values = {
            name.removeprefix("@"): str(content) for name, content in structure.items()
        }
        structures[values["%ID"]] = (values["%TYPE"].rpartition(".")[2], values)
    return _of_cas(source, structures)


def _of_cas(source: TextFile, structures: Structures) -> Annotation:
    """Return the annotation of a CAS: each text of it is a document."""
    fail = partial(_fail, source)
    spans = {}
    texts = {}
    for id_, (kind, values) in structures.items():
        if "sofaString" in values:
            texts[id_] = values["sofaString"]
        begin = int(values.get("begin", -1))
        end = int(values.get("end", -1))
        references = (values.get(name, "") for name in ("next", "first", "sofa"))
        spans[id_] = _Span(kind, begin, end, *references)
    chains = {sofa: Chains() for sofa in texts}
    firsts = [span.first for span in spans.values() if span.first in spans]
    if not firsts:
        raise fail("no chain has a first link")
    for number, first in enumerate(firsts):
        ids = []
        for id_ in _chain(spans, first):
            span = spans[id_]
            if span.sofa not in texts:
                raise fail(f"the link {id_} is in no text")
            of_text = chains[span.sofa]
            ids.append(f"{number}/{id_}")
            of_text.mentions[ids[-1]] = Mention(span.begin, span.end)
            of_text.links.append((ids[0], ids[-1]))
    records: list[tuple[int, Row]] = []
    for sofa, text in texts.items():
        inside = [span for span in spans.values() if span.sofa == sofa]
        records.append((0, _cas_record(text, inside, chains[sofa], source.name, fail)))
    return documents.of_records(source, records)


def _chain(spans: Mapping[str, _Span], first: str) -> list[str]:
    """Return the ids of the links of a chain."""
    links: dict[str, None] = {}
    link = first
    while link in spans and link not in links:
        links[link] = None
        link = spans[link].next
    return [*links]


def _cas_record(
    text: str, spans: Sequence[_Span], chains: Chains, place: str, fail: Any
) -> Row:
    """Return the record of a text, whose offsets count UTF-16 code units."""
    characters = _characters(text)
    for id_, mention in chains.mentions.items():
        if not {mention.begin, mention.end} <= characters.keys():
            raise fail(f"the text has no {mention.begin} to {mention.end}")
        begin = characters[mention.begin]
        end = characters[mention.end]
        chains.mentions[id_] = Mention(begin, end)
    tokens = sorted(
        (characters[span.begin], characters[span.end])
        for span in spans
        if span.kind == _WORD
    )
    if not tokens:
        return record_of_text(text, {"clusters": chains}, place, fail)
    starts = {characters[span.begin] for span in spans if span.kind == _SENTENCE}
    sentences: list[list[str]] = []
    for begin, end in tokens:
        if not sentences or begin in starts:
            sentences.append([])
        sentences[-1].append(text[begin:end])
    clusters: list[list[list[int]]] = []
    for group in chains.groups(fail):
        clusters.append([])
        for id_ in group:
            mention = chains.mentions[id_]
            first, last = words_at(tokens, mention.begin, mention.end - 1)
            if not 0 <= first <= last < len(tokens):
                raise fail(f"no word is at {mention.begin} to {mention.end}")
            clusters[-1].append([first, last])
    return {"sentences": sentences, "clusters": clusters}


def _characters(text: str) -> dict[int, int]:
    """Return UTF-16 code unit → character, for the beginnings of characters and the end."""
    characters = {}
    unit = 0
    for number, sign in enumerate(text):
        characters[unit] = number
        unit += 2 if sign > "\uffff" else 1
    characters[unit] = len(text)
    return characters
