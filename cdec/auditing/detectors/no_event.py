"""Mentions that may not be events: their head is a function word, as "without" or "its"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cdec.auditing.case import NO_EVENT
from cdec.auditing.fixes import removals
from cdec.auditing.suspect import Need, Suspect, detector
from cdec.corpus.model import EVENT
from cdec.language.heads import heads

if TYPE_CHECKING:
    from cdec.auditing.key import Key

# Universal parts of speech without an event. Pronouns such as "it" and "which" may refer to one;
# possessives may not.
_FUNCTION = ("ADP", "SCONJ", "CCONJ", "DET", "PUNCT")
_POSSESSIVES = ("its", "his", "her", "their", "my", "your", "our", "whose")
# What refers, predicates ("the power is out") and words that stand for one ("a former player").
_EVENTS = (
    *("this", "that", "these", "those", "which", "such", "both"),
    *("out", "over", "back", "down", "up", "off", "away", "in", "on", "under", "behind"),
    *("former", "given", "worth", "inside"),
)


@detector(
    NO_EVENT,
    "mentions that are function words",
    kind=NO_EVENT,
    needs=Need("mentions of events", lambda corpus: EVENT in set(corpus.selected["kind"])),
)
def no_event(key: Key) -> Iterator[Suspect]:
    """Yield the event mentions of one token that is a function word."""
    events = key.corpus.selected
    pos = heads(key.corpus, key.nlp, key.progress).loc[events.index, "pos"]
    word = events["text"].str.lower()
    function = (pos.isin(_FUNCTION) & ~word.isin(_EVENTS)) | word.isin(_POSSESSIVES)
    single = (events["tokens"].map(len) == 1) & (events["kind"] == EVENT)  # "its" may be an entity
    for id_ in map(str, events.index[function & single]):
        reason = f"'{word[id_]}' is a function word ({pos[id_]})"
        yield Suspect((id_,), reason, removals((id_,)))
