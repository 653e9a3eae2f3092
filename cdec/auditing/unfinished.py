"""Documents whose annotation is unfinished, and their page.

Documents with few reviewed sentences and many unlinked mentions are work not done, not errors: ECB+
lists the sentences that were reviewed and annotated in full. Other sentences also have mentions,
mostly unlinked: a missing link there may mean that nobody annotated it.
"""

from __future__ import annotations

import pandas as pd

from cdec.corpus.model import Corpus
from cdec.render.page import Page
from cdec.render.table import Table
from cdec.signature import Signature, in_json

_SHARE = 0.25  # of reviewed sentences; below it a document counts as unfinished
_LEAST = 5  # unlinked event mentions outside the reviewed sentences
_SHOWN = Table(
    "",
    {
        "doc": "Document",
        "reviewed": ("reviewed", str),
        "sentences": ("sentences", str),
        "unlinked": ("unlinked mentions", str),
    },
    "reviewed: sentences on the list of the corpus",
)


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


def documents_page(table: pd.DataFrame, corpus: Corpus) -> Page:
    """Return the documents with few reviewed sentences, those with most unlinked mentions first."""
    counts = table.assign(unlinked=table["loose"].map(len)).drop(columns=["loose", "score"])
    counts["unlinked"] = counts["unlinked"].astype(int)
    data = counts.sort_values("unlinked", ascending=False, kind="stable").reset_index(drop=True)
    about = Signature.from_fields(**corpus.about)
    return _SHOWN.page(data, str(about), about=in_json(about))
