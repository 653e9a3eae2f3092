"""Corpus formats: which one a folder or zip is in, and what reads it.

A package adds a format by an entry point, named as the layout of its adapter::

    [project.entry-points."cdec.corpora"]
    my-format = "my_package:ADAPTER"

All that such a package needs is in this module.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from cdec.corpus.model import Corpus, Document
from cdec.corpus.rows import Row, assemble
from cdec.corpus.source import Layout, Source, collect
from cdec.errors import CdecError, CorpusError, PluginError, UsageError, one_line
from cdec.plugins import Registry

__all__ = [
    "CORPORA",
    "Adapter",
    "Corpus",
    "Defect",
    "Document",
    "Inspection",
    "Layout",
    "Row",
    "Source",
    "Tick",
    "assemble",
    "guarded",
    "open_source",
    "read_corpus",
    "stamped",
]

Tick = Callable[[], object]
_log = logging.getLogger(__name__)


class Defect(NamedTuple):
    """Something odd that was read on purpose: kind, and the document, token or mention."""

    kind: str
    item: str


@dataclass(frozen=True)
class Inspection:
    """What a reader finds in a source: the errors that prevent a corpus, and what is odd.

    ``facts`` (none where there are errors) and the kinds of ``defects`` are described in
    ``configs/corpora/kinds.toml``; ``remarks`` are lines on what does not make the corpus unsound.
    """

    errors: tuple[CorpusError, ...] = ()
    defects: tuple[Defect, ...] = ()
    facts: Mapping[str, int] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Adapter:
    """A corpus format: how its files lie, and what reads them.

    ``sniff`` says whether a source with at least one file is of the format. ``build`` returns its
    corpus under a name, calls its tick after each file, and raises CorpusError for what is not
    sound. ``schema`` is the version of the reader: raise it when the same files give another
    corpus. ``argument_kinds`` maps the beginning of a mention's tag → kind of argument.
    ``inspect`` reads on after an error; a format without it stops at the first one.
    """

    layout: Layout
    sniff: Callable[[Source], bool]
    build: Callable[[Source, str, Tick], Corpus]
    schema: str = "1"
    argument_kinds: Mapping[str, str] = field(default_factory=dict)
    inspect: Callable[[Source, Tick], Inspection] | None = None


def _check(name: str, value: object) -> None:
    if not isinstance(value, Adapter):
        raise TypeError(f"expected an Adapter, got {type(value).__name__}")
    if value.layout.name != name:
        raise ValueError(f"its layout is named '{value.layout.name}'")


CORPORA: Registry[Adapter] = Registry(
    "corpus format", "cdec.corpora", {"ecbplus": "cdec.corpus.ecbplus:ADAPTER"}, _check
)


def open_source(path: Path | str) -> Source:
    """Return the files of the corpus at ``path``, a folder or a zip, of the format that knows it.

    Formats of cdec come before those of other packages. Raises CorpusError where there is nothing
    to read or a file is too large, UsageError where several packages claim the corpus.
    """
    own = {name: collect(Path(path), CORPORA[name].layout) for name in CORPORA.own}
    for name, source in own.items():
        if source.files and CORPORA[name].sniff(source):
            return source
    claimed = list(_claimed(Path(path)))
    if len(claimed) > 1:
        names = ", ".join(f"{s.layout.name} ({CORPORA.origin(s.layout.name)})" for s in claimed)
        hint = "uninstall all of these packages but one"
        raise UsageError(f"several corpus formats claim this: {names}", place=path, hint=hint)
    # Files that no format knows: the reader of their ending says what is wrong with them.
    readable = [*claimed, *(source for source in own.values() if source.files)]
    if not readable:
        layout = next(iter(own.values())).layout
        message, hint = f"no {layout.title} documents here", f"expected {layout.expected}"
        raise CorpusError(message, place=path, hint=hint)
    return readable[0]


def _claimed(path: Path) -> Iterator[Source]:
    """Yield the files as each plug-in sees them that claims them; one that fails claims nothing."""
    for name in CORPORA:
        if name not in CORPORA.own:
            try:
                adapter = CORPORA[name]
                source = collect(path, adapter.layout)
                if source.files and adapter.sniff(source):
                    yield source
            except PluginError as error:
                _log.warning("%s", error)
            except Exception as error:  # noqa: BLE001 (whatever a stranger's code does)
                _log.warning("%s", _failure(name, path, error))


def read_corpus(source: Source, name: str, tick: Tick = lambda: None) -> Corpus:
    """Return the corpus in ``source`` under ``name``; ``tick`` is called after each file.

    Raises CorpusError for what is not sound, PluginError where the reader of a package fails.
    """
    with guarded(source):
        return stamped(CORPORA[source.layout.name].build(source, name, tick), source)


@contextmanager
def guarded(source: Source) -> Iterator[None]:
    """Raise PluginError for an error in the code of the package that reads ``source``."""
    try:
        yield
    except CdecError:
        raise
    except Exception as error:
        if CORPORA.origin(source.layout.name) is None:
            raise
        raise _failure(source.layout.name, source.path, error) from error


def stamped(corpus: Corpus, source: Source) -> Corpus:
    """Return the corpus with what its format says of all its corpora, and who reads it."""
    adapter, origin = CORPORA[source.layout.name], CORPORA.origin(source.layout.name)
    reader = "" if origin is None else str(origin)
    return replace(corpus, argument_kinds=adapter.argument_kinds, reader=reader)


def _failure(name: str, place: Path, error: Exception) -> PluginError:
    reason = one_line(f"{type(error).__name__}: {error}")
    message = f"the corpus format '{name}' of {CORPORA.origin(name)} fails: {reason}"
    return PluginError(message, place=place, hint="report it to the authors of that package")
