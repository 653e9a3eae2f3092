"""Documents with their clusters: a JSON object a line, as systems for one document write it.

=======================  ======================================================================
name                     ``doc_key``, another name of ``doc`` (``fields``), or ``id``; without
                         one, the position of the document in the file, from 0
text                     ``sentences`` (lists of words, or objects with ``tokens``), ``tokens``,
                         ``cased_words`` or ``document`` (words, or objects with ``text``), or
                         ``text``
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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import accumulate
from typing import Any, NamedTuple

import pandas as pd

from cdec.errors import FormatError, Log
from cdec.files.input import TextFile
from cdec.files.strict_json import shown
from cdec.formats import reading
from cdec.formats.annotation import Annotation, Layout, mention_table, object_array
from cdec.formats.fields import (
    are_integers,
    canonical,
    cluster_fields,
    objects,
    side_of,
    whole,
)
from cdec.formats.records import MAX_TOKEN, words_of
from cdec.records import Words

_IN_SENTENCES = "coref_chains"
_OF_WL_COREF = "span_clusters"  # of a response, if there are others
_CLUSTERS = ("clusters", "clusters_token_offsets", _IN_SENTENCES)
FIELD = re.compile(r'"\w*(?:clusters|coref_chains)\w*"\s*:')
"""In a text: the name of a field that has clusters."""
_WORDS = ("sentences", "tokens", "cased_words", "document")
_NAMES = ("doc_keys", "doc_ids", "documents")
_READ = (*_WORDS, *_NAMES, "text", "id", "part_id")
_OF_CLUSTERS = re.compile("cluster|coref|mention")  # in the name of a field
_HINT = (
    'a document is {"doc_key": "d", "sentences": [["A", "fire"]], "clusters": [[[0, 1]]]}: words '
    "count from 0 in the document, and the last one is part of the mention"
)
Record = dict[str, Any]
Fail = Callable[..., FormatError]
Clusters = Sequence[
    tuple[str | int, list[list[int]]]
]  # label, or position, and mentions


class _Document(NamedTuple):
    """A document: its words if known, and the size of each sentence.

    If characters are counted, ``text`` is what has them, and ``places`` has the first character of
    each word and the one after it.
    """

    name: str
    words: Words | None
    sizes: list[int]
    places: Sequence[tuple[int, int]] = ()
    text: str = ""

    @property
    def size(self) -> int:
        """The number of words; 0 if they are unknown."""
        return len(self.words or ())


@dataclass(frozen=True)
class _Record:
    """An object of the file: its line, its documents, and how its numbers usually count.

    ``across``: the first of three numbers is that of a document, not of a sentence.
    """

    line: int
    documents: list[_Document]
    across: bool
    count: str

    @property
    def are_characters(self) -> bool:
        """Whether ``units`` are characters."""
        return bool(self.documents and self.documents[0].places)

    @property
    def units(self) -> Sequence[str] | None:
        """What the numbers count: the words of all documents, or the characters; None: no text."""
        if self.are_characters:
            return self.documents[0].text
        words: list[str] = []
        for document in self.documents:
            if document.words is None:
                return None
            words += document.words
        return words

    @property
    def other_units(self) -> Sequence[str]:
        """The words if ``units`` are characters, else the characters of words with blanks."""
        (document,) = self.documents
        words = document.words or ()
        return words if document.places else " ".join(words)

    @cached_property
    def begins(self) -> list[int]:
        """The number of words before each document, or before each sentence of the only one."""
        if self.across:
            sizes = [document.size for document in self.documents]
        else:
            sizes = self.documents[0].sizes
        return [0, *accumulate(sizes)]

    @property
    def starts(self) -> set[int]:
        """Where a sentence or, ``across`` documents, a window may begin: see xCoRe above."""
        if not self.across:
            return {*self.begins}
        sizes = []
        for document in self.documents:
            sizes += document.sizes or [document.size]
        return {0, *(end - 1 for end in accumulate(sizes))}

    def span(
        self, first: int, last: int, *, in_other_units: bool
    ) -> tuple[str, int, int, bool] | None:
        """Return document, first and last word of these units, and whether they are these words.

        None if the units are not in one document.
        """
        if self.are_characters != in_other_units:
            (document,) = self.documents
            places = document.places or reading.word_places(document.words or ())
            start, end = reading.words_at(places, first, last)
            if not 0 <= start <= end < len(places):
                return None
            is_whole = (places[start][0], places[end][1]) == (first, last + 1)
            return document.name, start, end, is_whole
        number = 0
        begin = 0
        if self.across:
            number = bisect_right(self.begins, first) - 1
            begin = self.begins[number]
        if number == len(self.documents):
            return None
        document = self.documents[number]
        if document.words is not None and last >= begin + document.size:
            return None
        return document.name, first - begin, last - begin, True

    def bounds(self, numbers: Sequence[int]) -> tuple[int, int]:
        """Return the first unit that the numbers of a mention can mean, and the one after the last.

        The first of three numbers is that of a document or a sentence; the bounds are negative if
        there is none.
        """
        if len(numbers) == 3:
            block = numbers[0]
            if not 0 <= block < len(self.begins) - 1:
                return -MAX_TOKEN - 1, -MAX_TOKEN - 1
            return self.begins[block], self.begins[block + 1]
        (document,) = self.documents
        if document.places:
            return 0, document.places[-1][1]
        if document.words is None:
            return 0, MAX_TOKEN
        return 0, document.size


class _Mention(NamedTuple):
    """A mention as the file has it: the number of its record, and the words that it repeats."""

    record: int
    chain: str
    numbers: list[int]
    words: str


def is_document(value: object) -> bool:
    """Return whether a value of JSON is a document, or a list of documents, with clusters."""
    first = value[0] if isinstance(value, list) and value else value
    if not isinstance(first, dict):
        return False
    names = {*map(canonical, first)}
    if _cluster_fields(first):
        return "doc" in names or not first.keys().isdisjoint((*_WORDS, "text", "id"))
    if names & {"chain", "mention"}:
        return False
    # Clusters are missing: a text shows that it is a document, not a mention.
    texts = [first[name] for name in _WORDS if isinstance(first.get(name), list)]
    return any({*map(type, text)} & {list, str} for text in texts)


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
    return of_records(source, list(objects(source)))


def of_records(source: TextFile, records: Sequence[tuple[int, Any]]) -> Annotation:
    """Return the annotation of documents: line (0 if unknown) and object of each.

    Raises FormatError with ``file:line`` if the line is known.
    """
    has_both = any(
        len(_cluster_fields(record)) > 1
        for _, record in records
        if isinstance(record, dict)
    )
    response = _read_side(source, records, "chain", has_both=has_both)
    if not has_both:
        return response
    return replace(response, gold=_read_side(source, records, "gold", has_both=True))


def _read_side(
    source: TextFile, items: Sequence[tuple[int, Any]], side: str, *, has_both: bool
) -> Annotation:
    """Return what documents say as a response (``chain``) or as a key (``gold``)."""
    records = []
    rows = []
    documents = {}
    unlabelled = []
    unnamed = []
    unread: dict[str, None] = {}
    has_labels = False
    for number, (line, record) in enumerate(items):
        fail = partial(_error, source, line)
        field, clusters = _clusters(record, side, fail, has_both=has_both)
        sizes_of_mentions = {
            len(mention) for _, cluster in clusters for mention in cluster
        }
        across = 3 in sizes_of_mentions and side_of(field)[1] != _IN_SENTENCES
        if across:
            of_record = _several_documents(record, fail)
            has_name = any(name in record for name in _NAMES)
            namespace = str(number)
        else:
            of_record = [_document(record, number, fail)]
            has_name = bool(_name_fields(record))
            namespace = of_record[0].name
            if any(isinstance(label, int) for label, _ in clusters):
                unlabelled.append(namespace)
            has_labels |= any(isinstance(label, str) for label, _ in clusters)
        if not has_name:
            unnamed += [document.name for document in of_record]
        for document in of_record:
            if document.name in documents:
                raise fail(
                    "field-invalid",
                    f"a second document '{document.name}'",
                    "give each document its own name, as doc_key",
                )
            documents[document.name] = document
        records.append(_Record(line, of_record, across, _count(record)))
        unread |= dict.fromkeys(filter(_is_unread, record))
        for mention in _mentions(record, number, namespace, field, clusters):
            if len(mention.numbers) < max(sizes_of_mentions):
                raise _outside(mention.numbers, of_record, fail)
            rows.append(mention)

    table, of_places, of_mentions = _placed(source, rows, records)
    choices = dict(of_places)
    if (
        not has_labels
    ):  # a list of the mentions of a chain says itself which mentions are in it
        choices["labels"] = reading.Choice("corpus", "file")
    places = [source.place(line) for line, _ in items]
    log = Log()
    if has_both:
        of_side = "key" if side == "gold" else "response"
        rest = (
            f"with the clusters of a key and of a response: here those of the {of_side}"
        )
        log.report("reading-assumed", places, "document", rest, warning=False)
    if len(unlabelled) > 1:
        rest = "with clusters without labels: chains end with the document"
        log.report("reading-assumed", unlabelled, "document", rest, warning=False)
    rest = "without a name: numbered from 0; name it as in the key: doc_key, several doc_keys"
    log.report("document-unnamed", unnamed, "document", rest)
    return Annotation(
        name=source.name,
        format="documents",
        mentions=table,
        documents={name: document.words for name, document in documents.items()},
        layout={
            name: Layout.of(name, document.sizes)
            for name, document in documents.items()
            if document.sizes
        },
        notices=(*log, *of_mentions),
        unread=tuple(unread),
        reading=choices,
    )


def _is_unread(name: str) -> bool:
    """Return whether a field has no name, text, cluster or words of mentions."""
    is_known = name in _READ or canonical(name) == "doc"
    return not is_known and not _OF_CLUSTERS.search(name)


def _error(
    source: TextFile, line: int, code: str, message: str, hint: str = _HINT
) -> FormatError:
    return source.error(code, line, message, hint)


def _clusters(
    record: Any, side: str, fail: Fail, *, has_both: bool
) -> tuple[str, Clusters]:
    """Return the field of the clusters of a side, and label (or position) and mentions of each.

    ``has_both``: the file has a key and a response, so that no document may lack one of them.
    """
    if not isinstance(record, dict):
        raise fail("format-undetected", "expected a JSON object, a document")
    fields = _cluster_fields(record)
    if not fields:
        raise fail(
            "field-invalid", "the document has no 'clusters', a list of clusters"
        )
    if has_both and len(fields) == 1:
        raise fail(
            "field-invalid",
            f"the document has only '{fields['chain']}', others have those of both sides",
            "write an empty list for a side without clusters",
        )
    field = fields[side]
    clusters = record[field]
    labels = record.get("cluster_labels")
    if isinstance(clusters, dict):
        labels = list(clusters)
        clusters = list(clusters.values())
    if not all(map(_is_cluster, clusters)):
        clusters = whole(clusters)
    for cluster in clusters:
        for mention in cluster if isinstance(cluster, list) else [cluster]:
            if not _is_mention(mention):
                raise fail(
                    "format-undetected", f"'{field}': {shown(mention)} is not a mention"
                )
    if labels is None:
        labels = list(range(len(clusters)))
    are_labels = isinstance(labels, list) and all(
        isinstance(label, str | int) for label in labels
    )
    if not are_labels or len(labels) != len(clusters):
        raise fail(
            "field-invalid", f"'cluster_labels' must have a label of each of '{field}'"
        )
    return field, list(zip(labels, clusters, strict=True))


def _is_cluster(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_mention, value))


def _is_mention(value: object) -> bool:
    return are_integers(value) and len(value) in (2, 3)


def _words_field(record: Record) -> str | None:
    return next((name for name in _WORDS if isinstance(record.get(name), list)), None)


def _several_documents(record: Record, fail: Fail) -> list[_Document]:
    """Return the documents of a record whose clusters are across them."""
    field = _words_field(record)
    texts = record[field] if field else []
    names = next(
        (record[name] for name in _NAMES if name in record), list(range(len(texts)))
    )
    if not isinstance(names, list) or len(names) != len(texts):
        raise fail("field-invalid", "expected the words of each document in 'tokens'")
    return [
        _Document(str(name), *_words(text, fail))
        for name, text in zip(names, texts, strict=True)
    ]


def _document(record: Record, number: int, fail: Fail) -> _Document:
    """Return the document of a record; ``number`` is its name if it has none."""
    name_fields = _name_fields(record)
    name = record[name_fields[0]] if name_fields else number
    if not isinstance(name, str | int) or not str(name).strip():
        raise fail("field-invalid", f"the name of the document is {shown(name)}")
    part = record.get("part_id")  # of wl-coref; others have it in the name
    if type(part) is int and part > 0:
        name = f"{name}; part {part:03d}"
    text = record.get(_words_field(record) or "text")
    if isinstance(text, str):
        places = [word.span() for word in re.finditer(r"\S+", text)]
        words = tuple(text[start:end] for start, end in places)
        return _Document(str(name), words, [], places, text)
    if isinstance(text, list):
        return _Document(str(name), *_words(text, fail))
    return _Document(str(name), None, [])


def _name_fields(record: Record) -> list[str]:
    names = [
        name
        for name in record
        if canonical(name) == "doc" and not isinstance(record[name], list)
    ]
    return names or [name for name in record if name == "id"]


def _words(value: object, fail: Fail) -> tuple[Words, list[int]]:
    """Return the words of a text, and how many each of its sentences has; none if it has none."""
    words: list[str] = []
    sizes = []
    for item in value if isinstance(value, list) else [value]:
        plain = item.get("tokens", item.get("text")) if isinstance(item, dict) else item
        if isinstance(plain, list):
            inner, _ = _words(plain, fail)
            words += inner
            sizes.append(len(inner))
        elif isinstance(plain, str):
            words.append(plain)
        else:
            raise fail(
                "field-invalid", f"{shown(item)} is not a word or a sentence of words"
            )
    if sizes and sum(sizes) < len(words):
        raise fail("field-invalid", "words beside sentences of words")
    return tuple(words), sizes


def _count(record: Record) -> str:
    """Return how the numbers of a record usually count, a name of ``reading.COUNTS``."""
    has_only_text = "text" in record and _words_field(record) is None
    return (
        reading.TO_NEXT if has_only_text or "cased_words" in record else reading.TO_LAST
    )


def _mentions(
    record: Record, number: int, namespace: str, field: str, clusters: Clusters
) -> Iterator[_Mention]:
    """Yield the mentions of the record with this number; a chain without label is numbered."""
    words = _words_of_mentions(record, field, clusters)
    for (label, cluster), cluster_words in zip(clusters, words, strict=True):
        chain = f"{namespace}/{label}" if isinstance(label, int) else label
        for numbers, mention_words in zip(cluster, cluster_words, strict=True):
            yield _Mention(number, chain, numbers, mention_words)


def _words_of_mentions(
    record: Record, field: str, clusters: Clusters
) -> list[list[str]]:
    """Return the words of each mention that the record repeats in a field, '' for none.

    The field has the lists of the clusters, with words as text, or in a list.
    """
    sizes = [len(cluster) for _, cluster in clusters]
    for name, value in record.items():
        if name == field or not _OF_CLUSTERS.search(name):
            continue
        lists = list(value.values()) if isinstance(value, dict) else value
        if not isinstance(lists, list) or not all(
            isinstance(items, list) for items in lists
        ):
            continue
        if [len(items) for items in lists] == sizes:
            words = [list(map(words_of, items)) for items in lists]
            if any(map(any, words)):
                return words
    return [[""] * size for size in sizes]


def _placed(
    source: TextFile, rows: Sequence[_Mention], records: Sequence[_Record]
) -> tuple[pd.DataFrame, reading.Reading, Log]:
    """Return the table of the mentions, what their numbers count, and notices.

    Raises FormatError for a mention outside its text, and for words that are not at its place.
    """
    usual = records[0].count if records else reading.TO_LAST
    bounds = [records[mention.record].bounds(mention.numbers) for mention in rows]
    zero = pd.Series([begin for begin, _ in bounds], dtype="int64")
    table = _numbers(rows, records, usual)
    texts = {}
    for number, record in enumerate(records):
        units = record.units
        if units is not None:
            texts[str(number)] = units
    is_stated = (table["words"] != "") & table["text"].isin([*texts])
    choices = {}
    log = Log()
    is_usual = True
    in_other_units = False
    if is_stated.any():

        def refuse(row: int, message: str, hint: str) -> FormatError:
            line = records[rows[row].record].line
            return _error(source, line, "tokens-invalid", message, hint)

        unit = "document"
        other_texts = None
        if any(record.across for record in records):
            unit = "window"
        elif any(len(mention.numbers) == 3 for mention in rows):
            unit = "sentence"
        else:
            other_texts = {
                str(n): record.other_units for n, record in enumerate(records)
            }
        places, choice, in_other_units = reading.place_by_words(
            table.assign(words=table["words"].where(is_stated, "")),
            texts,
            {"": zero},
            refuse,
            usual=usual,
            unit=unit,
            starts={
                str(number): record.starts for number, record in enumerate(records)
            },
            other_texts=other_texts,
            other_unit="words" if records[0].are_characters else "characters",
        )
        choices["offsets"] = choice
        is_usual = choice.value == usual
        if not is_usual:
            log.append(reading.offsets_notice(choice, len(rows)))
    else:
        places = reading.counted_places(table, zero, usual)

    spans = []
    columns = zip(
        rows, bounds, places["first"].tolist(), places["last"].tolist(), strict=True
    )
    for mention, (begin, stop), first, last in columns:
        record = records[mention.record]
        is_inside = 0 <= first <= last
        if is_usual:  # otherwise the numbers may count in something else
            is_inside = begin <= first <= last < stop
        span = (
            record.span(first, last, in_other_units=in_other_units)
            if is_inside
            else None
        )
        if span is None:
            fail = partial(_error, source, record.line)
            raise _outside(mention.numbers, record.documents, fail)
        spans.append(span)
    lines = [records[mention.record].line for mention in rows]
    parts = [
        source.place(line)
        for line, (_, _, _, is_whole) in zip(lines, spans, strict=True)
        if not is_whole
    ]
    rest = "that is a part of a word: the word, between blanks, counts"
    log.report("reading-assumed", parts, "mention", rest)
    mention_rows = mention_table(
        doc=[name for name, _, _, _ in spans],
        start=[start for _, start, _, _ in spans],
        end=[end for _, _, end, _ in spans],
        chain=[mention.chain for mention in rows],
        line=lines,
        words=table["words"].mask(is_stated, "").tolist(),
    )
    return mention_rows, choices, log


def _numbers(
    rows: Sequence[_Mention], records: Sequence[_Record], usual: str
) -> pd.DataFrame:
    """Return the table of ``reading.place_by_words``, with the second numbers that count as usual.

    Only records that usually count otherwise have other numbers than in the file.
    """
    _, usual_end = reading.COUNTS[usual]
    ends = [reading.COUNTS[record.count][1] - usual_end for record in records]
    table = pd.DataFrame(rows, columns=_Mention._fields, dtype=object)
    numbers = table["numbers"]
    return table.assign(
        text=table["record"].map(str),
        block=numbers.str[0].where(numbers.str.len() == 3, 0),
        first=numbers.str[-2].astype("int64"),
        last=numbers.str[-1].astype("int64")
        + [ends[mention.record] for mention in rows],
        tokens=object_array([()] * len(rows)),
    )


def _outside(
    numbers: Sequence[int], documents: Sequence[_Document], fail: Fail
) -> FormatError:
    sizes = ", ".join(str(document.size) for document in documents[:3])
    return fail("tokens-invalid", f"{list(numbers)} is not a mention; words: {sizes}")
