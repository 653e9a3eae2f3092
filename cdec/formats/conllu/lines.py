"""Divide CoNLL-U into nodes: ten columns a line, ids in order, sentences, documents.

The work is done on the bytes, with arrays, because a file of a million words has a hundred
megabytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cdec.arrays import Ints
from cdec.formats.conllu.trees import WIDTH, Texts, Trees
from cdec.io.source import Source

_BLOCK = 2**24  # bytes
_COLUMNS = 10
_LONGEST_ID = 12
# A search for a literal beginning is fast; what is before it in the line is checked afterwards.
_NEWDOC = re.compile(rb"newdoc\b(?:[ \t]+id)?[ \t]*=?[ \t]*([^\n]*)")
_SENT_ID = re.compile(rb"sent_id[ \t]*=[ \t]*([^\n]*)")
_HEADER = re.compile(rb"global\.Entity[ \t]*=[ \t]*([^\n]*)")
_HINT = "expected ten columns separated by tabs, as in CoNLL-U"


class Block(NamedTuple):
    """The nodes of one block of bytes; the numbers count from the beginning of the block."""

    number: Ints
    sub: Ints
    sentence: Ints
    start: Ints
    end: Ints
    line: Ints
    forms: bytes
    form_ends: Ints
    lines: int
    sentences: int


class Comments(NamedTuple):
    """What the comments say: documents (byte, name or b""), sentence ids, the header of Entity."""

    documents: list[tuple[int, bytes]]
    sentences: list[bytes]
    header: bytes


def read_trees(source: Source) -> tuple[Trees, Comments]:
    """Return the nodes of a file and its comments; raises FormatError."""
    data = _clean(source)
    blocks = list(_blocks(source, data))
    parts = {name: [getattr(block, name) for block in blocks] for name in Block._fields}
    number, sub, sentences, start, stop, lines = (
        np.concatenate(parts[name])
        for name in ("number", "sub", "sentence", "start", "end", "line")
    )
    if not len(number):
        raise source.error("conllu-empty", 0, "the file has no words", "check the file")
    comments = _comments(data)
    names, document = _documents(comments.documents, start, sentences)
    if (np.diff(document) < 0).any():
        at = int(np.flatnonzero(np.diff(document) < 0)[0]) + 1
        message = f"the document '{names[document[at]]}' occurs twice, with another in between"
        raise source.error("conllu-document", int(lines[at]), message, "give each its own id")
    ends = np.cumsum(np.concatenate([[0], *(np.diff(e, prepend=0) for e in parts["form_ends"])]))
    words, firsts = np.cumsum(sub == 0), np.flatnonzero(np.diff(document, prepend=-1))
    bounds = ends[np.append(words[firsts] - (sub[firsts] == 0), words[-1])]
    texts = Texts(names, b"".join(parts["forms"]), bounds)
    nodes = (number, sub, sentences, document, start, stop, lines)
    return Trees(data, *nodes, names, tuple(comments.sentences), texts), comments


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
        )
        offset, line, sentence = end, line + block.lines, sentence + block.sentences


def _clean(source: Source) -> bytes:
    """Return the bytes with Unix line ends, after checking that they are UTF-8 text."""
    data = source.data.removeprefix(b"\xef\xbb\xbf")
    if b"\0" in data or not data.strip():
        _ = source.text  # raises
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    for offset in range(0, len(data), _BLOCK):
        # A character may be cut at the end of a block: it is checked with the next.
        part = data[max(0, offset - 4) : offset + _BLOCK]
        if not part.isascii():
            _check_utf8(source, part, bool(offset), offset + _BLOCK >= len(data))
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


def _block(source: Source, data: bytes, line: int) -> Block:
    """Return the nodes of a block that ends with a line end; ``line``: lines before it."""
    content = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(content == ord("\n"))
    starts = np.concatenate([[0], ends[:-1] + 1])
    rows = np.flatnonzero((content[starts] != ord("#")) & (ends > starts))
    start, end = starts[rows], ends[rows]
    tabs = np.flatnonzero(content == ord("\t"))
    tab = np.searchsorted(tabs, start)
    _check_columns(source, data, (line + rows + 1, start, end), tabs, tab)
    number, sub, is_range = _ids(source, content, start, tabs[tab] - start, line + rows + 1)
    blank = np.cumsum(ends == starts)
    sentence = np.unique(blank[rows], return_inverse=True)[1].astype(np.int64)
    kept = np.flatnonzero(~is_range)
    number, sub, sentence, start, end, rows, tab = (
        values[kept] for values in (number, sub, sentence, start, end, rows, tab)
    )
    _check_order(source, number, sub, sentence, line + rows + 1)
    forms, form_ends = _forms(content, tabs, tab[sub == 0])
    return Block(
        number=number,
        sub=sub,
        sentence=sentence,
        start=start,
        end=end,
        line=rows + 1,
        forms=forms,
        form_ends=form_ends,
        lines=len(ends),
        sentences=int(sentence.max(initial=-1)) + 1,
    )


def _forms(content: npt.NDArray[np.uint8], tabs: Ints, first: Ints) -> tuple[bytes, Ints]:
    """Return the words, each with a tab behind it, and where each ends; ``first``: first tabs."""
    begin, length = tabs[first] + 1, tabs[first + 1] - tabs[first]
    ends = np.cumsum(length)
    total = int(ends[-1]) if len(ends) else 0
    at = np.arange(total) - np.repeat(ends - length - begin, length)
    return content[at].tobytes(), ends


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


def _ids(
    source: Source, content: npt.NDArray[np.uint8], start: Ints, width: Ints, line: Ints
) -> tuple[Ints, Ints, npt.NDArray[np.bool_]]:
    """Return the numbers before and after the point of each id, and whether it is a range."""
    number, sub = np.zeros(len(start), np.int64), np.zeros(len(start), np.int64)
    after = np.zeros(len(start), dtype=np.int8)  # 0: before a sign, 1: behind a point, 2: a range
    valid = (width > 0) & (width <= _LONGEST_ID)
    for k in range(min(int(width.max(initial=0)), _LONGEST_ID)):
        inside = valid & (k < width)
        sign = np.where(inside, content[np.minimum(start + k, len(content) - 1)], 0)
        digit = (sign >= ord("0")) & (sign <= ord("9"))
        value = sign.astype(np.int64) - ord("0")
        head, tail = digit & (after == 0), digit & (after == 1)
        number[head] = number[head] * 10 + value[head]
        sub[tail] = sub[tail] * 10 + value[tail]
        point, dash = inside & (sign == ord(".")), inside & (sign == ord("-"))
        valid &= ~inside | digit | ((point | dash) & (after == 0))
        after[point], after[dash] = 1, 2
    valid &= (sub > 0) == (after == 1)
    valid &= sub < WIDTH
    if not valid.all():
        at = int(np.flatnonzero(~valid)[0])
        text = (
            content[start[at] : start[at] + min(width[at], 20)].tobytes().decode(errors="replace")
        )
        message = f"'{text}' is not a valid id of a word, an empty node or a range"
        raise source.error("conllu-id", int(line[at]), message, "as 3, 3.1 or 3-4")
    return number, sub, after == 2


def _check_order(source: Source, number: Ints, sub: Ints, sentence: Ints, line: Ints) -> None:
    """Raise FormatError unless words are 1, 2, … and the empty nodes n.i after n increase."""
    words = np.cumsum(sub == 0)
    first = np.flatnonzero(np.diff(sentence, prepend=-1))
    sizes = np.diff(first, append=len(sentence))
    before = np.repeat((words - (sub == 0))[first], sizes)
    wrong = number != words - before
    same = (np.diff(number, prepend=-1) == 0) & (np.diff(sentence, prepend=-1) == 0)
    wrong |= (sub > 0) & same & (np.diff(sub, prepend=0) <= 0)
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        expected = int(words[at] - before[at])
        message = f"id {number[at]}{f'.{sub[at]}' if sub[at] else ''} is out of order"
        hint = f"expected {expected}{'.n, with n increasing' if sub[at] else ''}"
        raise source.error("conllu-id", int(line[at]), message, hint)


def _comments(data: bytes) -> Comments:
    """Return what the comments say that begin with one of three names."""
    documents, sentences, headers = (
        [(match.start(), match[1].strip()) for match in pattern.finditer(data) if _begins(match)]
        for pattern in (_NEWDOC, _SENT_ID, _HEADER)
    )
    return Comments(documents, [name for _, name in sentences], headers[0][1] if headers else b"")


def _begins(match: re.Match[bytes]) -> bool:
    """Return whether the match is the beginning of a comment, as in ``# newdoc``."""
    data, at = match.string, match.start()
    return data[data.rfind(b"\n", 0, at) + 1 : at].rstrip(b" \t") == b"#"


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
