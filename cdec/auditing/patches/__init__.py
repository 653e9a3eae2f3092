"""Corrections of a key: the patch file, its application, and scores against the result.

``read_part`` reads a corpus with a key that is corrected if there is a patch.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cdec.corpus.adapter import open_source
from cdec.corpus.known import by_digest
from cdec.corpus.splits import part_of
from cdec.corpus.store.load import load

if TYPE_CHECKING:
    from cdec.corpus.adapter import Tick
    from cdec.corpus.model import Corpus
    from cdec.corpus.store.locate import Located


def read_part(
    located: Located,
    split: str | None = "all",
    tick: Tick = lambda: None,
    key_patch: str | Path | None = None,
    format: str | None = None,
) -> Corpus:
    """Load the part ``split`` of a located corpus (None: test, if there is one).

    ``tick`` is called after each parsed file. ``key_patch`` corrects the key of the whole corpus,
    because a chain may have mentions inside and outside the part. ``format``: by default detected.
    """
    source = open_source(located.path, format)
    known = by_digest(source.digest)
    corpus = load(source, known.name if known else located.name, tick)
    if key_patch:
        from cdec.auditing.patches.model import read_patch  # noqa: PLC0415  few calls have one
        from cdec.auditing.patches.rescore import patched_corpus  # noqa: PLC0415

        corpus = patched_corpus(corpus, read_patch(key_patch))
    return part_of(corpus, split)
