"""``cdec predict --text``: plain texts as a corpus, its mentions and chains.

Sentences and tokens are by spaCy's rules for English, without a model. A blank line ends a
sentence, so that a headline is one; a single line break does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.cli.run import Run
from cdec.cli.values import detector_and_kind
from cdec.corpus.model import ALL_KINDS, COLUMNS, Corpus, Document, natural_key
from cdec.corpus.store.locate import locate
from cdec.detection.detector import TAGGER
from cdec.errors import FormatError, counted
from cdec.formats import Annotation
from cdec.io.inputfile import FileKind
from cdec.io.progress import Progress, silent
from cdec.system import MentionDetector, System

ENDING = ".txt"
_HINT = "give a UTF-8 text file"
_LARGEST = 2**24
_KIND = FileKind("a text file", FormatError, "file-empty", _HINT, _LARGEST)
Offsets = Mapping[str, tuple[Ints, Ints]]


@dataclass(frozen=True, eq=False)
class PlainText:
    """A corpus without mentions, made from text files.

    ``texts`` maps document → its text; ``offsets`` document → (first character, character after
    the last) of each token, counted in Unicode characters from 0.
    """

    corpus: Corpus
    texts: Mapping[str, str] = field(repr=False)
    offsets: Offsets = field(repr=False)

    def located(self, annotation: Annotation) -> Annotation:
        """Return an annotation of the corpus with the columns ``EXTRA`` of formats.annotation."""
        table = annotation.mentions
        places = list(zip(table["doc"], table["start"], table["end"], strict=True))
        begin = [int(self.offsets[doc][0][start]) for doc, start, _ in places]
        end = [int(self.offsets[doc][1][last]) for doc, _, last in places]
        words = [self.texts[doc][a:b] for (doc, _, _), a, b in zip(places, begin, end, strict=True)]
        located = table.assign(text=words, from_char=begin, to_char=end)
        return replace(annotation, mentions=located)


def read_texts(folder: Path, progress: Progress = silent) -> PlainText:
    """Return the corpus of the files ``*.txt`` in a folder and the folders in it.

    A document's id is its path in the folder without the ending. Raises FormatError for a folder
    without such files, and for a file that is not UTF-8 or has no words.
    """
    paths = _files(folder)
    texts = {_name(path, folder): _KIND.read_text(path) for path in paths}
    documents, offsets = {}, {}
    for document, at in progress(_parsed(texts, folder), len(texts), "splitting into sentences"):
        documents[document.id], offsets[document.id] = document, at
    corpus = Corpus(
        name=folder.resolve().name,
        digest=sha256(ascii(sorted(texts.items())).encode()).hexdigest(),
        documents=documents,
        mentions=pd.DataFrame(columns=list(COLUMNS), index=pd.Index([], name="mention")),
        kind=ALL_KINDS,
        levels={},
    )
    return PlainText(corpus, texts, offsets)


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        what = "expected a folder, got a file" if folder.exists() else "the folder does not exist"
        hint = f"name a folder with {ENDING} files"
        raise FormatError("corpus-empty", what, place=folder, hint=hint)
    visible = (p for p in folder.rglob(f"*{ENDING}") if p.is_file() and not p.name.startswith("."))
    paths = sorted(visible, key=lambda path: natural_key(path.relative_to(folder).as_posix()))
    if not paths:
        hint = f"put plain text files with the ending {ENDING} there"
        raise FormatError("corpus-empty", f"no {ENDING} file", place=folder, hint=hint)
    return paths


def _name(path: Path, folder: Path) -> str:
    return path.relative_to(folder).with_suffix("").as_posix()


def _parsed(texts: Mapping[str, str], folder: Path) -> Iterator[tuple[Document, tuple[Ints, Ints]]]:
    """Yield each document with the offsets of its tokens."""
    import spacy  # noqa: PLC0415  takes a second

    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.max_length = _LARGEST + 1
    for name, text in texts.items():
        sentences: list[list[str]] = []
        begin, end = [], []
        at_start = True
        for token in nlp(text):
            at_start |= bool(token.is_sent_start)
            if token.is_space:
                at_start |= token.text.count("\n") > 1
                continue
            if at_start:
                sentences.append([])
            at_start = False
            sentences[-1].append(token.text)
            begin.append(token.idx)
            end.append(token.idx + len(token.text))
        if not any(map(str.isalnum, text)):
            place = folder / f"{name}{ENDING}"
            raise FormatError("file-empty", "no words in the file", place=place, hint="remove it")
        document = Document(name, "", "", tuple(map(tuple, sentences)))
        yield document, (np.array(begin, dtype=np.int64), np.array(end, dtype=np.int64))


class TextRun(Run):
    """A run on the texts in the folder of --text."""

    @cached_property
    def plain(self) -> PlainText:
        """The texts of --text."""
        return read_texts(self.text, self.bar)

    @cached_property
    def part(self) -> Corpus:
        """The texts as a corpus."""
        return self.plain.corpus

    @cached_property
    def finder(self) -> MentionDetector:
        """The detector of --detector or --mentions; detector-tagger without these options."""
        _ = self.plain  # before training: an unreadable text is an error at once
        return self.trained_detector(self.detector or detector_and_kind(self.mentions)[0] or TAGGER)

    @cached_property
    def training(self) -> tuple[Corpus, Corpus]:
        """Train and dev of the corpus; a notice says if it is the sample."""
        located = locate(self.corpus)
        if located.notice:
            self.notify([located.notice])
        return super().training

    def annotation(self, system: System) -> Annotation:
        """Return the chains of a system, with the offsets of the mentions in their text."""
        found = super().annotation(system)
        chains, documents = found.mentions["chain"].nunique(), len(self.part.documents)
        self.say(
            f"{counted(len(found), 'mention')} in {counted(chains, 'chain')} of "
            f"{counted(documents, 'document')}; mentions by {self.finder.name}, trained on "
            f"{self.finder.trained_on}"
        )
        return self.plain.located(found)
