"""What the annotation itself gives away: contradicting tags, and documents left unfinished.

Contradictions are actions in the chains of participants, places and times. ECB+ lists the sentences
that were annotated in full. Other sentences have mentions too, mostly in no chain: a missing link
there may be work not done rather than a judgement.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd

from cdec.corpus.model import Corpus

_SHARE = 0.25  # reviewed sentences of a document below which it counts as unfinished
_LEAST = 5  # event mentions in no chain outside the reviewed sentences


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


def unfinished(corpus: Corpus) -> pd.DataFrame:
    """Return the documents with few reviewed sentences and many loose mentions outside them.

    Columns: ``doc``, ``reviewed`` and ``sentences`` (how many), ``loose`` (ids of event mentions
    that are alone in their chain and stand in other sentences) and ``score``: the share of the
    document's event mentions that are loose. Empty for a corpus without a list of reviewed
    sentences.
    """
    columns = ["doc", "reviewed", "sentences", "loose", "score"]
    if not corpus.mentions["reviewed"].any():
        return pd.DataFrame(columns=columns)
    events = corpus.events
    alone = events["chain"].map(events["chain"].value_counts()) == 1
    loose = events[alone & ~events["reviewed"]].groupby("doc", sort=False).groups
    done = corpus.mentions[corpus.mentions["reviewed"]].groupby("doc")["sentence"].nunique()
    total = events.groupby("doc").size()
    rows = []
    for doc, ids in loose.items():
        document = corpus.documents[str(doc)]
        sentences = len(document.sentences) - document.text_start
        reviewed = int(done.get(doc, 0))
        if reviewed < _SHARE * sentences and len(ids) >= _LEAST:
            share = len(ids) / int(total[str(doc)])
            rows.append((str(doc), reviewed, sentences, tuple(ids), share))
    return pd.DataFrame(rows, columns=columns)
