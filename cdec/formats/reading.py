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

What an offset counts (``offsets``): a file that repeats the words of its mentions shows it, because
the words must stand at the place. If they do not, another count from 0 or 1, to the last unit or
the one after it, or one shift for each block (document, sentence or window) is the reading under
which the words of all mentions stand there. Without one, the file is refused.

Who a mention is (``identity``): its place in a text, or its id. A line that has neither a place nor
a name is nobody's: it is never paired by its number.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Mapping,
    Sequence,
)
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from operator import itemgetter
from typing import Literal, TypeAlias
from unicodedata import normalize

import numpy as np
import pandas as pd

from cdec.arrays import BoolSeries, IntSeries, StrSeries
from cdec.errors import CdecError, FormatError, Notice, counted, spelled
from cdec.files.input import integer

LABELS = ("document", "corpus")
"""Where a chain label holds: in its document, or in the whole corpus."""
ChoiceSource = Literal["file", "caller", "evidence", "assumed"]
DENSE_SHARE = 0.9
"""Documents whose labels are 0 to k or 1 to k must have this share for labels to look local.

Of 120 published files of several documents at most 8 % of the documents are dense; in LitBank,
whose labels are local, 99 of 100.
"""
DISTINCT_SHARE = 0.9
"""Lines that differ by place or name must have this share for each to be another mention."""
IDENTITY = "identity"
_FEW = 2  # labels that can share a prefix


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
    docs: StrSeries,
    labels: StrSeries,
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
    if stated is None and not look_local(docs, labels):
        return Choice("corpus", "evidence")
    recurring = recurring_labels(docs, labels)
    if not recurring:
        return Choice("corpus", "evidence")
    if stated is not None:
        return Choice(stated, "caller")
    documents = counted(docs.nunique(), "document")
    raise FormatError(
        "scope-ambiguous",
        f"{what} numbers its chains anew in each of {documents}, and labels recur, such as "
        f"'{recurring[0]}': a label may be a chain of its document or of all documents",
        place=place,
        hint=f"say which: {spelled(option, 'document')} (a chain ends with its document) or "
        f"{spelled(option, 'corpus')} (the same label is the same chain)",
    )


def recurring_labels(docs: StrSeries, labels: StrSeries) -> list[str]:
    """Return the labels that occur in several documents, the most frequent first.

    >>> recurring_labels(pd.Series(["a", "a", "b"]), pd.Series(["1", "2", "2"]))
    ['2']
    """
    pairs = dict.fromkeys(zip(docs, labels, strict=True))
    documents = Counter(label for _, label in pairs)
    return [label for label, number in documents.most_common() if number > 1]


def look_local(docs: StrSeries, labels: StrSeries) -> bool:
    """Return whether labels recur and are numbered anew in each document.

    A prefix that all labels share is not looked at, nor a label that begins with the name of its
    document: that chain is local whatever the others are.

    >>> look_local(pd.Series(["a", "a", "b"]), pd.Series(["c0", "c1", "c0"]))
    True
    >>> look_local(pd.Series(["a", "a", "b"]), pd.Series(["c0", "c7", "c7"]))
    False
    """
    doc_codes, names = pd.factorize(docs)
    codes, distinct = pd.factorize(labels)
    pairs = np.sort(pd.unique(doc_codes * np.int64(len(distinct)) + codes))
    doc, label = np.divmod(pairs, max(len(distinct), 1))
    if any("/" in text for text in distinct):
        is_named = [
            distinct[j].startswith(f"{names[i]}/")
            for i, j in zip(doc.tolist(), label.tolist(), strict=True)
        ]
        doc = doc[np.logical_not(is_named)]
        label = label[np.logical_not(is_named)]
    used = np.flatnonzero(np.bincount(label))
    if len(used) == len(label):
        return False
    texts = distinct[used].tolist()
    prefixes = {text.rstrip("0123456789") for text in texts}
    prefix = prefixes.pop() if len(prefixes) == 1 and len(texts) >= _FEW else ""
    numbers = [integer(text.removeprefix(prefix)) for text in texts]
    number = np.array(numbers)[np.searchsorted(used, label)]
    number = number[np.lexsort((number, doc))]  # sorted in each document
    starts = np.flatnonzero(np.diff(doc, prepend=-1))
    first = number[starts]
    sizes = np.diff(starts, append=len(doc))
    expected = np.arange(len(doc)) + np.repeat(first - starts, sizes)
    follows = np.logical_and.reduceat(number == expected, starts)
    is_dense = follows & ((first == 0) | (first == 1))
    return bool(is_dense.sum() >= DENSE_SHARE * len(starts))


def in_documents(docs: StrSeries, labels: StrSeries) -> StrSeries:
    """Return the labels of chains that end with their documents: a label of its own for each.

    >>> in_documents(pd.Series(["a", "b"]), pd.Series(["1", "1"])).tolist()
    ['a/1', 'b/1']
    """
    chains = {*zip(docs, labels, strict=True)}
    separator = "/"
    local = docs + separator + labels
    while local.nunique() < len(
        chains
    ):  # "a" with "b/1" and "a/b" with "1" are two chains
        separator += "/"
        local = docs + separator + labels
    return local


# ---- the same words ----

_PUNCTUATION = {
    "-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]", "-lcb-": "{", "-rcb-": "}",
    "``": '"', "''": '"', "“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "`": "'",
    "\\/": "/", "—": "-", "–": "-", "--": "-",
}  # fmt: skip
_ODD_PUNCTUATION = re.compile("|".join(map(re.escape, _PUNCTUATION)))


@lru_cache(maxsize=1 << 16)
def plain_words(words: str) -> str:
    r"""Return words without case, white space, and the usual variants of punctuation.

    >>> plain_words("The Cafe\u0301 -LRB- 7 ½ ``")
    'thecafé(71⁄2"'
    """
    text = "".join(normalize("NFKC", words.casefold()).split())
    return _ODD_PUNCTUATION.sub(lambda match: _PUNCTUATION[match[0]], text)


def is_same_word(word: str, other: str) -> bool:
    """Return whether two words are the same, or one of them is a placeholder.

    White space inside a token is ignored because most systems lose it (ECB+ has eight such
    tokens): ``7 ½`` is the same as ``7½``, and as ``7``, which remains if blanks separate columns.
    """
    if word == other or is_placeholder(word, other):
        return True
    pieces = word.split()
    other_pieces = other.split()
    is_single = min(len(pieces), len(other_pieces)) == 1
    if is_single and pieces[0] == other_pieces[0]:
        return True
    return "".join(pieces) == "".join(other_pieces)


def is_placeholder(word: str, other: str) -> bool:
    """Return whether one of two words is empty or a placeholder such as ``_`` or ``___``."""
    return not (word.strip("_").strip() and other.strip("_").strip())


def stand_at(words: str, units: Sequence[str]) -> bool:
    """Return whether these are the words of a mention at these words, or characters, of a text.

    >>> stand_at("the café", ["The", "Café"]), stand_at("the café", ["Café"])
    (True, False)
    """
    plain = plain_words(words)
    if plain == plain_words("".join(units)) or plain == "".join(
        map(plain_words, units)
    ):
        return bool(units)
    is_masked = [set(unit) == {"_"} for unit in units]
    pieces = words.split()
    if any(is_masked) and len(pieces) == len(units):
        return all(map(is_same_word, pieces, units))
    if all(is_masked):
        return bool(units)
    # Of a token with a blank inside, most systems keep the part before it.
    return plain == "".join(
        plain_words(unit.split()[0]) for unit in units if unit.strip()
    )


# ---- what an offset counts ----

COUNTS = {
    "from 0 to the last": (0, 0),
    "from 0 to the next": (0, -1),
    "from 1 to the last": (-1, -1),
    "from 1 to the next": (-1, -2),
}
"""How the two numbers of a mention count → what to add for its first and its last unit."""
TO_LAST = "from 0 to the last"
TO_NEXT = "from 0 to the next"
WORDS_FIELDS = (
    "mention_text", "mention_words", "mention_str", "mention_string", "span_text", "span_words",
    "tokens_str", "tokens_text", "surface_form", "surface", "string", "phrase", "text", "words",
)  # fmt: skip
"""Names of a field of a record that has the words of the mention, the clearest first."""
_MORE_WORDS = 5  # than the mention has, from which a text is the context of the mention
WORDS_HINT = (
    "correct the numbers or the words, or rename the field of the words if it holds "
    "something else"
)
Refuse = Callable[[int, str, str], CdecError]
Texts: TypeAlias = Mapping[str, Sequence[str]]
"""The words, or the characters, of texts."""


def place_by_words(
    mentions: pd.DataFrame,
    texts: Texts,
    bases: Mapping[str, IntSeries],
    refuse: Refuse,
    *,
    usual: str = TO_LAST,
    unit: str = "document",
    starts: Mapping[str, Collection[int]] | None = None,
    other_texts: Texts | None = None,
    other_unit: str = "characters",
    are_lists: bool = False,
) -> tuple[pd.DataFrame, Choice, bool]:
    """Return the ``first`` and ``last`` word of mentions in their texts, as their words show it.

    The second value says how the numbers count, the third whether they are in ``other_texts``.

    ========  ==================================================================================
    text      id of the text of the mention in ``texts``
    block     number of the part of the text in which the numbers may count, in text order
    first     the first number of the mention, as the file has it
    last      the second number, likewise
    tokens    all numbers if the mention has a gap, else ()
    words     the words of the mention, '' if the file does not repeat them
    ========  ==================================================================================

    ``bases`` are readings of the place of the number 0 of each mention in its text, by the name of
    what is counted, the usual one first; ``usual`` is the usual one of COUNTS. A block, which the
    message calls ``unit``, may begin at ``starts``, if several places fit. ``other_texts`` has the
    same texts in another unit, ``other_unit``. ``are_lists``: the file has all numbers of each
    mention, so that they can only be shifted. Raises what ``refuse`` returns for the row (from 0)
    of the first mention whose words differ, the message and the hint.
    """
    stated = mentions[mentions["words"] != ""]
    counts = sorted(COUNTS, key=lambda count: count != usual)
    if are_lists or stated["tokens"].map(len).any():
        counts = [count for count in counts if _is_shift(count, usual)]
    readings = []
    for count in counts:
        for base, zero in bases.items():
            value = f"{count} in {base}" if base else count
            readings.append((value, texts, zero, count))
    usual_zero = next(iter(bases.values()))
    if other_texts is not None:
        zero = pd.Series(0, mentions.index)
        readings += [
            (f"{count}, {other_unit}", other_texts, zero, count) for count in counts
        ]

    # One reading for all mentions: the usual one, or the only one that fits.
    fits = {}
    solutions: list[tuple[pd.DataFrame, Choice, bool]] = []
    for value, units, zero, count in readings:
        places = counted_places(mentions, zero, count)
        fits[value] = int(_are_at(stated, places, units).sum())
        if fits[value] < len(stated):
            continue
        solution = (places, Choice(value, "evidence"), units is not texts)
        if units is texts and count == usual:
            return solution
        if not any(places.equals(other) for other, _, _ in solutions):
            solutions.append(solution)
    if len(solutions) == 1:
        return solutions[0]

    # One shift for each block.
    shift_counts = [count for count in counts if count in (TO_LAST, TO_NEXT)]
    for count in shift_counts if not solutions else ():
        zeros = _block_zeros(mentions, usual_zero, texts, count, starts or {})
        if zeros is not None:
            value = f"{count}, with a shift for each {unit}"
            places = counted_places(mentions, zeros, count)
            return places, Choice(value, "evidence"), False
    usual_places = counted_places(mentions, usual_zero, usual)
    label = _first_difference(stated, usual_places, texts)
    row = list(mentions.index).index(label)
    message = _difference(mentions.iloc[row], usual_places.iloc[row], texts)
    message += f"; {fits[usual]:,} of {counted(len(stated), 'mention')} fit"
    best = max(fits, key=fits.__getitem__)
    hint = WORDS_HINT
    if fits[best] > fits[usual]:
        hint = f"if numbers count {best}, {fits[best]:,} of {len(stated):,} fit; {WORDS_HINT}"
    raise refuse(row, message, hint)


def hold_words(mentions: pd.DataFrame, texts: Texts, zero: IntSeries) -> bool:
    """Return whether most values of ``words`` are those of the mentions, however these count.

    The columns are those of ``place_by_words``; the field may be one for something else, as ids.
    """
    for count in COUNTS:
        places = counted_places(mentions, zero, count)
        if 2 * _are_at(mentions, places, texts).sum() > len(mentions):
            return True
    return False


def are_contexts(mentions: pd.DataFrame, texts: Texts) -> bool:
    """Return whether most values of ``words`` are sentences in which the mentions are.

    Such a value has the words at the place of the mention, and several more.
    """
    longer = 0
    columns = (mentions[name] for name in ("text", "first", "last", "words"))
    for text, first, last, words in zip(*columns, strict=True):
        units = texts.get(text, ())[first : last + 1]
        has_more = len(words.split()) >= len(units) + _MORE_WORDS
        longer += (
            bool(units)
            and has_more
            and plain_words("".join(units)) in plain_words(words)
        )
    return 2 * longer > len(mentions)


def words_field(names: Iterable[str]) -> str | None:
    """Return the one of these names of fields that has the words of a mention, if any.

    >>> words_field(["doc", "start", "end", "Text", "tokens-str"])
    'tokens-str'
    """
    plain = {
        name.strip().casefold().replace("-", "_").replace(" ", "_"): name
        for name in names
    }
    return next((plain[name] for name in WORDS_FIELDS if name in plain), None)


def offsets_notice(choice: Choice, number: int) -> Notice:
    """Return the notice on numbers that do not count as usual."""
    mentions = counted(number, "mention")
    return Notice(
        "reading-assumed",
        number,
        f"the numbers of {mentions} count {choice.value}, as the words of the mentions show",
        (),
        warning=False,
    )


def _is_shift(count: str, usual: str) -> bool:
    first, last = COUNTS[count]
    usual_first, usual_last = COUNTS[usual]
    return first - usual_first == last - usual_last


def counted_places(mentions: pd.DataFrame, zero: IntSeries, count: str) -> pd.DataFrame:
    """Return the first and the last unit of mentions whose number 0 is at ``zero``."""
    first, last = COUNTS[count]
    return pd.DataFrame(
        {
            "first": mentions["first"] + zero + first,
            "last": mentions["last"] + zero + last,
        }
    )


def _are_at(stated: pd.DataFrame, places: pd.DataFrame, texts: Texts) -> BoolSeries:
    """Return whether the words of each mention stand at its place."""
    columns = [stated[name] for name in ("text", "words", "tokens")]
    columns += [places.loc[stated.index, name] for name in ("first", "last")]
    are_at = [
        _is_at(words, tokens, texts.get(text, ()), first, last)
        for text, words, tokens, first, last in zip(*columns, strict=True)
    ]
    return pd.Series(are_at, stated.index, dtype=bool)


def _is_at(
    words: str, tokens: Sequence[int], units: Sequence[str], first: int, last: int
) -> bool:
    """Return whether the words of a mention stand at these units of a text.

    ``tokens`` are all numbers of a mention with a gap.
    """
    if not 0 <= first <= last < len(units):
        return False
    if units[first].isspace() or units[last].isspace():  # characters
        return False
    if stand_at(words, units[first : last + 1]):
        return True
    pieces = [units[first + token - min(tokens)] for token in tokens]
    return stand_at(words.replace("...", " "), pieces)


def _block_zeros(
    mentions: pd.DataFrame,
    usual_zero: IntSeries,
    texts: Texts,
    count: str,
    starts: Mapping[str, Collection[int]],
) -> IntSeries | None:
    """Return where the number 0 of the block of each mention is; None without one solution.

    One shift for the whole text comes first, then one for each block. The blocks without words stay
    at ``usual_zero``.
    """
    zeros = usual_zero.copy()
    stated = mentions[mentions["words"] != ""]
    for text, of_text in stated.groupby("text"):
        blocks = dict(iter(of_text.groupby("block")))
        units = texts[str(text)]
        shifts = _ordered_shifts([of_text], units, count, {0}) * len(blocks)
        if not shifts:
            block_starts = starts.get(str(text), {0})
            shifts = _ordered_shifts(blocks.values(), units, count, block_starts)
        if not shifts:
            return None
        for block, shift in zip(blocks, shifts, strict=True):
            is_in_block = (mentions["text"] == text) & (mentions["block"] == block)
            zeros[is_in_block] = shift
    return zeros


def _ordered_shifts(
    blocks: Iterable[pd.DataFrame],
    units: Sequence[str],
    count: str,
    starts: Collection[int],
) -> list[int]:
    """Return the places at which blocks begin that follow one another; none without one solution.

    If several places of a block fit, it begins at the one that is among ``starts``.
    """
    _, add_last = COUNTS[count]
    options = []
    for block in blocks:
        size = int(block["last"].max()) + add_last + 1
        shifts = _fitting_shifts(block, units, count)
        options.append([range(shift, shift + size) for shift in shifts])
    _narrow(options)
    for places in options:
        usual = [place for place in places if place.start in starts]
        if len(places) > 1 and len(usual) == 1:
            places[:] = usual
            _narrow(options)
    if any(len(places) != 1 for places in options):
        return []
    return [place.start for (place,) in options]


def _narrow(options: Sequence[list[range]]) -> None:
    """Remove the places of each block that are not behind the block before and before the next."""
    neighbours = list(pairwise(options))
    for before, after in neighbours:
        begin = min((place.stop for place in before), default=0)
        after[:] = [place for place in after if place.start >= begin]
    for before, after in reversed(neighbours):
        end = max((place.start for place in after), default=0)
        before[:] = [place for place in before if place.stop <= end]


def _fitting_shifts(block: pd.DataFrame, units: Sequence[str], count: str) -> list[int]:
    """Return the places of the number 0 at which the words of all mentions of a block stand."""
    places = counted_places(block, pd.Series(0, block.index), count)
    columns = (block["words"], block["tokens"], places["first"], places["last"])
    longest_first = sorted(
        zip(*columns, strict=True), key=lambda mention: len(mention[0]), reverse=True
    )
    words, _, first, _ = longest_first[0]
    beginnings = (plain_words(words)[:1], "_")
    shifts = [
        start - first
        for start, unit in enumerate(units)
        if plain_words(unit)[:1] in beginnings
    ]
    for words, tokens, first, last in longest_first:
        shifts = [
            shift
            for shift in shifts
            if _is_at(words, tokens, units, first + shift, last + shift)
        ]
    return shifts


def _first_difference(stated: pd.DataFrame, places: pd.DataFrame, texts: Texts) -> int:
    """Return the index of the first mention whose text does not have its words.

    If all have them, it is the first mention whose words are not at its place.
    """
    wrong = stated[~_are_at(stated, places, texts)]
    plain = {
        text: "".join(map(plain_words, texts[text])) for text in wrong["text"].unique()
    }
    for label, text, words in zip(
        wrong.index, wrong["text"], wrong["words"], strict=True
    ):
        if plain_words(words) not in plain[text]:
            return int(label)
    return int(wrong.index[0])


def _difference(mention: pd.Series, place: IntSeries, texts: Texts) -> str:
    """Return the words of a mention, a row of the table, and those at its place."""
    units = texts[mention["text"]]
    first = place["first"]
    last = place["last"]
    numbers = f"the mention at {mention['first']} to {mention['last']}"
    difference = f"{numbers} is '{mention['words'][:60]}', but"
    if not 0 <= first <= last < len(units):
        return f"{difference} its place is not in the text of {len(units):,}"
    separator = "" if all(len(unit) == 1 for unit in units) else " "
    words_there = separator.join(units[first : last + 1])
    return f"{difference} '{words_there[:60]}' is there"


def word_places(words: Sequence[str]) -> list[tuple[int, int]]:
    """Return the first character of each word, and the one after it, if blanks join the words.

    >>> word_places(["A", "fire"])
    [(0, 1), (2, 6)]
    """
    places = []
    begin = 0
    for word in words:
        places.append((begin, begin + len(word)))
        begin += len(word) + 1
    return places


def words_at(
    places: Sequence[tuple[int, int]], first: int, last: int
) -> tuple[int, int]:
    """Return the first and the last word that have characters from ``first`` to ``last``.

    ``places`` are those of ``word_places``. The first is after the last if there is none.

    >>> words_at([(0, 1), (2, 6)], 0, 3)
    (0, 1)
    """
    start = bisect_right(places, first, key=itemgetter(0)) - 1
    end = bisect_left(places, last + 1, key=itemgetter(1))
    return start, end


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


def identity_of_lines(
    lines: Sequence[tuple[object, ...]], texts: Sequence[str]
) -> Choice:
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
    identity = "none"
    if len({*lines}) >= enough:
        identity = "tokens"
    elif len({*zip(lines, texts, strict=True)}) >= enough:
        identity = "names"
    return Choice(identity, "evidence")


def check_identity(reading: Reading, file: str) -> None:
    """Raise FormatError if nothing in a file says who a mention is."""
    if reading.get(IDENTITY, Choice("tokens", "file")).value == "none":
        raise FormatError(
            "mention-unknown",
            "each line is a mention without document and token number, so that nothing but the "
            "order of the lines says who it is",
            place=file,
            hint="write document, token number and word on each line, or an id that both files and "
            "the corpus have",
        )
