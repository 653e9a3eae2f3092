"""What a file means: the choices that its content leaves open, at one place for every door.

A file says mentions and chains; what they mean can be open. A ``Choice`` is one answer, with where
it comes from:

=============  ==================================================================================
``file``       the file says it
``caller``     an option of the call says it; it is in the signature
``evidence``   texts, tokens or labels decide: only one reading fits
``assumed``    nothing decides, and one reading is usual: a notice, and it is in the signature
=============  ==================================================================================

If two readings are plausible, the file is refused with the option that decides (see
docs/what-does-my-file-mean.md).

Where a label holds (``labels``): in its ``document``, or in the whole ``corpus``. If no label
occurs in two documents, both readings are the same. If labels recur and each document has exactly 0
to k, or 1 to k, as systems number the chains of a document, both readings are plausible.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd

from cdec.errors import FormatError, counted, spelled

LABELS = ("document", "corpus")
"""Where a chain label holds: in its document, or in the whole corpus."""
ChoiceSource = Literal["file", "caller", "evidence", "assumed"]
DENSE_SHARE = 0.9
"""Documents whose labels are 0 to k or 1 to k must have this share for labels to look local.

Of 120 published files of several documents at most 8 % of the documents are dense; in LitBank,
whose labels are local, 99 of 100.
"""
_FEW = 2  # of two documents both must be dense; two labels can share a prefix
_NUMBER = re.compile("[0-9]{1,9}")


@dataclass(frozen=True)
class Choice:
    """One answer to what a file means, and where it comes from."""

    value: str
    source: ChoiceSource


Reading: TypeAlias = Mapping[str, Choice]
"""The choices that were made for a file, by name, such as ``labels``."""


def signed(reading: Reading) -> dict[str, str]:
    """Return the choices that belong in a signature, name → value.

    >>> signed({"labels": Choice("document", "caller"), "documents": Choice("words", "evidence")})
    {'labels': 'document'}
    """
    return {
        name: choice.value
        for name, choice in reading.items()
        if choice.source in ("caller", "assumed")
    }


# ---- where a label holds ----


def label_choice(
    docs: pd.Series[str],
    labels: pd.Series[str],
    stated: str | None,
    *,
    option: str,
    place: str,
    what: str,
) -> Choice:
    """Return where labels hold: in their document or in the corpus.

    ``docs`` and ``labels`` have the document and the label of each mention, ``stated`` is what the
    caller says. ``option``, ``place`` and ``what`` (the file, as "the response") are for the error.
    Raises FormatError if nobody says it, labels recur, and both readings are plausible.

    >>> docs, labels = pd.Series(["a", "a", "b"]), pd.Series(["fire", "storm", "fire"])
    >>> label_choice(docs, labels, None, option="labels", place="mine.csv", what="the response")
    Choice(value='corpus', source='evidence')
    """
    recurring = recurring_labels(docs, labels)
    if not recurring:
        return Choice("corpus", "evidence")
    if stated is not None:
        return Choice(stated, "caller")
    if look_local(docs, labels):
        documents = counted(docs.nunique(), "document")
        message = (
            f"{what} numbers its chains anew in each of {documents}, and labels recur, such as "
            f"'{recurring[0]}': a label may be a chain of its document or of all documents"
        )
        hint = (
            f"say which: {spelled(option, 'document')} (a chain ends with its document) or "
            f"{spelled(option, 'corpus')} (the same label is the same chain)"
        )
        raise FormatError("scope-ambiguous", message, place=place, hint=hint)
    return Choice("corpus", "evidence")


def recurring_labels(docs: pd.Series[str], labels: pd.Series[str]) -> list[str]:
    """Return the labels that occur in several documents, the most frequent first.

    >>> recurring_labels(pd.Series(["a", "a", "b"]), pd.Series(["1", "2", "2"]))
    ['2']
    """
    pairs = _pairs(docs, labels)
    documents = pairs["label"].value_counts()
    return list(documents.index[documents > 1])


def look_local(docs: pd.Series[str], labels: pd.Series[str]) -> bool:
    """Return whether labels recur and are numbered anew in each document.

    A prefix that all labels share is not looked at, nor a label that begins with the name of its
    document: that chain is local whatever the others are.

    >>> look_local(pd.Series(["a", "a", "b"]), pd.Series(["c0", "c1", "c0"]))
    True
    >>> look_local(pd.Series(["a", "a", "b"]), pd.Series(["c0", "c7", "c7"]))
    False
    """
    pairs = _pairs(docs, labels)
    names_document = [
        label.startswith(f"{doc}/") for doc, label in zip(pairs["doc"], pairs["label"], strict=True)
    ]
    pairs = pairs[~np.array(names_document, np.bool_)]
    if not pairs["label"].duplicated().any():
        return False
    numbers = _without_prefix(pairs["label"].unique())
    is_dense = [
        _is_dense({numbers[label] for label in of_document})
        for _, of_document in pairs.groupby("doc", sort=False)["label"]
    ]
    if len(is_dense) <= _FEW:
        return all(is_dense)
    return sum(is_dense) >= DENSE_SHARE * len(is_dense)


def _pairs(docs: pd.Series[str], labels: pd.Series[str]) -> pd.DataFrame:
    """Return each document with each of its labels once."""
    pairs = pd.DataFrame({"doc": docs.to_numpy(), "label": labels.to_numpy()}, dtype=object)
    return pairs.drop_duplicates()


def _without_prefix(labels: Iterable[str]) -> dict[str, str]:
    """Return label → label without the prefix that all have; a single label has none to share."""
    distinct = list(labels)
    prefixes = {label.rstrip("0123456789") for label in distinct}
    if len(distinct) < _FEW or len(prefixes) > 1:
        return {label: label for label in distinct}
    prefix = prefixes.pop()
    return {label: label.removeprefix(prefix) for label in distinct}


def _is_dense(labels: set[str]) -> bool:
    """Return whether labels are exactly the numbers 0 to k, or 1 to k."""
    if not all(map(_NUMBER.fullmatch, labels)):
        return False
    numbers = {int(label) for label in labels}
    first = min(numbers)
    return first in (0, 1) and numbers == set(range(first, first + len(labels)))


def in_documents(docs: pd.Series[str], labels: pd.Series[str]) -> pd.Series[str]:
    """Return the labels of chains that end with their documents: a label of its own for each.

    >>> in_documents(pd.Series(["a", "b"]), pd.Series(["1", "1"])).tolist()
    ['a/1', 'b/1']
    """
    size = len(_pairs(docs, labels))
    separator = "/"
    local = docs + separator + labels
    while local.nunique() < size:  # "a" with "b/1" and "a/b" with "1" are two chains
        separator += "/"
        local = docs + separator + labels
    return local
