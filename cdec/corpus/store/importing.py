"""Import a corpus: read it in any format, list its defects, store it in the interchange format."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from cdec.corpus.adapter import CORPORA, Tick, guarded, open_source, read_corpus
from cdec.corpus.interchange.reader import LAYOUT as INTERCHANGE
from cdec.corpus.interchange.writer import content_digest
from cdec.corpus.irregularities import irregularities
from cdec.corpus.model import Corpus
from cdec.corpus.store.locate import own_name, store
from cdec.corpus.store.verify import defect_table
from cdec.corpus.topics import read_topics, with_topics
from cdec.io.progress import Progress, silent


@dataclass(frozen=True)
class Imported:
    """A corpus that was imported: the file written, its format before, and its defects.

    ``defects`` has the columns of ``cdec.corpus.store.verify.DEFECT_COLUMNS``.
    """

    path: Path
    corpus: Corpus = field(repr=False)
    format: str
    content: str
    defects: pd.DataFrame = field(repr=False)


def import_corpus(
    path: Path,
    name: str,
    *,
    format: str | None = None,
    topics: Path | None = None,
    tick: Tick = lambda: None,
    progress: Progress = silent,
) -> Imported:
    """Read the corpus at ``path``, store it under ``name`` and return it with its defects.

    ``format`` is its format, by default detected; ``topics`` is a table document → topic and
    sub-topic. Nothing is stored after an error. Raises CorpusError and UsageError.
    """
    label = own_name(name)
    table = read_topics(topics) if topics else None
    source = open_source(path, format)
    corpus = read_corpus(source, label, tick)
    if table is not None:
        corpus = with_topics(corpus, table, topics)
    defects = list(irregularities(corpus))
    inspect = CORPORA[source.layout.name].inspect
    # That of the interchange format finds what ``irregularities`` does.
    if inspect is not None and source.layout != INTERCHANGE:
        general = {defect.kind for defect in defects}
        with guarded(source):
            inspection = inspect(source, lambda: None)
        defects += [defect for defect in inspection.defects if defect.kind not in general]
    written = store(corpus, progress)
    known = source.layout == INTERCHANGE and table is None
    content = corpus.digest if known else content_digest(corpus)
    return Imported(written, corpus, corpus.format, content, defect_table(defects))
