"""Corpus formats: detect the format of a folder or zip and read it.

A package adds a format by an entry point with the name of its layout::

    [project.entry-points."cdec.corpora"]
    my-format = "my_package:ADAPTER"

Such a package needs this module only.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from cdec.corpus.layouts import LAYOUTS, Layout
from cdec.corpus.model import LEVELS, Corpus, Document, Variants
from cdec.corpus.rows import Row, assemble
from cdec.corpus.source import Source, collect
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
_TEXTS = "docs/corpora.md has the formats; docs/guides/your-own-articles.md: texts with mentions"


class Defect(NamedTuple):
    """An irregularity that does not stop the reader: kind, and document, token or mention."""

    kind: str
    item: str


@dataclass(frozen=True)
class Inspection:
    """The result of reading all files of a source: errors and irregularities.

    ``facts`` (empty if there are errors) and the kinds of ``defects`` are described in
    ``configs/corpora/kinds.toml``. ``remarks`` are messages about harmless irregularities.
    """

    errors: tuple[CorpusError, ...] = ()
    defects: tuple[Defect, ...] = ()
    facts: Mapping[str, int] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Adapter:
    """A corpus format: the layout of its files, and its reader.

    * ``sniff`` returns whether a source with at least one file is in the format;
    * ``build`` returns its corpus under a name, calls its tick after each file, and raises
      CorpusError if the source is invalid;
    * ``schema`` is the version of the reader: raise it when the same files give another corpus;
    * ``levels``: the levels above the document → their names, where no reader says otherwise;
    * ``linked_within``: the level inside which annotators linked mentions (see ``Corpus``); it has
      no effect on a copy without this level;
    * ``variants``: the readings of the key (see ``Corpus``); the first is the default;
    * ``splits``: names of splits of cdec, or paths of split files; the first that fits a corpus is
      its default;
    * ``argument_kinds`` maps the prefix of a mention's tag → kind of argument;
    * ``citation`` and ``licence`` of the corpus, ``address``: where to get it;
    * ``inspect`` continues after an error, or finds defects that the corpus does not show; a format
      without it stops at the first error.
    """

    layout: Layout
    sniff: Callable[[Source], bool]
    build: Callable[[Source, str, Tick], Corpus]
    schema: str = "1"
    levels: Mapping[str, str] = field(default_factory=lambda: LEVELS)
    linked_within: str = ""
    variants: Variants = field(default_factory=dict)
    splits: tuple[str, ...] = ()
    argument_kinds: Mapping[str, str] = field(default_factory=dict)
    citation: str = ""
    licence: str = ""
    address: str = ""
    inspect: Callable[[Source, Tick], Inspection] | None = None

    @property
    def name(self) -> str:
        """The registered name of the format."""
        return self.layout.name


def _check(name: str, value: object) -> None:
    if not isinstance(value, Adapter):
        raise TypeError(f"expected an Adapter, got {type(value).__name__}")
    if value.layout.name != name:
        raise ValueError(f"its layout is named '{value.layout.name}'")
    if value.linked_within not in ("", *LEVELS):
        raise ValueError(f"its linked_within is '{value.linked_within}', not {' or '.join(LEVELS)}")


# Imported if a source has a file of the layout.
_OWN = {
    "ecbplus": "cdec.corpus.ecbplus:ADAPTER",
    "gvc": "cdec.corpus.gvc:ADAPTER",
    "fcc-t": "cdec.corpus.fcct:ADAPTER",
    "cd2cr": "cdec.corpus.cd2cr:ADAPTER",
    "meantime": "cdec.corpus.meantime:ADAPTER",
    "wec": "cdec.corpus.wec:ADAPTER",
    "ucdcr": "cdec.corpus.ucdcr:ADAPTER",
    "jsonl": "cdec.corpus.interchange.reader:ADAPTER",
    "conll": "cdec.corpus.conll:ADAPTER",
}
CORPORA: Registry[Adapter] = Registry("corpus format", "cdec.corpora", _OWN, _check)


def open_source(path: Path | str, format: str | None = None) -> Source:
    """Return the files of the corpus at ``path`` (a folder, a zip or a file).

    ``format`` is its format; by default it is detected, and formats of cdec take precedence over
    those of other packages. Raises CorpusError if there is no file of the corpus or the files are
    too large, UsageError if several packages recognise the corpus, UnknownNameError.
    """
    if format is not None:
        source = collect(Path(path), CORPORA[format].layout)
        if source.files:
            return source
        message = f"no {source.layout.title} documents found"
        hint = f"expected {source.layout.expected}"
        raise CorpusError("corpus-empty", message, place=path, hint=hint)
    own = []
    for name, layout in LAYOUTS.items():
        source = collect(Path(path), layout)
        if source.files:
            if CORPORA[name].sniff(source):
                return source
            own.append(source)
    recognised = list(_recognised(Path(path)))
    if len(recognised) > 1:
        names = ", ".join(f"{s.layout.name} ({CORPORA.origin(s.layout.name)})" for s in recognised)
        raise UsageError(
            "plugin-duplicate",
            f"several corpus formats recognise this corpus: {names}",
            place=path,
            hint="uninstall all but one of these packages",
        )
    # No format recognises the files: the reader for their extension reports why.
    readable = [*recognised, *own]
    if readable:
        return readable[0]
    titles = ", ".join(layout.title for layout in LAYOUTS.values())
    message = f"no corpus in a known format ({titles})"
    raise CorpusError("corpus-empty", message, place=path, hint=_TEXTS)


def _recognised(path: Path) -> Iterator[Source]:
    """Yield a source for each plug-in that recognises the files; one that fails is skipped."""
    for name in CORPORA:
        if name not in CORPORA.own:
            try:
                adapter = CORPORA[name]
                source = collect(path, adapter.layout)
                if source.files and adapter.sniff(source):
                    yield source
            except PluginError as error:
                _log.warning("%s", error)
            except Exception as error:  # noqa: BLE001 (code of another package)
                _log.warning("%s", _failure(name, path, error))


def read_corpus(source: Source, name: str, tick: Tick = lambda: None) -> Corpus:
    """Return the corpus in ``source`` under ``name``; ``tick`` is called after each file.

    Raises CorpusError if the corpus is invalid, PluginError if the reader of a package fails.
    """
    with guarded(source):
        return stamped(CORPORA[source.layout.name].build(source, name, tick), source)


@contextmanager
def guarded(source: Source) -> Iterator[None]:
    """Turn an exception in the code of the package that reads ``source`` into a PluginError."""
    try:
        yield
    except CdecError:
        raise
    except Exception as error:
        if CORPORA.origin(source.layout.name) is None:
            raise
        raise _failure(source.layout.name, source.path, error) from error


def stamped(corpus: Corpus, source: Source) -> Corpus:
    """Return the corpus with the facts that its format states, and the name of its reader."""
    adapter, origin = CORPORA[source.layout.name], CORPORA.origin(source.layout.name)
    variants, within = corpus.variants or adapter.variants, adapter.linked_within
    facts = {name: getattr(adapter, name) for name in ("licence", "citation", "address")}
    return replace(
        corpus,
        format=adapter.name,
        linked_within=corpus.linked_within or (within if within in corpus.levels else ""),
        variants=variants,
        variant=corpus.variant or next(iter(variants), ""),
        argument_kinds=corpus.argument_kinds or adapter.argument_kinds,
        splits=corpus.splits or adapter.splits,
        release=corpus.release or {name: value for name, value in facts.items() if value},
        reader="" if origin is None else str(origin),
    )


def _failure(name: str, place: Path, error: Exception) -> PluginError:
    reason = one_line(f"{type(error).__name__}: {error}")
    message = f"the corpus format '{name}' of {CORPORA.origin(name)} failed: {reason}"
    hint = "report it to the authors of that package"
    return PluginError("plugin-failed", message, place=place, hint=hint)
