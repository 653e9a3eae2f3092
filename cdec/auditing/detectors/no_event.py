"""Mentions that may not be events: their head is a function word, as "without" or "its"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cdec.auditing.case import NO_EVENT as KIND
from cdec.auditing.fixes import removals
from cdec.auditing.suspect import Need, Suspect, detector
from cdec.corpus.model import EVENT
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


@detector(
    KIND,
    "mentions that are function words",
    kind=KIND,
    by_chain=False,
    needs=Need("mentions of events", lambda corpus: EVENT in set(corpus.selected["kind"])),
)
def no_event(key: Key) -> Iterator[Suspect]:
    """Yield the event mentions of one token that is a function word."""
    events = key.corpus.selected
    pos = heads(key.corpus, key.config.pipeline, key.progress).loc[events.index, "pos"]
    word = events["text"].str.lower()
    function = pos.isin(_FUNCTION) & ~word.isin(_REFERRING | _PREDICATES)
    # "its" may well be an entity
    single = (events["tokens"].map(len) == 1) & (events["kind"] == EVENT)
    flagged = single & (function | word.isin(_POSSESSIVES))
    for id_ in events.index[flagged.to_numpy(bool)]:
        reason = f"'{word[id_]}' is a function word ({pos[id_]})"
        yield Suspect((str(id_),), reason, removals((str(id_),)))
