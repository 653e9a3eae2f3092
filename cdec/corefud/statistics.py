"""Counts of any annotation: documents, words, entities, mentions, and their kinds.

The tables of Žabokrtský et al. (2022), CRAC: 1 (entities), 9–14 (lengths, kinds, heads).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Ints
from cdec.corefud.heads import outside
from cdec.corefud.nodes import UPOS
from cdec.corefud.treebank import Treebank
from cdec.formats.annotation import Annotation
from cdec.render import Page

TAGS = ("NOUN", "PRON", "PROPN", "DET", "ADJ", "VERB", "ADV", "NUM", "_")
_LONGEST = 5
_LABELS = {
    "documents": ("Text", "documents"),
    "sentences": ("Text", "sentences"),
    "words": ("Text", "words"),
    "empty": ("Text", "empty nodes"),
    "entities": ("Entities", "number"),
    "entities_per_1000": ("Entities", "per 1,000 words"),
    "longest_entity": ("Entities", "mentions: most"),
    "mean_entity": ("Entities", "mentions: mean"),
    "mentions": ("Mentions", "number"),
    "mentions_per_1000": ("Mentions", "per 1,000 words"),
    "longest_mention": ("Mentions", "words: most"),
    "mean_mention": ("Mentions", "words: mean"),
    "with_empty": ("Mentions", "with an empty node, %"),
    "with_gap": ("Mentions", "with a gap, %"),
    "no_treelet": ("Mentions", "not a treelet, %"),
    "entity_length": ("Entities", "of {} mentions, %"),
    "mention_length": ("Mentions", "of {} words, %"),
    "head": ("Heads", "{}, %"),
}
_LEGEND = (
    "Entities end with their document. Words are counted without empty nodes. Treelet: a mention "
    "with one node whose parent lies outside. –: the format does not say."
)
Counts = dict[str, float | None]


def statistics(annotation: Annotation, *, drop_singletons: bool = False) -> Counts:
    """Return name → number: counts (int), averages, shares in percent (float); None if unknown.

    An entity ends with its document. The length of a mention counts words, not empty nodes.
    """
    table, bank = annotation.mentions, annotation.trees
    if drop_singletons:
        together = table.groupby(["doc", "chain"], sort=False)["line"].transform("size")
        rows = np.flatnonzero(together.to_numpy() > 1)
        table, bank = table.iloc[rows], bank.take(rows) if bank else None
    layouts, texts = [*annotation.layout.values()], [*annotation.documents.values()]
    sizes = [len(one.lines) for one in layouts] or [-1 if t is None else len(t) for t in texts]
    words = None if -1 in sizes else sum(sizes)
    numbers = [-1 if one.sentences is None else len(np.unique(one.sentences)) for one in layouts]
    sentences = None if -1 in numbers or not layouts else sum(numbers)
    gaps = table["tokens"].map(len).to_numpy(np.int64)
    whole = np.where(table["start"] < 0, 0, table["end"] - table["start"] + 1)
    counts: Counts = {
        "documents": len(texts),
        "sentences": sentences,
        "words": words,
        "empty": None,
    }
    for one, many, lengths, least in (
        ("entity", "entities", table.groupby(["doc", "chain"], sort=False).size().to_numpy(), 1),
        ("mention", "mentions", np.where(gaps > 0, gaps, whole), 0),
    ):
        counts |= {
            many: len(lengths),
            f"{many}_per_1000": 1000 * len(lengths) / words if words else None,
            f"longest_{one}": int(lengths.max(initial=0)),
            f"mean_{one}": float(lengths.mean()) if len(lengths) else None,
        }
        for n in range(least, _LONGEST):
            counts[f"{one}_length_{n}"] = _percent(lengths == n)
        counts[f"{one}_length_{_LONGEST}+"] = _percent(lengths >= _LONGEST)
    return counts | (_of_trees(bank) if bank else {"with_gap": _percent(gaps > 0)})


def _percent(mask: Bools | Ints) -> float | None:
    return 100 * float(mask.mean()) if len(mask) else None


def _of_trees(bank: Treebank) -> Counts:
    """Return the counts of a text, and shares of mentions in percent, by their nodes and heads."""
    nodes, spans = bank.nodes, bank.spans
    rows, is_empty = spans.rows(), ~nodes.is_word[spans.places]
    root = outside(nodes, spans)
    for at in np.flatnonzero(is_empty).tolist():
        inside = spans.places[slice(*spans.bounds[rows[at] : rows[at] + 2])]
        root[at] = np.isin(inside, nodes.parents(int(spans.places[at]))).sum() == 0
    tags = np.array(nodes.column(UPOS), dtype=object)[spans.head]
    return {
        "sentences": int(nodes.sentence[-1]) + 1,
        "empty": int((~nodes.is_word).sum()),
        "with_empty": _percent(np.bincount(rows[is_empty], minlength=len(spans)) > 0),
        "with_gap": _percent(spans.last - spans.first + 1 > spans.sizes),
        "no_treelet": _percent(np.bincount(rows[root], minlength=len(spans)) > 1),
        **{f"head_{tag}": _percent(tags == tag) for tag in TAGS},
        "head_other": _percent(~np.isin(tags, TAGS)),
    }


def files_page(columns: Mapping[str, Counts]) -> Page:
    """Return the page for file name → statistics."""
    frame, rows = pd.DataFrame(dict(columns)), []
    for name in map(str, frame.index):
        kind = next(kind for kind in reversed(_LABELS) if name.startswith(kind))
        group, label = _LABELS[kind]
        values = (counts.get(name) for counts in columns.values())
        shown = (
            "–" if v is None else f"{v:,}" if isinstance(v, int) else f"{v:,.1f}" for v in values
        )
        rows.append((group, label.format(name[len(kind) + 1 :]), *shown))
    data = frame.rename_axis("count").reset_index().melt("count", var_name="file")
    view = pd.DataFrame(rows, columns=["", " ", *columns])
    return Page.from_table(view, data, notes=(_LEGEND,))
