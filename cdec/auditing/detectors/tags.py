"""Contradicting tags: an event mention in the chain of a participant, a place or a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from cdec.auditing.case import CONTRADICTING, Fix
from cdec.auditing.detector import Detector, Need
from cdec.auditing.fit import bare_descriptor
from cdec.auditing.fixes import new, put, removals
from cdec.corpus.model import ENTITY, EVENT, Corpus

if TYPE_CHECKING:
    from cdec.auditing.key import Key


def contradictions(corpus: Corpus) -> pd.DataFrame:
    """Return the chains of event mentions that share chain or descriptor with arguments.

    Columns: ``chain``, ``mentions`` (ids of its event mentions, in text order), ``others`` (ids of
    the arguments in the same chain, or with the same descriptor in the topic), ``shared``
    (``chain`` or ``descriptor``) and ``reason``.
    """
    return pd.concat([_mixed(corpus.mentions), _namesakes(corpus.mentions)], ignore_index=True)


def _mixed(mentions: pd.DataFrame) -> pd.DataFrame:
    is_event = mentions["kind"] == EVENT
    counts = is_event.groupby(mentions["chain"], sort=False).agg(["sum", "size"])
    both = counts.index[(counts["sum"] > 0) & (counts["sum"] < counts["size"])]
    rows = []
    for chain, part in mentions[mentions["chain"].isin(both)].groupby("chain", sort=False):
        inside, others = part[part["kind"] == EVENT], part[part["kind"] == ENTITY]
        tags = ", ".join(sorted(set(others["tag"])))
        reason = f"the chain also has mentions tagged {tags}"
        rows.append((chain, tuple(inside.index), tuple(others.index), "chain", reason))
    return _frame(rows)


def _namesakes(mentions: pd.DataFrame) -> pd.DataFrame:
    """Return chains of events with the same descriptor as arguments of the topic."""
    named = mentions[mentions["descriptor"] != ""]
    bare = named["descriptor"].map(bare_descriptor)
    arguments = dict(list(named[named["kind"] == ENTITY].groupby([named["topic"], bare])))
    events = named[named["kind"] == EVENT].groupby(["chain", "topic", bare], sort=False)
    rows = []
    for (chain, topic, name), part in events:
        others = arguments.get((topic, name))
        if others is None or set(others["chain"]) == {chain}:
            continue
        tags = ", ".join(sorted(set(others["tag"])))
        reason = f"the descriptor of the chain, '{name}', is also used for mentions tagged {tags}"
        rows.append((str(chain), tuple(part.index), tuple(others.index[:8]), "descriptor", reason))
    return _frame(rows)


def _frame(rows: Sequence[tuple[object, ...]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["chain", "mentions", "others", "shared", "reason"])


def fixes(ids: tuple[str, ...], whole: bool) -> tuple[Fix, ...]:
    """Return the corrections of events in the chain of arguments; ``whole``: all its events."""
    if whole:  # a move of all event mentions of the chain would only rename it
        return removals(ids)
    leave = Fix(fix="split", text="A leaves the chain", claims=put(ids, new(ids)))
    return leave, *removals(ids)


def _find(key: Key) -> pd.DataFrame:
    table, sizes = contradictions(key.corpus), key.corpus.selected["chain"].value_counts()
    listed = list(zip(table["chain"], table["mentions"], table["others"], strict=True))
    shared = table["shared"] == "chain"
    return pd.DataFrame(
        {
            "mentions": [
                (key.part(ids), key.part(others[:1], others[1:])) for _, ids, others in listed
            ],
            "score": 1.0,
            "reason": table["reason"],
            "fix": [fixes(ids, len(ids) == sizes.get(chain, 0)) for chain, ids, _ in listed],
            "group": shared.map({True: "shared-chain", False: "shared-descriptor"}),
        }
    )


TAGS = Detector(
    id="tags",
    words="an action in the chain of a participant, a place or a time",
    kind=CONTRADICTING,
    find=_find,
    needs=Need(
        "mentions of events and of participants, places or times",
        lambda corpus: set(corpus.kinds) == {EVENT, ENTITY},
    ),
)
