"""Mentions that may not be events: their head is a function word, as "without" or "its"."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from cdec.auditing.case import NO_EVENT as KIND
from cdec.auditing.detector import Detector, Need
from cdec.auditing.fixes import removals
from cdec.corpus.model import EVENT, Corpus
from cdec.files.progress import Progress, silent
from cdec.language.heads import heads

if TYPE_CHECKING:
    from cdec.auditing.key import Key

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

    Columns: ``mention`` (id), ``word`` and ``pos``. Raises LanguageError as ``heads`` does.
    """
    events = corpus.selected
    table = heads(corpus, pipeline, progress).loc[events.index]
    word = events["text"].str.lower()
    function = table["pos"].isin(_FUNCTION) & ~word.isin(_REFERRING | _PREDICATES)
    single = events["tokens"].map(len) == 1
    single &= events["kind"] == EVENT  # "its" may well be an entity
    flagged = (single & (function | word.isin(_POSSESSIVES))).to_numpy(bool)
    words = pd.DataFrame({"mention": events.index, "word": word, "pos": table["pos"]})
    return words[flagged].reset_index(drop=True)


def _find(key: Key) -> pd.DataFrame:
    rows = [
        ((str(id_),), 1.0, f"'{word}' is a function word ({pos})", removals((str(id_),)))
        for id_, word, pos in key.prepared.facts[NO_EVENT.id].itertuples(index=False, name=None)
    ]
    return pd.DataFrame(rows, columns=["mentions", "score", "reason", "fix"])


NO_EVENT = Detector(
    id=KIND,
    words="mentions that are function words",
    kind=KIND,
    find=_find,
    prepare=lambda corpus, config, progress: no_events(corpus, config.pipeline, progress),
    table="words",
    by_chain=False,
    needs=Need("mentions of events", lambda corpus: EVENT in set(corpus.selected["kind"])),
)
