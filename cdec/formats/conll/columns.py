"""The meaning of the columns of a CoNLL file, inferred from their content (see ``reader``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from cdec.arrays import Ints
from cdec.columns.brackets import EMPTY, parse_cell
from cdec.files.input import integer

_PLACEHOLDERS = frozenset({"-", "_", "*", "[WORD]"})
_FLAGS = frozenset({"True", "False"})
_LEADING = 8
_SAMPLE = 2000


@dataclass(frozen=True)
class Columns:
    """The separator of the fields (None: white space) and the indices of the columns.

    ``brackets`` is the separator before the last column; it may be white space in a file with tabs.
    The index of a missing column is None; ``number`` is that of the token number, which counts
    ``in_document`` or perhaps in the sentence.
    """

    separator: str | None = None
    brackets: str | None = None
    document: int | None = None
    sentence: int | None = None
    text: int | None = None
    number: int | None = None
    in_document: bool = False


class Part(NamedTuple):
    """The tokens of a document and their numbers in its source, or None if the file has none."""

    tokens: tuple[str, ...] | None
    numbers: Ints | None = None

    @classmethod
    def of(cls, tokens: list[str], numbers: Ints | None) -> Part:
        """Return the part; tokens that are all placeholders do not count as text.

        Nor does a document have numbers if a token lacks its own (−1).
        """
        if numbers is not None and numbers.min(initial=0) < 0:
            numbers = None
        return cls(None if tokens and _PLACEHOLDERS.issuperset(tokens) else tuple(tokens), numbers)


def sampled(rows: int) -> slice:
    """Return the slice of rows used to infer the columns."""
    return slice(0, rows, max(1, rows // _SAMPLE))


def find_columns(sample: Sequence[str], tabs: bool) -> Columns:
    """Infer the columns of a file from its ``sampled`` rows.

    ``tabs``: whether all its rows have a tab.
    """
    if not sample:
        return Columns()
    separator = "\t" if tabs else None
    fields = [row.rstrip().split(separator) for row in sample]
    width = len(fields[0])
    usable = [row for row in fields if len(row) >= width]
    before = min(width - 1, _LEADING - 1)
    roles = _roles(usable, before)
    # Spaces in the last field separate either brackets, or a token and its brackets.
    last = [row.rpartition("\t")[2].split() for row in sample] if separator else []
    pieces = {piece for field in last for piece in field if piece not in EMPTY}
    words = any(parse_cell(piece) is None for piece in pieces)
    return Columns(separator, None if words else separator, *roles)


def _roles(rows: Sequence[Sequence[str]], before: int) -> tuple[Any, ...]:
    """Return the indices of the columns document, sentence, text and number, and ``in_document``.

    They are below ``before``.
    """
    numeric = [all(integer(r[k]) >= 0 for r in rows) for k in range(before)]
    if before == _LEADING - 1 and all(numeric[3:5]) and _FLAGS.issuperset(r[6] for r in rows):
        return 2, 3, 5, 4, True
    if any(numeric):
        pairs = [k for k in range(before - 1) if numeric[k] and numeric[k + 1]]
        first = next((k for k in pairs if k > 0), pairs[0] if pairs else numeric.index(True))
        text = first + 2 if pairs else first + 1
        document, sentence = first - 1 if first else None, first if pairs else None
        return document, sentence, text if text < before else None, text - 1
    constant = before > 0 and len({row[0] for row in rows}) == 1
    if before == 1:
        return None, None, None if constant else 0
    return (0, None, 1) if constant and before == 2 else ()
