"""The labels of mentions: the text of a label, and labels that mean "no chain".

One rule for every container of labels: dict, Series, frame, ``Clustering``, array, file.

===================  =========================================================================
text                 a label is text, and an integer its digits: ``1``, ``'1'``, ``1.0`` and
                     ``np.int64(1)`` are one label. If all labels are whole floats as text, as in
                     a CSV file written by pandas, they are integers; ``'1.0'`` beside ``'1'`` is
                     an error
no chain             −1, a blank, ``nan``, ``None``, ``null``, ``<NA>`` (ignoring case): an error
                     if mentions share one, unless ``noise`` says what they are
``noise``            ``singletons``: each such mention is a singleton; ``absent``: this side
                     lacks the mention
missing value        None, NaN or a mask: no label, so no chain
===================  =========================================================================

Labels that differ only in blanks, characters of no width or in their Unicode normal form are
different, with a notice. ``True`` and ``False`` are no labels: Python takes ``True`` for 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, NamedTuple, TypeAlias
from unicodedata import category, normalize

import numpy as np
import numpy.typing as npt
import pandas as pd

from cdec.arrays import Ints
from cdec.errors import Notice, ScoringError, UsageError, counted, notice, one_of

Noise: TypeAlias = Literal["singletons", "absent", "singleton"]
NOISE = {
    "singletons": "each mention without a chain is a chain of its own",
    "absent": "this side lacks the mentions without a chain",
}
# Missing values as written by pandas, Python, SQL and clustering programs (noise is −1).
NO_CHAIN = frozenset({"", "nan", "none", "null", "<na>", "-1"})
_WHOLE = re.compile(r"(-?[0-9]+)\.0+")
HINT = "use noise=singletons (each one is a singleton) or noise=absent (missing on this side)"


class Chains(NamedTuple):
    """The chain of each mention as a number (−1: not on this side), and the label of each chain.

    ``changed``: whether a chain is not just the mentions with one given label. ``notices`` are
    those on the labels.
    """

    codes: Ints
    texts: list[str]
    changed: bool = False
    notices: tuple[Notice, ...] = ()


def noise_word(noise: object) -> str | None:
    """Return a key of NOISE, or None for None. Raises UnknownNameError or UsageError.

    >>> noise_word("singleton"), noise_word(None)
    ('singletons', None)
    """
    if noise is None:
        return None
    return one_of("noise treatment", "singletons" if noise == "singleton" else noise, NOISE)


def label_text(label: object) -> str:
    """Return the text of a label.

    >>> [label_text(label) for label in (1, "1", 1.0, np.int64(1), "1.0", 0.5)]
    ['1', '1', '1', '1', '1.0', '0.5']
    """
    if isinstance(label, str) or not pd.api.types.is_number(label):
        return str(label)
    number: Any = label
    try:
        return str(int(number)) if int(number) == number else str(number)
    except (OverflowError, TypeError, ValueError):  # infinite, complex
        return str(number)


def is_no_chain(text: str) -> bool:
    """Return whether a label means that its mentions are in no chain.

    >>> [is_no_chain(text) for text in ("-1", "NaN", " ", "-1.0", "0")]
    [True, True, True, True, False]
    """
    bare = _visible(text).casefold()
    return bare in NO_CHAIN or (bare.startswith("-1.") and _WHOLE.fullmatch(bare) is not None)


def chains_of(
    labels: pd.Series[Any],
    side: str = "response",
    noise: object = None,
    *,
    array: bool = False,
    place: Callable[[Any], str] = str,
) -> Chains:
    """Return the chains of labels in a Series indexed by mention, by the rule of this module.

    ``side`` (key, response) and the ``place`` of a mention are for messages. Without ``noise``, a
    label of no chain is refused if two mentions share it, and at once if it is blank or in an
    ``array``. In an array a missing value means that this side lacks the mention; elsewhere it is
    no chain. Raises ScoringError, and UsageError for a label that is not hashable.

    >>> chains = chains_of(pd.Series([1, "1", -1, None]), noise="absent")
    >>> chains.codes.tolist()
    [0, 0, -1, -1]
    """
    treatment = noise_word(noise)
    codes, distinct = factorized(labels)
    number, texts, is_column = _texts(distinct, side)
    if len(texts) < len(number):
        codes = np.append(number, -1)[codes]
    which = [k for k, text in enumerate(texts) if is_no_chain(text)]
    if treatment is None:
        _refuse_shared(codes, texts, which, 1 if array else 2, lambda row: place(labels.index[row]))
    silent = np.isin(codes, which if array else [-1, *which]) & (treatment is not None)
    cases = list(map(place, labels.index[silent]))
    notices = tuple(_notices(texts, cases, treatment, side))
    if silent.any():
        fresh = _unused(texts, int(silent.sum())) if treatment == "singletons" else []
        codes = codes.copy()
        codes[silent] = len(texts) + np.arange(len(fresh)) if fresh else -1
        texts = [*texts, *fresh]
    changed = is_column or len(texts) != len(number) or bool(silent.any())
    return Chains(codes, texts, changed, notices)


def with_chains(labels: pd.Series[Any], chains: Chains) -> pd.Series[Any]:
    """Return the labels that ``chains`` give to the mentions; without those that this side lacks.

    >>> with_chains(pd.Series([1, "1"]), chains_of(pd.Series([1, "1"]), "key")).tolist()
    ['1', '1']
    """
    if not chains.changed:
        return labels
    present = chains.codes >= 0
    texts = np.array([*chains.texts, ""], dtype=object)[chains.codes[present]]
    return pd.Series(texts, index=labels.index[present], dtype=object)


def unmasked(labels: Iterable[Any]) -> list[Any]:
    """Return the labels, None for each that is masked in an array of NumPy.

    >>> unmasked(np.ma.array([0, 1], mask=[0, 1]))
    [np.int64(0), None]
    """
    return [None if label is np.ma.masked else label for label in labels]


def factorized(labels: npt.NDArray[Any] | pd.Series[Any]) -> tuple[Ints, Any]:
    """Return codes 0, 1, … in order of first occurrence, −1 for a missing value, and their labels.

    Raises UsageError for a label that is not hashable, such as a list, or is a truth value.

    >>> codes, labels = factorized(pd.Series(["b", "a", None, "b"]))
    >>> codes.tolist(), list(labels)
    ([0, 1, -1, 0], ['b', 'a'])
    """
    kinds = set(map(type, labels)) if labels.dtype == object else {labels.dtype.type}
    if kinds & {bool, np.bool_}:
        truth = (item for item in pd.Series(labels).items() if isinstance(item[1], bool | np.bool_))
        raise invalid_label(*next(truth))
    try:
        codes, distinct = pd.factorize(labels)
    except TypeError as error:
        bad = (item for item in pd.Series(labels).items() if not pd.api.types.is_hashable(item[1]))
        raise invalid_label(*next(bad)) from error
    return codes.astype(np.int64, copy=False), distinct


def invalid_label(mention: object, label: object) -> UsageError:
    """Return the error of a mention whose label is not hashable, such as a list, or a truth value.

    >>> invalid_label("d1/a", ["fire"]).code
    'argument-invalid'
    """
    return UsageError(
        "argument-invalid",
        f"the label of mention '{mention}' is not text or a number: {type(label).__name__}",
        hint="give each mention one label, such as a number or a string",
    )


def _texts(distinct: Any, side: str) -> tuple[Ints, list[str], bool]:
    """Return the number of the text of each distinct label, the texts, and if all were floats."""
    texts = list(map(label_text, distinct))
    if pd.api.types.is_numeric_dtype(distinct.dtype):  # no two numbers have the same text
        return np.arange(len(texts)), texts, False
    named = {text for text in texts if not is_no_chain(text)}
    whole = {match[1]: text for text in named if (match := _WHOLE.fullmatch(text))}
    is_column = bool(whole) and len(whole) == len(named)
    if is_column:
        texts = [_WHOLE.sub(r"\1", text) for text in texts]
    elif both := sorted(named & whole.keys()):
        message = f"the {side} has the labels '{both[0]}' and '{whole[both[0]]}'"
        raise ScoringError(
            "label-ambiguous", message, hint="write the number of a chain in one form"
        )
    codes, different = pd.factorize(np.array(texts, dtype=object))
    return codes.astype(np.int64), list(different), is_column


def _refuse_shared(
    codes: Ints, texts: list[str], which: list[int], least: int, place: Callable[[int], str]
) -> None:
    """Raise ScoringError if mentions share one of the labels ``which``, which mean no chain."""
    for number in which:
        rows = np.flatnonzero(codes == number).tolist()
        if len(rows) >= (least if texts[number].strip() else 1):
            message = f"{counted(len(rows), 'mention')} with the label '{texts[number]}'"
            raise ScoringError("label-ambiguous", message, place=place(rows[0]), hint=HINT)


def _notices(
    texts: list[str], cases: list[str], treatment: str | None, side: str
) -> Iterator[Notice]:
    """Yield a notice on labels that differ only in form, and one on mentions without a chain.

    Forms differ in blanks, characters of no width, or in the Unicode normal form.
    """
    forms: dict[str, list[str]] = {}
    for text in texts:
        plain = text if text.isalnum() and text.isascii() else normalize("NFC", text)
        forms.setdefault(" ".join(_visible(plain).split()), []).append(text)
    alike = [" and ".join(map(repr, group)) for group in forms.values() if len(group) > 1]
    if alike:
        what = counted(len(alike), "label", "labels")
        message = f"{what} of the {side} in forms that differ only in blanks or in Unicode"
        yield notice("label-ambiguous", f"{message}: each form is a separate chain", alike)
    if treatment is not None and cases:
        what = counted(len(cases), "mention has no chain", "mentions have no chain")
        message = f"{what} in the {side}: {NOISE[treatment]}"
        yield notice("label-ambiguous", message, cases, warning=False)


def _visible(text: str) -> str:
    """Return the text without blanks at its ends and characters of no width."""
    if not text.isprintable():
        text = "".join(sign for sign in text if category(sign) != "Cf")
    return text.strip()


def _unused(texts: list[str], number: int) -> list[str]:
    """Return labels of new chains."""
    prefix = "noise:"
    while any(text.startswith(prefix) for text in texts):
        prefix = f"'{prefix}"
    return [f"{prefix}{k}" for k in range(1, number + 1)]
