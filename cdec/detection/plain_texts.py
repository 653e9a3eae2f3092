"""Plain texts as a corpus: where its mentions are in the texts, and which are reporting verbs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pandas as pd

from cdec.configs import read_toml
from cdec.corpus.frames import corpus_from
from cdec.corpus.model import ALL_KINDS, Corpus
from cdec.corpus.texts import TextDocument, read_texts
from cdec.detection.system import with_mentions
from cdec.formats import Annotation
from cdec.io.progress import Progress, silent
from cdec.language import heads

REPORTING = "reporting"


@dataclass(frozen=True, eq=False)
class PlainText:
    """A corpus without mentions, made from these texts."""

    corpus: Corpus
    texts: Mapping[str, TextDocument] = field(repr=False)

    @classmethod
    def read(cls, path: Path, progress: Progress = silent) -> PlainText:
        """Return the texts in a folder, or in a table; see ``cdec.corpus.texts.read_texts``."""
        found = read_texts(path, progress=progress)
        records = [document.record for document in found.values()]
        return cls(corpus_from([], records, name=path.resolve().name).select(ALL_KINDS), found)

    def located(self, annotation: Annotation) -> Annotation:
        """Return an annotation of the corpus with the columns ``EXTRA`` of formats.annotation."""
        table = annotation.mentions
        texts = [self.texts[doc] for doc in table["doc"]]
        begin = [int(t.begin[start]) for t, start in zip(texts, table["start"], strict=True)]
        end = [int(t.end[last]) for t, last in zip(texts, table["end"], strict=True)]
        words = [t.text[a:b] for t, a, b in zip(texts, begin, end, strict=True)]
        located = table.assign(text=words, from_char=begin, to_char=end)
        return replace(annotation, mentions=located)


def with_reporting(
    annotation: Annotation, plain: PlainText, nlp: str = "hanta", progress: Progress = silent
) -> Annotation:
    """Return the mentions with a column that says whether their chain is of reporting verbs.

    It is if the heads of at least half of its mentions are such verbs
    (``configs/detection/reporting.toml``).
    """
    table = annotation.mentions
    verbs = read_toml("detection/reporting.toml")["verbs"]
    head = heads(with_mentions(plain.corpus, table), nlp, progress)
    is_verb = (head["lemma"].isin(verbs) & (head["pos"] == "VERB")).to_numpy()
    share = pd.Series(is_verb, table.index).groupby(table["chain"]).transform("mean")
    return replace(annotation, mentions=table.assign(**{REPORTING: share >= 0.5}))
