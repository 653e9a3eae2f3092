"""The same corpus under other names and in another order."""

from __future__ import annotations

import random
from dataclasses import replace

import pandas as pd

from cdec.corpus import Corpus


def disguise(corpus: Corpus, seed: int) -> tuple[Corpus, dict[str, str]]:
    """Return the corpus with other ids, topics and order, and old mention id → new one."""
    chance = random.Random(seed)  # noqa: S311 - not for security
    ids = list(corpus.documents)
    chance.shuffle(ids)
    names = {id_: f"{number}_{chance.randrange(10**6)}x" for number, id_ in enumerate(ids)}
    documents = {
        names[id_]: replace(corpus.documents[id_], id=names[id_], topic="t", subtopic="s")
        for id_ in ids
    }
    rows = list(range(len(corpus.mentions)))
    chance.shuffle(rows)
    table = corpus.mentions.iloc[rows]
    renamed = [f"{names[doc]}/{number}" for number, doc in enumerate(table["doc"])]
    mapping = dict(zip(table.index, renamed, strict=True))
    table = table.assign(doc=table["doc"].map(names), topic="t", subtopic="s")
    mentions = table.set_axis(pd.Index(renamed, name=table.index.name))
    return replace(corpus, documents=documents, mentions=mentions), mapping
