"""brat: a folder of texts and annotations, as a key or a response."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from cdec.corpus.readers.brat import is_brat, read_standoff
from cdec.formats import from_corpus
from cdec.formats.annotation import Annotation


def read_brat(folder: Path) -> Annotation | None:
    """Return the mentions and chains of a folder of brat, of all kinds; None for another folder.

    Mentions are known by their words: two annotators number them differently. Labels are as in the
    files, so that the call can say where they hold, and what ``-1`` means.
    """
    if not is_brat(folder):
        return None
    corpus = read_standoff(
        folder,
        folder,
        folder.name,
        language="",
        key_labels="corpus",
        noise="label",
        columns=None,
    ).select("all")
    annotation = from_corpus(corpus, corpus.gold, str(folder))
    return replace(
        annotation,
        format="documents",
        mentions=annotation.mentions.assign(mention=""),
        files={document: document for document in annotation.documents},
    )
