"""``cdec predict --text``: plain texts as a corpus, its mentions and chains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from cdec.arrays import Ints
from cdec.cli.run import Run
from cdec.cli.values import detector_and_kind
from cdec.corpus import texts
from cdec.corpus.frames import corpus_from
from cdec.corpus.model import ALL_KINDS, Corpus
from cdec.corpus.store.locate import locate
from cdec.detection.detector import TAGGER
from cdec.errors import counted
from cdec.formats import Annotation
from cdec.io.progress import Progress, silent
from cdec.system import MentionDetector, System


@dataclass(frozen=True, eq=False)
class PlainText:
    """A corpus without mentions, made from text files.

    ``texts`` maps document → its text; ``offsets`` document → (first character, character after
    the last) of each token, counted in Unicode characters from 0.
    """

    corpus: Corpus
    texts: Mapping[str, str] = field(repr=False)
    offsets: Mapping[str, tuple[Ints, Ints]] = field(repr=False)

    def located(self, annotation: Annotation) -> Annotation:
        """Return an annotation of the corpus with the columns ``EXTRA`` of formats.annotation."""
        table = annotation.mentions
        places = list(zip(table["doc"], table["start"], table["end"], strict=True))
        begin = [int(self.offsets[doc][0][start]) for doc, start, _ in places]
        end = [int(self.offsets[doc][1][last]) for doc, _, last in places]
        words = [self.texts[doc][a:b] for (doc, _, _), a, b in zip(places, begin, end, strict=True)]
        located = table.assign(text=words, from_char=begin, to_char=end)
        return replace(annotation, mentions=located)


def read_texts(path: Path, progress: Progress = silent) -> PlainText:
    """Return the corpus of the texts in a folder, or in a table; see ``cdec.corpus.texts``."""
    found = texts.read_texts(path, progress=progress)
    records = [document.record for document in found.values()]
    return PlainText(
        corpus_from([], records, name=path.resolve().name).select(ALL_KINDS),
        {id_: document.text for id_, document in found.items()},
        {id_: (document.begin, document.end) for id_, document in found.items()},
    )


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
