"""Errors by rule: of tags, of words, and of how the corpus was made.

An action is not in the chain of a participant, a function word ("without", "its") is no event, and
no chain is of two units where annotators linked mentions inside one (``Corpus.linked_within``).
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from cdec.auditing.case import CONTRADICTING, NO_EVENT, TWO_EVENTS, Fix
from cdec.auditing.copies import scopes
from cdec.auditing.evidence import Evidence
from cdec.auditing.fit import bare_descriptor
from cdec.auditing.fixes import new, put, removals
from cdec.auditing.suspects import Suspect, detector
from cdec.corpus.model import ENTITY, EVENT
from cdec.errors import counted
from cdec.language.heads import heads

RULE = "rule"  # the group of suspects that the construction of the corpus decides: all are errors
# Universal parts of speech without an event. Pronouns such as "it" and "which" may refer to one;
# possessives may not.
_FUNCTION = ("ADP", "SCONJ", "CCONJ", "DET", "PUNCT")
_POSSESSIVES = ("its", "his", "her", "their", "my", "your", "our", "whose")
# What refers, predicates ("the power is out") and words that stand for one ("a former player").
_EVENTS = (
    *("this", "that", "these", "those", "which", "such", "both"),
    *(
        "out",
        "over",
        "back",
        "down",
        "up",
        "off",
        "away",
        "in",
        "on",
        "under",
        "behind",
    ),
    *("former", "given", "worth", "inside"),
)
_SHOWN = 8  # arguments with the descriptor of a chain of events


@detector("tags", kind=CONTRADICTING)
def tags(evidence: Evidence) -> Iterator[Suspect]:
    """Yield chains of events that share chain or descriptor with arguments."""
    if set(evidence.corpus.kinds) != {EVENT, ENTITY}:
        raise evidence.lacks("mentions of events and of participants, places or times")
    mentions = evidence.corpus.mentions
    names = mentions["descriptor"].astype(str).map(bare_descriptor)
    mentions = mentions.assign(name=names)
    events = mentions[mentions["kind"] == EVENT]
    arguments = mentions[mentions["kind"] == ENTITY]
    yield from _shared_chains(evidence, events, arguments)
    yield from _shared_descriptors(evidence, events, arguments)


def _shared_chains(
    evidence: Evidence, events: pd.DataFrame, arguments: pd.DataFrame
) -> Iterator[Suspect]:
    """Yield the events in chains with arguments."""
    arguments_of_chain = dict(list(arguments.groupby("chain")))
    for label, members in events.groupby("chain", sort=False):
        if label in arguments_of_chain:
            reason = "the chain also has"
            others = arguments_of_chain[label]
            yield _contradiction(evidence, members, others, "shared-chain", reason)


def _shared_descriptors(
    evidence: Evidence, events: pd.DataFrame, arguments: pd.DataFrame
) -> Iterator[Suspect]:
    """Yield the events in chains with the descriptor of a chain of arguments."""
    described_arguments = arguments[arguments["descriptor"] != ""]
    arguments_of_name = dict(list(described_arguments.groupby(["topic", "name"])))
    described = events[events["descriptor"] != ""]
    by_chain = described.groupby(["chain", "topic", "name"], sort=False)
    for (chain, topic, name), members in by_chain:
        others = arguments_of_name.get((topic, name))
        if others is not None and set(others["chain"]) != {chain}:
            reason = f"the descriptor of the chain, '{name}', is also used for"
            others = others[:_SHOWN]
            yield _contradiction(evidence, members, others, "shared-descriptor", reason)


def _contradiction(
    evidence: Evidence,
    events: pd.DataFrame,
    arguments: pd.DataFrame,
    group: str,
    reason: str,
) -> Suspect:
    """Return the suspect of events in the chain of arguments."""
    ids = tuple(events.index)
    tags_of_arguments = ", ".join(sorted(set(arguments["tag"])))
    sizes = evidence.corpus.selected["chain"].value_counts()
    fixes = removals(ids)
    label = events["chain"].iloc[0]
    is_whole_chain = len(ids) == sizes.get(label, 0)
    if not is_whole_chain:  # a whole chain that leaves would only be renamed
        leave = Fix(fix="split", text="A leaves the chain", claims=put(ids, new(ids)))
        fixes = (leave, *fixes)
    side_a = evidence.part(ids)
    side_b = evidence.part(arguments.index[:1], arguments.index[1:])
    return Suspect(
        (side_a, side_b), f"{reason} mentions tagged {tags_of_arguments}", fixes, group
    )


@detector(NO_EVENT, kind=NO_EVENT)
def no_event(evidence: Evidence) -> Iterator[Suspect]:
    """Yield the event mentions of one token that is a function word."""
    selected = evidence.corpus.selected
    events = selected[selected["kind"] == EVENT]  # "its" may be an entity
    if events.empty:
        raise evidence.lacks("mentions of events")
    heads_of_mentions = heads(evidence.corpus, evidence.nlp, evidence.progress)
    pos = heads_of_mentions.loc[events.index, "pos"]
    word = events["text"].str.lower()
    is_function_word = pos.isin(_FUNCTION) & ~word.isin(_EVENTS)
    is_function_word |= word.isin(_POSSESSIVES)
    has_one_token = events["tokens"].map(len) == 1
    for mention in map(str, events.index[is_function_word & has_one_token]):
        yield Suspect(
            (mention,),
            f"'{word[mention]}' is a function word ({pos[mention]})",
            removals((mention,)),
        )


@detector(TWO_EVENTS, kind=TWO_EVENTS)
def two_events(evidence: Evidence) -> Iterator[Suspect]:
    """Yield the chains of several units; A is the smallest unit, B the others."""
    corpus = evidence.corpus
    if not corpus.linked_within:
        raise evidence.lacks("a level that limits the links")
    level = corpus.levels[corpus.linked_within]
    reason = f"A and B are of two {level}s, and the corpus has links inside one only"
    unit = corpus.selected["doc"].map(scopes(corpus))
    for _, units in unit.groupby(evidence.chain, sort=True):
        if units.nunique() < 2:
            continue
        smallest = units.value_counts(sort=False).idxmin()
        ids = [str(mention) for mention in units.index[units == smallest]]
        others = [str(mention) for mention in units.index[units != smallest]]
        side_a = evidence.part(ids[:1], ids[1:])
        side_b = evidence.part(others[:1], others[1:])
        yield Suspect((side_a, side_b), reason, _leave(evidence, ids), RULE)


def _leave(evidence: Evidence, ids: list[str]) -> tuple[Fix, ...]:
    """Return the corrections that take mentions out of their chain."""
    if len(ids) == 1:
        row = evidence.rows[ids[0]]
        rival = evidence.fixes.rival(row, None)
        return evidence.fixes.member(row, rival)
    mentions = counted(len(ids), "mention")
    text = f"split the chain: {mentions} of A become a chain of their own"
    return (Fix(fix="split", text=text, claims=put(ids, new(ids))),)
