"""Find CoNLL lines that probably contain two tokens, because a line end was lost or replaced.

As in the reference scorer (v8.01), mentions are read from the last field of a line only. So the
mentions of one of the two tokens would be lost without a message. Signs of such a line are another
line break character inside, or more fields than the other lines of the sentence have.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import compress, pairwise

import numpy as np

from cdec.arrays import Ints
from cdec.errors import FormatError
from cdec.io.source import Source

# A carriage return that is not part of a line end; used only if the file has line feeds.
_LONE_RETURN = re.compile(r"\r(?!\r*(?:\n|\Z))")
_OTHER_BREAK = re.compile(r"[\v\f]")
_NAMES = {"\r": "carriage return (CR)", "\v": "vertical tab (VT)", "\f": "form feed (FF)"}


def refuse_breaks(source: Source) -> None:
    """Raise FormatError for a line with a carriage return, vertical tab or form feed inside."""
    text = source.text
    match = _LONE_RETURN.search(text) if "\n" in text else None
    if match:
        raise _broken(source, text.count("\n", 0, match.start()) + 1, "\r")
    if "\v" in text or "\f" in text:
        for number, line in enumerate(source.lines, start=1):
            match = _OTHER_BREAK.search(line.rstrip())
            if match:
                raise _broken(source, number, match.group())


def _broken(source: Source, line: int, sign: str) -> FormatError:
    message = f"{_NAMES[sign]} inside the line"
    hint = f"end every line with LF; inside a token write '&#{ord(sign)};'"
    return source.error("conll-structure", line, message, hint)


def surplus(widths: Ints, bounds: list[int]) -> list[int]:
    """Return the rows with more fields than expected in their sentence.

    ``widths`` has a number for each row that grows with its number of fields, without white space
    at its end; ``bounds`` are those of the sentences. The expected number is the most frequent one
    in the sentence, because CoNLL-2012 has one column per verb. For a sentence of one row it is the
    largest expected number of the other sentences.
    """
    if not len(widths) or widths.min() == widths.max():
        return []
    values = widths.tolist()
    usual = [_most_frequent(values[a:b]) for a, b in pairwise(bounds)]
    several = np.diff(bounds) > 1
    largest = max(compress(usual, several), default=_most_frequent(values))
    limit = np.where(several, usual, largest)
    return np.flatnonzero(widths > np.repeat(limit, np.diff(bounds))).tolist()


def _most_frequent(widths: list[int]) -> int:
    """Return the most frequent number; the smallest if several are equally frequent."""
    return max(sorted(Counter(widths).items()), key=lambda item: item[1])[0]
