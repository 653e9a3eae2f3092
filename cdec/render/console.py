"""What reports and pages look like in a terminal: one console, one style of table."""

from __future__ import annotations

from typing import TextIO

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

# Wide enough that nothing is cut or folded where no terminal sets the width.
_UNBOUNDED = 10_000


def console_into(buffer: TextIO, coloured: bool) -> Console:
    """Return a console that writes to ``buffer`` and never cuts a line."""
    return Console(file=buffer, force_terminal=coloured, width=_UNBOUNDED, highlight=False)


def empty_table(title: str) -> Table:
    """Return a table without columns and rows."""
    return Table(
        title=Text(title) if title else None,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 0, 0, 1),
    )
