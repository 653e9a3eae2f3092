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
    from cdec.render import Report
    from cdec.render.page import Page


def emit(report: Report, format: str, output: Path | None) -> None:
    """Render ``report`` and show it, or write it to ``output`` whole or not at all."""
    from cdec.io.output import save
    from cdec.render import render

    save([_screen(report) if _on_screen(format, output) else render(report, format)], output or "-")


def emit_page(page: Page, format: str, output: Path | None) -> None:
    """Render ``page`` and show it, or write it to ``output`` whole or not at all."""
    from cdec.io.output import save
    from cdec.render.page import render

    save(
        [_page_screen(page) if _on_screen(format, output) else render(page, format)], output or "-"
    )


def _on_screen(format: str, output: Path | None) -> bool:
    return format == "table" and output is None and sys.stdout.isatty()


def _screen(report: Report) -> str:
    from cdec.render.terminal import to_text

    return to_text(report, screen=shutil.get_terminal_size().columns)


def _page_screen(page: Page) -> str:
    from cdec.render.page.terminal import to_text

    return to_text(page, screen=shutil.get_terminal_size().columns)


def write_annotation(annotation: Annotation, format: str | None, output: Path | None) -> None:
    """Write mentions and chains to ``output`` or stdout, in ``format`` or as the name says.

    In CoNLL, chains get numbers: the reference scorer passes over any other label in silence.
    """
    from cdec.formats import FORMATS, write

    ending = output.suffix.removeprefix(".").lower() if output else ""
    chosen = format or (ending if ending in FORMATS else "conll")
    write(annotation.numbered() if chosen == "conll" else annotation, output or "-", chosen)


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
