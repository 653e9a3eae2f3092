"""What a verb returns in Python: its object, and its page for notebooks and files."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

import pandas as pd

from cdec.errors import Notices, UsageError, one_of
from cdec.files.output import save
from cdec.render import ENDINGS, Page, render
from cdec.render.html import framed, sections_html, to_html
from cdec.render.page import Chart

T = TypeVar("T")


class HasPage:
    """What has a ``page``: a notebook shows it, ``print`` as in a terminal."""

    if TYPE_CHECKING:

        @property
        def page(self) -> Page: ...  # noqa: D102

    def to_frame(self) -> pd.DataFrame:
        """Return the numbers, not rounded; of several sections, with a column ``section``."""
        return self.page.data

    def to_markdown(self) -> str:
        """Return the page in Markdown."""
        return render(self.page, "markdown")

    def to_latex(self) -> str:
        """Return the tables of the page in LaTeX, for booktabs."""
        return render(self.page, "latex")

    def to_html(self) -> str:
        """Return the page in HTML; a single table without its head."""
        if self.page.table:
            return sections_html(self.page)
        return to_html(self.page)

    def save(self, path: str | Path) -> None:
        """Write the page in the format of the file's ending. Raises UsageError, FormatError.

        The JSON of results is for ``cdec.load_results``.
        """
        target = Path(path)
        formats = {
            ending: name for name, endings in ENDINGS.items() for ending in endings
        }
        ending = target.suffix.lower()
        if ending not in formats:
            raise UsageError(
                "file-unwritable",
                f"a page cannot be written to a file ending in '{target.suffix}'",
                place=target,
                hint=f"choose one of {', '.join(formats)}",
            )
        save([render(self.page, formats[ending])], target)

    def plot(self, name: str = "") -> Chart:
        """Return the figure of the page: a notebook shows it, ``save`` writes it for a paper.

        ``name`` chooses one of several, as ``--figures`` names them. Raises UnknownNameError, also
        if the page has no figure.

        >>> import cdec
        >>> results = cdec.evaluate(cdec.load_corpus("sample", "test"), "lemma", setting="all")
        >>> results.plot()._repr_svg_().count("SIMPLE")
        1
        """
        figures = self.page.figures
        if len(figures) == 1 and not name:
            name = next(iter(figures))
        return figures[one_of("figure", name, figures)]

    def _repr_html_(self) -> str:
        if self.page.app:
            return framed(self.page)
        return self.to_html()

    def __repr__(self) -> str:
        return render(self.page, "table")


@dataclass(frozen=True, eq=False, repr=False)
class Analysis(HasPage, Generic[T]):
    """What a verb such as ``cdec.compare`` returns: ``value``, and the page that shows it.

    >>> page = Page.from_table(pd.DataFrame({"x": ["0.5"]}), pd.DataFrame({"x": [0.5]}))
    >>> analysis = Analysis("half", page)
    >>> analysis.value, analysis.to_frame()["x"].tolist()
    ('half', [0.5])
    """

    value: T
    page: Page = field(repr=False)
    notices: Notices = ()
