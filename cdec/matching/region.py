"""Leave out response mentions outside the annotated region, and name the split they cover."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from cdec.arrays import Bools
from cdec.corpus.model import Corpus, Region
from cdec.errors import counted
from cdec.errors.notices import Notice, notice
from cdec.matching.view import View

UNREVIEWED = 0.05
"""The share of unreviewed sentences from which predicted mentions are not scored in silence."""


def inside_region(view: View, corpus: Corpus) -> tuple[View, list[Notice]]:
    """Return the view without the mentions outside the region of the part, and a notice.

    ``view`` has the documents and token numbers of ``corpus``.
    """
    table, region = view.mentions, corpus.region
    if region is None:
        return view, []
    start = table["start"].to_numpy(np.int64)
    outside: Bools = table["mention"].isin(region.outside.index).to_numpy(copy=True)
    placed = start >= 0
    outside[placed] = ~region.contains(corpus.documents, table["doc"][placed], start[placed])
    if region.listed:
        outside = ~table.index.isin(list(region.listed))
    if not outside.any():
        return view, []
    lines = table["line"].to_numpy()[outside].tolist()
    what = counted(len(lines), "response mention is", "response mentions are")
    message = f"{what} outside the {extent(region)} of '{corpus.part}' and left out"
    # A system's own mentions have no line.
    names = table["doc"] + table[["start", "end"]].astype(str).agg("-".join, axis=1).radd("/")
    cases = [view.place(n) if n else name for n, name in zip(lines, names[outside], strict=True)]
    kept = replace(view, mentions=table[~outside])
    return kept, [notice("outside-region", message, cases, warning=False)]


def extent(region: Region) -> str:
    """Return what a region consists of, for messages."""
    return "listed mentions" if region.listed else "annotated sentences"


def other_split(corpus: Corpus, documents: Iterable[str]) -> Iterator[Notice]:
    """Yield a notice if these documents are those of another part, or their topics (other units).

    ``documents`` are those of the response, inside the part or not. The parts of cdec's own splits
    are considered, if the split assigns every unit of the corpus.
    """
    known = {**corpus.documents, **corpus.elsewhere}
    mentioned = [known[doc] for doc in documents]
    # Imported here: the schemas of files take a tenth of a second.
    from cdec.corpus.splits import load_split, split_names  # noqa: PLC0415

    for name in split_names():
        split = load_split(name)
        covered = {split.unit_of(document) for document in mentioned}
        asked = {split.unit_of(document) for document in corpus.documents.values()}
        whole = {split.unit_of(document) for document in known.values()}
        part = next((part for part, units in split.parts.items() if units == covered), None)
        if part is not None and covered != asked and whole == set().union(*split.parts.values()):
            message = f"the response covers {name}/{part}; did you mean that part?"
            yield Notice("other-split", 1, message, warning=not asked <= covered)


def unreviewed(corpus: Corpus, twinless: pd.DataFrame) -> Iterator[Notice]:
    """Yield a warning if mentions are predicted where many sentences were not reviewed.

    ``twinless`` are the response mentions that are not in the key: in a sentence that was not
    reviewed in full they count as wrong, whether they are or not.
    """
    if corpus.region or not corpus.reviewed or twinless.empty:
        return
    listed = [
        (doc.id, sentence) in corpus.reviewed
        for doc in corpus.documents.values()
        for sentence in range(doc.text_start, len(doc.sentences))
    ]
    share = 1 - sum(listed) / len(listed)
    if share < UNREVIEWED:
        return
    inside = Region(corpus.reviewed, twinless).contains(
        corpus.documents, twinless["doc"], twinless["start"].to_numpy(dtype=np.int64)
    )
    message = (
        f"{100 * share:.0f} % of the sentences of '{corpus.part}' were not reviewed in full, and "
        f"{int((~inside).sum()):,} of {counted(len(twinless), 'predicted mention')} that are not "
        f"in the key are in them: score predicted mentions with {_reviewed_part(corpus)}"
    )
    yield Notice("sentences-unreviewed", listed.count(False), message)


def _reviewed_part(corpus: Corpus) -> str:
    """Return how to choose the reviewed sentences of a part: a split of cdec, or a file."""
    # Imported here: the schemas of files take a tenth of a second.
    from cdec.corpus.splits import ALL, load_split, split_names  # noqa: PLC0415

    split = next(split for name in split_names() if (split := load_split(name)).reviewed_only)
    part, known = corpus.part.rpartition("-")[2], {**corpus.documents, **corpus.elsewhere}
    units = {split.unit_of(document) for document in known.values()}
    if part == ALL or split.parts.get(part, {None}) <= units:
        return f"the part {split.name}/{part}"
    return "a split file that has reviewed_only = true"
