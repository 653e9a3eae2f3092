"""The ids of the lines of CoNLL-U: words (3), empty nodes (3.1) and multiword ranges (3-4)."""

from __future__ import annotations

import numpy as np

from cdec.arrays import Bools, Ints
from cdec.formats.conllu.comments import Bytes
from cdec.formats.conllu.trees import DIGITS, WIDTH
from cdec.io.source import Source

_LONGEST_ID = 12
_SHORT_ID = 4


def ids_of(
    source: Source, content: Bytes, start: Ints, width: Ints, line: Ints
) -> tuple[Ints, Ints, Bools]:
    """Return the numbers before and after the point of each id, and whether it is a range."""
    number, is_range = _plain_ids(content, start, width), np.zeros(len(start), dtype=np.bool_)
    sub = np.zeros(len(start), dtype=np.int64)
    rows = np.flatnonzero(number < 0)
    number[rows], sub[rows], is_range[rows] = _other_ids(
        source, content, start[rows], width[rows], line[rows]
    )
    return number, sub, is_range


def _plain_ids(content: Bytes, start: Ints, width: Ints) -> Ints:
    """Return the number of each id of up to four digits; −1 for any other id."""
    number = np.zeros(len(start), dtype=np.int64)
    plain = (width > 0) & (width <= _SHORT_ID)
    for k in range(_SHORT_ID):
        rows = np.flatnonzero(plain & (width > k))
        digit = content[start[rows] + k] - np.uint8(ord("0"))  # below "0" it becomes large
        number[rows] = number[rows] * 10 + digit
        plain[rows] &= digit <= 9
    return np.where(plain, number, -1)


def _other_ids(
    source: Source, content: Bytes, start: Ints, width: Ints, line: Ints
) -> tuple[Ints, Ints, Bools]:
    """Return what ``ids_of`` does, for ids of any form."""
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


def check_order(source: Source, number: Ints, sub: Ints, sentence: Ints, line: Ints) -> None:
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


def check_heads(source: Source, content: Bytes, tabs: Ints, end: Ints, line: Ints) -> None:
    """Raise FormatError for a HEAD that is too long for a number; ``end`` is the tab behind it."""
    wrong = np.flatnonzero(tabs[end] - tabs[end - 1] - 1 > DIGITS)
    if wrong.size:
        row = int(wrong[0])
        start = int(tabs[end[row] - 1]) + 1
        text = content[start : start + 20].tobytes().decode(errors="replace").partition("\t")[0]
        message, hint = f"'{text}' in the column HEAD is not the id of a word", "as 3, 0 or _"
        raise source.error("conllu-id", int(line[row]), message, hint)
