"""The chains of plain texts: the run of ``cdec predict --text``, and a page to read.

The figures of the page about its quality are those of docs/detection.md: ``configs/detection``.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import pandas as pd

from cdec.cli.completion import TEXT_SYSTEM
from cdec.cli.run import Run
from cdec.cli.values import detector_and_kind
from cdec.configs import read_table
from cdec.corpus.model import ALL_KINDS, EVENT, Corpus, Document
from cdec.corpus.store.locate import locate
from cdec.detection.detector import TAGGER
from cdec.detection.plain_texts import REPORTING, PlainText, with_reporting
from cdec.errors import counted
from cdec.formats import Annotation
from cdec.render.page import Block, Page, Quote, Quotes, Section
from cdec.system import MentionDetector, System

_OPEN = 10  # chains of several mentions up to which all are open; more are an overview
_NAMED = 3  # distinct texts of mentions that name a chain
_DATE = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")


class ChainsRun(Run):
    """A run on the texts of --text that separates reporting verbs, and writes a page as .html."""

    usual_system = TEXT_SYSTEM

    @cached_property
    def plain(self) -> PlainText:
        """The texts of --text."""
        return PlainText.read(self.text, self.bar)

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
        """Return the chains of a system in the texts, treated as --reporting says."""
        found = super().annotation(system)
        chains, documents = found.mentions["chain"].nunique(), len(self.part.documents)
        self.say(
            f"{counted(len(found), 'mention')} in {counted(chains, 'chain')} of "
            f"{counted(documents, 'document')}; mentions by {self.finder.name}, trained on "
            f"{self.finder.trained_on}"
        )
        located = self.plain.located(found)
        choice = self.reporting or ("separate" if self.file_format == "html" else "keep")
        if choice == "keep" or not len(found):
            return located
        table = with_reporting(located, self.plain, self.nlp, self.bar).mentions
        if choice == "drop":
            table = table[~table[REPORTING]].drop(columns=REPORTING).reset_index(drop=True)
        return replace(located, mentions=table)

    def write(self, annotation: Annotation) -> None:
        """Write the page of the chains, or the mentions and chains in a file format."""
        if self.file_format != "html":
            return super().write(annotation)
        return self.show(chains_page(annotation, self.plain, self.finder))


def chains_page(annotation: Annotation, plain: PlainText, detector: MentionDetector) -> Page:
    """Return the page: the chains of several mentions, of reporting verbs, and of one mention.

    The largest chain is first; a sentence is shown once a chain, with all its mentions marked.
    """
    table = annotation.mentions
    size = table.groupby("chain")["chain"].transform("size")
    verb = table.get(REPORTING, pd.Series(False, table.index)).astype(bool)
    parts = {
        "Chains of several mentions": table[(size > 1) & ~verb],
        "Chains of reporting verbs": table[verb],
        "Mentioned once": table[(size == 1) & ~verb],
    }
    sections = [
        Section(title.split()[-1], f"{title} ({part['chain'].nunique():,})", quotes)
        for n, (title, part) in enumerate(parts.items())
        if (quotes := _blocks(part, plain, folded=n > 0))
    ]
    thing = "event or entity" if detector.kind == ALL_KINDS else detector.kind
    return Page(
        f"Chains in {plain.corpus.name}",
        tuple(sections),
        intro=(
            f"{counted(len(table), 'mention')} in {counted(table['chain'].nunique(), 'chain')} of "
            f"{counted(len(plain.texts), 'document')}. A chain lists the sentences that mention, "
            f"according to the system, one and the same {thing}.",
            quality(annotation.name, detector),
        ),
        search="Search words or documents",
    )


def quality(system: str, detector: MentionDetector) -> str:
    """Return what is known about the quality of chains, from the measurements on ECB+."""
    trained = {"trained on": detector.trained_on}
    found = _measured("mentions", mentions=detector.kind, detector=detector.name, **trained)
    chains = _measured("chains", part="test", mentions=detector.name, **trained)
    known = f"Read with care: mentions by {detector.name}, trained on {detector.trained_on}, "
    known += f"chains by {system}. "
    if not found or detector.kind != EVENT or f"PURE {system}" not in chains:
        return known + "The quality of this combination was not measured."
    wrong, missing = (100 - float(found[f"test {name}"]) for name in "PR")
    return known + (
        "On news that it was not trained on (ECB+, cybulska/test), the detector has an F1 of "
        f"{found['test F1']} for event mentions: {wrong:.0f} of 100 that it finds are wrong, "
        f"{missing:.0f} of 100 are not found. The chains have a CoNLL F1 of "
        f"{chains[f'SIMPLE {system}']} (SIMPLE-CDEC) and {chains[f'PURE {system}']} (PURE-CDEC) "
        "there; 100 would be perfect."
    )


def _measured(table: str, **row: str) -> dict[str, str]:
    rows = read_table(f"detection/{table}.csv")
    return next((one for one in rows if row.items() <= one.items()), {})


def _blocks(part: pd.DataFrame, plain: PlainText, folded: bool) -> tuple[Block, ...]:
    chains = [chain for _, chain in part.groupby("chain", sort=False)]
    largest = sorted(chains, key=lambda chain: (-len(chain), -chain["doc"].nunique()))
    folded = folded or len(chains) > _OPEN
    return tuple(_listing(chain, plain, folded) for chain in largest)


def _listing(chain: pd.DataFrame, plain: PlainText, folded: bool) -> Quotes:
    return Quotes(_label(chain), folded, tuple(_quotes(chain, plain)))


def _label(chain: pd.DataFrame) -> str:
    """Return the most frequent texts of the mentions, and the size or the place of the chain."""
    texts = Counter(" ".join(text.lower().split()) for text in chain["text"])
    named = [text for text, _ in texts.most_common(_NAMED)]
    if len(chain) == 1:
        return f"{named[0]} · {chain['doc'].iloc[0]}"
    more = ", …" if len(texts) > _NAMED else ""
    documents = counted(chain["doc"].nunique(), "document")
    return f"{', '.join(named)}{more} · {counted(len(chain), 'mention')} in {documents}"


def _quotes(chain: pd.DataFrame, plain: PlainText) -> list[Quote]:
    """Return the sentences of a chain, by date, then in the order of the documents."""
    quotes = []
    for doc, mentions in chain.groupby("doc", sort=False):
        document = plain.corpus.documents[str(doc)]
        date = _date(document)
        starts = np.searchsorted(document.sentence_starts, mentions["start"], side="right") - 1
        for sentence, (_, same) in zip(np.unique(starts), mentions.groupby(starts), strict=True):
            where = str(doc) if date in str(doc) else f"{doc} · {date}"
            quotes.append((date, (_parts(plain, document, int(sentence), same), where)))
    return [quote for _, quote in sorted(quotes, key=lambda dated: dated[0] or "~")]


def _date(document: Document) -> str:
    """Return the date of a document: as its source says, else as in its name; '' if unknown."""
    named = _DATE.search(document.id)
    return document.attributes.get("date", "") or (named[0] if named else "")


def _parts(
    plain: PlainText, document: Document, sentence: int, mentions: pd.DataFrame
) -> tuple[str, ...]:
    """Return the text of a sentence, divided at the borders of its mentions."""
    text = plain.texts[document.id]
    first = document.sentence_starts[sentence]
    last = first + len(document.sentences[sentence]) - 1
    at = [int(text.begin[first])]
    for start, stop in sorted(zip(mentions["from_char"], mentions["to_char"], strict=True)):
        if len(at) > 1 and start < at[-1]:  # they overlap: one mark
            at[-1] = max(at[-1], stop)
        else:
            at += [start, stop]
    pieces = (text.text[a:b] for a, b in pairwise([*at, int(text.end[last])]))
    return tuple(re.sub(r"\s+", " ", piece) for piece in pieces)
