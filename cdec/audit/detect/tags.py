"""Actions in the chains of participants, places and times."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd

from cdec.corpus.model import Corpus


def contradictions(corpus: Corpus) -> pd.DataFrame:
    """Return the chains that hold event mentions and are, or are named as, an argument's chain.

    Columns: ``chain``, ``mentions`` (ids of its event mentions, in text order), ``others`` (ids
    that contradict them: arguments of the chain, or of its name in the topic), ``shared``
    (``chain`` or ``descriptor``: what they have in common with them) and ``reason``.
    """
    return pd.concat([_mixed(corpus.mentions), _namesakes(corpus.mentions)], ignore_index=True)


def _mixed(mentions: pd.DataFrame) -> pd.DataFrame:
    counts = mentions.groupby("chain", sort=False)["is_event"].agg(["sum", "size"])
    both = counts.index[(counts["sum"] > 0) & (counts["sum"] < counts["size"])]
    rows = []
    for chain, part in mentions[mentions["chain"].isin(both)].groupby("chain", sort=False):
        inside, others = part[part["is_event"]], part[~part["is_event"]]
        tags = ", ".join(sorted(set(others["tag"])))
        reason = f"the chain also holds mentions tagged {tags}"
        rows.append((chain, tuple(inside.index), tuple(others.index), "chain", reason))
    return _frame(rows)


def _namesakes(mentions: pd.DataFrame) -> pd.DataFrame:
    """Return chains of actions whose descriptor is that of arguments in the same topic."""
    named = mentions[mentions["descriptor"] != ""]
    bare = named["descriptor"].map(bare_descriptor)
    arguments = dict(list(named[~named["is_event"]].groupby([named["topic"], bare])))
    events = named[named["is_event"]].groupby(["chain", "topic", bare], sort=False)
    rows = []
    for (chain, topic, name), part in events:
        others = arguments.get((topic, name))
        if others is None or set(others["chain"]) == {chain}:
            continue
        tags = ", ".join(sorted(set(others["tag"])))
        reason = f"the chain's descriptor, '{name}', is that of mentions tagged {tags}"
        rows.append((str(chain), tuple(part.index), tuple(others.index[:8]), "descriptor", reason))
    return _frame(rows)


def bare_descriptor(descriptor: str) -> str:
    """Return an instance's descriptor without the topic that ECB+ puts before it: ``t12_fire``."""
    return re.sub(r"^t\d+b?_", "", descriptor.strip().lower())


def _frame(rows: Sequence[tuple[object, ...]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["chain", "mentions", "others", "shared", "reason"])
