"""Clustering: a mapping from mentions to chains, and the rule of its labels.

One rule for every container of labels: dict, Series, frame, ``Clustering``, array, file.

===================  =========================================================================
text                 a label is text, and an integer its digits: ``1``, ``'1'``, ``1.0`` and
                     ``np.int64(1)`` are one label. If all labels are whole floats as text, as in
                     a CSV file written by pandas, they are integers; ``'1.0'`` beside ``'1'`` is
                     an error
no chain             a blank, −1 and other negative integers, ``nan``, ``None``, ``null``, ``NA``,
                     ``N/A``, ``<NA>``, ``#N/A``, ``-``, ``--``, ``_``, ``*``, ``.``, ``?``,
                     ``UNK``, ``unknown``, ``NIL``, ``O``, ``noise``, ``singleton``, ``no_cluster``:
                     the whole label, ignoring case (``O`` is a capital). An error if mentions share
                     one, unless ``noise`` says what they are
``noise``            ``singletons``: each such mention is a singleton; ``absent``: this side
                     lacks the mention; ``label``: it is the label of a chain
missing value        None, NaN or a mask: no label, so no chain
===================  =========================================================================

Labels that differ only in blanks, characters of no width or in their Unicode normal form are
different, with a notice. So are numbers in other characters (``−1`` with the sign of minus, digits
of another script) or with a decimal comma, and integers that a float may have changed (2⁵³ and
more). ``True`` and ``False`` are no labels: Python takes ``True`` for 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any, Literal, NamedTuple, TypeAlias, get_args
from unicodedata import category, normalize

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.api.types import is_list_like

from cdec.arrays import AnySeries, Ints, StrSeries
from cdec.errors import (
    Notices,
    ScoringError,
    UsageError,
    counted,
    notice,
    one_of,
    spelled,
)

Side = Literal["key", "response"]
SIDES: tuple[Side, ...] = get_args(Side)
OTHER: dict[Side, Side] = {"key": "response", "response": "key"}
Noise: TypeAlias = Literal["singletons", "absent", "label"]
NOISE = {
    "singletons": "each mention without a chain is a chain of its own",
    "absent": "this side lacks the mentions without a chain",
    "label": "a label that usually means no chain is the label of a chain",
}
# Missing values as written by pandas, Python, SQL and spreadsheets; "no mention" of CoNLL columns;
# noise of clustering programs (negative integers); NIL of knowledge bases; the tag O. None of these
# is the label of a chain in the eight corpora that cdec reads. The pattern opens with a line break,
# and refuses the first letter of most labels, so that a search in many labels at once is fast.
_NO_CHAIN = re.compile(
    r"""\n(?![a-mp-rtv-z0-9])\s*(
        | -0*[1-9][0-9]*(\.0+)?
        | nan | none | null | n/?a | <na> | \#n/?a
        | -+ | _+ | \*+ | \.+ | \?+
        | unk | unknown | nil | noise | singletons? | no[ _-]?(cluster|chain)
        | (?-i:O)
    )\s*$""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
# Texts in ASCII without blank, comma and period: each has only one form.
_PLAIN = re.compile("[!-+/-~-]*")
_WHOLE = re.compile(r"(-?[0-9]+)\.0+")
_NUMBER = re.compile(
    r"[-\u2010-\u2015\u2212\uff0d]?\d+([.,]0+)?"
)  # digits of any script
_WITH_COMMA = re.compile(r"(-?[0-9]+),0+")
_EXACT = 2**53  # from here on different integers can be the same float


@dataclass(frozen=True, eq=False)
class Clustering:
    """A mapping from mentions to chains; every mention occurs once and has a chain label.

    ``labels`` is a Series indexed by mention id; its values are chain labels of any hashable type.
    The order is kept but has no meaning, and neither have the labels: two clusterings are equal if
    they have the same mentions in the same chains. Raises ScoringError for a duplicate mention or a
    missing label, UsageError for what is not a Series or a label that is not hashable.

    >>> clustering = Clustering.from_labels({"d1/a": "fire", "d2/b": "fire", "d2/c": "storm"})
    >>> clustering
    Clustering(3 mentions in 2 chains)
    >>> clustering.chains()
    {'fire': ['d1/a', 'd2/b'], 'storm': ['d2/c']}
    """

    labels: AnySeries = field(repr=False)

    def __post_init__(self) -> None:
        given: Any = self.labels
        if not isinstance(given, pd.Series):
            raise UsageError(
                "argument-invalid",
                f"expected a Series, got {type(given).__name__}",
                hint="use Clustering.from_labels for a dict, Clustering.from_chains for lists",
            )
        if not given.index.is_unique:
            raise ScoringError(
                "mention-duplicate",
                f"duplicate mention '{given.index[given.index.duplicated()][0]}'",
                hint="give each mention one chain",
            )
        if given.hasnans:
            raise _without_label(given)
        factorized(given)

    @classmethod
    def from_labels(
        cls,
        source: Clustering | AnySeries | Mapping[str, Hashable],
        noise: Noise | None = None,
    ) -> Clustering:
        """Return a Clustering from a Clustering, Series or mapping mention id → chain label.

        The integer 1 and the text ``"1"`` are the same label. ``noise`` says what a label that
        means "no chain" is (−1, ``"nan"``, a missing value), see ``cdec.score``: mentions that
        share one are an error without it. Raises ScoringError, and UsageError for another type.

        >>> Clustering.from_labels({"a": 1, "b": "1", "c": -1, "d": -1}, noise="singletons")
        Clustering(4 mentions in 3 chains)
        """
        return cls.with_notices(source, "clustering", noise)[0]

    @classmethod
    def with_notices(
        cls, source: object, side: str, noise: object = None
    ) -> tuple[Clustering, Notices]:
        """Return what ``from_labels`` does, and notices on the labels of ``side``."""
        labels: Any = source.labels if isinstance(source, Clustering) else source
        if isinstance(labels, Mapping):
            values = [
                None if label is np.ma.masked else label for label in labels.values()
            ]
            labels = pd.Series(values, pd.Index(labels, tupleize_cols=False), object)
        if not isinstance(labels, pd.Series):
            raise UsageError(
                "argument-invalid",
                f"expected a Clustering, Series or dict, got {type(source).__name__}",
                hint="give a Clustering, or a Series or dict mention id → chain label",
            )
        texts, notices = text_labels(labels, side, noise)
        return cls(texts), notices

    @classmethod
    def from_chains(cls, chains: Iterable[Iterable[str]]) -> Clustering:
        """Return the Clustering of ``chains``, iterables of mention ids; labels are 0, 1 and so on.

        >>> Clustering.from_chains([["a", "b"], ["c"]]).labels.to_dict()
        {'a': 0, 'b': 0, 'c': 1}
        """
        numbered = enumerate(chains if is_list_like(chains) else [chains])
        pairs = []
        for number, chain in numbered:
            if not is_list_like(chain):
                raise UsageError(
                    "argument-invalid",
                    f"expected chains of mention ids, got {type(chain).__name__}",
                    hint='such as [["a", "b"], ["c"]]',
                )
            pairs += [(mention, number) for mention in chain]
        return cls(
            pd.Series([n for _, n in pairs], index=[m for m, _ in pairs], dtype="int64")
        )

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the chains: the same for other labels and another order.

        >>> Clustering.from_labels({"a": 1, "b": 2}) == Clustering.from_labels({"b": "x", "a": "y"})
        True
        """
        return chains_digest(self.labels)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Clustering):
            return NotImplemented
        return len(self) == len(other) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        chains = counted(self.labels.nunique(), "chain")
        return f"Clustering({counted(len(self), 'mention')} in {chains})"

    def chains(self) -> dict[Any, list[str]]:
        """Return chain label → mention ids, in the order of ``labels``."""
        return {
            k: list(v)
            for k, v in self.labels.groupby(self.labels, sort=False).groups.items()
        }


def chains_digest(labels: AnySeries) -> str:
    """Return the SHA-256 of the chains of a Series mention → label; a mention may repeat.

    The order of the rows has no effect, and neither have the labels of mentions that do not repeat.

    >>> chains_digest(pd.Series({"a": 1, "b": 2})) == chains_digest(pd.Series({"b": 1, "a": "y"}))
    True
    """
    # pandas iterates over its texts slowly, a list does not.
    mentions = list(map(str, labels.index.tolist()))
    if labels.index.is_unique:
        order = sorted(range(len(mentions)), key=mentions.__getitem__)
    else:
        rows = [*zip(mentions, map(str, labels.tolist()), strict=True)]
        order = sorted(range(len(rows)), key=rows.__getitem__)
    chains = pd.factorize(labels.to_numpy()[order])[0]
    names = "\0".join(mentions[place] for place in order)
    content = sha256(names.encode("utf-8", "surrogatepass"))
    content.update(chains.astype("<i8").tobytes())
    return content.hexdigest()


def noise_hint() -> str:
    """Return how a caller says what a label of no chain is."""
    return (
        f"say {spelled('noise', 'singletons')} (each one is a singleton), "
        f"{spelled('noise', 'absent')} (not on this side) or {spelled('noise', 'label')} (a chain)"
    )


def _without_label(labels: AnySeries) -> ScoringError:
    return ScoringError(
        "label-ambiguous",
        f"mention '{labels.index[labels.isna().to_numpy()][0]}' has no chain label",
        hint=f"give it a label, or {noise_hint()}",
    )


# ---- labels ----


class Chains(NamedTuple):
    """The chain of each mention as a number (−1: not on this side), and the label of each chain.

    The labels are texts, or integers, which are made texts where they are read.
    """

    codes: Ints
    labels: list[str] | Ints
    notices: Notices = ()


def chains_of(
    labels: AnySeries,
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
    if noise is not None:
        noise = one_of("noise treatment", noise, NOISE)
    codes, distinct = factorized(labels)
    numbers = _integers(distinct)
    if numbers is not None:
        chains = Chains(codes, numbers)
        of_no_chain = np.flatnonzero(numbers < 0).tolist()
    else:
        texts = list(distinct)
        visible = texts
        notices: Notices = ()
        is_text = set(map(type, texts)) <= {str}
        if not (is_text and all(texts) and _PLAIN.fullmatch("".join(texts))):
            codes, texts = _with_texts(codes, distinct, side)
            visible = [_visible(text) for text in texts]
            notices = _notices_on_forms(distinct, texts, visible, side)
        chains = Chains(codes, texts, notices)
        of_no_chain = []
        if _NO_CHAIN.search("\n".join(["", *visible])):
            of_no_chain = [
                code for code, text in enumerate(visible) if is_no_chain(text)
            ]
    if noise in (None, "label"):
        for code in of_no_chain:
            text = str(chains.labels[code])
            is_blank = not text.strip()
            if noise == "label" and not is_blank:
                continue
            rows = np.flatnonzero(chains.codes == code)
            least = 1 if array or is_blank else 2
            if len(rows) >= least:
                message = f"{counted(len(rows), 'mention')} with the label '{text}'"
                first = place(labels.index[rows[0]])
                raise ScoringError(
                    "label-ambiguous", message, place=first, hint=noise_hint()
                )
        return chains
    if not array:
        of_no_chain.append(-1)
    rows = np.flatnonzero(np.isin(chains.codes, of_no_chain))
    if not len(rows):
        return chains
    places = list(map(place, labels.index[rows]))
    return _without_noise(chains, rows, places, side, str(noise))


def _without_noise(
    chains: Chains, rows: Ints, places: list[str], side: str, noise: str
) -> Chains:
    """Return the chains in which the mentions of ``rows`` are singletons or absent."""
    mentions = counted(len(rows), "mention has no chain", "mentions have no chain")
    message = f"{mentions} in the {side}: {NOISE[noise]}"
    notices = (
        *chains.notices,
        notice("label-ambiguous", message, places, warning=False),
    )
    codes = chains.codes.copy()
    if noise == "absent":
        codes[rows] = -1
        return Chains(codes, chains.labels, notices)
    texts = list(map(str, chains.labels))
    codes[rows] = len(texts) + np.arange(len(rows))
    prefix = "noise:"
    while any(text.startswith(prefix) for text in texts):
        prefix = f"'{prefix}"
    singletons = [f"{prefix}{number}" for number in range(1, len(rows) + 1)]
    return Chains(codes, [*texts, *singletons], notices)


def text_labels(
    labels: AnySeries, side: str, noise: object = None
) -> tuple[StrSeries, Notices]:
    """Return the labels as text, without mentions that this side lacks, and notices on them.

    A mention may repeat. Raises as ``chains_of``, and ScoringError for a missing label without
    ``noise``.
    """
    if noise in (None, "label") and labels.hasnans:
        raise _without_label(labels)
    chains = chains_of(labels, side, noise)
    present = chains.codes >= 0
    texts = np.array([*map(str, chains.labels), ""], dtype=object)[
        chains.codes[present]
    ]
    return pd.Series(texts, labels.index[present], dtype=object), chains.notices


def _integers(labels: Any) -> Ints | None:
    """Return distinct labels as integers if each is a whole number, and exact.

    No two integers have the same text: they need no check of their forms.
    """
    numbers = np.asarray(labels)
    is_float = numbers.dtype.kind == "f"
    if is_float and (abs(numbers) < _EXACT).all() and not (numbers % 1).any():
        return numbers.astype(np.int64)
    return numbers if numbers.dtype.kind in "iu" else None


def _with_texts(
    codes: Ints, labels: Iterable[object], side: str
) -> tuple[Ints, list[str]]:
    """Return the codes of labels as text, and the texts, without ``.0`` if all are whole floats.

    Raises ScoringError for a number in two forms.
    """
    texts = [label if isinstance(label, str) else label_text(label) for label in labels]
    named = {text for text in texts if not is_no_chain(text)}
    matches = {text: _WHOLE.fullmatch(text) for text in named}
    numbers = {text: match[1] for text, match in matches.items() if match}
    if numbers and len(numbers) == len(named):
        texts = [_WHOLE.sub(r"\1", text) for text in texts]
    else:
        for text, number in sorted(numbers.items()):
            if number in named:
                raise ScoringError(
                    "label-ambiguous",
                    f"the {side} has the labels '{number}' and '{text}'",
                    hint="write the number of a chain in one form",
                )
    code_of_text, distinct = pd.factorize(np.array(texts, dtype=object))
    return np.append(code_of_text, -1).astype(np.int64)[codes], list(distinct)


def _notices_on_forms(
    labels: Iterable[object], texts: Collection[str], visible: list[str], side: str
) -> Notices:
    """Return notices on labels that look alike, and on numbers in an unusual form.

    Labels look alike if they differ only in blanks or in their Unicode normal form; ``texts`` are
    the labels as text, ``visible`` these without characters of no width.
    """
    notices = []
    forms = [" ".join(normalize("NFC", text).split()) for text in visible]
    if len({*forms}) < len(forms):
        groups = pd.Series(list(texts), dtype=object).groupby(forms, sort=False)
        alike = [
            " and ".join(map(repr, group)) for _, group in groups if len(group) > 1
        ]
        message = (
            f"{counted(len(alike), 'label')} of the {side} in forms that differ only in blanks or "
            "in Unicode: each form is a separate chain"
        )
        notices.append(notice("label-ambiguous", message, alike))
    odd = _odd_numbers(labels, texts)
    if odd:
        message = (
            f"{counted(len(odd), 'label')} of the {side} are numbers in another form, or larger "
            "than a float can hold exactly: each label is read as it is"
        )
        notices.append(notice("label-ambiguous", message, odd))
    return tuple(notices)


def _odd_numbers(labels: Iterable[object], texts: Collection[str]) -> list[str]:
    """Return the labels that are numbers in another form than ``7``, or inexact floats.

    ``texts`` are the labels as text. A comma is one of another form beside the number itself.

    >>> _odd_numbers([], ["7", "７", "−1", "7,0", "8,0", "x"])
    ['７', '−1', '7,0']
    """
    known = {*texts}
    odd = []
    for text in texts:
        with_comma = _WITH_COMMA.fullmatch(text)
        beside_number = with_comma is not None and with_comma[1] in known
        other_digits = not text.isascii() and _NUMBER.fullmatch(text.strip())
        if beside_number or other_digits:
            odd.append(text)
    for label in labels:
        if isinstance(label, str) and _WHOLE.fullmatch(label) is None:
            continue
        if isinstance(label, str | float | np.floating):
            number = abs(float(label))
            if _EXACT <= number < np.inf:
                odd.append(str(label))
    return odd


def factorized(labels: npt.NDArray[Any] | AnySeries) -> tuple[Ints, Any]:
    """Return codes 0, 1, … in order of first occurrence, −1 for a missing value, and their labels.

    Raises UsageError for a label that is not hashable, such as a list, or is a truth value.

    >>> codes, labels = factorized(pd.Series(["b", "a", None, "b"]))
    >>> codes.tolist(), list(labels)
    ([0, 1, -1, 0], ['b', 'a'])
    """
    if labels.dtype == np.int64:
        return _integer_codes(np.asarray(labels))
    kinds = {labels.dtype.type}
    if labels.dtype == object:
        kinds = set(map(type, np.asarray(labels)))  # faster than of a Series
    if not kinds & {bool, np.bool_}:
        with suppress(TypeError):
            codes, distinct = pd.factorize(labels)
            return codes.astype(np.int64, copy=False), distinct
    is_hashable = pd.api.types.is_hashable
    mention, label = next(
        (mention, label)
        for mention, label in pd.Series(labels).items()
        if isinstance(label, bool | np.bool_) or not is_hashable(label)
    )
    raise UsageError(
        "argument-invalid",
        f"the label of mention '{mention}' is not text or a number: {type(label).__name__}",
        hint="give each mention one label, such as a number or a string",
    )


def _integer_codes(numbers: Ints) -> tuple[Ints, Ints]:
    """Return codes 0, 1, … in order of first occurrence, and the distinct numbers in this order.

    >>> codes, distinct = _integer_codes(np.array([7, 5, 7]))
    >>> codes.tolist(), distinct.tolist()
    ([0, 1, 0], [7, 5])
    """
    rows = np.arange(len(numbers))
    span = int(numbers.max(initial=0)) - int(numbers.min(initial=0)) + 1
    if span > 4 * len(rows):
        return pd.factorize(numbers)
    # Numbers in a narrow range need no hash table: they are places in an array, negative ones from
    # its end. Of several rows with one number, written from the last to the first, the first stays.
    first_row = np.empty(span, np.int64)
    first_row[numbers[::-1]] = rows[::-1]
    distinct = numbers[first_row[numbers] == rows]
    code = first_row  # by number, too: large arrays take time
    code[distinct] = np.arange(len(distinct))
    return code[numbers], distinct


def label_text(label: object) -> str:
    """Return the text of a label.

    >>> [label_text(label) for label in (1, "1", 1.0, np.int64(1), "1.0", 0.5)]
    ['1', '1', '1', '1', '1.0', '0.5']
    """
    number: Any = label
    try:
        is_whole = pd.api.types.is_number(label) and int(number) == number
    except (OverflowError, TypeError, ValueError):  # infinite, complex
        is_whole = False
    return str(int(number)) if is_whole else str(label)


def is_no_chain(text: str) -> bool:
    """Return whether a label means that its mentions are in no chain.

    >>> [is_no_chain(text) for text in ("-1", "NaN", " ", "-1.0", "O", "0", "o")]
    [True, True, True, True, True, False, False]
    """
    return _NO_CHAIN.fullmatch("\n" + _visible(text)) is not None


def _visible(text: str) -> str:
    """Return the text without characters of no width."""
    return (
        text
        if text.isprintable()
        else "".join(sign for sign in text if category(sign) != "Cf")
    )
