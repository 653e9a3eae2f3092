"""A call of a command: the values of its options, its messages and its output."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import typer

from cdec.cli import options, scoring_options
from cdec.cli.names import FILE_FORMATS
from cdec.cli.option import Option
from cdec.cli.values import format_of
from cdec.errors import UsageError
from cdec.files.output import PAGES, save
from cdec.rooms import added, imported

if TYPE_CHECKING:
    from pathlib import Path

    from cdec.errors.notices import Notice
    from cdec.evaluation.experiment import Experiment
    from cdec.files.progress import Progress
    from cdec.formats import Annotation
    from cdec.matching.policy import FilePolicy
    from cdec.render import Page
    from cdec.statistics.draws import Plan

# An option that a command does not take has the value that it usually has: the first in the data.
_USUAL = {
    option.name: option.default
    for module in (scoring_options, options)
    for value in reversed(vars(module).values())
    for option in (value if isinstance(value, tuple) else (value,))
    if isinstance(option, Option)
}
_OF_FILES = [option.name for option in scoring_options.FILES if option.name != "match"]
_OF_INTERVALS = [option.name for option in scoring_options.INTERVALS]
_OF_TASK = ("singletons", "zeros", "heads", "upos")


@dataclass(eq=False)
class Call:
    """The options of a call by name, as ``call.key_patch``, and what a command does with them.

    ``endings``: those of --output that name a format, besides the formats of a page.
    """

    context: typer.Context
    options: Mapping[str, Option]
    values: Mapping[str, Any]
    endings: Mapping[str, str]

    @property
    def answered(self) -> list[str]:
        """The systems and response files of the call."""
        response = [self.response] if isinstance(self.response, str) else self.response
        return [*(self.answers or []), *(response or [])]

    def __getattr__(self, name: str) -> Any:
        for known in (self.__dict__.get("values", {}), _USUAL):
            if name in known:
                return known[name]
        raise AttributeError(name)

    def but(self, **values: Any) -> Self:
        """Return this call with other values of some options."""
        return replace(self, values={**self.values, **values})

    def given(self, names: Iterable[str]) -> list[str]:
        """Return those among the options ``names`` that the call sets, as typed (``--seed``)."""
        sources = {name: self.context.get_parameter_source(name) for name in names}
        typed = [
            name for name, source in sources.items() if source and source.name == "COMMANDLINE"
        ]
        return [self.options[name].flag for name in typed]

    def refuse(self, names: Iterable[str], beside: str) -> None:
        """Raise UsageError if the call sets one of the options, which ``beside`` excludes."""
        for flag in self.given(names):
            message = f"{flag} cannot be combined with {beside}"
            raise UsageError("option-conflict", message, hint=f"drop {flag}, or {beside}")

    def require(self, names: Iterable[str], other: str, hint: str = "") -> None:
        """Raise UsageError if the call sets one of the options, which need ``other``."""
        for flag in self.given(names):
            message = f"{flag} has no effect without {other}"
            hint = hint or f"add {other}, or drop {flag}"
            raise UsageError("option-requires", message, hint=hint)

    # ---- messages, on stderr ----

    @property
    def bar(self) -> Progress:
        """Progress reporting for the library: a progress bar, or none if quiet."""
        from cdec.files.progress import bar, silent

        return silent if self.quiet else bar

    def say(self, message: str) -> None:
        """Print a line for information, unless quiet."""
        if not self.quiet:
            print(f"cdec: {message}", file=sys.stderr)

    def notify(self, notices: Iterable[Notice]) -> None:
        """Print each notice in a line; if verbose with its code and all its cases."""
        for notice in notices:
            code = f"[{notice.code}]" if self.verbose else ""
            self.say(f"{'warning' if notice.warning else 'note'}{code}: {notice}")
            for case in notice.all_cases if self.verbose else ():
                self.say(f"    {case}")

    @contextmanager
    def progress(self, label: str) -> Iterator[Callable[[], object]]:
        """Yield a function to call after each step; a terminal shows the number of steps.

        The counter appears with the first step and is removed at the end.
        """
        if self.quiet or not sys.stderr.isatty():
            yield lambda: None
            return
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn

        columns = (SpinnerColumn(), TextColumn("{task.description} {task.completed:.0f}"))
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(label, total=None)
            yield lambda: bar.advance(task)

    # ---- output ----

    @property
    def page_format(self) -> str:
        """The format of a page. Raises UsageError if --output has the ending of another."""
        known = {**PAGES, **self.endings}
        return format_of(self.output, self.format, known, "table", "--format")

    @property
    def file_format(self) -> str:
        """The format of mentions and chains. Raises UsageError as ``page_format`` does."""
        if self.output is None:
            return str(self.to or "conll")
        known = {**{f".{name}": name for name in FILE_FORMATS.known()}, **self.endings}
        return format_of(self.output, self.to, known, "conll", "--to")

    def show(self, page: Page) -> None:
        """Render a page and print it, or write it to the file: completely or not at all."""
        from cdec.render import render
        from cdec.render.terminal import to_text

        kind = self.page_format
        on_screen = kind == "table" and self.output is None and sys.stdout.isatty()
        columns = shutil.get_terminal_size().columns
        text = to_text(page, columns) if on_screen else render(page, kind)
        save([text], self.output or "-")

    def write(self, annotation: Annotation) -> None:
        """Write mentions and chains to the file or the terminal.

        In CoNLL, labels become numbers: the reference scorer ignores other labels without notice.
        """
        from cdec.formats import write

        kind = self.file_format
        written = annotation.numbered() if kind == "conll" else annotation
        write(written, self.output or "-", kind, self.notify)

    def save_text(self, lines: Iterable[str], target: Path, said: str) -> None:
        """Write lines to a file, then say so."""
        save(lines, target)
        self.say(said)

    # ---- policy and resampling ----

    def policy(self, **more: Any) -> FilePolicy:
        """Return the policy for irregular files; a preset sets what the call does not."""
        from cdec.matching.policy import FilePolicy

        of_task = _OF_TASK if "preset" in self.values else ()
        own = {name: getattr(self, name) for name in (*_OF_FILES, *of_task)}
        policy = FilePolicy(alignment=self.match, **own, **more)
        if not self.preset:
            return policy
        flags = {"alignment": "match"}
        given = self._chosen_preset().policy.items()
        unset = {f: value for f, value in given if not self.given([flags.get(f, f)])}
        return replace(policy, **unset)

    def metrics(self) -> list[str] | None:
        """Return the metrics of the call, else of its preset; None for all."""
        own: list[str] | None = self.metric
        return own or (list(self._chosen_preset().metrics) if self.preset else None)

    def _chosen_preset(self) -> Any:
        return imported(added("preset")[self.preset])

    def plan(self) -> Plan:
        """Return the plan of resampling. Raises UsageError for an invalid value."""
        from cdec.statistics.draws import Plan

        names = ("resamples", "seed")
        known = {name: getattr(self, name) for name in names if self.values.get(name) is not None}
        return Plan(**known)

    def fitted(self, plan: Plan, experiment: Experiment) -> Plan:
        """Return ``plan`` with the largest unit of the mentions."""
        from cdec.statistics.draws import largest_unit

        unit = largest_unit(run.mentions for run in experiment.runs)
        return replace(plan, unit=unit or plan.unit)

    def interval_plan(self) -> Plan | None:
        """Return the plan of --ci; None without it.

        Raises UsageError for its options without --ci, and for --ci with --by.
        """
        if not self.ci:
            self.require(_OF_INTERVALS, "--ci")
            return None
        if self.by is not None:
            message = "--ci cannot be combined with --by"
            hint = "drop one of them: intervals are computed for the overall score only"
            raise UsageError("option-conflict", message, hint=hint)
        return self.plan()
