"""Ambiguous lemmas: head lemmas whose mentions belong to several key chains."""

from __future__ import annotations

import pandas as pd

from cdec.diagnosis.links import COUNTED
from cdec.diagnosis.mentions import Mentions
from cdec.metrics.links import links

COLUMNS = ("lemma", "mentions", "topics", "key_chains", "response_chains", *COUNTED)


def lemma_table(mentions: Mentions, lemmas: pd.Series[str]) -> pd.DataFrame:
    """Return the lemmas of more than one key chain, those with most errors first.

    Links are those between two mentions of the lemma. ``lemmas`` maps mention id → lemma; a
    mention without one is left out. The columns are COLUMNS.
    """
    table = _by_lemma(mentions, lemmas)
    key, response = table[table["key"] >= 0], table[table["response"] >= 0]
    right = _links(key[key["response"] >= 0], ["key", "response"])
    counts = pd.DataFrame(
        {
            "mentions": key.groupby("lemma").size(),
            "topics": key.groupby("lemma")["topic"].nunique(),
            "key_chains": key.groupby("lemma")["key"].nunique(),
            "response_chains": response.groupby("lemma")["response"].nunique(),
            "right": right,
            "missed": _links(key, ["key"]).sub(right, fill_value=0),
            "wrong": _links(response, ["response"]).sub(right, fill_value=0),
        }
    )
    counts = counts.fillna(0).astype("int64").rename_axis("lemma").reset_index()
    ambiguous = counts[counts["key_chains"] > 1]
    errors = -(ambiguous["missed"] + ambiguous["wrong"])
    order = ambiguous.assign(errors=errors).sort_values(["errors", "lemma"]).index
    return ambiguous.loc[order, list(COLUMNS)].reset_index(drop=True)


def _by_lemma(mentions: Mentions, lemmas: pd.Series[str]) -> pd.DataFrame:
    names = ("topic", "key", "response")
    table = pd.DataFrame({name: getattr(mentions, name) for name in names})
    table = table.assign(lemma=lemmas.reindex(mentions.index).to_numpy())
    return table[table["lemma"].notna() & (table["lemma"].astype(str).str.strip() != "")]


def _links(table: pd.DataFrame, chains: list[str]) -> pd.Series[int]:
    sizes = table.groupby(["lemma", *chains]).size()
    return links(sizes).groupby("lemma").sum()
