"""The parts of a page, which every renderer can render, and numbers as text.

Texts may come from a user's files. A page replaces their control characters when it is created,
so that no renderer prints a terminal escape or a line break of a name. Scores are rounded here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd

from cdec.errors import escaped, one_of
from cdec.files.output import save
from cdec.records import Fields

WIDTH = 80  # of a pipe, for a table that any terminal shows
# How a value is written: a function, labels of some values, or a format of numbers (".2f").
Form: TypeAlias = Callable[[Any], str] | Mapping[Any, str] | str
# The columns to show, in order: name → title, or title and form.
Columns: TypeAlias = Mapping[str, str | tuple[str, Form]]
# Line breaks and tabs in a text are shown as spaces.
_BLANKS = str.maketrans("\t\n\v\f\r", " " * 5)
_NUMBER = re.compile(r"–?|[+−-]?[\d,]*\.?\d+( ± [\d.]+)?†?( ?\[.*\])?|\[.*\]")
_SCORE = re.compile(r"[^†\[]*[^†\[ ]")


@dataclass(frozen=True)
class Grid:
    """A table; ``columns`` are (group, name), the first ``heads`` of them the row heads.

    With heads, the others are numbers; without, a column is aligned by its content. A column with a
    group and no name has the group as its title.
    ``below`` are the legend and footer. A small terminal shows the columns at the positions
    ``always``, and as far as they fit those at ``narrow`` (empty: all). ``bold``: row and column of
    the cells whose score is bold. ``rules``: rows before which there is a rule. ``label``: that of
    LaTeX, where the table then floats, with its caption. ``most``: the width of a terminal that a
    pipe counts as; by default it has any.
    """

    caption: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, ...], ...]
    heads: int = 0
    below: tuple[str, ...] = ()
    always: Sequence[int] = ()
    narrow: Sequence[int] = ()
    bold: Collection[tuple[int, int]] = ()
    rules: Sequence[int] = ()
    label: str = ""
    most: int | None = None

    @classmethod
    def from_frame(
        cls,
        caption: str,
        frame: pd.DataFrame,
        heads: int = 1,
        below: Sequence[str] = (),
    ) -> Grid:
        """Return a frame of text as a grid; its first ``heads`` columns are the row heads.

        Columns may have two levels, group and name.
        """
        columns: list[Any] = list(frame.columns)
        titles = []
        for position, column in enumerate(columns):
            group, name = map(
                str, column if isinstance(column, tuple) else ("", column)
            )
            if position < heads:
                titles.append(("", group or name))
            else:
                titles.append((group, name))
        rows = tuple(tuple(map(str, row)) for row in frame.itertuples(index=False))
        return cls(
            caption,
            tuple(titles),
            rows,
            heads,
            tuple(below),
        )

    @property
    def numbers(self) -> list[bool]:
        """Whether each column is of numbers, and aligned right."""
        if self.heads:
            return [position >= self.heads for position in range(len(self.columns))]
        if not self.rows:
            return [False] * len(self.columns)
        columns = zip(*self.rows, strict=True)
        return [all(map(_NUMBER.fullmatch, texts)) for texts in columns]

    def halves(self, row: int, column: int) -> tuple[str, str]:
        """Return the bold beginning of a cell, and the rest: a dagger and an interval are not bold.

        >>> frame = pd.DataFrame({"F": ["9.5† [9, 10]"]})
        >>> grid = replace(Grid.from_frame("", frame), bold={(0, 0)})
        >>> grid.halves(0, 0)
        ('9.5', '† [9, 10]')
        """
        text = self.rows[row][column]
        if (row, column) not in self.bold:
            return "", text
        score = _SCORE.match(text)
        end = score.end() if score else 0
        return text[:end], text[end:]

    def cells(self, escape: Callable[[str], str], bold: str) -> list[list[str]]:
        """Return the rows with their texts escaped, and bold scores in the form ``bold``.

        >>> grid = Grid("", (("", "F"),), (("9.5†",),), bold={(0, 0)})
        >>> grid.cells(str, "**{}**")
        [['**9.5**†']]
        """
        rows = [[*map(escape, row)] for row in self.rows]
        for row, column in self.bold:
            score, rest = map(escape, self.halves(row, column))
            rows[row][column] = bold.format(score) + rest
        return rows

    @property
    def groups(self) -> list[tuple[str, int]]:
        """The groups of cells with the number of columns of each; empty if none has a name."""
        names = [group for group, _ in self.columns[self.heads :]]
        if not any(names):
            return []
        return [(name, len(list(cells))) for name, cells in groupby(names)]


@dataclass(frozen=True)
class Table:
    """What a table shows of a frame; the first ``heads`` of its columns are the row heads.

    A line of ``legend`` is a paragraph. Title, titles of columns and legend may have placeholders
    for the values of ``grid``; ``{undefined}`` is the legend of a dash if a value is
    missing, else ''.

    >>> columns = {"kind": "Links", "f1": ("F", ".1%")}
    >>> links = Table("Links of {system}", columns, "F: in percent.{undefined}")
    >>> grid = links.grid(pd.DataFrame({"kind": ["all"], "f1": [None]}), system="a")
    >>> grid.caption, grid.rows, grid.below
    ('Links of a', (('all', '–'),), ('F: in percent. –: undefined (0/0).',))
    """

    title: str
    columns: Columns
    legend: str = ""
    heads: int = 1

    def grid(
        self,
        frame: pd.DataFrame,
        *notes: str,
        **values: object,
    ) -> Grid:
        """Return the table of ``frame``, with ``notes`` below the legend.

        ``values`` fill the placeholders.

        >>> grid = Table("", {"n": "{what}"}).grid(pd.DataFrame({"n": [1]}), "a note", what="Links")
        >>> grid.columns, grid.below
        ((('', 'Links'),), ('a note',))
        """
        is_missing = frame[list(self.columns)].isna().any(axis=None)
        values = {**values, "undefined": " –: undefined (0/0)." if is_missing else ""}
        titles = []
        columns = []
        for name, column in self.columns.items():
            title, form = (column, "") if isinstance(column, str) else column
            titles.append(("", title.format(**values)))
            columns.append([_text(value, form) for value in frame[name].astype(object)])
        legend = [line.format(**values) for line in self.legend.splitlines()]
        return Grid(
            caption=self.title.format(**values),
            columns=tuple(titles),
            rows=tuple(zip(*columns, strict=True)),
            heads=self.heads,
            below=(*legend, *notes),
        )


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    text: str


@dataclass(frozen=True)
class Listing:
    """Lines to copy, unchanged, under a ``label``."""

    label: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Chart:
    """A figure, which HTML and a notebook show.

    ``draw`` returns its SVG, or the file of a ``format`` that is ``width`` inches wide. ``name`` is
    that of its file.
    """

    draw: Callable[..., Any] = field(repr=False)
    caption: str
    name: str = ""

    def save(self, path: str | Path, width: float = 3.3) -> None:
        """Write the figure for a paper, ``width`` inches wide: .svg, .pdf or .png.

        Raises UnknownNameError for another ending, FormatError if the file cannot be written.
        """
        form = one_of(
            "format of a figure", Path(path).suffix[1:], ("svg", "pdf", "png")
        )
        save([self.draw(format=form, width=width)], path, parents=True)

    def _repr_svg_(self) -> str:
        return str(self.draw())


Block: TypeAlias = Text | Grid | Listing | Chart


@dataclass(frozen=True, eq=False)
class Section:
    """A part of a page, with a title unless it is the only one.

    ``data`` is the same content as a tidy table of raw values. ``id`` is the target of links,
    empty for a page of one table. ``folded``: details, which a terminal leaves out.
    """

    id: str
    title: str
    blocks: tuple[Block, ...]
    data: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False)
    folded: bool = False


@dataclass(frozen=True)
class App:
    """Markup with a script, which HTML shows before the sections; ``data`` is for JSON."""

    markup: str
    style: str
    script: str
    data: Callable[[], Fields]


@dataclass(frozen=True, eq=False)
class Page:
    """Sections between an introduction and a foot; ``about`` is the metadata in JSON.

    With an ``app``, HTML has the sections folded behind it. A complete document of HTML has the
    ``chart`` before them.

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
    about: Fields = field(default_factory=dict)
    app: App | None = None
    chart: Chart | None = None
    table: Grid | None = field(
        default=None, init=False, repr=False
    )  # of a page of one table

    def __post_init__(self) -> None:
        for name in ("title", "intro", "foot", "chart"):
            object.__setattr__(self, name, _printable(getattr(self, name)))
        sections = {}
        for section in _printable(self.sections):
            section_id = section.id
            number = 1
            while section_id in sections:
                number += 1
                section_id = f"{section.id}-{number}"
            sections[section_id] = replace(section, id=section_id)
        object.__setattr__(self, "sections", tuple(sections.values()))
        match self.sections:
            case (Section(id="", blocks=(Grid() as grid,)),):
                object.__setattr__(self, "table", grid)

    @classmethod
    def of(
        cls,
        grid: Grid,
        data: pd.DataFrame,
        about: Fields,
        chart: Chart | None = None,
    ) -> Page:
        """Return a page of one table, with its raw values."""
        return cls("", (Section("", "", (grid,), data),), about=about, chart=chart)

    @classmethod
    def from_table(
        cls,
        view: pd.DataFrame,
        data: pd.DataFrame,
        *,
        title: str = "",
        notes: Sequence[str] = (),
        about: Fields | None = None,
        narrow: Sequence[int] = (),
    ) -> Page:
        """Return a page of one table: ``view`` is its text, ``data`` its raw values.

        The columns of ``view`` may have two levels (group, name); ``notes`` are shown below it.
        ``narrow``: as in ``Grid``.
        """
        grid = Grid.from_frame(title, view, 0, notes)
        section = Section("", "", (replace(grid, narrow=narrow),), data)
        return cls("", (section,), about=about or {})

    @property
    def figures(self) -> dict[str, Chart]:
        """The charts by a name for a file: that of the section, if any, and of the chart."""
        figures = {self.chart.name: self.chart} if self.chart else {}
        for section in self.sections:
            for block in section.blocks:
                if isinstance(block, Chart):
                    figures[f"{section.id}-{block.name}"] = block
        return figures

    def unfolded(self) -> Page:
        """Return the page with its details open."""
        sections = tuple(replace(section, folded=False) for section in self.sections)
        return replace(self, sections=sections)

    @property
    def data(self) -> pd.DataFrame:
        """The data of all sections as one tidy table, with a column for the section."""
        if self.table is not None:
            return self.sections[0].data
        parts = [
            section.data.assign(section=section.id)
            for section in self.sections
            if not section.data.empty
        ]
        if not parts:
            return pd.DataFrame({"section": []})
        data = pd.concat(parts, ignore_index=True)
        first = [name for name in ("section", "corpus", "split") if name in data]
        return data[list(dict.fromkeys([*first, *data]))]


def _printable(part: Any) -> Any:
    """Return a part with the control characters of its texts replaced."""
    if isinstance(part, str):
        return escaped(part.translate(_BLANKS))
    if isinstance(part, tuple):
        return tuple(map(_printable, part))
    if not isinstance(part, Section | Text | Grid | Listing | Chart):
        return part
    fields = {name: _printable(value) for name, value in vars(part).items()}
    return replace(part, **fields)


def _text(value: Any, form: Form) -> str:
    """Return a value in its form, else as it is: an integer with separators, '' if missing.

    >>> _text(1234, ""), _text(None, ""), _text(0.125, ".2f"), _text("in", {"in": "inside"})
    ('1,234', '', '0.12', 'inside')
    """
    if callable(form):
        return form(value)
    if isinstance(form, str) and form:
        return "–" if pd.isna(value) else format(value, form)
    if isinstance(form, Mapping) and value in form:
        return form[value]
    if pd.isna(value):
        return ""
    if isinstance(value, int):
        return f"{value:,}"
    return str(value)


def percent(value: float | None) -> str:
    """Return ``value`` (in [0, 1]) in percent with one decimal, or a dash if it is missing.

    >>> percent(0.6666)
    '66.7'
    """
    if pd.isna(value):
        return "–"
    return f"{100 * value:.1f}"


def bracket(
    low: float,
    high: float,
    write: Callable[[float], str] = percent,
) -> str:
    """Return an interval, in percent unless ``write`` writes its ends.

    >>> bracket(0.401, 0.503)
    '[40.1, 50.3]'
    """
    return f"[{write(low)}, {write(high)}]"


def spread(value: float | None, deviation: float | None) -> str:
    """Return a mean in percent with its standard deviation, if it has one.

    >>> spread(0.6666, 0.012), spread(0.6666, None)
    ('66.7 ± 1.2', '66.7')
    """
    if pd.isna(deviation):
        return percent(value)
    return f"{percent(value)} ± {percent(deviation)}"


def points(difference: float | None) -> str:
    """Return a difference (in [−1, 1]) in points with its sign, or a dash; zero is always +0.0."""
    if pd.isna(difference):
        return "–"
    rounded = round(100 * difference, 1) + 0  # adding 0 makes −0.0 a plain zero
    return f"{rounded:+.1f}".replace("-", "−")


def anchor(*parts: str) -> str:
    """Return an id for a link target."""
    return "-".join(re.sub(r"[^\w.]+", "-", part).strip("-") for part in parts)
