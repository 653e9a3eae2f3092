"""Counts of any annotation: documents, words, entities, mentions, and their kinds.

The tables of Žabokrtský et al. (2022), CRAC: 1 (entities), 9–14 (lengths, kinds, heads).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

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
}
_COUNTS = {
    *("documents", "sentences", "words", "empty"),
    *("entities", "longest_entity", "mentions", "longest_mention"),
}
_GROUPS = {
    "entity_length_": ("Entities", "of {} mentions, %"),
    "mention_length_": ("Mentions", "of {} words, %"),
    "head_": ("Heads", "{}, %"),
}
_LEGEND = (
    "Entities end with their document. Words are counted without empty nodes. Treelet: a mention "
    "with one node whose parent lies outside. –: the format does not say."
)


def statistics(annotation: Annotation, *, drop_singletons: bool = False) -> dict[str, float | None]:
    """Return name → number: counts, averages, and shares in percent; None if unknown.

    An entity ends with its document. The length of a mention counts words, not empty nodes.
    """
    if drop_singletons:
        annotation = _without_singletons(annotation)
    table = annotation.mentions
    entity: Ints = np.asarray(table.groupby(["doc", "chain"], sort=False).size(), np.int64)
    lengths = _lengths(table)
    words = _words(annotation)
    gaps = table["tokens"].map(len).to_numpy() > 0
    counts: dict[str, float | None] = {
        "documents": len(annotation.documents),
        "sentences": _sentences(annotation),
        "words": words,
        "empty": None,
        "entities": len(entity),
        "entities_per_1000": _per_thousand(len(entity), words),
        "longest_entity": int(entity.max(initial=0)),
        "mean_entity": float(entity.mean()) if len(entity) else None,
        **_shares("entity_length", entity.astype(np.int64), 1),
        "mentions": len(table),
        "mentions_per_1000": _per_thousand(len(table), words),
        "longest_mention": int(lengths.max(initial=0)),
        "mean_mention": float(lengths.mean()) if len(lengths) else None,
        **_shares("mention_length", lengths, 0),
    }
    trees = annotation.trees
    return counts | (_of_trees(trees) if trees else {"with_gap": _percent(gaps)})


def _without_singletons(annotation: Annotation) -> Annotation:
    sizes = annotation.mentions.groupby(["doc", "chain"], sort=False)["line"].transform("size")
    rows = np.flatnonzero(sizes.to_numpy() > 1)
    trees = annotation.trees.take(rows) if annotation.trees else None
    return replace(annotation, mentions=annotation.mentions.iloc[rows], trees=trees)


def _lengths(table: pd.DataFrame) -> Ints:
    """Return the number of words of each mention; 0 for one without words."""
    tokens = table["tokens"].map(len).to_numpy(np.int64)
    whole = np.where(table["start"] < 0, 0, table["end"] - table["start"] + 1)
    return np.where(tokens > 0, tokens, whole).astype(np.int64)


def _words(annotation: Annotation) -> int | None:
    if annotation.layout:
        return sum(len(layout.lines) for layout in annotation.layout.values())
    texts = list(annotation.documents.values())
    known = [len(text) for text in texts if text is not None]
    return sum(known) if len(known) == len(texts) else None


def _sentences(annotation: Annotation) -> int | None:
    numbers = [layout.sentences for layout in annotation.layout.values()]
    known = [len(np.unique(n)) for n in numbers if n is not None]
    return sum(known) if numbers and len(known) == len(numbers) else None


def _per_thousand(number: int, words: int | None) -> float | None:
    return 1000 * number / words if words else None


def _percent(mask: Bools) -> float | None:
    return 100 * float(mask.mean()) if len(mask) else None


def _shares(name: str, lengths: Ints, least: int) -> Mapping[str, float | None]:
    """Return the share of each length, in percent; the last is that of 5 and more."""
    shares = {f"{name}_{n}": _percent(lengths == n) for n in range(least, _LONGEST)}
    return {**shares, f"{name}_{_LONGEST}+": _percent(lengths >= _LONGEST)}


def _of_trees(bank: Treebank) -> dict[str, float | None]:
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


def files_page(columns: Mapping[str, Mapping[str, float | None]]) -> Page:
    """Return the page for file name → statistics."""
    frame = pd.DataFrame(dict(columns))
    rows = [
        (*_label(str(name)), *(_shown(number, name in _COUNTS) for number in frame.loc[name]))
        for name in frame.index
    ]
    view = pd.DataFrame(rows, columns=["", " ", *columns])
    data = frame.rename_axis("count").reset_index().melt("count", var_name="file")
    return Page.from_table(view, data, notes=(_LEGEND,))


def _label(name: str) -> tuple[str, str]:
    for prefix, (group, text) in _GROUPS.items():
        if name.startswith(prefix):
            return group, text.format(name.removeprefix(prefix))
    return _LABELS[name]


def _shown(number: float | None, is_count: bool) -> str:
    if number is None or pd.isna(number):
        return "–"
    return f"{number:,.0f}" if is_count else f"{number:,.1f}"
