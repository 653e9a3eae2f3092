"""Mentions that may not be events: their head is a function word, as "without" or "its"."""

from __future__ import annotations

import pandas as pd

from cdec.corpus.model import EVENT, Corpus
from cdec.io.progress import Progress, silent
from cdec.language import heads

# Universal parts of speech without an event. Pronouns such as "it" and "which" may refer to one;
# possessives may not (see _POSSESSIVES).
_FUNCTION = frozenset({"ADP", "SCONJ", "CCONJ", "DET", "PUNCT"})
_POSSESSIVES = frozenset({"its", "his", "her", "their", "my", "your", "our", "whose"})
_REFERRING = frozenset({"this", "that", "these", "those", "which", "such", "both"})
# Predicates ("the power is out") and words that stand for one ("in custody", "a former player").
_PREDICATES = frozenset(
    {"out", "over", "back", "down", "up", "off", "away", "in", "on", "under", "behind"}
    | {"former", "given", "worth", "inside"}
)


def no_events(corpus: Corpus, pipeline: str, progress: Progress = silent) -> pd.DataFrame:
    """Return the event mentions of one token that is a function word.

    Columns: ``mention`` (row among the event mentions), ``word`` and ``pos``. Raises LanguageError
    as ``heads`` does.
    """
    events = corpus.selected
    table = heads(corpus, pipeline, progress).loc[events.index]
    word = events["text"].str.lower()
    function = table["pos"].isin(_FUNCTION) & ~word.isin(_REFERRING | _PREDICATES)
    single = events["tokens"].map(len) == 1
    single &= events["kind"] == EVENT  # "its" may well be an entity
    flagged = (single & (function | word.isin(_POSSESSIVES))).to_numpy(bool)
    rows = pd.Series(range(len(events)), index=events.index, name="mention")
    found = pd.DataFrame({"mention": rows, "word": word, "pos": table["pos"]})
    return found[flagged].reset_index(drop=True)
