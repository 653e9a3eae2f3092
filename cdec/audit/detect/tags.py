"""Errors visible in the annotation alone: contradicting tags and unfinished documents.

A contradiction is an event mention in the chain of a participant, a place or a time. ECB+ lists the
sentences that were reviewed and annotated in full. Other sentences also have mentions, mostly
unlinked: a missing link there may mean that nobody annotated it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd

from cdec.corpus.model import ENTITY, EVENT, Corpus

_SHARE = 0.25  # of reviewed sentences; below it a document counts as unfinished
_LEAST = 5  # unlinked event mentions outside the reviewed sentences


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


def bare_descriptor(descriptor: str) -> str:
    """Return a descriptor without the topic prefix of ECB+, as in ``t12_fire``."""
    return re.sub(r"^t\d+b?_", "", descriptor.strip().lower())


def _frame(rows: Sequence[tuple[object, ...]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["chain", "mentions", "others", "shared", "reason"])


def unfinished(corpus: Corpus) -> pd.DataFrame:
    """Return the documents with few reviewed sentences and many unlinked mentions elsewhere.

    Columns: ``doc``, ``reviewed`` and ``sentences`` (numbers of sentences), ``loose`` (ids of
    singleton event mentions outside the reviewed sentences) and ``score`` (their share of the
    event mentions of the document). Empty if the corpus has no list of reviewed sentences.
    """
    columns = ["doc", "reviewed", "sentences", "loose", "score"]
    if not corpus.mentions["reviewed"].any():
        return pd.DataFrame(columns=columns)
    events = corpus.selected
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
