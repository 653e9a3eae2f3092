"""Tables go to stdout or a file; notices and progress go to stderr."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cdec.baselines import System
    from cdec.baselines.config import Configuration
    from cdec.corpus.model import Corpus
    from cdec.experiment import Experiment
    from cdec.formats import Annotation, Notice
    from cdec.language import Progress
    from cdec.report import Report
    from cdec.report.page import Page


def emit(report: Report, format: str, output: Path | None) -> None:
    """Render ``report`` and show it, or write it to ``output`` whole or not at all."""
    from cdec.formats import save
    from cdec.report import render

    save([_screen(report) if _on_screen(format, output) else render(report, format)], output or "-")


def emit_page(page: Page, format: str, output: Path | None) -> None:
    """Render ``page`` and show it, or write it to ``output`` whole or not at all."""
    from cdec.formats import save
    from cdec.report.page import render

    save(
        [_page_screen(page) if _on_screen(format, output) else render(page, format)], output or "-"
    )


def _on_screen(format: str, output: Path | None) -> bool:
    return format == "table" and output is None and sys.stdout.isatty()


def _screen(report: Report) -> str:
    from cdec.report.terminal import to_text

    return to_text(report, screen=shutil.get_terminal_size().columns)


def _page_screen(page: Page) -> str:
    from cdec.report.page.terminal import to_text

    return to_text(page, screen=shutil.get_terminal_size().columns)


def write_annotation(annotation: Annotation, format: str | None, output: Path | None) -> None:
    """Write mentions and chains to ``output`` or stdout, in ``format`` or as the name says.

    In CoNLL, chains get numbers: the reference scorer passes over any other label in silence.
    """
    from cdec.formats import FORMATS, write

    ending = output.suffix.removeprefix(".").lower() if output else ""
    chosen = format or (ending if ending in FORMATS else "conll")
    write(annotation.numbered() if chosen == "conll" else annotation, output or "-", chosen)


def write_bytes(output: Path, data: bytes) -> None:
    """Write ``data`` to ``output`` whole or not at all."""
    from cdec.cache import write_atomic
    from cdec.errors import CdecError

    try:
        write_atomic(output, data)
    except OSError as error:
        raise CdecError(
            f"cannot be written: {error.strerror}", place=output, cure="choose another place"
        ) from None


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


def read_corpus(
    choice: str | None, split: str, quiet: bool, key_patch: Path | None = None
) -> Corpus:
    """Return the part of the corpus that the options name, with notice and progress."""
    from cdec.api import read_part
    from cdec.audit.patch import read_patch
    from cdec.corpus.store import locate

    located = locate(choice)
    if located.notice:
        say(located.notice, quiet)
    with progress("reading the corpus", quiet) as tick:
        return read_part(located, split, tick, read_patch(key_patch) if key_patch else None)


def make_systems(
    names: list[str],
    nlp: str,
    quiet: bool,
    configs: Iterable[Configuration] = (),
    scored: Corpus | None = None,
) -> list[System]:
    """Return the baselines with these names on the language pipeline ``nlp``, as configured.

    ``scored`` is the corpus to run on: a configuration tuned on a part of it is marked.
    """
    from cdec.baselines.config import make_systems

    shown = bar_unless(quiet)
    return make_systems(dict.fromkeys(names), configs, scored, pipeline=nlp, progress=shown)


def read_configs(paths: list[Path] | None) -> list[Configuration]:
    """Return what the configuration files say."""
    from cdec.baselines.config import read_config

    return [read_config(path) for path in paths or []]


def with_key_patch(experiment: Experiment, path: Path | None) -> Experiment:
    """Return the experiment, with the key corrected where the option names a patch."""
    if path is None:
        return experiment
    from cdec.audit.patch import read_patch
    from cdec.audit.rescoring import patched

    return patched(experiment, read_patch(path))


def shows_progress(quiet: bool) -> bool:
    """Return whether progress is to be seen: on a terminal, unless ``quiet``."""
    return sys.stderr.isatty() and not quiet


def bar_unless(quiet: bool) -> Progress:
    """Return how long work of the library shows how far it is: by a bar, unless ``quiet``."""
    from cdec.language import bar, silent

    return silent if quiet else bar


@contextmanager
def progress(label: str, quiet: bool) -> Iterator[Callable[[], object]]:
    """Give a function to call after each step; a counter shows on stderr where that is a terminal.

    The counter appears with the first step and leaves no trace.
    """
    if not shows_progress(quiet):
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn

    columns = (SpinnerColumn(), TextColumn("{task.description} {task.completed:.0f}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda: bar.advance(task)
