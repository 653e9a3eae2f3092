"""Contradicting tags: an event mention in the chain of a participant, a place or a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from cdec.auditing.case import CONTRADICTING, Fix
from cdec.auditing.fit import bare_descriptor
from cdec.auditing.fixes import new, put, removals
from cdec.auditing.suspect import Need, Suspect, detector
from cdec.corpus.model import ENTITY, EVENT

if TYPE_CHECKING:
    from cdec.auditing.key import Key


@detector(
    "tags",
    "an action in the chain of a participant, a place or a time",
    kind=CONTRADICTING,
    needs=Need(
        "mentions of events and of participants, places or times",
        lambda corpus: set(corpus.kinds) == {EVENT, ENTITY},
    ),
)
def tags(key: Key) -> Iterator[Suspect]:
    """Yield chains of events that share chain or descriptor with arguments."""
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
        return Suspect(sides, reason.format(tags), fixes, group)

    in_chain = dict(list(arguments.groupby("chain")))
    for label, part in events.groupby("chain", sort=False):
        if label in in_chain:
            reason = "the chain also has mentions tagged {}"
            yield suspect(part, in_chain[label], "shared-chain", reason)
    named = dict(list(arguments[arguments["descriptor"] != ""].groupby(["topic", "name"])))
    described = events[events["descriptor"] != ""]
    for (chain, topic, name), part in described.groupby(["chain", "topic", "name"], sort=False):
        others = named.get((topic, name))
        if others is not None and set(others["chain"]) != {chain}:
            reason = f"the descriptor of the chain, '{name}', is also used for mentions tagged {{}}"
            yield suspect(part, others[:8], "shared-descriptor", reason)
