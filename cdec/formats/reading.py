"""What a file means: the choices that its content leaves open, at one place for every door.

A file says mentions and chains; what they mean can be open. A ``Choice`` is one answer, with where
it comes from:

=============  ==================================================================================
``file``       the file says it
``caller``     an option of the call says it; it is in the signature
``evidence``   texts, tokens or labels decide: only one reading fits
``assumed``    nothing decides, and one reading is usual: a notice, and it is in the signature
=============  ==================================================================================

If two readings are plausible, the file is refused with the option that decides (docs/reading.md).

Where a label holds (``labels``): in its ``document``, or in the whole ``corpus``. Labels that occur
in one document only decide nothing. If labels recur and each document has exactly 0 to k, or 1 to
k, as systems number the chains of a document, both readings are plausible.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import pandas as pd

ChoiceSource = Literal["file", "caller", "evidence", "assumed"]
DENSE_SHARE = 0.9
"""Documents whose labels are 0 to k or 1 to k must have this share for labels to look local.

Of 120 published files of several documents at most 8 % of the documents are dense; in LitBank,
whose labels are local, 99 of 100.
"""
_FEW = 2  # documents, all of which must be dense
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


def recurring_labels(docs: pd.Series[str], labels: pd.Series[str]) -> list[str]:
    """Return the labels that occur in several documents, the most frequent first.

    >>> recurring_labels(pd.Series(["a", "a", "b"]), pd.Series(["1", "2", "2"]))
    ['2']
    """
    pairs = pd.DataFrame({"doc": docs, "label": labels}).drop_duplicates()
    documents = pairs["label"].value_counts()
    return list(documents.index[documents > 1])


def look_local(docs: pd.Series[str], labels: pd.Series[str]) -> bool:
    """Return whether labels recur and are numbered anew in each document.

    A prefix that all labels share is not looked at.

    >>> look_local(pd.Series(["a", "a", "b"]), pd.Series(["c0", "c1", "c0"]))
    True
    >>> look_local(pd.Series(["a", "a", "b"]), pd.Series(["c0", "c7", "c7"]))
    False
    """
    pairs = pd.DataFrame({"doc": docs, "label": labels}).drop_duplicates()
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


def _without_prefix(labels: Iterable[str]) -> dict[str, str]:
    """Return label → label without the prefix that all have; a single label has none to share."""
    distinct = list(labels)
    prefixes = {label.rstrip("0123456789") for label in distinct}
    prefix = prefixes.pop() if len(distinct) > 1 and len(prefixes) == 1 else ""
    return {label: label.removeprefix(prefix) for label in distinct}


def _is_dense(labels: set[str]) -> bool:
    """Return whether labels are exactly the numbers 0 to k, or 1 to k."""
    if not all(map(_NUMBER.fullmatch, labels)):
        return False
    numbers = {int(label) for label in labels}
    first = min(numbers)
    return first in (0, 1) and numbers == set(range(first, first + len(labels)))


def in_documents(docs: pd.Series[str], labels: pd.Series[str]) -> pd.Series[str]:
    """Return the labels of chains that end with their documents: one name for each.

    >>> in_documents(pd.Series(["a", "b"]), pd.Series(["1", "1"])).tolist()
    ['a/1', 'b/1']
    """
    return docs + "/" + labels
