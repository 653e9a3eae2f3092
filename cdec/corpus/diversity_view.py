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
_LEGEND = (
    "Chains, Mentions: without singletons; Lemmas a chain: mean number of head lemmas; "
    "Phrasing: phrasing diversity (Zhukova et al., 2022); One lemma %: chains with one head lemma; "
    "Found %: chains with one head lemma that no other chain of the topic has; Chains a lemma: "
    "mean number of chains with a head lemma, singletons included; "
    "MTLD: of the head lemmas in text order (McCarthy and Jarvis, 2010)."
)
_UNDEFINED = " –: undefined (0/0)."


def diversity_page(table: pd.DataFrame, corpus: Corpus, split: str, nlp: str) -> Page:
    """Return the page for a table of ``cdec.corpus.diversity.diversity``."""
    about = Signature.from_fields(corpus=corpus.name, digest=corpus.digest, split=split, nlp=nlp)
    view = pd.DataFrame(
        {
            title: table[name].map(percent if name in _SHARES else _plain)
            for name, title in _TITLES.items()
        }
    )
    legend = _LEGEND + (_UNDEFINED if table.isna().any(axis=None) else "")
    return Page.from_table(view, table, notes=(legend, str(about)), about=in_json(about))


def _plain(value: object) -> str:
    if not isinstance(value, float):
        return str(value)
    return "–" if pd.isna(value) else f"{value:.2f}"
