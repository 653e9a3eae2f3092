"""The exceptions and notices of cdec, and the wording that messages share.

::

    CdecError               every error that a user can cause: code, place, message, hint
    ├── CorpusError         a corpus file or folder is invalid (exit 1)
    ├── FormatError         a key, response or other input file is invalid (exit 1)
    ├── LanguageError       a language pipeline is missing or unsuitable (exit 1)
    ├── PluginError         an entry point of another package cannot be used (exit 1)
    ├── ScoringError        key and response cannot be scored together (exit 1)
    └── UsageError          the call is wrong (exit 2)
        └── UnknownNameError   an unknown name, with the nearest known one

A ``Notice`` is an irregularity that does not stop the evaluation. ``docs/errors.md`` has all codes.
"""

from __future__ import annotations

import copyreg
import json
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any, Self, TypeAlias, cast

from cdec.records import Row

EXAMPLES = 5
_INSIDE = ("cdec", "pydantic")  # which calls the models of files
# A longer catalogue (chain labels, documents) shows its nearest names only.
_LISTED = 30
_LONGEST = 1000  # of a message
# Arguments in Python whose option has another name.
_FLAGS = {
    "alignment": "match",
    "choice": "corpus",
    "metrics": "metric",
    "responses": "response",
}


def counted(
    number: int,
    one: str,
    many: str | None = None,
) -> str:
    """Return a number and its noun, as in ``1 topic`` and ``1,200 topics``.

    ``many`` is an irregular plural, or a plural with its verb.

    >>> counted(1, "mention"), counted(1200, "mention")
    ('1 mention', '1,200 mentions')
    >>> counted(2, "mention is missing", "mentions are missing")
    '2 mentions are missing'
    """
    noun = one if number == 1 else many or plural(one)
    return f"{number:,} {noun}"


def plural(noun: str) -> str:
    """Return the regular plural of a noun.

    >>> plural("topic"), plural("story")
    ('topics', 'stories')
    """
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def one_line(text: str) -> str:
    """Return ``text`` as one line of printable characters: no control codes reach the terminal."""
    return escaped(" ".join(text.split()))


def escaped(text: str) -> str:
    r"""Return ``text`` with escapes for the characters that cannot be printed.

    >>> escaped("a\x1b[2J\n b")
    'a\\x1b[2J\\n b'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


class CdecError(Exception):
    """An error that a user can cause and correct.

    ``code`` is its name in ``docs/errors.md`` and does not change when the wording does. ``place``
    is a file, ``file:line`` or id; ``hint`` says what to do, in words that fit the command line and
    Python. ``str()`` is one line; a long message is shortened in the middle.

    >>> str(CdecError("file-encoding", "no UTF-8", place="1_1ecb.xml:3", hint="get a new copy"))
    '1_1ecb.xml:3: no UTF-8 (get a new copy)'
    """

    exit_code = 1

    def __init__(
        self,
        code: str,
        message: str,
        *,
        place: object = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.place = place
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        text = one_line(self.message)
        half = _LONGEST // 2
        if len(text) > _LONGEST:
            text = f"{text[:half]} … {text[-half:]}"
        if self.place is not None:
            text = f"{one_line(str(self.place))}: {text}"
        if self.hint:
            text = f"{text} ({one_line(self.hint)})"
        return text

    def at(self, place: object) -> Self:
        """Return this error at another place."""
        error = copy(self)
        error.place = place
        return error

    def __reduce__(self) -> tuple[Any, ...]:
        # Workers send their errors to the parent; the class may need more arguments than ``args``.
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]

    def to_dict(self) -> dict[str, str | None]:
        """Return code, message, place and hint, for JSON."""
        place = None if self.place is None else one_line(str(self.place))
        return {
            "code": self.code,
            "message": self.message,
            "place": place,
            "hint": self.hint,
        }


class CorpusError(CdecError):
    """A corpus file, folder or archive is missing, damaged or in an unknown format."""


class FormatError(CdecError):
    """A file of mentions, results, cases or decisions cannot be read, or not be written."""


class LanguageError(CdecError):
    """A language pipeline is missing or does not provide the requested annotation."""


class PluginError(CdecError):
    """An entry point of another package cannot be imported or has the wrong type."""


class ScoringError(CdecError):
    """Key and response cannot be scored together."""


class UsageError(CdecError):
    """The call is wrong: an option, an argument or a combination of these."""

    exit_code = 2


class UnknownNameError(UsageError):
    """A name that is not in a catalogue; the hint suggests the nearest one.

    The message says which kind of name.

    >>> error = UnknownNameError("metric", "b33", ["muc", "b3"])
    >>> error.code, str(error)
    ('name-unknown', "unknown metric 'b33' (did you mean 'b3'? known: muc, b3)")
    """

    def __init__(
        self,
        kind: str,
        name: str,
        known: Iterable[str],
    ) -> None:
        names = list(known)
        lower = {entry.lower(): entry for entry in names}
        near = [
            lower[low]
            for low in get_close_matches(name.lower(), lower, n=3, cutoff=0.6)
        ]
        if not near and len(name) > 2:
            near = [entry for entry in names if name.lower() in entry.lower()]
        hint = f"known: {', '.join(names) or 'none'}"
        if len(names) > _LISTED:
            hint = (
                f"nearest of {len(names)}: {', '.join(near[:3]) or 'none is similar'}"
            )
        if near:
            hint = f"did you mean '{near[0]}'? {hint}"
        super().__init__("name-unknown", f"unknown {kind} '{name}'", hint=hint)


def one_of(
    kind: str,
    name: object,
    known: Iterable[str],
) -> str:
    """Return ``name``; raise UnknownNameError if it is not in ``known``, UsageError if not text.

    >>> one_of("side", "key", ("key", "response"))
    'key'
    """
    if not isinstance(name, str):
        raise UsageError(
            "argument-invalid",
            f"the {kind} must be a string, got {type(name).__name__}",
            hint=f"use {', '.join(known)}",
        )
    if name not in known:
        raise UnknownNameError(kind, name, known)
    return name


def check_number(
    name: str,
    value: object,
    least: float,
    most: float,
    *,
    whole: bool = True,
) -> None:
    """Raise UsageError unless ``value`` is a number, or a whole number, in this range.

    >>> check_number("seed", -1, 0, 99)
    Traceback (most recent call last):
        ...
    cdec.errors.UsageError: seed must be a whole number from 0 to 99, got -1 (choose another value)
    """
    kind = Integral if whole else Real
    is_number = isinstance(value, kind) and not isinstance(value, bool)
    if not is_number or not least <= cast("float", value) <= most:
        noun = "a whole number" if whole else "a number"
        raise UsageError(
            "argument-invalid",
            f"{name} must be {noun} from {least:,} to {most:,}, got {value!r:.60}",
            hint="choose another value",
        )


class CdecWarning(UserWarning):
    """A notice of a call of the Python API; its text ends in the notice's code in brackets."""


class SampleWarning(CdecWarning):
    """The numbers are for the small sample: no corpus was named and ECB+ is not installed."""


@dataclass(frozen=True)
class Notice:
    """One irregularity: its code, the number of cases, a message of one line.

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
    def record(self) -> Row:
        """The notice as a JSON object."""
        fields = {**vars(self), "examples": list(self.examples)}
        del fields["all_cases"]
        return fields

    def __str__(self) -> str:
        text = self.message
        if self.examples:
            text = f"{text} (such as {', '.join(self.examples)})"
        return one_line(text)


Notices: TypeAlias = tuple[Notice, ...]


def notice(
    code: str,
    message: str,
    cases: Sequence[str],
    *,
    warning: bool = True,
) -> Notice:
    """Return the Notice for these cases."""
    return Notice(
        code=code,
        count=len(cases),
        message=message,
        examples=tuple(cases[:EXAMPLES]),
        warning=warning,
        all_cases=tuple(cases),
    )


class Log(list[Notice]):
    """The notices of a call, in the order in which it meets the irregularities.

    >>> log = Log()
    >>> log.report("twinless", ["d/3", "d/4"], "response mention", "not in the key")
    >>> print(log[0])
    2 response mentions not in the key (such as d/3, d/4)
    """

    def report(
        self,
        code: str,
        cases: Iterable[object],
        noun: str,
        rest: str,
        *,
        warning: bool = True,
    ) -> None:
        """Add a notice on these cases, as in "3 documents not in the key", if there are any."""
        names = [*map(str, cases)]
        if names:
            message = f"{counted(len(names), noun)} {rest}"
            self.append(notice(code, message, names, warning=warning))


_shown: ContextVar[Callable[[Iterable[Notice]], object] | None] = ContextVar(
    "shown", default=None
)


@contextmanager
def shown_by(show: Callable[[Iterable[Notice]], object]) -> Iterator[None]:
    """Give the notices of every verb to ``show``, as the command line does, instead of warning."""
    token = _shown.set(show)
    try:
        yield
    finally:
        _shown.reset(token)


def spelled(name: str, value: str | bool | Mapping[str, str] = True) -> str:
    """Return a choice as the door of the call spells it: an option in the shell, else an argument.

    >>> spelled("noise", "singletons"), spelled("allow_empty")
    ('noise="singletons"', 'allow_empty=True')
    >>> with shown_by(list):
    ...     spelled("noise", "singletons"), spelled("columns", {"start": "begin_token"})
    ('--noise singletons', '--columns start=begin_token')
    """
    if _shown.get() is None:
        text = json.dumps(value) if isinstance(value, str) else repr(value)
        return f"{name}={text}"
    flag = f"--{_FLAGS.get(name, name.replace('_', '-'))}"
    if isinstance(value, Mapping):
        pairs = ",".join(f"{field}={column}" for field, column in value.items())
        return f"{flag} {pairs}"
    if isinstance(value, str):
        return f"{flag} {value}"
    return flag


def warn_of(notices: Iterable[Notice], kind: type[CdecWarning] = CdecWarning) -> None:
    """Warn the caller outside cdec of the notices that are warnings; of all with another ``kind``.

    Inside ``shown_by`` all are shown instead.
    """
    show = _shown.get()
    if show:
        show(notices)
        return
    level = 2
    frame = sys._getframe(1)
    while (
        frame.f_back
        and str(frame.f_globals.get("__name__")).partition(".")[0] in _INSIDE
    ):
        level += 1
        frame = frame.f_back
    for notice in notices:
        if notice.warning or kind is not CdecWarning:
            warnings.warn(f"{notice} [{notice.code}]", kind, stacklevel=level)
