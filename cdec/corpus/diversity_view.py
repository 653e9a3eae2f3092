"""The table of lexical diversity and ambiguity."""

from __future__ import annotations

import pandas as pd

from cdec.corpus.model import Corpus
from cdec.render.numbers import percent
from cdec.render.page import Page
from cdec.signature import Signature, in_json

_TITLES = {
    "part": "Part",
    "topic": "Topic",
    "chains": "Chains",
    "mentions": "Mentions",
    "lemmas": "Lemmas a chain",
    "phrasing": "Phrasing",
    "one_lemma": "One lemma %",
    "found": "Found %",
    "chains_of_lemma": "Chains a lemma",
    "mtld": "MTLD",
}
_SHARES = ("one_lemma", "found")
_NOTES = (
    "Chains: coreference chains without singletons; Mentions: their mentions; "
    "Lemmas a chain: mean number of head lemmas of a chain; "
    "Phrasing: phrasing diversity (Zhukova et al., 2022)",
    "One lemma %: chains whose heads all have one lemma; Found %: chains with one lemma that no "
    "other chain of the topic has",
    "Chains a lemma: mean number of chains, including singletons, in which a head lemma occurs; "
    "MTLD: of the head lemmas in text order (McCarthy and Jarvis, 2010); –: undefined",
)


def diversity_page(table: pd.DataFrame, corpus: Corpus, split: str, nlp: str) -> Page:
    """Return the page for a table of ``cdec.corpus.diversity.diversity``."""
    about = Signature.from_fields(corpus=corpus.name, digest=corpus.digest, split=split, nlp=nlp)
    view = pd.DataFrame(
        {
            title: table[name].map(percent if name in _SHARES else _plain)
            for name, title in _TITLES.items()
        }
    )
    notes = (*_NOTES, str(about))
    return Page.from_table(view, table, notes=notes, about=in_json(about))


def _plain(value: object) -> str:
    if not isinstance(value, float):
        return str(value)
    return "–" if pd.isna(value) else f"{value:.2f}"
