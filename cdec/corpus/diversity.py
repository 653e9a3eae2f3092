"""How varied the words of a chain are, and how many chains share a word.

Per part of a corpus and per topic, over event mentions; ``chains`` have two mentions or more:

``lemmas``
    mean number of head lemmas of a chain: lexical diversity as in Eirew, Cattan and Dagan (2021),
    *WEC: Deriving a large-scale cross-document event coreference dataset from Wikipedia*, NAACL.
``phrasing``
    phrasing diversity of Zhukova, Hamborg and Gipp (2022), *Towards evaluation of cross-document
    coreference resolution models using datasets with diverse annotation schemes*, LREC. With the
    phrases of a chain grouped by head h, of which |U_h| are distinct out of |P_h|::

        PD = Σ_h |U_h| / |P_h| · Σ_h |U_h| / mentions

    averaged over chains by their mentions. A phrase is the set of its words in lower case without
    stop words and punctuation; a mention of nothing else is left out. The stop words are those of
    scikit-learn, so that figures differ a little from the authors'.
``one_lemma``
    share of the chains all of whose heads have one lemma: what Lemma puts together.
``found``
    share of the chains that a head lemma finds: they have one lemma, and no other mention of
    their topic has it. Ambiguity is what separates it from ``one_lemma``.
``chains_of_lemma``
    mean number of chains (singletons, too) in which a head lemma occurs: ambiguity as in
    Cybulska and Vossen (2014), *Using a sledgehammer to crack a nut?*, LREC.
``mtld``
    MTLD of the head lemmas in text order (see ``mtld``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from cdec.corpus.model import Corpus

COLUMNS = (
    *("part", "topic", "chains", "mentions", "lemmas", "phrasing"),
    *("one_lemma", "found", "chains_of_lemma", "mtld"),
)
TOTAL = "all"
FACTOR = 0.72
"""A factor of MTLD ends where the share of distinct words falls to this."""


def diversity(parts: Mapping[str, Corpus], lemmas: Mapping[str, pd.Series[str]]) -> pd.DataFrame:
    """Return the measures of each part (topic ``all``) and of each of its topics (COLUMNS).

    ``lemmas`` maps part → (mention id → lemma of the head). A measure is missing where there is
    nothing to measure.
    """
    rows = [
        {"part": part, **row}
        for part, corpus in parts.items()
        for row in _rows(_events(corpus, lemmas[part]))
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _events(corpus: Corpus, lemmas: pd.Series[str]) -> pd.DataFrame:
    events = corpus.events
    return events[["topic", "chain", "text"]].assign(lemma=lemmas.loc[events.index])


def _rows(events: pd.DataFrame) -> Iterator[dict[str, object]]:
    yield {"topic": TOTAL, **_measures(events)}
    for topic, part in events.groupby("topic", sort=False):
        yield {"topic": topic, **_measures(part)}


def _measures(events: pd.DataFrame) -> dict[str, float | int]:
    sizes = events.groupby("chain")["chain"].transform("size")
    linked = events[sizes > 1]
    by_chain = linked.groupby("chain", sort=False)
    lemmas = by_chain["lemma"].nunique()
    return {
        "chains": len(lemmas),
        "mentions": len(linked),
        "lemmas": lemmas.mean(),
        "phrasing": _phrasing(linked),
        "one_lemma": (lemmas == 1).mean(),
        "found": _found(events, lemmas.index[lemmas == 1]) / len(lemmas) if len(lemmas) else np.nan,
        "chains_of_lemma": events.groupby("lemma")["chain"].nunique().mean(),
        "mtld": mtld(events["lemma"].tolist()),
    }


def _found(events: pd.DataFrame, chains: pd.Index[str]) -> int:
    """Return how many of the chains, of one lemma each, share it with no other of the topic."""
    shared = events.groupby(["topic", "lemma"])["chain"].transform("nunique") > 1
    return int((~shared[events["chain"].isin(chains)]).groupby(events["chain"]).all().sum())


def _phrasing(linked: pd.DataFrame) -> float:
    """Return the mean phrasing diversity of the chains, weighted by their mentions."""
    words = linked.assign(phrase=[_phrase(text) for text in linked["text"]])
    words = words[words["phrase"] != ""]
    heads = words.groupby(["chain", "lemma"])["phrase"].agg(["size", "nunique"])
    share = (heads["nunique"] / heads["size"]).groupby("chain").sum()
    chains = heads.groupby("chain").sum()
    # PD · mentions, summed over chains, is what the weighted mean needs.
    return (
        float((share * chains["nunique"]).sum() / chains["size"].sum()) if len(chains) else np.nan
    )


def _phrase(text: str) -> str:
    """Return the distinct words that count, in one order."""
    # Imported late: half a second that reading a corpus does not need.
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # noqa: PLC0415

    words = (word.lower() for word in text.split())
    counting = {word for word in words if any(sign.isalnum() for sign in word)}
    return " ".join(sorted(counting - ENGLISH_STOP_WORDS))


def mtld(words: Sequence[str]) -> float:
    """Return the measure of textual lexical diversity of a sequence of words.

    McCarthy and Jarvis (2010), *MTLD, vocd-D, and HD-D*, Behavior Research Methods 42: the mean
    length of stretches whose share of distinct words stays above FACTOR, forwards and backwards,
    the last stretch counting for the part of the way it has gone. Missing (NaN) where no word
    comes twice.
    """
    return (_one_way(words) + _one_way(words[::-1])) / 2


def _one_way(words: Sequence[str]) -> float:
    factors, seen, length = 0.0, set[str](), 0
    for word in words:
        seen.add(word)
        length += 1
        if len(seen) / length <= FACTOR:
            factors, seen, length = factors + 1, set(), 0
    if length:
        factors += (1 - len(seen) / length) / (1 - FACTOR)
    return len(words) / factors if factors else np.nan
