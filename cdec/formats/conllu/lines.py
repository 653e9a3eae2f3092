"""Divide CoNLL-U into nodes: ten columns a line, ids in order, sentences, documents.

The work is done on the bytes, with arrays, because a file of a million words has a hundred
megabytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from cdec.arrays import Bools, Ints
from cdec.formats.conllu.comments import Bytes, Comments, comments_of, gathered, joined
from cdec.formats.conllu.ids import check_heads, check_order, ids_of
from cdec.formats.conllu.trees import HEAD, SentenceIds, Texts, Trees
from cdec.io.source import Source

_BLOCK = 2**22  # bytes
_CHECKED = 2**16  # bytes that are checked at a time: they fit into the processor's cache
_COLUMNS = 10
_NAME = b"Entity="
_HINT = "expected ten columns separated by tabs, as in CoNLL-U"


class Block(NamedTuple):
    """The nodes of one block of bytes; the numbers count from the beginning of the block.

    ``values`` has the values of Entity=, each with a line end, ``value_nodes`` their nodes,
    ``deps`` the DEPS of the empty nodes.
    """

    number: Ints
    sub: Ints
    sentence: Ints
    start: Ints
    end: Ints
    line: Ints
    forms: bytes
    form_ends: Ints
    values: bytes
    value_nodes: Ints
    deps: tuple[str, ...]
    comments: Comments
    lines: int
    sentences: int


def read_trees(source: Source) -> tuple[Trees, bytes]:
    """Return the nodes of a file and the header of Entity=; raises FormatError."""
    data = clean(source)
    blocks = list(_blocks(source, data))
    parts = {name: [getattr(block, name) for block in blocks] for name in Block._fields}
    number, sub, sentences, start, stop, lines = (
        np.concatenate(parts[name])
        for name in ("number", "sub", "sentence", "start", "end", "line")
    )
    if not len(number):
        raise source.error("conllu-empty", 0, "the file has no words", "check the file")
    comments = joined(parts["comments"])
    names, document = _documents(comments.documents, start, sentences)
    _check_documents(source, names, document, lines)
    texts = Texts(names, b"".join(parts["forms"]), _bounds(parts["form_ends"], sub, document))
    trees = Trees(
        again=source.again(data, clean),
        number=number,
        sub=sub,
        sentence=sentences,
        document=document,
        start=start,
        end=stop,
        line=lines,
        names=names,
        sent_ids=SentenceIds(comments.sentences),
        texts=texts,
        values=b"".join(parts["values"]),
        value_nodes=_value_nodes(parts),
        empty_deps=tuple(chain.from_iterable(parts["deps"])),
    )
    return trees, comments.header


def _check_documents(source: Source, names: tuple[str, ...], document: Ints, line: Ints) -> None:
    """Raise FormatError for a document in two places."""
    back = np.flatnonzero(np.diff(document) < 0)
    if len(back):
        at = int(back[0]) + 1
        message = f"the document '{names[document[at]]}' occurs twice, with another in between"
        raise source.error("conllu-document", int(line[at]), message, "give each its own id")


def _bounds(form_ends: list[Ints], sub: Ints, document: Ints) -> Ints:
    """Return the byte in the joined words of all blocks where each document begins."""
    ends = np.cumsum(np.concatenate([[0], *(np.diff(e, prepend=0) for e in form_ends)]))
    words, firsts = np.cumsum(sub == 0), np.flatnonzero(np.diff(document, prepend=-1))
    bounds: Ints = ends[np.append(words[firsts] - (sub[firsts] == 0), words[-1])]
    return bounds


def _value_nodes(parts: Mapping[str, list[Any]]) -> Ints:
    """Return the node in the file of each value of Entity=."""
    before = np.cumsum([0, *map(len, parts["number"])])[:-1].tolist()
    nodes = zip(parts["value_nodes"], before, strict=True)
    return np.concatenate([inside + first for inside, first in nodes])


def _blocks(source: Source, data: bytes) -> Iterator[Block]:
    """Yield the blocks of a file; sentences, bytes and lines count from its beginning."""
    offset, line, sentence = 0, 0, 0
    while offset < len(data):
        end = _end_of_block(data, offset)
        block = _block(source, data[offset:end], line)
        yield block._replace(
            sentence=block.sentence + sentence,
            start=block.start + offset,
            end=block.end + offset,
            line=block.line + line,
            comments=block.comments.moved(offset),
        )
        offset, line, sentence = end, line + block.lines, sentence + block.sentences


def clean(source: Source) -> bytes:
    """Return the bytes with Unix line ends, after checking that they are UTF-8 text."""
    data = source.data.removeprefix(b"\xef\xbb\xbf")
    if b"\0" in data or data.isspace() or not data:
        _ = source.text  # raises
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    for offset in range(0, len(data), _CHECKED):
        # A character may be cut at the end of a part: it is checked with the next.
        part = data[max(0, offset - 4) : offset + _CHECKED]
        if not part.isascii():
            _check_utf8(source, part, bool(offset), offset + _CHECKED >= len(data))
    return data if data.endswith(b"\n") else data + b"\n"


def _check_utf8(source: Source, part: bytes, cut_start: bool, is_last: bool) -> None:
    while cut_start and part and 0x80 <= part[0] < 0xC0:
        part = part[1:]
    try:
        part.decode()
    except UnicodeDecodeError as error:
        if is_last or error.start < len(part) - 4:
            _ = source.text  # raises
            raise


def _end_of_block(data: bytes, offset: int) -> int:
    """Return the end of a block: behind an empty line, or the end of the data."""
    if offset + _BLOCK >= len(data):
        return len(data)
    at = data.rfind(b"\n\n", offset, offset + _BLOCK)
    at = at if at >= 0 else data.find(b"\n\n", offset)
    return at + 2 if at >= 0 else len(data)


class _Rows(NamedTuple):
    """The lines with ten columns: number from 0, bytes, position of the first tab, id, sentence."""

    line: Ints
    start: Ints
    end: Ints
    tab: Ints
    number: Ints
    sub: Ints
    sentence: Ints

    def take(self, rows: Ints) -> _Rows:
        """Return these lines."""
        return _Rows._make(values[rows] for values in self)


def _block(source: Source, data: bytes, line: int) -> Block:
    """Return the nodes of a block that ends with a line end; ``line``: lines before it."""
    content = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(content == ord("\n"))
    starts = np.concatenate([[0], ends[:-1] + 1])
    is_comment = content[starts] == ord("#")
    tabs = np.flatnonzero(content == ord("\t"))
    rows, is_range = _rows(source, data, (starts, ends, is_comment), tabs, line)
    values, owner = _values(content, tabs[rows.tab + _COLUMNS - 2], rows.end)
    _check_misplaced(source, is_range[owner], line + rows.line[owner] + 1)
    node = np.cumsum(~is_range) - 1
    rows = rows.take(np.flatnonzero(~is_range))
    check_order(source, rows.number, rows.sub, rows.sentence, line + rows.line + 1)
    words, empty = rows.tab[rows.sub == 0], rows.tab[rows.sub > 0]
    length = tabs[words + 1] - tabs[words]
    deps = zip((tabs[empty + 7] + 1).tolist(), tabs[empty + 8].tolist(), strict=True)
    return Block(
        number=rows.number,
        sub=rows.sub,
        sentence=rows.sentence,
        start=rows.start,
        end=rows.end,
        line=rows.line + 1,
        forms=gathered(content, tabs[words] + 1, length),
        form_ends=np.cumsum(length),
        values=values,
        value_nodes=node[owner],
        deps=tuple(data[begin:stop].decode() for begin, stop in deps),
        comments=comments_of(data, starts[is_comment], ends[is_comment]),
        lines=len(ends),
        sentences=int(rows.sentence.max(initial=-1)) + 1,
    )


def _check_misplaced(source: Source, is_range: Bools, line: Ints) -> None:
    """Raise FormatError for a value of Entity= at a multiword range."""
    if is_range.any():
        message = "Entity= is at a multiword range"
        at = int(line[is_range][0])
        raise source.error("entity-misplaced", at, message, "write it at the words")


def _rows(
    source: Source, data: bytes, lines: tuple[Ints, Ints, Bools], tabs: Ints, before: int
) -> tuple[_Rows, Bools]:
    """Return the lines that are no comment, and which are multiword ranges.

    ``lines`` has where they begin and end, and whether they are comments; ``before`` is the number
    of lines before the block.
    """
    starts, ends, is_comment = lines
    line = np.flatnonzero(~is_comment & (ends > starts))
    start, end = starts[line], ends[line]
    tab = _first_tabs(tabs, start, end)
    _check_columns(source, data, (before + line + 1, start, end), tabs, tab)
    content = np.frombuffer(data, dtype=np.uint8)
    number, sub, is_range = ids_of(source, content, start, tabs[tab] - start, before + line + 1)
    check_heads(source, content, tabs, tab + HEAD, before + line + 1)
    blank = np.cumsum(ends == starts)[line]
    sentence = np.cumsum(np.diff(blank, prepend=blank[:1]) > 0).astype(np.int64)
    return _Rows(line, start, end, tab, number, sub, sentence), is_range


def _first_tabs(tabs: Ints, start: Ints, end: Ints) -> Ints:
    """Return the first tab at or after the beginning of each line."""
    if len(tabs) == (_COLUMNS - 1) * len(start):
        # The usual case, without a search: nine tabs in each line and none in a comment.
        table = tabs.reshape(-1, _COLUMNS - 1)
        if (table[:, 0] >= start).all() and (table[:, -1] < end).all():
            return np.arange(0, len(tabs), _COLUMNS - 1)
    return np.searchsorted(tabs, start)


def _values(content: Bytes, before: Ints, end: Ints) -> tuple[bytes, Ints]:
    """Return the values of Entity= in MISC, each with a line end, and the lines that have them.

    ``before`` is the tab before MISC, ``end`` the end of the line.
    """
    bars = np.flatnonzero(content == ord("|"))
    at = np.concatenate([before, bars[content[bars + 1] == _NAME[0]]])
    for k, sign in enumerate(_NAME, start=1):
        at = at[content[np.minimum(at + k, len(content) - 1)] == sign]
    at = np.sort(at)
    line = np.searchsorted(end, at)
    inside = at >= before[line] if len(line) else np.zeros(0, np.bool_)
    at, line = at[inside], line[inside]
    begin = at + 1 + len(_NAME)
    stop = np.append(bars, len(content))[np.searchsorted(bars, begin)]
    length = np.minimum(stop, end[line]) - begin
    return gathered(content, begin, length, b"\n"), line


def _check_columns(
    source: Source, data: bytes, lines: tuple[Ints, Ints, Ints], tabs: Ints, tab: Ints
) -> None:
    """Raise FormatError unless each line (number, start, end) has ten columns."""
    number, start, end = lines
    wrong = np.flatnonzero(np.searchsorted(tabs, end) - tab != _COLUMNS - 1)
    if wrong.size:
        at = int(wrong[0])
        text = data[start[at] : end[at]][:40].decode(errors="replace")
        message = f"the line '{text}' does not have ten columns"
        raise source.error("conllu-columns", int(number[at]), message, _HINT)


def _documents(
    marks: list[tuple[int, bytes]], start: Ints, sentence: Ints
) -> tuple[tuple[str, ...], Ints]:
    """Return the names of the documents and the document of each node.

    Words before the first ``# newdoc`` are a document without a name; one without an id has its
    number as name. Two with the same id are one document if they follow one another.
    """
    firsts = start[np.flatnonzero(np.diff(sentence, prepend=-1))]
    numbers: dict[str, int] = {} if marks and marks[0][0] < firsts[0] else {"": 0}
    codes = np.zeros(len(firsts), dtype=np.int64)
    at = np.searchsorted(firsts, [offset for offset, _ in marks])
    for number, (position, (_, name)) in enumerate(zip(at.tolist(), marks, strict=True), start=1):
        shown = name.decode(errors="replace") or str(number)
        codes[position:] = numbers.setdefault(shown, len(numbers))
    # A mark without sentences before the next is no document.
    used, codes = np.unique(codes, return_inverse=True)
    names = list(numbers)
    return tuple(names[number] for number in used.tolist()), codes[sentence]
