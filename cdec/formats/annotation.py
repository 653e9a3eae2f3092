"""What every key or response file becomes: a table of mentions, and the texts if it has any."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cdec.arrays import Ints
from cdec.notices import Notice

COLUMNS = {
    "doc": "document name, as in the file",
    "start": "index of the first token in the document, from 0; −1 where only an id is given",
    "end": "index of the last token, included; −1 where only an id is given",
    "tokens": "tuple of the indices of all tokens of a mention with a gap; () for start … end",
    "chain": "chain label, as text",
    "line": "line of the source file, from 1",
    "mention": "mention id where the file gives one, else ''",
}
TokenNumbers = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Layout:
    """Where the tokens of one document stand in a file of one token a line.

    ``block`` is the name after ``#begin document`` and ``offset`` the place of the document's
    first token inside it; ``lines`` holds the source line of each token and ``sentences`` the
    number of its sentence, where a column tells it.
    """

    block: str
    offset: int
    lines: Ints = field(repr=False)
    sentences: Ints | None = field(default=None, repr=False)


@dataclass(frozen=True, eq=False)
class Annotation:
    """Mentions in chains, as read from one file or made to be written to one.

    ``mentions`` has the columns of ``COLUMNS``; a mention is the same in two annotations if
    document and tokens are. Its rows are ordered so that the first row of each chain shows which
    chain opens first in a document. ``documents`` maps document → its tokens, or None where the
    file has no text. ``layout`` is filled by formats of one token a line. ``notices`` holds what
    the reader let pass, ``digest`` the SHA-256 of the file's bytes.

    >>> table = mention_table(["d"], [0], [1], ["fire"])
    >>> annotation = Annotation("mine.jsonl", "jsonl", table, {"d": None})
    >>> len(annotation), annotation.place(3), annotation.numbered().mentions["chain"].tolist()
    (1, 'mine.jsonl:3', ['1'])
    """

    name: str
    format: str
    mentions: pd.DataFrame = field(repr=False)
    documents: Mapping[str, tuple[str, ...] | None] = field(repr=False)
    layout: Mapping[str, Layout] = field(default_factory=dict, repr=False)
    notices: tuple[Notice, ...] = ()
    digest: str = ""

    def __len__(self) -> int:
        return len(self.mentions)

    def place(self, line: int) -> str:
        """Return ``file:line``, or the bare name where the line is unknown (0)."""
        return f"{self.name}:{line}" if line > 0 else self.name

    def numbered(self) -> Annotation:
        """Return a copy whose chains are called 1, 2, … in order of their first row.

        The reference scorer reads no labels but numbers.
        """
        codes = pd.factorize(self.mentions["chain"])[0] + 1
        return replace(self, mentions=self.mentions.assign(chain=codes.astype(str)))


def mention_table(
    doc: Sequence[str],
    start: Sequence[int] | Ints,
    end: Sequence[int] | Ints,
    chain: Sequence[str],
    *,
    tokens: Sequence[TokenNumbers] | None = None,
    line: Sequence[int] | Ints | None = None,
    mention: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Return a table with the columns of ``COLUMNS``; what is left out is (), 0 and ''.

    >>> mention_table(["d"], [0], [1], ["x"])[["doc", "start", "end", "chain"]].to_dict("records")
    [{'doc': 'd', 'start': 0, 'end': 1, 'chain': 'x'}]
    """
    size = len(doc)
    # Texts are objects: any string, compared as it is.
    return pd.DataFrame(
        {
            "doc": pd.Series(list(doc), dtype=object),
            "start": np.asarray(start, dtype=np.int64),
            "end": np.asarray(end, dtype=np.int64),
            "tokens": object_array([()] * size if tokens is None else tokens),
            "chain": pd.Series(list(chain), dtype=object),
            "line": np.zeros(size, np.int64) if line is None else np.asarray(line, np.int64),
            "mention": pd.Series([""] * size if mention is None else list(mention), dtype=object),
        }
    )


def gaps(mentions: pd.DataFrame) -> list[TokenNumbers]:
    """Return the tokens of each mention of a corpus that has a gap, () for the others."""
    columns = (mentions[name] for name in ("start", "end", "tokens"))
    return [tuple(t) if 0 < len(t) <= e - s else () for s, e, t in zip(*columns, strict=True)]


def object_array(values: Iterable[Any]) -> npt.NDArray[np.object_]:
    """Return a one-dimensional array of these values, also where they are tuples."""
    held = list(values)
    array = np.empty(len(held), dtype=object)
    array[:] = held
    return array
