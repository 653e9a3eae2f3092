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

Who a mention is (``identity``): its place in a text, or its id. A line that has neither a place nor
a name is nobody's: it is never paired by its number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import pandas as pd

from cdec.errors import FormatError

ChoiceSource = Literal["file", "caller", "evidence", "assumed"]
DENSE_SHARE = 0.9
"""Documents whose labels are 0 to k or 1 to k must have this share for labels to look local.

Of 120 published files of several documents at most 8 % of the documents are dense; in LitBank,
whose labels are local, 99 of 100.
"""
DISTINCT_SHARE = 0.9
"""Lines that differ by place or name must have this share for each to be another mention."""
IDENTITY = "identity"
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


# ---- who a mention is ----


def lines_are_mentions(spans: Sequence[tuple[int, int]], size: int) -> bool:
    """Return whether the lines of a file are mentions, rather than the tokens of a text.

    ``spans`` are the first and the last line of each mention, ``size`` is the number of lines. In a
    text mentions have several tokens, or most tokens are in no mention.

    >>> lines_are_mentions([(0, 0), (1, 1)], 2), lines_are_mentions([(0, 1)], 2)
    (True, False)
    """
    lines = {first for first, _ in spans}
    return 2 * len(lines) > size and all(first == last for first, last in spans)


def identity_of_lines(lines: Sequence[tuple[object, ...]], texts: Sequence[str]) -> Choice:
    """Return what says who the mention of a line is, in a file whose lines are mentions.

    * ``tokens``: its place: document and token number;
    * ``names``: its text, which is a name of the mention;
    * ``none``: only the number of the line.

    ``lines`` has the block, the document and the token number of each line, as far as the file has
    them; ``texts`` has its word, '' if it is masked.

    >>> identity_of_lines([("ALL",)] * 3, ["", "", ""])
    Choice(value='none', source='evidence')
    >>> identity_of_lines([("ALL",)] * 3, ["1_1ecb/7", "1_1ecb/9", "1_2ecb/3"])
    Choice(value='names', source='evidence')
    """
    enough = DISTINCT_SHARE * len(lines)
    if len({*lines}) >= enough:
        return Choice("tokens", "evidence")
    names = {(line, text) for line, text in zip(lines, texts, strict=True)}
    if len(names) >= enough:
        return Choice("names", "evidence")
    return Choice("none", "evidence")


def check_identity(reading: Reading, file: str) -> None:
    """Raise FormatError if nothing in a file says who a mention is."""
    if reading.get(IDENTITY, Choice("tokens", "file")).value == "none":
        message = (
            "each line is a mention without document and token number, so that nothing but the "
            "order of the lines says who it is"
        )
        hint = (
            "write document, token number and word on each line, or an id that both files and the "
            "corpus have"
        )
        raise FormatError("mention-unknown", message, place=file, hint=hint)
