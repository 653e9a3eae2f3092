"""Whole corpora written in the formats of the field; ``CONVERTERS`` has them by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from cdec.corpus.interchange.writer import lines
from cdec.corpus.model import ALL_KINDS, Corpus
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

    ``write`` writes the file (or folder) at a path. ``lost`` is what the format cannot express.
    """

    id: str
    description: str
    ending: str
    write: Callable[[Corpus, Path], None]
    lost: str = ""


def _key(corpus: Corpus) -> Annotation:
    whole = corpus.select(ALL_KINDS)
    return from_corpus(whole, whole.gold).numbered()


def _text(pieces: Callable[[Corpus], Iterator[str]]) -> Callable[[Corpus, Path], None]:
    return lambda corpus, path: save(pieces(corpus), path)


_NO_FACTS = "mention ids, kinds, tags, gaps and attributes"
CONVERTERS: Mapping[str, Converter] = {
    converter.id: converter
    for converter in (
        Converter("jsonl", "interchange format of cdec", ".jsonl", _text(lines)),
        Converter(
            "conll",
            "CoNLL-2012: document, sentence, token number, token, brackets",
            ".conll",
            _text(lambda corpus: conll.write(_key(corpus))),
            f"topics, chain labels, {_NO_FACTS}",
        ),
        Converter(
            "conll8",
            "8 columns of Cattan et al. (2021): topic, sub-topic, document, sentence, …",
            ".conll",
            _text(conll8.write),
            f"chain labels, {_NO_FACTS}",
        ),
        Converter(
            "ucdcr",
            "uCDCR (Zhukova et al. 2026): a folder with two parquet files",
            "",
            save_tables,
            "other attributes than tag, descriptor and head; lemmas, parts of speech and named "
            "entities are empty",
        ),
        Converter(
            "wec",
            "WEC JSON (Eirew et al. 2021): mentions with the text around them",
            ".json",
            _text(wec.write),
            "kinds, tags, attributes, sub-topics, and documents without a mention",
        ),
    )
}


def convert(corpus: Corpus, path: Path, format: str) -> None:
    """Write ``corpus`` to a path in the format ``format``, a key of CONVERTERS.

    Raises CorpusError if the format cannot express the corpus, FormatError if the file cannot be
    written.
    """
    CONVERTERS[format].write(corpus, path)
