"""Errors by rule: of tags, of words, and of how the corpus was made.

An action is not in the chain of a participant, a function word ("without", "its") is no event, and
no chain is of two units where annotators linked mentions inside one (``Corpus.linked_within``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from cdec.auditing.case import CONTRADICTING, NO_EVENT, TWO_EVENTS, Fix, Suspect, detector
from cdec.auditing.detectors.copies import scopes
from cdec.auditing.fit import bare_descriptor
from cdec.auditing.fixes import new, put, removals
from cdec.corpus.model import ENTITY, EVENT
from cdec.errors import counted
from cdec.language.heads import heads

if TYPE_CHECKING:
    from cdec.auditing.key import Key

RULE = "rule"  # the group of suspects that the construction of the corpus decides: all are errors
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


@detector("tags", kind=CONTRADICTING)
def tags(key: Key) -> Iterator[Suspect]:
    """Yield chains of events that share chain or descriptor with arguments."""
    if set(key.corpus.kinds) != {EVENT, ENTITY}:
        raise key.lacks("mentions of events and of participants, places or times")
    mentions = key.corpus.mentions
    mentions = mentions.assign(name=mentions["descriptor"].astype(str).map(bare_descriptor))
    events, arguments = (mentions[mentions["kind"] == kind] for kind in (EVENT, ENTITY))
    sizes = key.corpus.selected["chain"].value_counts()

    def suspect(part: pd.DataFrame, others: pd.DataFrame, group: str, reason: str) -> Suspect:
        ids, tags = tuple(part.index), ", ".join(sorted(set(others["tag"])))
        leave = Fix(fix="split", text="A leaves the chain", claims=put(ids, new(ids)))
        whole = len(ids) == sizes.get(part["chain"].iloc[0], 0)  # then it would only be renamed
        sides = key.part(ids), key.part(others.index[:1], others.index[1:])
        fixes = removals(ids) if whole else (leave, *removals(ids))
        return Suspect(sides, f"{reason} mentions tagged {tags}", fixes, group)

    in_chain = dict(list(arguments.groupby("chain")))
    for label, part in events.groupby("chain", sort=False):
        if label in in_chain:
            yield suspect(part, in_chain[label], "shared-chain", "the chain also has")
    named = dict(list(arguments[arguments["descriptor"] != ""].groupby(["topic", "name"])))
    described = events[events["descriptor"] != ""]
    for (chain, topic, name), part in described.groupby(["chain", "topic", "name"], sort=False):
        others = named.get((topic, name))
        if others is not None and set(others["chain"]) != {chain}:
            reason = f"the descriptor of the chain, '{name}', is also used for"
            yield suspect(part, others[:8], "shared-descriptor", reason)


@detector(NO_EVENT, kind=NO_EVENT)
def no_event(key: Key) -> Iterator[Suspect]:
    """Yield the event mentions of one token that is a function word."""
    events = key.corpus.selected[key.corpus.selected["kind"] == EVENT]  # "its" may be an entity
    if events.empty:
        raise key.lacks("mentions of events")
    pos = heads(key.corpus, key.nlp, key.progress).loc[events.index, "pos"]
    word = events["text"].str.lower()
    function = (pos.isin(_FUNCTION) & ~word.isin(_EVENTS)) | word.isin(_POSSESSIVES)
    for id_ in map(str, events.index[function & (events["tokens"].map(len) == 1)]):
        reason = f"'{word[id_]}' is a function word ({pos[id_]})"
        yield Suspect((id_,), reason, removals((id_,)))


@detector(TWO_EVENTS, kind=TWO_EVENTS)
def two_events(key: Key) -> Iterator[Suspect]:
    """Yield the chains of several units; A is the smallest unit, B the others."""
    if not key.corpus.linked_within:
        raise key.lacks("a level that limits the links")
    level = key.corpus.levels[key.corpus.linked_within]
    reason = f"A and B are of two {level}s, and the corpus has links inside one only"
    unit = key.corpus.selected["doc"].map(scopes(key.corpus))
    for _, units in unit.groupby(key.chain, sort=True):
        if units.nunique() < 2:
            continue
        smallest = units == units.value_counts(sort=False).idxmin()
        ids, rest = (units.index[rows].astype(str).tolist() for rows in (smallest, ~smallest))
        text = f"split the chain: {counted(len(ids), 'mention')} of A become a chain of their own"
        fixes: tuple[Fix, ...] = (Fix(fix="split", text=text, claims=put(ids, new(ids))),)
        if len(ids) == 1:
            row = key.rows[ids[0]]
            fixes = key.fixes.member(row, key.fixes.rival(row, None))
        sides = key.part(ids[:1], ids[1:]), key.part(rest[:1], rest[1:])
        yield Suspect(sides, reason, fixes, RULE)
