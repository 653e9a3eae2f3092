"""Documents of which the annotators reviewed few sentences.

ECB+ lists the sentences that were annotated in full. Other sentences have mentions too, mostly in
no chain: a missing link there may be work not done rather than a judgement.
"""

from __future__ import annotations

import pandas as pd

from cdec.corpus.model import Corpus

_SHARE = 0.25  # reviewed sentences of a document below which it counts as unfinished
_LEAST = 5  # event mentions in no chain outside the reviewed sentences


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
