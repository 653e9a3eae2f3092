"""Lexical diversity of chains, and ambiguity of head lemmas.

For each part of a corpus and each topic, over event mentions; ``chains`` excludes singletons:

``lemmas``
    mean number of head lemmas of a chain: lexical diversity as in Eirew, Cattan and Dagan (2021),
    *WEC: Deriving a large-scale cross-document event coreference dataset from Wikipedia*, NAACL.
``phrasing``
    phrasing diversity of Zhukova, Hamborg and Gipp (2022), *Towards evaluation of cross-document
    coreference resolution models using datasets with diverse annotation schemes*, LREC. With the
    phrases of a chain grouped by head h, of which |U_h| are distinct out of |P_h|::

        PD = Σ_h |U_h| / |P_h| · Σ_h |U_h| / mentions

    averaged over chains, weighted by their mentions. A phrase is the set of its words in lower
    case without stop words and punctuation; a mention without such a word is left out. The stop
    words are those of scikit-learn, so the values differ slightly from the authors'.
``one_lemma``
    share of the chains whose heads all have one lemma: the chains that Lemma can link.
``found``
    share of the chains that the head lemma identifies: they have one lemma, and no other chain of
    their topic has it. The difference to ``one_lemma`` is due to ambiguity.
``chains_of_lemma``
    mean number of chains (including singletons) in which a head lemma occurs: ambiguity as in
    Cybulska and Vossen (2014), *Using a sledgehammer to crack a nut?*, LREC.
``mtld``
    MTLD of the head lemmas in text order (see ``mtld``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from cdec.corpus.model import Corpus
from cdec.render.numbers import percent
from cdec.render.page import Page
from cdec.render.table import Table
from cdec.signature import Signature, in_json

TOTAL = "all"
FACTOR = 0.72
"""The type-token ratio at which a factor of MTLD ends."""
_SHOWN = Table(
    "",
    {
        "part": "Part",
        "topic": "Topic",
        "chains": ("Chains", str),
        "mentions": ("Mentions", str),
        "lemmas": ("Lemmas a chain", ".2f"),
        "phrasing": ("Phrasing", ".2f"),
        "one_lemma": ("One lemma %", percent),
        "found": ("Found %", percent),
        "chains_of_lemma": ("Chains a lemma", ".2f"),
        "mtld": ("MTLD", ".2f"),
    },
    "Chains, Mentions: without singletons; Lemmas a chain: mean number of head lemmas; "
    "Phrasing: phrasing diversity (Zhukova et al., 2022); One lemma %: chains with one head lemma; "
    "Found %: chains with one head lemma that no other chain of the topic has; Chains a lemma: "
    "mean number of chains with a head lemma, singletons included; "
    "MTLD: of the head lemmas in text order (McCarthy and Jarvis, 2010).{undefined}",
)
COLUMNS = tuple(_SHOWN.columns)


def diversity(parts: Mapping[str, Corpus], lemmas: Mapping[str, pd.Series[str]]) -> pd.DataFrame:
    """Return the measures of each part (topic ``all``) and of each of its topics (COLUMNS).

    ``lemmas`` maps part → (mention id → lemma of the head). An undefined measure is NaN.
    """
    rows = [
        {"part": part, **row}
        for part, corpus in parts.items()
        for row in _rows(_events(corpus, lemmas[part]))
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _events(corpus: Corpus, lemmas: pd.Series[str]) -> pd.DataFrame:
    events = corpus.selected
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
    """Return the number of chains (of one lemma each) whose lemma no other in the topic has."""
    shared = events.groupby(["topic", "lemma"])["chain"].transform("nunique") > 1
    return int((~shared[events["chain"].isin(chains)]).groupby(events["chain"]).all().sum())


def _phrasing(linked: pd.DataFrame) -> float:
    """Return the mean phrasing diversity of the chains, weighted by their mentions."""
    words = linked.assign(phrase=[_phrase(text) for text in linked["text"]])
    words = words[words["phrase"] != ""]
    heads = words.groupby(["chain", "lemma"])["phrase"].agg(["size", "nunique"])
    share = (heads["nunique"] / heads["size"]).groupby("chain").sum()
    chains = heads.groupby("chain").sum()
    # The numerator of the weighted mean is PD · mentions, summed over chains.
    return (
        float((share * chains["nunique"]).sum() / chains["size"].sum()) if len(chains) else np.nan
    )


def _phrase(text: str) -> str:
    """Return the distinct content words of a mention, sorted."""
    # Imported here: it takes half a second, and other commands do not need it.
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # noqa: PLC0415

    words = (word.lower() for word in text.split())
    counting = {word for word in words if any(sign.isalnum() for sign in word)}
    return " ".join(sorted(counting - ENGLISH_STOP_WORDS))


def mtld(words: Sequence[str]) -> float:
    """Return the measure of textual lexical diversity (MTLD) of a sequence of words.

    The mean length of the stretches in which the type-token ratio is above FACTOR, averaged over
    both directions; the last stretch counts as a partial factor. NaN if no word is repeated.
    McCarthy and Jarvis (2010), *MTLD, vocd-D, and HD-D*, Behavior Research Methods 42.
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


def diversity_page(table: pd.DataFrame, corpus: Corpus, split: str, nlp: str) -> Page:
    """Return the page for a table of ``diversity``."""
    about = Signature.from_fields(corpus=corpus.name, digest=corpus.digest, split=split, nlp=nlp)
    return _SHOWN.page(table, str(about), about=in_json(about))
