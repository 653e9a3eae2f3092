"""What a page is made of; every renderer knows these blocks and no others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import pandas as pd


@dataclass(frozen=True)
class Cell:
    """One cell of a grid, rounded already.

    ``best`` is set in bold, ``tone`` ('close', 'fair', 'far' or '') in a colour; ``notes`` are the
    marks of footnotes. Whatever a tone says, the text says, too: colour is never needed.
    """

    text: str = ""
    best: bool = False
    tone: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Line:
    """One line of a row: its name (``ours``, ``print``), and a cell for each column."""

    name: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Row:
    """One row: the cells before the numbers, and one line or several."""

    heads: tuple[str, ...]
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Grid:
    """A table; ``columns`` are (group, name), ``heads`` the titles of the rows' heads.

    ``notes`` are (mark, text), ``below`` legend and foot. ``narrow`` are the positions of the
    columns that a small terminal shows, all of them where it is empty.
    """

    caption: str
    heads: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]
    rows: tuple[Row, ...]
    notes: tuple[tuple[str, str], ...] = ()
    below: tuple[str, ...] = ()
    narrow: tuple[int, ...] = ()

    @property
    def has_names(self) -> bool:
        """Whether any line has a name, so that there is a column for it."""
        return any(line.name for row in self.rows for line in row.lines)

    @property
    def groups(self) -> list[tuple[str, int]]:
        """The column groups in order, and how many columns each spans."""
        spans: list[tuple[str, int]] = []
        for group, _ in self.columns:
            if spans and spans[-1][0] == group:
                spans[-1] = (group, spans[-1][1] + 1)
            else:
                spans.append((group, 1))
        return spans


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    text: str


@dataclass(frozen=True)
class Listing:
    """Lines to copy, each as it is; ``label`` says what they are.

    ``folded``: where a format can, they are shown when asked for.
    """

    label: str
    lines: tuple[str, ...]
    folded: bool = False


@dataclass(frozen=True)
class Chart:
    """A figure as SVG; ``file`` is where it also stands, if anywhere, for formats that link."""

    svg: str = field(repr=False)
    caption: str
    file: str = ""


Block: TypeAlias = Text | Grid | Listing | Chart


@dataclass(frozen=True, eq=False)
class Section:
    """A part of a page, titled unless it is the only one.

    ``data`` is the same for machines, tidy and raw.
    """

    id: str
    title: str
    blocks: tuple[Block, ...]
    data: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False)


@dataclass(frozen=True, eq=False)
class Page:
    """Sections under a title; ``about`` goes into the JSON beside the data."""

    title: str
    sections: tuple[Section, ...]
    intro: tuple[str, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)
