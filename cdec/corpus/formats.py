"""Corpus formats: their declaration, their registry, detection, and reading.

A package adds a format by an entry point with its name::

    [project.entry-points."cdec.corpora"]
    my-format = "my_package:FORMAT"
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from cdec.corpus.model import Corpus
from cdec.corpus.source import Source, collect
from cdec.errors import CdecError, CorpusError, PluginError, one_line
from cdec.files.progress import counter
from cdec.plugins import Registry

LARGEST = 2**29  # bytes of a corpus; ECB+ has 29 MB: a larger zip is probably a bomb
_log = logging.getLogger(__name__)
_TEXTS = "docs/corpora.md has the formats; docs/your-own-articles.md: texts with mentions"


@dataclass(frozen=True)
class CorpusFormat:
    """A corpus format: the files of a corpus, and their reader.

    * ``name`` is the registered name of the format, ``title`` its name in messages;
    * ``patterns`` (of ``fnmatch``): the files of the corpus are those whose path from its folder
      matches one. ``*/*.xml`` is every XML file in a sub-folder, ``*.jsonl`` every such file in the
      folder itself, which may then also be given as the corpus;
    * ``expected`` describes these files in messages;
    * ``sniff`` returns whether a source with at least one file is in the format;
    * ``read`` returns its corpus, by ``cdec.corpus.build``; it goes through ``source`` to move the
      progress bar, and raises CorpusError if the source is invalid;
    * ``schema`` is the version of the reader: raise it when the same files give another corpus;
    * ``release`` is the corpus to suggest. The files may be in ``folder``, or in the zip
      ``archive``; ``reviewed`` is the file that lists the fully reviewed sentences; ``largest`` is
      the limit in bytes for all files together.
    """

    name: str
    title: str
    patterns: tuple[str, ...]
    expected: str
    sniff: Callable[[Source], bool]
    read: Callable[[Source], Corpus]
    schema: str = "1"
    release: str = ""
    folder: str = ""
    archive: str = ""
    reviewed: str = ""
    largest: int = LARGEST

    def named(self, path: PurePosixPath) -> str | None:
        """Return the name in the corpus of the file at ``path``; None if it is not part of it."""
        for pattern in self.patterns:
            parts = path.parts[-1 - pattern.count("/") :]
            if len(parts) == 1 + pattern.count("/") and fnmatchcase("/".join(parts), pattern):
                return "/".join(parts)
        return None


def _check(name: str, value: object) -> None:
    if not isinstance(value, CorpusFormat):
        raise TypeError(f"expected a CorpusFormat, got {type(value).__name__}")
    if value.name != name:
        raise ValueError(f"it is named '{value.name}'")


# In the order in which they are tried: the most specific first.
_OWN = {
    "ecbplus": "cdec.corpus.readers.ecbplus:FORMAT",
    "gvc": "cdec.corpus.readers.gvc:FORMAT",
    "meantime": "cdec.corpus.readers.meantime:FORMAT",
    "fcc-t": "cdec.corpus.readers.fcct:FORMAT",
    "cd2cr": "cdec.corpus.readers.cd2cr:FORMAT",
    "wec": "cdec.corpus.readers.wec:FORMAT",
    "ucdcr": "cdec.corpus.readers.ucdcr:FORMAT",
    "jsonl": "cdec.corpus.interchange:JSONL",
    "scico": "cdec.corpus.readers.scico:FORMAT",
    "conll": "cdec.corpus.readers.conll:FORMAT",
}
CORPORA: Registry[CorpusFormat] = Registry("corpus format", "cdec.corpora", _OWN, _check)


def open_source(path: Path | str, format: str | None = None) -> Source:
    """Return the files of the corpus at ``path`` (a folder, a zip or a file).

    ``format`` is its format; by default it is the first that recognises the files, of cdec before
    those of other packages. Raises CorpusError if there is no file of the corpus or the files are
    too large, UnknownNameError.
    """
    if format is not None:
        form = CORPORA[format]
        source = collect(Path(path), form)
        if source.files:
            return source
        message, hint = f"no {form.title} documents found", f"expected {form.expected}"
        raise CorpusError("corpus-invalid", message, place=path, hint=hint)
    readable = None
    for name in CORPORA:
        try:
            source = collect(Path(path), CORPORA[name])
            with _blaming(source):
                if source.files and source.format.sniff(source):
                    return source
        except (PluginError, CorpusError) as error:
            if name in CORPORA.own:
                raise
            _log.warning("%s", error)
        else:
            readable = readable or (source if source.files and name in CORPORA.own else None)
    if readable:  # no format recognises the files: the reader for their names reports why
        return readable
    titles = ", ".join(CORPORA[name].title for name in CORPORA.own)
    message = f"no corpus in a known format ({titles})"
    raise CorpusError("corpus-invalid", message, place=path, hint=_TEXTS)


def read_corpus(source: Source, name: str) -> Corpus:
    """Return the corpus in ``source`` under ``name``, with the name of its format.

    Raises CorpusError if the corpus is invalid, PluginError if the reader of a package fails.
    """
    with _blaming(source), counter("reading the corpus") as tick:
        corpus = source.format.read(replace(source, tick=tick))
        if not corpus.documents:
            message = f"no document in {source.format.title} format"
            hint = f"expected {source.format.expected}"
            raise CorpusError("corpus-invalid", message, place=source.path, hint=hint)
    return stamped(replace(corpus, name=name, digest=corpus.digest or source.digest), source)


def stamped(corpus: Corpus, source: Source) -> Corpus:
    """Return the corpus with the names of its format and of the package that reads it."""
    name, origin = source.format.name, CORPORA.origin(source.format.name)
    return replace(corpus, format=name, reader=str(origin or ""))


@contextmanager
def _blaming(source: Source) -> Iterator[None]:
    """Turn an exception in the code of the package that reads ``source`` into a PluginError."""
    name, origin = source.format.name, CORPORA.origin(source.format.name)
    try:
        yield
    except CdecError:
        raise
    except Exception as error:
        if origin is None:
            raise
        reason = one_line(f"{type(error).__name__}: {error}")
        message = f"the corpus format '{name}' of {origin} failed: {reason}"
        hint = "report it to the authors of that package"
        raise PluginError("plugin-failed", message, place=source.path, hint=hint) from error
