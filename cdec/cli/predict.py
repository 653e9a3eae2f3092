"""``cdec predict``, for a corpus or for plain texts."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from cdec.cli import options as o
from cdec.cli.command import command
from cdec.cli.option import Option
from cdec.cli.run import Run
from cdec.cli.values import detector_and_kind
from cdec.errors import UsageError, counted

if TYPE_CHECKING:
    from cdec.corpus.model import Corpus
    from cdec.detection import Detector
    from cdec.detection.plain import PlainText
    from cdec.formats import Annotation
    from cdec.system import System

_TEXT = Option(
    "--text",
    "FOLDER",
    "Find mentions and chains in the plain text files (*.txt, UTF-8, English) of this folder, not "
    "in a corpus. The detector, and systems to train, are trained on --corpus.",
    Path,
)


@command(
    o.SYSTEM,
    *o.PARAMETERS,
    _TEXT,
    o.DETECTOR,
    *o.SCORED_PART,
    *o.WORK,
    *o.ANNOTATION,
)
def predict(call: Run) -> None:
    """Write the response of a baseline: its chains of the event mentions of the corpus.

    With --text, the mentions and chains of your own texts; .jsonl, .csv, .tsv
    and .json files have the text and character offsets of each mention. With
    --verbose, sac also reports its candidate pairs and the gold links among them.

    \b
    # A response file for cdec eval --response and cdec score
    cdec predict --system lemma -o lemma.conll
    # Another part and format, to the terminal
    cdec predict --system lemma-wd --split dev --to jsonl
    # Event mentions and chains in a folder of plain text files
    cdec predict --text news -o chains.jsonl
    """
    if call.detector and not call.text:
        hint = "with a corpus, use --mentions predicted:NAME"
        raise UsageError("option-requires", "--detector requires --text", hint=hint)
    run = TextRun(call.context, call.options, call.values, call.endings) if call.text else call
    names = [call.system] if call.system else [config.system for config in call.configs()]
    (chosen,) = run.ready((names or ["lemma"])[:1])
    if call.verbose and hasattr(chosen, "remark"):
        call.say(f"{chosen.name}: {chosen.remark(run.part)}")
    call.write(run.annotation(chosen))


class TextRun(Run):
    """A run on the texts in the folder of --text."""

    @cached_property
    def plain(self) -> PlainText:
        """The texts of --text."""
        from cdec.detection.plain import read_texts

        return read_texts(self.text, self.bar)

    @cached_property
    def part(self) -> Corpus:
        """The texts as a corpus."""
        return self.plain.corpus

    @cached_property
    def finder(self) -> Detector:
        """The detector of --detector or --mentions; detector-tagger without these options."""
        from cdec.detection.detector import TAGGER

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
