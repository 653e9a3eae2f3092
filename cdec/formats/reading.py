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
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
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
_FEW = 2  # of two documents both must be dense; two labels can share a prefix


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
    labels_of: defaultdict[str, set[str]] = defaultdict(set)
    for doc, label in zip(docs, labels, strict=True):
        if not label.startswith(f"{doc}/"):
            labels_of[doc].add(label)
    distinct = set().union(*labels_of.values())
    if len(distinct) == sum(map(len, labels_of.values())):
        return False
    prefixes = {label.rstrip("0123456789") for label in distinct}
    prefix = prefixes.pop() if len(prefixes) == 1 and len(distinct) >= _FEW else ""
    dense = 0
    for of_document in labels_of.values():
        numbers = {integer(label.removeprefix(prefix)) for label in of_document}
        first = min(numbers)
        if first in (0, 1) and numbers == set(range(first, first + len(of_document))):
            dense += 1
    if len(labels_of) <= _FEW:
        return dense == len(labels_of)
    return dense >= DENSE_SHARE * len(labels_of)


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
WORDS_HINT = "correct the numbers or the words, or rename the field of the words if it holds something else"
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
    usual_base = next(iter(bases))
    usual_places = counted_places(mentions, bases[usual_base], usual)
    readings = []
    for count in sorted(COUNTS, key=lambda name: name != usual):
        for base, zero in bases.items():
            value = count if base == usual_base else f"{count} in {base}"
            readings.append((value, texts, zero, count))
    if other_texts is not None:
        zero = pd.Series(0, mentions.index)
        readings += [
            (f"{count}, {other_unit}", other_texts, zero, count) for count in COUNTS
        ]

    # One reading for all mentions: the usual one, or the only one that fits.
    are_lists |= bool(stated["tokens"].map(len).any())
    fits = {}
    solutions: dict[str, pd.DataFrame] = {}
    is_other = False
    for value, units, zero, count in readings:
        if are_lists and not _is_shift(count, usual):
            continue
        places = counted_places(mentions, zero, count)
        fits[value] = int(_are_at(stated, places, units).sum())
        if fits[value] < len(stated):
            continue
        if units is texts and count == usual:
            return places, Choice(value, "evidence"), False
        if any(places.equals(solution) for solution in solutions.values()):
            continue
        solutions[value] = places
        is_other = units is not texts
    if len(solutions) == 1:
        ((value, places),) = solutions.items()
        return places, Choice(value, "evidence"), is_other

    # One shift for each block.
    other_end = TO_NEXT if usual == TO_LAST else TO_LAST
    for count in [usual] if are_lists else [usual, other_end]:
        shift = None if solutions else _block_shifts(stated, texts, count, starts or {})
        if shift is not None:
            blocks = pd.MultiIndex.from_frame(mentions[["text", "block"]])
            zero = pd.Series(shift.reindex(blocks).to_numpy(), mentions.index)
            zero = zero.fillna(bases[usual_base]).astype("int64")
            places = counted_places(mentions, zero, count)
            return (
                places,
                Choice(f"{count}, with a shift for each {unit}", "evidence"),
                False,
            )
    row = _first_difference(mentions, usual_places, texts)
    message = _difference(mentions.iloc[[row]], usual_places.iloc[[row]], texts)
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
    """Return whether a count differs from the usual one by one shift of both numbers."""
    first, last = COUNTS[count]
    usual_first, usual_last = COUNTS[usual]
    return first - usual_first == last - usual_last


def counted_places(mentions: pd.DataFrame, zero: IntSeries, count: str) -> pd.DataFrame:
    """Return the first and the last unit of mentions whose number 0 is at ``zero``."""
    first, last = COUNTS[count]
    places = {
        "first": mentions["first"] + zero + first,
        "last": mentions["last"] + zero + last,
    }
    return pd.DataFrame(places)


def _are_at(stated: pd.DataFrame, places: pd.DataFrame, texts: Texts) -> BoolSeries:
    """Return whether the words of each mention stand at its place."""
    stated_places = places.loc[stated.index]
    rows = zip(
        stated["text"], stated["tokens"], stated["first"], stated["words"],
        stated_places["first"], stated_places["last"], strict=True,
    )  # fmt: skip
    are_at = []
    for text, tokens, number, words, first, last in rows:
        units = texts.get(text, ())
        if not 0 <= first <= last < len(units):
            are_at.append(False)
            continue
        if units[first].isspace() or units[last].isspace():  # characters
            are_at.append(False)
            continue
        is_at = stand_at(words, units[first : last + 1])
        if tokens and not is_at:
            pieces = [units[token + first - number] for token in tokens]
            is_at = stand_at(words.replace("...", " "), pieces)
        are_at.append(is_at)
    return pd.Series(are_at, stated.index, dtype=bool)


def _block_shifts(
    stated: pd.DataFrame,
    texts: Texts,
    count: str,
    starts: Mapping[str, Collection[int]],
) -> IntSeries | None:
    """Return where the number 0 of each block is in its text; None without one solution.

    One shift for the whole text comes first, then one for each block.
    """
    shifts = {}
    for name in stated["text"].unique():
        of_text = stated[stated["text"] == name]
        numbers = sorted(of_text["block"].unique().tolist())
        solution = _ordered_shifts([of_text], texts[name], count, {0})
        if solution is not None:
            solution *= len(numbers)
        else:
            blocks = [of_text[of_text["block"] == number] for number in numbers]
            solution = _ordered_shifts(
                blocks, texts[name], count, starts.get(name, {0})
            )
        if solution is None:
            return None
        for number, shift in zip(numbers, solution, strict=True):
            shifts[name, number] = shift
    return pd.Series(shifts)


def _ordered_shifts(
    blocks: Sequence[pd.DataFrame],
    units: Sequence[str],
    count: str,
    starts: Collection[int],
) -> list[int] | None:
    """Return the places at which blocks begin that follow one another; None without one solution.

    If several places of a block fit, it begins at the one that is among ``starts``.
    """
    _, add_last = COUNTS[count]
    reach = [int(block["last"].max()) + add_last for block in blocks]
    options = [_fitting_shifts(block, units, count) for block in blocks]
    options = _in_order(options, reach)
    for number, shifts in enumerate(options):
        usual = [shift for shift in shifts if shift in starts]
        if len(shifts) > 1 and len(usual) == 1:
            options[number] = usual
            options = _in_order(options, reach)
    if any(len(shifts) != 1 for shifts in options):
        return None
    return [shift for (shift,) in options]


def _in_order(options: list[list[int]], reach: Sequence[int]) -> list[list[int]]:
    """Return the places of each block that are behind the one before and in front of the next.

    ``reach`` is the largest number in each block.
    """
    options = [*options]
    for number in range(1, len(options)):
        before = min(
            (shift + reach[number - 1] for shift in options[number - 1]), default=0
        )
        options[number] = [shift for shift in options[number] if shift > before]
    for number in reversed(range(len(options) - 1)):
        after = max(options[number + 1], default=0)
        options[number] = [
            shift for shift in options[number] if shift + reach[number] < after
        ]
    return options


def _fitting_shifts(block: pd.DataFrame, units: Sequence[str], count: str) -> list[int]:
    """Return the places of the number 0 at which the words of all mentions of a block stand."""
    places = counted_places(block, pd.Series(0, block.index), count)
    is_gapped = (block["tokens"].map(len) > 0).to_numpy()
    all_words = block["words"].tolist()
    sizes = [
        0 if gap else len(words)
        for gap, words in zip(is_gapped, all_words, strict=True)
    ]
    longest = sizes.index(max(sizes))
    words = all_words[longest]
    first = places["first"].tolist()[longest]
    size = places["last"].tolist()[longest] - first + 1
    beginning = plain_words(words)[:1]
    shifts = []
    for start in range(len(units) - size + 1 if size > 0 else 0):
        if plain_words(units[start])[:1] not in (beginning, "_"):
            continue
        if is_gapped[longest] or stand_at(words, units[start : start + size]):
            shifts.append(start - first)
    text = {block["text"].iloc[0]: units}
    return [shift for shift in shifts if _are_at(block, places + shift, text).all()]


def _first_difference(
    mentions: pd.DataFrame, places: pd.DataFrame, texts: Texts
) -> int:
    """Return the row of the first mention whose text does not have its words.

    If all have them, it is the first mention whose words are not at its place.
    """
    rows = np.flatnonzero(mentions["words"] != "")
    stated = mentions.iloc[rows]
    rows = rows[~_are_at(stated, places, texts).to_numpy()]
    plain = {
        text: "".join(map(plain_words, texts[text])) for text in stated["text"].unique()
    }
    columns = (mentions[name].iloc[rows] for name in ("text", "words"))
    for row, text, words in zip(rows.tolist(), *columns, strict=True):
        if plain_words(words) not in plain[text]:
            return int(row)
    return int(rows[0])


def _difference(mention: pd.DataFrame, place: pd.DataFrame, texts: Texts) -> str:
    """Return the words of a mention, a table of one row, and those at its place."""
    (text,) = mention["text"]
    (words,) = mention["words"]
    (first,) = place["first"].tolist()
    (last,) = place["last"].tolist()
    units = texts[text]
    numbers = f"the mention at {mention['first'].iloc[0]} to {mention['last'].iloc[0]}"
    if not 0 <= first <= last < len(units):
        return f"{numbers} is '{words[:60]}', but its place is not in the text of {len(units):,}"
    separator = "" if all(len(unit) == 1 for unit in units) else " "
    words_there = separator.join(units[first : last + 1])
    return f"{numbers} is '{words[:60]}', but '{words_there[:60]}' is there"


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
    if len({*lines}) >= enough:
        return Choice("tokens", "evidence")
    names = {(line, text) for line, text in zip(lines, texts, strict=True)}
    if len(names) >= enough:
        return Choice("names", "evidence")
    return Choice("none", "evidence")


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
