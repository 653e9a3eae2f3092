"""Documents with their clusters: a JSON object a line, as systems for one document write it.

=======================  ======================================================================
name                     ``doc_key``, another name of ``doc`` (``fields``), or ``id``; without
                         one, the position of the document in the file, from 0
text                     ``sentences`` (lists of words, or objects with ``tokens``), ``tokens``
                         or ``cased_words`` (words, or objects with ``text``), or ``text``
``clusters``             clusters of ``[first, last]``: words of the document, counted from 0;
                         also ``clusters_token_offsets``
``predicted_clusters``   beside ``clusters``: those of a response; ``clusters`` are those of a key
                         (also ``pred_clusters``, ``gold_clusters`` and the like)
``coref_chains``         clusters of ``[sentence, first, last]``, as coref-data has them
``cluster_labels``       the label of each cluster; without it, a cluster ends with its document
=======================  ======================================================================

The last word is part of the mention. Two systems have the end after it: wl-coref, whose texts are
``cased_words`` and whose predicted clusters ``span_clusters``; and fastcoref, which counts the
characters of its ``text``, or its words if the text is a list. Clusters may also be an object:
label → mentions.

A field with the words of each mention, such as ``clusters_token_text`` and ``clusters_strings``,
has the lists of the clusters. The words must be at the place, or show what the numbers count
(``reading.place_by_words``).

The file is JSON Lines, a list of documents, or one document. An object whose mentions are
``[document, first, last]`` has several documents, as xCoRe writes it: ``tokens`` has the words of
each, ``doc_keys`` may name them, and without names they are numbered from 0. In xCoRe 0.1.2 the
first number is that of an encoder window over the words of all documents; windows follow one
another, and begin at the last word of a sentence. The words of the mentions show where.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import accumulate
from typing import Any, NamedTuple

import pandas as pd

from cdec.errors import FormatError, Notice, counted, notice
from cdec.files.input import TextFile
from cdec.files.strict_json import shown
from cdec.formats import reading
from cdec.formats.annotation import Annotation, Layout, mention_table, object_array
from cdec.formats.fields import canonical, cluster_fields, objects, side_of, whole
from cdec.formats.records import MAX_TOKEN, words_of

_IN_SENTENCES = "coref_chains"
_OF_WL_COREF = "span_clusters"  # of a response, if there are others
_CLUSTERS = ("clusters", "clusters_token_offsets", _IN_SENTENCES)
FIELD = re.compile(r'"\w*(?:clusters|coref_chains)\w*"\s*:')
"""In a text: the name of a field that has clusters."""
_WORDS = ("sentences", "tokens", "cased_words")
_NAMES = ("doc_keys", "doc_ids", "documents")
_HINT = (
    'a document is {"doc_key": "d", "sentences": [["A", "fire"]], "clusters": [[[0, 1]]]}: words '
    "count from 0 in the document, and the last one is part of the mention"
)
# What is noticed: documents or mentions, what is odd about them, the code, and if it is a warning.
_LOCAL = (
    "document", "with clusters without labels: chains end with the document",
    "reading-assumed", False,
)  # fmt: skip
_UNNAMED = (
    "document", "without a name: numbered from 0; name it as in the key: doc_key, several doc_keys",
    "document-unnamed", True,
)  # fmt: skip
_BOTH = {
    "chain": (
        "document", "with the clusters of a key and of a response: here those of the response",
        "reading-assumed", False,
    ),
    "gold": (
        "document", "with the clusters of a key and of a response: here those of the key",
        "reading-assumed", False,
    ),
}  # fmt: skip
Record = dict[str, Any]
Fail = Callable[..., FormatError]


class _Document(NamedTuple):
    """A document: its words if known, and the size of each sentence.

    If characters are counted, ``text`` is what has them, and ``places`` has the first character of
    each word and the one after it.
    """

    name: str
    words: tuple[str, ...] | None
    sizes: list[int]
    places: Sequence[tuple[int, int]] = ()
    text: str = ""


@dataclass(frozen=True)
class _Record:
    """An object of the file: its line, its documents, and how its numbers usually count.

    ``across``: the first of three numbers is that of a document, not of a sentence.
    """

    line: int
    documents: list[_Document]
    across: bool
    count: str

    @cached_property
    def units(self) -> Sequence[str] | None:
        """What the numbers count: the words of all documents, or the characters; None: no text."""
        if self.are_characters:
            return self.documents[0].text
        if any(document.words is None for document in self.documents):
            return None
        return [word for document in self.documents for word in document.words or ()]

    @cached_property
    def begins(self) -> list[int]:
        """The number of words before each document, or before each sentence of the only one."""
        sizes = self.documents[0].sizes
        if self.across:
            sizes = [len(document.words or ()) for document in self.documents]
        return [0, *accumulate(sizes)]

    @property
    def starts(self) -> set[int]:
        """Where a sentence or, ``across`` documents, a window may begin: see xCoRe above."""
        if not self.across:
            return {*self.begins}
        sizes: list[int] = []
        for document in self.documents:
            sizes += document.sizes or [len(document.words or ())]
        return {0, *(end - 1 for end in accumulate(sizes))}

    @property
    def other_units(self) -> Sequence[str]:
        """The words if ``units`` are characters, else the characters of words with blanks."""
        (document,) = self.documents
        words = document.words or ()
        return words if document.places else " ".join(words)

    @property
    def are_characters(self) -> bool:
        """Whether ``units`` are characters."""
        return bool(self.documents and self.documents[0].places)

    def span(
        self, first: int, last: int, *, in_other_units: bool
    ) -> tuple[str, int, int, bool] | None:
        """Return document, first and last word of these units, and whether they are these words.

        None if the units are not in one document.
        """
        if self.are_characters == in_other_units:
            begins = self.begins if self.across else [0]
            number = bisect_right(begins, first) - 1
            if number >= len(self.documents):
                return None
            begin = begins[number]
            words = self.documents[number].words
            if words is not None and last >= begin + len(words):
                return None
            return self.documents[number].name, first - begin, last - begin, True
        (document,) = self.documents
        places = document.places or reading.word_places(document.words or ())
        start, end = reading.words_at(places, first, last)
        if not 0 <= start <= end < len(places):
            return None
        is_whole = (places[start][0], places[end][1]) == (first, last + 1)
        return document.name, start, end, is_whole

    def bounds(self, numbers: Sequence[int]) -> tuple[int, int]:
        """Return the first unit that the numbers of a mention can mean, and the one after the last.

        The first of three numbers is that of a document or a sentence; the bounds are negative if
        there is none.
        """
        if len(numbers) == 3:
            begins = self.begins
            if not 0 <= numbers[0] < len(begins) - 1:
                return -MAX_TOKEN - 1, -MAX_TOKEN - 1
            return begins[numbers[0]], begins[numbers[0] + 1]
        (document,) = self.documents
        if document.places:
            return 0, document.places[-1][1]
        return 0, MAX_TOKEN if document.words is None else len(document.words)


class _Mention(NamedTuple):
    """A mention as the file has it: the number of its record, and the words that it repeats."""

    record: int
    chain: str
    numbers: list[int]
    words: str


def is_document(value: Any) -> bool:
    """Return whether a value of JSON is a document, or a list of documents, with clusters."""
    first = value[0] if isinstance(value, list) and value else value
    if not isinstance(first, dict):
        return False
    names = {*map(canonical, first)}
    if _cluster_fields(first):
        return "doc" in names or not first.keys().isdisjoint((*_WORDS, "text", "id"))
    # Clusters are missing: a text shows that it is a document, not a mention.
    texts = [] if {"chain", "mention"} & names else map(first.get, _WORDS)
    return any(isinstance(text, list) and {*map(type, text)} & {list, str} for text in texts)


def _cluster_fields(record: Record) -> dict[str, str]:
    """Return ``chain`` and, if a document has both sides, ``gold`` → the field of its clusters."""
    names = cluster_fields(record, _CLUSTERS)
    if "gold" in names or not isinstance(record.get(_OF_WL_COREF), list | dict):
        return names
    if names:
        return {"chain": _OF_WL_COREF, "gold": names["chain"]}
    return {"chain": _OF_WL_COREF}


def read(source: TextFile) -> Annotation:
    """Read documents; raises FormatError with ``file:line`` where there is a document a line."""
    records = list(objects(source))
    has_both = any(
        len(_cluster_fields(record)) > 1 for _, record in records if isinstance(record, dict)
    )
    response = _read_side(source, records, "chain", has_both=has_both)
    if has_both:
        return replace(response, gold=_read_side(source, records, "gold", has_both=True))
    return response


def _read_side(
    source: TextFile, records: Sequence[tuple[int, Any]], side: str, *, has_both: bool
) -> Annotation:
    """Return what documents say as a response (``chain``) or as a key (``gold``)."""
    rows: list[_Mention] = []
    documents: dict[str, _Document] = {}
    records_by_number: dict[int, _Record] = {}
    notices: defaultdict[tuple[str, str, str, bool], list[str]] = defaultdict(list)
    has_labels = False
    for number, (line, record) in enumerate(records):
        fail = partial(_error, source, line)
        field, clusters = _clusters(record, side, fail, has_both=has_both)
        if has_both:
            notices[_BOTH[side]].append(source.place(line))
        wide = any(len(mention) == 3 for _, cluster in clusters for mention in cluster)
        across = wide and side_of(field)[1] != _IN_SENTENCES
        of_record = list(_documents(record, number, fail, across=across))
        for document in of_record:
            if documents.setdefault(document.name, document) is not document:
                message = f"a second document '{document.name}'"
                raise fail("field-invalid", message, "give each document its own name, as doc_key")
        home = str(number) if across else of_record[0].name
        if not across and any(isinstance(label, int) for label, _ in clusters):
            notices[_LOCAL].append(home)
        if not across and any(isinstance(label, str) for label, _ in clusters):
            has_labels = True
        if not ({*_NAMES} & {*record} if across else _named(record)):
            notices[_UNNAMED] += [document.name for document in of_record]
        records_by_number[number] = _Record(line, of_record, across, _count(record))
        words = _words_of_mentions(record, field, clusters)
        for (label, cluster), cluster_words in zip(clusters, words, strict=True):
            chain = f"{home}/{label}" if isinstance(label, int) else label
            for mention, mention_words in zip(cluster, cluster_words, strict=True):
                if len(mention) != 2 + wide:
                    raise _outside(mention, of_record, fail)
                rows.append(_Mention(number, chain, mention, mention_words))
    if len(notices[_LOCAL]) < 2:
        del notices[_LOCAL]
    table, of_places, on_places = _placed(source, rows, records_by_number)
    choices = dict(of_places)
    if not has_labels:  # a list of the mentions of a chain says itself which mentions are in it
        choices["labels"] = reading.Choice("corpus", "file")
    layout = {name: Layout.of(name, one.sizes) for name, one in documents.items() if one.sizes}
    said = [
        notice(code, f"{counted(len(places), noun)} {what}", places, warning=warning)
        for (noun, what, code, warning), places in notices.items()
    ]
    texts = {name: document.words for name, document in documents.items()}
    return Annotation(
        source.name, "documents", table, texts, layout, (*said, *on_places), reading=choices
    )


def _error(source: TextFile, line: int, code: str, message: str, hint: str = _HINT) -> FormatError:
    return source.error(code, line, message, hint)


def _clusters(
    record: Any, side: str, fail: Fail, *, has_both: bool
) -> tuple[str, list[tuple[str | int, list[list[int]]]]]:
    """Return the field of the clusters of a side, and label (or position) and mentions of each.

    ``has_both``: the file has a key and a response, so that no document may lack one of them.
    """
    if not isinstance(record, dict):
        raise fail("format-undetected", "expected a JSON object, a document")
    fields = _cluster_fields(record)
    if not fields:
        raise fail("field-invalid", "the document has no 'clusters', a list of clusters")
    if has_both and len(fields) == 1:
        message = f"the document has only '{fields['chain']}', others have those of both sides"
        hint = "write an empty list for a side without clusters"
        raise fail("field-invalid", message, hint)
    field = fields[side]
    value = record[field]
    labels = record.get("cluster_labels")
    if isinstance(value, dict):
        labels = list(value)
        value = list(value.values())
    if odd := _odd(value):
        value = whole(value)
        odd = _odd(value)
    for mention in odd[:1]:
        raise fail("format-undetected", f"'{field}': {shown(mention)} is not a mention")
    labels = list(range(len(value))) if labels is None else labels
    named = isinstance(labels, list) and len(labels) == len(value)
    if not named or not all(isinstance(label, str | int) for label in labels):
        raise fail("field-invalid", f"'cluster_labels' must have a label of each of '{field}'")
    return field, list(zip(labels, value, strict=True))


def _odd(clusters: list[Any]) -> list[Any]:
    """Return what in the clusters is not a mention, which is two or three integers."""
    found = (item for each in clusters for item in (each if isinstance(each, list) else [each]))
    return [
        m for m in found if type(m) is not list or {*map(type, m)} != {int} or len(m) not in (2, 3)
    ]


def _documents(record: Record, number: int, fail: Fail, *, across: bool) -> Iterator[_Document]:
    """Yield the document of a record, or the several documents of clusters ``across`` them."""
    field = next((name for name in _WORDS if isinstance(record.get(name), list)), None)
    if across:
        texts = record[field] if field else []
        names = next((record[name] for name in _NAMES if name in record), [*range(len(texts))])
        if not isinstance(names, list) or len(names) != len(texts):
            raise fail("field-invalid", "expected the words of each document in 'tokens'")
        for name, text in zip(names, texts, strict=True):
            yield _Document(str(name), *_words(text, fail))
        return
    given = _named(record)
    name = record[given[0]] if given else number
    if not isinstance(name, str | int) or not str(name).strip():
        raise fail("field-invalid", f"the name of the document is {shown(name)}")
    part = record.get("part_id")  # of wl-coref; others have it in the name
    name = f"{name}; part {part:03d}" if type(part) is int and part > 0 else str(name)
    if field is not None:
        yield _Document(name, *_words(record[field], fail))
        return
    text = record.get("text")
    if isinstance(text, str):
        places = [word.span() for word in re.finditer(r"\S+", text)]
        yield _Document(name, tuple(text[start:end] for start, end in places), [], places, text)
    elif isinstance(text, list):
        yield _Document(name, *_words(text, fail))
    else:
        yield _Document(name, None, [])


def _named(record: Record) -> list[str]:
    """Return the fields that name the document."""
    return [n for n in record if canonical(n) == "doc"] or [n for n in record if n == "id"]


def _words(value: object, fail: Fail) -> tuple[tuple[str, ...], list[int]]:
    """Return the words of a text, and how many each of its sentences has; none if it has none."""
    words: list[str] = []
    sizes: list[int] = []
    for item in value if isinstance(value, list) else [value]:
        plain = item.get("tokens", item.get("text")) if isinstance(item, dict) else item
        if isinstance(plain, list):
            inner, _ = _words(plain, fail)
            words += inner
            sizes.append(len(inner))
        elif isinstance(plain, str):
            words.append(plain)
        else:
            raise fail("field-invalid", f"{shown(item)} is not a word or a sentence of words")
    if sizes and sum(sizes) < len(words):
        raise fail("field-invalid", "words beside sentences of words")
    return tuple(words), sizes


def _count(record: Record) -> str:
    """Return how the numbers of a record usually count, a name of ``reading.COUNTS``."""
    has_words = any(isinstance(record.get(name), list) for name in _WORDS)
    is_exclusive = "cased_words" in record or (not has_words and "text" in record)
    return reading.TO_NEXT if is_exclusive else reading.TO_LAST


def _words_of_mentions(
    record: Record, field: str, clusters: Sequence[tuple[str | int, list[list[int]]]]
) -> list[list[str]]:
    """Return the words of each mention that the record repeats in a field, '' for none.

    The field has the lists of the clusters, with words as text, or in a list.
    """
    sizes = [len(cluster) for _, cluster in clusters]
    for name, value in record.items():
        if name == field or not any(part in name for part in ("cluster", "coref", "mention")):
            continue
        lists = [*value.values()] if isinstance(value, dict) else value
        if not isinstance(lists, list) or not all(isinstance(each, list) for each in lists):
            continue
        if [len(each) for each in lists] == sizes:
            words = [[words_of(item) for item in each] for each in lists]
            if any(any(each) for each in words):
                return words
    return [[""] * size for size in sizes]


def _placed(
    source: TextFile, rows: Sequence[_Mention], records: Mapping[int, _Record]
) -> tuple[pd.DataFrame, reading.Reading, list[Notice]]:
    """Return the table of the mentions, what their numbers count, and notices.

    Raises FormatError for a mention outside its text, and for words that are not at its place.
    """
    usual = next((record.count for record in records.values()), reading.TO_LAST)
    bounds = [records[mention.record].bounds(mention.numbers) for mention in rows]
    zero = pd.Series([begin for begin, _ in bounds], dtype="int64")
    table = _numbers(rows, records, usual)
    units = {number: record.units for number, record in records.items()}
    texts = {str(number): of_text for number, of_text in units.items() if of_text is not None}
    is_stated = (table["words"] != "") & table["text"].isin([*texts])
    choices: dict[str, reading.Choice] = {}
    notices: list[Notice] = []
    is_usual = True
    in_other_units = False
    if is_stated.any():

        def refuse(row: int, message: str, hint: str) -> FormatError:
            line = records[rows[row].record].line
            return _error(source, line, "tokens-invalid", message, hint)

        places, choice, in_other_units = reading.place_by_words(
            table.assign(words=table["words"].where(is_stated, "")),
            texts,
            {"": zero},
            refuse,
            usual=usual,
            unit=_block_name(rows, records),
            starts={str(number): record.starts for number, record in records.items()},
            other_texts=_other_texts(rows, records),
            other_unit="words" if records[0].are_characters else "characters",
        )
        choices["offsets"] = choice
        is_usual = choice.value == usual
        if not is_usual:
            notices.append(reading.offsets_notice(choice, len(rows)))
    else:
        places = reading.counted_places(table, zero, usual)

    names: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    parts: list[str] = []  # the places of mentions that are a part of a word
    columns = zip(rows, bounds, places["first"].tolist(), places["last"].tolist(), strict=True)
    for mention, (begin, stop), first, last in columns:
        record = records[mention.record]
        is_inside = begin <= first <= last < stop if is_usual else 0 <= first <= last
        span = record.span(first, last, in_other_units=in_other_units) if is_inside else None
        if span is None:
            fail = partial(_error, source, record.line)
            raise _outside(mention.numbers, record.documents, fail)
        name, start, end, is_whole = span
        names.append(name)
        starts.append(start)
        ends.append(end)
        if not is_whole:
            parts.append(source.place(record.line))
    if parts:
        what = "that is a part of a word: the word, between blanks, counts"
        notices.append(notice("reading-assumed", f"{counted(len(parts), 'mention')} {what}", parts))
    mentions = mention_table(
        names,
        starts,
        ends,
        [mention.chain for mention in rows],
        line=[records[mention.record].line for mention in rows],
        words=table["words"].mask(is_stated, "").tolist(),
    )
    return mentions, choices, notices


def _numbers(rows: Sequence[_Mention], records: Mapping[int, _Record], usual: str) -> pd.DataFrame:
    """Return the table of ``reading.place_by_words``, with the second numbers that count as usual.

    Only records that usually count otherwise have other numbers than in the file.
    """
    _, usual_end = reading.COUNTS[usual]
    lasts = []
    for mention in rows:
        _, end = reading.COUNTS[records[mention.record].count]
        lasts.append(mention.numbers[-1] + end - usual_end)
    return pd.DataFrame(
        {
            "text": [str(mention.record) for mention in rows],
            "block": [mention.numbers[0] if len(mention.numbers) > 2 else 0 for mention in rows],
            "first": pd.Series([mention.numbers[-2] for mention in rows], dtype="int64"),
            "last": pd.Series(lasts, dtype="int64"),
            "tokens": object_array([()] * len(rows)),
            "words": pd.Series([mention.words for mention in rows], dtype=object),
        }
    )


def _block_name(rows: Sequence[_Mention], records: Mapping[int, _Record]) -> str:
    """Return what the first of three numbers counts, else that there are two."""
    if any(record.across for record in records.values()):
        return "window"
    return "sentence" if any(len(mention.numbers) > 2 for mention in rows) else "document"


def _other_texts(
    rows: Sequence[_Mention], records: Mapping[int, _Record]
) -> dict[str, Sequence[str]] | None:
    """Return the texts in characters if words are usual, or in words; None with three numbers."""
    if _block_name(rows, records) != "document":
        return None
    return {str(number): record.other_units for number, record in records.items()}


def _outside(numbers: Sequence[int], documents: Sequence[_Document], fail: Fail) -> FormatError:
    """Return the error for a mention that is not in its document or sentence."""
    sizes = ", ".join(str(len(document.words or ())) for document in documents[:3])
    return fail("tokens-invalid", f"{list(numbers)} is not a mention; words: {sizes}")
