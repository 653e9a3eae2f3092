"""Tables go to stdout or a file; notices go to stderr."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cdec.formats import Annotation
    from cdec.notices import Notice
    from cdec.render import Page


def emit(page: Page, format: str, output: Path | None) -> None:
    """Render ``page`` and show it, or write it to ``output`` whole or not at all."""
    from cdec.io.output import save
    from cdec.render import render
    from cdec.render.terminal import to_text

    on_screen = format == "table" and output is None and sys.stdout.isatty()
    columns = shutil.get_terminal_size().columns
    save([to_text(page, columns) if on_screen else render(page, format)], output or "-")


def write_annotation(annotation: Annotation, format: str, output: Path | None) -> None:
    """Write mentions and chains to ``output`` or stdout.

    In CoNLL, chains get numbers: the reference scorer passes over any other label in silence.
    """
    from cdec.formats import write

    write(annotation.numbered() if format == "conll" else annotation, output or "-", format)


def say(message: str, quiet: bool) -> None:
    """Print a notice to stderr, unless ``quiet``."""
    if not quiet:
        print(f"cdec: {message}", file=sys.stderr)


def show_notices(notices: Iterable[Notice], quiet: bool, verbose: bool) -> None:
    """Print what was irregular in the files, each kind in a line; all cases if ``verbose``."""
    for notice in notices:
        say(f"{'warning' if notice.warning else 'note'}: {notice}", quiet)
        if verbose:
            for case in notice.all_cases:
                say(f"    {notice.kind}: {case}", quiet)
