"""The page of the statistics of files: a row per count, a column per file."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from cdec.render import Page

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
