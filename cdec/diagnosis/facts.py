"""The facts of mentions in one table, which a diagnosis groups, and the text of a mention."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Ints, chain_numbers
from cdec.clustering import SIDES
from cdec.corpus.model import Corpus
from cdec.errors import UsageError
from cdec.matching.alignment import Alignment
from cdec.settings import Setting

PLACES = ("topic", "subtopic", "doc")


def scored(run: Alignment, setting: Setting) -> pd.DataFrame:
    """Return the mentions that ``setting`` scores. Raises UsageError without a corpus."""
    if not {*PLACES, "sentence", "start", "end", "tokens"} <= {*run.mentions}:
        message = "a diagnosis needs topics and sentences"
        raise UsageError("annotation-missing", message, hint="name a corpus")
    return setting.build(run.mentions)


def mention_facts(
    table: pd.DataFrame, lemmas: pd.Series[Any], sides: Sequence[str] = SIDES
) -> pd.DataFrame:
    """Return the facts of scored mentions, indexed by mention id; all but ``word`` are codes.

    The columns of ``sides`` are chains under the setting, which splits chains at the borders of its
    meta-documents; −1 if that side does not have the mention. ``doc``, ``subtopic`` and ``topic``
    are places. ``word`` is the lemma of the head in ``lemmas``, ``lemma`` its code; a mention
    whose head is blank or unknown has a code of its own, and no word.
    """
    chains = {side: chain_numbers(table["meta"], table[side]) for side in sides}
    # Equal names in two parents are two places.
    places = {name: groups(table, *PLACES[:depth]) for depth, name in enumerate(PLACES, start=1)}
    known = lemmas.reindex(table.index)
    word = known.where(known.astype(str).str.strip() != "")
    lemma = pd.factorize(word)[0].astype(np.int64)
    lemma[lemma < 0] = lemma.max(initial=-1) + 1 + np.arange((lemma < 0).sum())
    return pd.DataFrame({**chains, **places, "word": word, "lemma": lemma}, index=table.index)


def present(facts: pd.DataFrame, *sides: str) -> pd.DataFrame:
    """Return the mentions that all ``sides`` have."""
    return facts[(facts[list(sides)] >= 0).all(axis=1)]


def groups(rows: pd.DataFrame, *columns: str) -> Ints:
    """Return the number 0, 1, … of the group of each row, in order of first occurrence."""
    return np.asarray(rows.groupby(list(columns), sort=False).ngroup(), dtype=np.int64)


def quote(mention: str, mentions: pd.DataFrame, corpus: Corpus) -> str:
    """Return a line with the document and the sentence of a mention, its words in brackets."""
    (row,) = mentions.loc[[mention]].to_dict("records")
    document = corpus.documents[row["doc"]]
    starts = document.sentence_starts
    number = bisect_right(starts, row["start"]) - 1
    tokens = set(row["tokens"] or range(int(row["start"]), int(row["end"]) + 1))
    words = (
        f"[{word}]" if at in tokens else word
        for at, word in enumerate(document.sentences[number], start=starts[number])
    )
    return f"    – {row['doc']}: {' '.join(words).replace('] [', ' ')}"
