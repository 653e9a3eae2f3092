"""Any cross-document key in CoNLL columns.

* The eight columns of Cattan et al. (2021): topics and sub-topics are in the file. A level is
  ignored if every unit above it contains one unit of it.
* CoNLL-2012: documents between ``#begin document (name)`` and ``#end document``, sentences between
  blank lines. The token is the fourth column; the third of four, where it is not a number; else
  there is no text. There are no levels.

Mentions are events, because such files do not say what they are. Escaped characters are decoded
(``cdec.formats.escape``).
"""

from __future__ import annotations

import pandas as pd

from cdec.corpus.model import LEVELS, Corpus
from cdec.corpus.readers.columns import (
    IN_EIGHT,
    MASKED,
    Placed,
    check,
    corpus_at,
    documents_of,
    eight_columns,
    rows_of,
)
from cdec.corpus.source import CorpusFormat, Source
from cdec.files.input import integer
from cdec.formats import reading
from cdec.formats.escape import unescape

_LEAST = 3  # columns: document, token number, chains
_NO_LEVEL = "-"  # in the column of a level that the corpus does not have
_MASKED_SHARE = (
    0.5  # of the tokens of a corpus without text; the published ones have 0.95
)


def read(source: Source) -> Corpus:
    """Return the corpus. Raises CorpusError with file and line."""
    found: Placed = []
    masked = []
    for file, _ in source:
        wide = source.begins(file, IN_EIGHT)
        rows = eight_columns(source, file) if wide else _conll_2012(source, file)
        for name in (*LEVELS, "token"):
            rows[name] = rows[name].map(unescape)
        rows[[*LEVELS]] = rows[[*LEVELS]].replace(_NO_LEVEL, "")
        masked += (rows["token"] == MASKED).tolist()
        of_file = []
        size = 0
        for document, spans in documents_of(file, rows):
            found.append((document, [(span, {}) for span in spans]))
            of_file += [(size + span.start, size + span.end) for span in spans]
            size += len(document.tokens)
        if reading.lines_are_mentions(of_file, len(rows)):
            before_the_chains = rows["text"].str.rstrip().str.rsplit(n=1).str[0]
            lines = list(zip(rows["block"], before_the_chains, strict=True))
            identity = reading.identity_of_lines(lines, [""] * len(lines))
            reading.check_identity({reading.IDENTITY: identity}, file)
    topics = {document.topic for document, _ in found}
    subtopics = {(document.topic, document.subtopic) for document, _ in found}
    there = {"topic": topics != {""}, "subtopic": len(subtopics) > len(topics)}
    return corpus_at(
        source,
        found,
        own_labels=True,
        levels={level: LEVELS[level] for level in LEVELS if there[level]},
        text="none" if sum(masked) > _MASKED_SHARE * len(masked) else "full",
    )


def _conll_2012(source: Source, file: str) -> pd.DataFrame:
    """Return the rows of a file; its first one shows which column has the token."""
    rows = rows_of(source, file)
    fields = [t.split("\t") if "\t" in t else t.split() for t in rows["text"]]
    first = fields[0]
    third = 2 if len(first) == 4 and integer(first[2]) < 0 else None
    at = 3 if len(first) > 4 else third
    least = _LEAST if at is None else at + 2
    rows["width"] = [len(row) for row in fields]
    check(
        file,
        rows,
        rows["width"] < least,
        f"expected {least} columns or more, got {{width}}",
    )
    rows["token"] = [MASKED if at is None else row[at] for row in fields]
    rows["cell"] = [row[-1] for row in fields]
    # A line between two rows of a document ends a sentence.
    gaps = (rows["line"].diff() > 1).groupby(rows["block"])
    sentence = gaps.cumsum() - gaps.transform("first")
    return rows.assign(doc=rows["block"], sentence=sentence.astype(int))


FORMAT = CorpusFormat(
    "conll",
    "CoNLL",
    patterns=("*.conll", "*.conll.gz", "*_conll"),
    begins=rf"#begin document|{IN_EIGHT}",
    read=read,
    schema="3",
)
