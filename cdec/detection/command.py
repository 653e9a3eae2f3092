"""``cdec predict --text``: mentions and chains of plain texts."""

from __future__ import annotations

from functools import cached_property

from cdec.cli.run import Run
from cdec.cli.values import detector_and_kind
from cdec.corpus.model import Corpus
from cdec.detection.detector import TAGGER
from cdec.detection.plain import PlainText, read_texts
from cdec.errors import counted
from cdec.formats import Annotation
from cdec.system import MentionDetector, System


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
        from cdec.corpus.store.locate import locate

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
