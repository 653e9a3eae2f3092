"""The exceptions of cdec, and the wording that messages share.

::

    CdecError               everything that a user can cause; one line: place, what, cure
    ├── CorpusError         a corpus file or folder is bad (exit 1)
    ├── FormatError         a key or response file is bad (exit 1)
    ├── LanguageError       a language pipeline is missing or does not fit (exit 1)
    ├── PluginError         an entry of another package cannot be used (exit 1)
    ├── ScoringError        key and response cannot be scored together (exit 1)
    └── UsageError          the call is wrong (exit 2)
        └── UnknownNameError   a name that is not in the catalogue, with the nearest one

``SampleWarning`` is no error: it says that numbers are not on ECB+.
"""

from collections.abc import Iterable
from difflib import get_close_matches

# A longer catalogue (chain labels, documents) shows its nearest names only.
_LISTED = 30
_LONGEST = 1000  # of a message


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return a number and its noun, as in ``1 topic`` and ``1,200 topics``.

    ``many`` is the plural where it is more than an added s: with a verb, or an odd noun.

    >>> counted(1, "mention"), counted(1200, "mention")
    ('1 mention', '1,200 mentions')
    >>> counted(2, "mention is missing", "mentions are missing")
    '2 mentions are missing'
    """
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def one_line(text: str) -> str:
    """Return ``text`` as one line; what a file holds must not drive the terminal that shows it."""
    line = " ".join(text.split())
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in line)


class CdecError(Exception):
    """What a user can cause and cure.

    ``place`` is a file, ``file:line`` or id; ``cure`` says what to do. ``str()`` is one line.

    >>> str(CdecError("not XML", place="1_1ecb.xml:3", cure="get it again"))
    '1_1ecb.xml:3: not XML (get it again)'
    """

    exit_code = 1

    def __init__(self, message: str, *, place: object = None, cure: str | None = None) -> None:
        super().__init__(message)
        self.message, self.place, self.cure = message, place, cure

    def __str__(self) -> str:
        head = f"{one_line(str(self.place))}: " if self.place is not None else ""
        tail = f" ({one_line(self.cure)})" if self.cure else ""
        return f"{head}{_shortened(one_line(self.message))}{tail}"


class SampleWarning(UserWarning):
    """No corpus was named and ECB+ is not installed: the numbers will be of the small sample."""


class CorpusError(CdecError):
    """A corpus file, folder or archive is missing, damaged or not ECB+."""


class FormatError(CdecError):
    """A key or response file cannot be read as what it seems to be."""


class LanguageError(CdecError):
    """A language pipeline is missing or does not deliver what is asked of it."""


class PluginError(CdecError):
    """An entry that another package adds cannot be imported, or is not of its kind."""


class ScoringError(CdecError):
    """Key and response do not go together."""


class UsageError(CdecError):
    """The call itself is wrong."""

    exit_code = 2


class UnknownNameError(UsageError):
    """A name that is not in the catalogue; the message suggests the nearest one.

    >>> str(UnknownNameError("metric", "b33", ["muc", "b3"]))
    "unknown metric 'b33' (did you mean 'b3'? known: muc, b3)"
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = list(known)
        lower = {other.lower(): other for other in names}
        near = [lower[low] for low in get_close_matches(name.lower(), lower, n=3, cutoff=0.6)]
        hint = f"did you mean '{near[0]}'? " if near else ""
        listed = f"known: {', '.join(names)}" if names else "there are none"
        if len(names) > _LISTED:
            listed = f"the nearest of {len(names)}: {', '.join(near) or 'none is like it'}"
        super().__init__(f"unknown {kind} '{name}'", cure=f"{hint}{listed}")


def one_of(kind: str, name: str, known: Iterable[str]) -> str:
    """Return ``name``; raise UnknownNameError where it is not among the ``known`` names.

    >>> one_of("side", "key", ("key", "response"))
    'key'
    """
    if name not in known:
        raise UnknownNameError(kind, name, known)
    return name


def _shortened(text: str) -> str:
    """Return the text, without its middle where a file put a book into it."""
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]} … {text[-half:]}"
