"""The parts of a page, which every renderer can render.

Texts may come from a user's files. Each part replaces control characters when it is created, so
that no renderer prints a terminal escape or a line break of a name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count, groupby
from typing import Any, TypeAlias

import pandas as pd

from cdec.errors import printable

_NUMBER = re.compile(r"–|[+−-]?[\d,]*\.?\d+( ± [\d.]+)?( ?\[.*\])?|\[.*\]")


class _Cleaned:
    """A part whose texts have no control characters."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            object.__setattr__(self, name, _cleaned(value))


def _cleaned(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_cleaned, value))
    return printable(value) if isinstance(value, str) else value


@dataclass(frozen=True)
class Grid(_Cleaned):
    """A table; ``columns`` are (group, name), ``heads`` the titles of the row heads.

    A row has the texts of its heads, then of its cells. With heads, columns are numbers; without, a
    column is aligned by its content. A column with a group and no name has the group as its title.
    ``below`` are the legend and footer. ``narrow``: positions of the columns that a small terminal
    shows (empty: all); ``narrowed``: the text below them. ``best``: positions of the columns whose
    highest number is bold in LaTeX, among rows with the same texts at the positions ``within``;
    ``unranked``: the numbers of rows that are compared with no other.
    """

    caption: str
    heads: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, ...], ...]
    below: tuple[str, ...] = ()
    narrow: Sequence[int] = ()
    narrowed: str = "Some columns only: a wider terminal, or --output FILE, shows all."
    best: Sequence[int] = ()
    within: Sequence[int] = ()
    unranked: Sequence[int] = ()

    @classmethod
    def from_frame(
        cls, caption: str, frame: pd.DataFrame, heads: int = 1, below: Sequence[str] = ()
    ) -> Grid:
        """Return a frame of text as a grid; its first ``heads`` columns are the row heads.

        Columns may have two levels, group and name.
        """
        columns: list[Any] = list(frame.columns)
        titles = [(str(c[0]), str(c[1])) if isinstance(c, tuple) else ("", str(c)) for c in columns]
        rows = tuple(tuple(map(str, row)) for row in frame.itertuples(index=False))
        before = tuple(group or name for group, name in titles[:heads])
        return cls(caption, before, tuple(titles[heads:]), rows, below=tuple(below))

    @property
    def texts(self) -> list[tuple[str, ...]]:
        """The text of the cells, line by line."""
        return [row[len(self.heads) :] for row in self.rows]

    @property
    def numbers(self) -> list[bool]:
        """Whether each column is of numbers, and aligned right."""
        columns = zip(*self.texts, strict=True) if self.rows else [()] * len(self.columns)
        return [bool(self.heads or (c and all(map(_NUMBER.fullmatch, c)))) for c in columns]

    @property
    def groups(self) -> list[tuple[str, int]]:
        """The groups of columns with the number of columns of each; empty if none has a name."""
        names = groupby(group for group, _ in self.columns)
        return (
            [(g, len(list(same))) for g, same in names] if any(g for g, _ in self.columns) else []
        )


@dataclass(frozen=True)
class Text(_Cleaned):
    """A paragraph."""

    text: str


@dataclass(frozen=True)
class Listing(_Cleaned):
    """Lines to copy, unchanged, under a ``label``."""

    label: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Chart(_Cleaned):
    """A figure that HTML shows; ``draw`` returns its SVG, or the file of a format for a paper."""

    draw: Callable[..., Any] = field(repr=False)
    caption: str


Block: TypeAlias = Text | Grid | Listing | Chart


@dataclass(frozen=True, eq=False)
class Section(_Cleaned):
    """A part of a page, with a title unless it is the only one.

    ``data`` is the same content as a tidy table of raw values. ``id`` is the target of links,
    empty for a page of one table. ``folded``: details, which a terminal leaves out.
    """

    id: str
    title: str
    blocks: tuple[Block, ...]
    data: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False)
    folded: bool = False


@dataclass(frozen=True, eq=False)
class Page(_Cleaned):
    """Sections between an introduction and a foot; ``about`` is the metadata in JSON.

    A page of one table (``from_table``) is rendered for inclusion in another text: not as a
    complete document, and with the lines below it unchanged.

    >>> data = pd.DataFrame({"x": [0.5]})
    >>> page = Page.from_table(data.astype(str), data, title="One half")
    >>> page.title, page.table.caption
    ('', 'One half')
    """

    title: str
    sections: tuple[Section, ...]
    intro: tuple[str, ...] = ()
    foot: tuple[str, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        sections: dict[str, Section] = {}
        for section in self.sections:
            names = chain([section.id], (f"{section.id}-{number}" for number in count(2)))
            id_ = next(name for name in names if name not in sections)
            sections[id_] = replace(section, id=id_)  # a duplicate id gets a number
        object.__setattr__(self, "sections", tuple(sections.values()))

    @classmethod
    def from_table(
        cls,
        view: pd.DataFrame,
        data: pd.DataFrame,
        *,
        title: str = "",
        notes: Sequence[str] = (),
        about: Mapping[str, Any] | None = None,
    ) -> Page:
        """Return a page of one table: ``view`` is its text, ``data`` its raw values.

        The columns of ``view`` may have two levels (group, name); ``notes`` are shown below it.
        """
        grid = Grid.from_frame(title, view, 0, notes)
        return cls("", (Section("", "", (grid,), data),), about=about or {})

    @property
    def table(self) -> Grid | None:
        """The table of a page of one table, else None."""
        match self.sections:
            case (Section(id="", blocks=(Grid() as grid,)),):
                return grid
        return None

    @property
    def figures(self) -> dict[str, Chart]:
        """The charts by a name for a file: that of the section, with a number if it has several."""
        charts = {
            section.id: [block for block in section.blocks if isinstance(block, Chart)]
            for section in self.sections
        }
        return {
            f"{name}-{number}" if number else name or "figure": chart
            for name, own in charts.items()
            for number, chart in enumerate(own)
        }

    def unfolded(self) -> Page:
        """Return the page with its details open."""
        return replace(self, sections=tuple(replace(s, folded=False) for s in self.sections))

    def noted(self, lines: Sequence[str]) -> Page:
        """Return the page with lines below its table, or in a last section."""
        if not lines:
            return self
        if self.table is None:
            section = Section("notices", "Notices", tuple(map(Text, lines)))
            return replace(self, sections=(*self.sections, section))
        return self.with_table(below=(*self.table.below, *lines))

    def with_table(self, **fields: Any) -> Page:
        """Return the page of one table with other fields of its ``Grid``, any other unchanged."""
        if self.table is None:
            return self
        section = replace(self.sections[0], blocks=(replace(self.table, **fields),))
        return replace(self, sections=(section,))

    @property
    def data(self) -> pd.DataFrame:
        """The data of all sections as one tidy table, with a column for the section."""
        if self.table is not None:
            return self.sections[0].data
        parts = [s.data.assign(section=s.id) for s in self.sections if not s.data.empty]
        table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame({"section": []})
        first = [name for name in ("section", "corpus", "split") if name in table]
        return table[[*first, *(column for column in table if column not in first)]]


def anchor(*parts: str) -> str:
    """Return an id for a link target."""
    return "-".join(re.sub(r"[^\w.]+", "-", part).strip("-") for part in parts)
