"""What the chain labels of people's own files mean, before they become a corpus.

Published corpora have readers that know their labels. A CoNLL key, a table with mentions, brat's
attributes and tables in memory have the choices of ``cdec.formats.reading`` and of
``cdec.clustering``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import pandas as pd

from cdec.clustering import NOISE, is_no_chain, noise_hint
from cdec.errors import CorpusError, one_of
from cdec.formats.reading import LABELS, in_documents, label_choice
from cdec.records import Row

Rows: TypeAlias = Sequence[Row]
Place: TypeAlias = Callable[[int], str]


def with_chains(
    rows: Rows, *, key_labels: str | None, noise: str | None, file: str, place: Place
) -> list[Row]:
    """Return the mentions with settled chains: a row has ``doc`` and, if it has a chain, ``chain``.

    ``key_labels`` says where labels hold, ``noise`` what a label of no chain is; ``place`` returns
    the place of a row, counted from 1. Raises CorpusError for a label of no chain that mentions
    share and nobody explains, FormatError for labels that may hold in their document or in the
    corpus, UnknownNameError for a choice that does not exist.

    >>> rows = [{"doc": "a", "chain": "1"}, {"doc": "b", "chain": "1"}]
    >>> settled = with_chains(rows, key_labels="document", noise=None, file="key", place=str)
    >>> [row["chain"] for row in settled]
    ['a/1', 'b/1']
    """
    if key_labels is not None:
        one_of("place of labels", key_labels, LABELS)
    if noise is not None:
        one_of("noise treatment", noise, NOISE)
    settled = _without_noise(rows, noise, place)
    labelled = [row for row in settled if _label(row)]
    docs = pd.Series([str(row.get("doc")) for row in labelled], dtype=object)
    labels = pd.Series([_label(row) for row in labelled], dtype=object)
    choice = label_choice(
        docs, labels, key_labels, option="key_labels", place=file, what="the key"
    )
    if choice.value == "document":
        for row, label in zip(labelled, in_documents(docs, labels), strict=True):
            row["chain"] = label
    return settled


def _label(row: Row) -> str:
    chain = row.get("chain")
    return chain if isinstance(chain, str) and chain.strip() else ""


def _without_noise(rows: Rows, noise: str | None, place: Place) -> list[Row]:
    """Return copies of the rows, in which labels of no chain are what ``noise`` says."""
    first: dict[str, int] = {}
    settled = []
    for number, given_row in enumerate(rows, start=1):
        row = dict(given_row)
        label = _label(row)
        if label and noise != "label" and is_no_chain(label):
            if noise is None and label in first:
                raise CorpusError(
                    "label-ambiguous",
                    f"the label '{label}' of {place(first[label])} again: it usually means no "
                    "chain",
                    place=place(number),
                    hint=f"leave the chain of a singleton empty, or {noise_hint()}",
                )
            first.setdefault(label, number)
            if noise == "absent":
                continue
            if noise == "singletons":
                del row["chain"]
        settled.append(row)
    return settled
