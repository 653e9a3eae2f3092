"""Detectors of mentions as options: `--mentions predicted:NAME`, `--detector NAME|FILE`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from cdec.cli.run import Run
from cdec.errors import UsageError, counted

if TYPE_CHECKING:
    from cdec.corpus.model import Corpus
    from cdec.detection import Detector
    from cdec.detection.plain import PlainText
    from cdec.formats import Annotation
    from cdec.system import System


@dataclass(frozen=True)
class TextRun(Run):
    """A run on the texts in a folder, with a detector by name or file."""

    folder: Path = Path()
    detector_name: str | None = None

    @cached_property
    def plain(self) -> PlainText:
        """The texts of --text."""
        from cdec.detection.plain import read_texts

        return read_texts(self.folder, self.screen.bar)

    @cached_property
    def part(self) -> Corpus:
        """The texts as a corpus."""
        return self.plain.corpus

    @cached_property
    def detector(self) -> Detector:
        """The detector of --detector or --mentions; detector-tagger without these options."""
        from cdec.detection.detector import TAGGER

        _ = self.plain  # before training: an unreadable text is an error at once
        return self.trained_detector(self.detector_name or self.corpus.detector or TAGGER)

    @cached_property
    def training(self) -> tuple[Corpus, Corpus]:
        """Train and dev of the corpus; a notice says if it is the sample."""
        from cdec.corpus.store.locate import locate

        located = locate(self.corpus.corpus)
        if located.notice:
            self.screen.notify([located.notice])
        return super().training

    def annotation(self, system: System) -> Annotation:
        """Return the chains of a system, with the offsets of the mentions in their text."""
        found = super().annotation(system)
        chains, documents = found.mentions["chain"].nunique(), len(self.part.documents)
        self.screen.say(
            f"{counted(len(found), 'mention')} in {counted(chains, 'chain')} of "
            f"{counted(documents, 'document')}; mentions by {self.detector.name}, trained on "
            f"{self.detector.trained_on}"
        )
        return self.plain.located(found)


def run_of(folder: Path | None, detector: str | None, run: Run) -> Run:
    """Return ``run``, on the texts in ``folder`` if there is one.

    Raises UsageError for --detector without --text.
    """
    if folder:
        sides = run.corpus, run.screen, run.systems
        return TextRun(*sides, folder=folder, detector_name=detector)
    if detector:
        hint = "with a corpus, use --mentions predicted:NAME"
        raise UsageError("option-requires", "--detector requires --text", hint=hint)
    return run
