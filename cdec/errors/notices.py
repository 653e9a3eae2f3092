"""Notices: irregularities of the input that do not stop the evaluation."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from cdec.errors import CdecWarning, one_line

EXAMPLES = 5
_INSIDE = ("cdec", "pydantic")  # which calls the models of files


@dataclass(frozen=True)
class Notice:
    """One irregularity: its code in the catalogue, the number of cases, a message of one line.

    ``examples`` are the first few cases (``file:line``, mention or document); ``all_cases`` are
    listed with ``--verbose``. A ``warning`` affects scores or may be a mistake; other notices are
    for information.

    >>> print(Notice("twinless", 2, "2 response mentions are not in the key", ("d/3",)))
    2 response mentions are not in the key (such as d/3)
    """

    code: str
    count: int
    message: str
    examples: tuple[str, ...] = ()
    warning: bool = True
    all_cases: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """The notice with its rank and code, as a page shows it."""
        return f"{'warning' if self.warning else 'note'} ({self.code}): {self}"

    @property
    def record(self) -> dict[str, Any]:
        """The notice as a JSON object."""
        fields = {"code": self.code, "count": self.count, "message": self.message}
        return {**fields, "examples": list(self.examples), "warning": self.warning}

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> Notice:
        """Return the notice of a JSON object; ``kind`` is the code in older files."""
        code, count = str(record.get("code") or record.get("kind", "")), int(record["count"])
        message, examples = str(record["message"]), tuple(map(str, record["examples"]))
        return cls(code, count, message, examples, bool(record.get("warning", True)))

    def __str__(self) -> str:
        shown = f" (such as {', '.join(self.examples)})" if self.examples else ""
        return one_line(f"{self.message}{shown}")


def notice(code: str, message: str, cases: Sequence[str], *, warning: bool = True) -> Notice:
    """Return the Notice for these cases."""
    return Notice(code, len(cases), message, tuple(cases[:EXAMPLES]), warning, tuple(cases))


_shown: ContextVar[Callable[[Iterable[Notice]], object] | None] = ContextVar("shown", default=None)


def warn_user(notices: Iterable[Notice]) -> None:
    """Warn the caller outside cdec with CdecWarning, whatever the number of calls between.

    Inside ``shown_by`` they are shown instead.
    """
    show = _shown.get()
    if show is not None:
        show(notices)
        return
    level, frame = 2, sys._getframe(1)
    while frame.f_back and str(frame.f_globals.get("__name__")).partition(".")[0] in _INSIDE:
        level, frame = level + 1, frame.f_back
    for one in notices:
        warnings.warn(f"{one} [{one.code}]", CdecWarning, stacklevel=level)


@contextmanager
def shown_by(show: Callable[[Iterable[Notice]], object]) -> Iterator[None]:
    """Give the notices of every verb to ``show``, as the command line does, instead of warning."""
    token = _shown.set(show)
    try:
        yield
    finally:
        _shown.reset(token)


def warn_of(notices: Iterable[Notice], kind: type[CdecWarning] | None = None) -> None:
    """Warn the caller's caller with CdecWarning of the notices that are warnings.

    With a ``kind`` of warning all of them are. Inside ``shown_by`` all are shown instead.
    """
    show = _shown.get()
    if show is not None:
        show(notices)
        return
    for one in notices:
        if kind or one.warning:
            warnings.warn(f"{one} [{one.code}]", kind or CdecWarning, stacklevel=3)
