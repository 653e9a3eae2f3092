"""Whole corpora written in the formats of the field; ``CONVERTERS`` has them by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from cdec.corpus.adapter import open_source
from cdec.corpus.ecbplus.edited import save_edited
from cdec.corpus.interchange.writer import lines
from cdec.corpus.layouts import LAYOUTS
from cdec.corpus.model import ALL_KINDS, Corpus
from cdec.corpus.source import Source
from cdec.errors import UsageError
from cdec.formats.annotation import Annotation
from cdec.formats.conll import writer as conll
from cdec.formats.corpora import conll8, wec
from cdec.formats.corpora.ucdcr import save_tables
from cdec.formats.export import from_corpus
from cdec.io.output import save

__all__ = ["CONVERTERS", "Converter", "convert"]


@dataclass(frozen=True)
class Converter:
    """A format to which a corpus can be converted.

    ``write`` writes the file (or folder) at a path; ``edit`` writes a folder from the files of the
    corpus itself. ``lost`` is what the format cannot express, in
    the words of a note. The file must have a name among ``names``, by which its reader finds it.
    """

    id: str
    description: str
    write: Callable[[Corpus, Path], None] | None
    lost: tuple[str, ...] = ()
    names: tuple[str, ...] = ("*",)
    edit: Callable[[Source, Corpus, Path], None] | None = None


def _key(corpus: Corpus) -> Annotation:
    whole = corpus.select(ALL_KINDS)
    return from_corpus(whole, whole.gold).numbered()


def _text(pieces: Callable[[Corpus], Iterator[str]]) -> Callable[[Corpus, Path], None]:
    return lambda corpus, path: save(pieces(corpus), path)


_READINGS = "other readings of the key"
_IDLE = "ids of documents without a mention"
_NO_FACTS = ("chain labels", "mention ids", "kinds", "tags", "gaps", "attributes", _READINGS)
CONVERTERS: Mapping[str, Converter] = {
    converter.id: converter
    for converter in (
        Converter("jsonl", "interchange format of cdec", _text(lines)),
        Converter(
            "conll",
            "CoNLL-2012: document, sentence, token number, token, brackets",
            _text(lambda corpus: conll.write(_key(corpus))),
            ("topics", "sub-topics", *_NO_FACTS),
        ),
        Converter(
            "conll8",
            "8 columns of Cattan et al. (2021): topic, sub-topic, document, sentence, …",
            _text(conll8.write),
            _NO_FACTS,
        ),
        Converter(
            "ucdcr",
            "uCDCR (Zhukova et al. 2026): a folder with two parquet files",
            save_tables,
            (
                *("mention ids", "attributes except tag, descriptor and head", _READINGS),
                *("the absence of topics and sub-topics", _IDLE, "lemmas", "parts of speech"),
            ),
        ),
        Converter(
            "wec",
            "WEC JSON (Eirew et al. 2021): mentions with the text around them",
            _text(wec.write),
            (
                *("topics", "sub-topics", "kinds", "tags", "attributes except descriptor"),
                *(_READINGS, "the text far from mentions", "token numbers"),
                "documents without a mention",
            ),
            LAYOUTS["wec"].patterns,
        ),
        Converter(
            "ecbplus",
            "ECB+: a folder with the original XML, in which only what a patch changes differs",
            None,
            edit=save_edited,
        ),
    )
}


def convert(corpus: Corpus, path: Path, format: str, source: Path | None = None) -> None:
    """Write ``corpus`` to a path in the format ``format``, a key of CONVERTERS.

    ``source`` is the folder or zip that it was read from, for a format that edits its files. Raises
    CorpusError if the format cannot express the corpus or edits the files of another, FormatError
    if the file cannot be written, UsageError if the reader of the format would not find the file.
    """
    converter = CONVERTERS[format]
    if not any(fnmatchcase(path.name, name) for name in converter.names):
        message = f"the reader of {format} does not read a file of this name"
        hint = f"use a name such as {converter.names[0].replace('*', '')}"
        raise UsageError("output-ending", message, place=path, hint=hint)
    if converter.write:
        converter.write(corpus, path)
    elif converter.edit:
        converter.edit(open_source(source or path), corpus, path)
