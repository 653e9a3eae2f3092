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
characters of its ``text``. Clusters may also be an object: label → mentions.

The file is JSON Lines, a list of documents, or one document. An object whose mentions are
``[document, first, last]`` has several documents, as xCoRe writes it: ``tokens`` has the words of
each, ``doc_keys`` may name them, and without names they are numbered from 0.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

from cdec.errors import FormatError, counted, notice
from cdec.files.input import TextFile
from cdec.files.strict_json import shown
from cdec.formats.annotation import Annotation, Layout, mention_table
from cdec.formats.fields import canonical, chains_by_side, objects, side_of, whole
from cdec.formats.records import MAX_TOKEN

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
_WIDENED = (
    "mention", "that is a part of a word: the word, between blanks, counts",
    "reading-assumed", True,
)  # fmt: skip
Record = dict[str, Any]
Fail = Callable[..., FormatError]


class _Document(NamedTuple):
    """A document: its words if known, and the size of each sentence.

    ``places`` has the first character of each word and the one after it, if these are counted.
    """

    name: str
    words: tuple[str, ...] | None
    sizes: list[int]
    places: Sequence[tuple[int, int]] = ()


def is_document(value: Any) -> bool:
    """Return whether a value of JSON is a document, or a list of documents, with clusters."""
    first = value[0] if isinstance(value, list) and value else value
    if not isinstance(first, dict):
        return False
    names = {*map(canonical, first)}
    if cluster_fields(first):
        return "doc" in names or not first.keys().isdisjoint((*_WORDS, "text", "id"))
    # Clusters are missing: a text shows that it is a document, not a mention.
    texts = [] if {"chain", "mention"} & names else map(first.get, _WORDS)
    return any(isinstance(text, list) and {*map(type, text)} & {list, str} for text in texts)


def cluster_fields(record: Record) -> dict[str, str]:
    """Return ``chain`` and, if a document has both sides, ``gold`` → the field of its clusters.

    >>> cluster_fields({"doc_key": "d", "clusters": [], "predicted_clusters": []})
    {'chain': 'predicted_clusters', 'gold': 'clusters'}
    """
    names = [name for name, value in record.items() if isinstance(value, list | dict)]
    # Of several names of one side the first of these counts.
    ordered = [n for base in _CLUSTERS for n in names if side_of(n)[1] == base]
    fields = {side: n[0] for side, n in chains_by_side(ordered, _CLUSTERS.__contains__).items()}
    if _OF_WL_COREF not in names or "gold" in fields:
        return fields
    if fields:
        return {"chain": _OF_WL_COREF, "gold": fields["chain"]}
    return {"chain": _OF_WL_COREF}


def read(source: TextFile) -> Annotation:
    """Read documents; raises FormatError with ``file:line`` where there is a document a line."""
    records = list(objects(source))
    has_both = any(
        len(cluster_fields(record)) > 1 for _, record in records if isinstance(record, dict)
    )
    response = _read_side(source, records, "chain", has_both=has_both)
    if has_both:
        return replace(response, gold=_read_side(source, records, "gold", has_both=True))
    return response


def _read_side(
    source: TextFile, records: Sequence[tuple[int, Any]], side: str, *, has_both: bool
) -> Annotation:
    """Return what documents say as a response (``chain``) or as a key (``gold``)."""
    rows: list[tuple[str, int, int, str, int]] = []
    known: dict[str, _Document] = {}
    said: defaultdict[tuple[str, str, str, bool], list[str]] = defaultdict(list)
    for number, (line, record) in enumerate(records):
        fail = partial(_error, source, line)
        field, clusters = _clusters(record, side, fail, has_both=has_both)
        if has_both:
            said[_BOTH[side]].append(source.place(line))
        wide = any(len(mention) == 3 for _, cluster in clusters for mention in cluster)
        across = wide and side_of(field)[1] != _IN_SENTENCES
        documents = list(_documents(record, number, fail, across=across))
        for document in documents:
            if known.setdefault(document.name, document) is not document:
                message = f"a second document '{document.name}'"
                raise fail("field-invalid", message, "give each document its own name, as doc_key")
        home = str(number) if across else documents[0].name
        if not across and any(isinstance(label, int) for label, _ in clusters):
            said[_LOCAL].append(home)
        if not ({*_NAMES} & {*record} if across else _named(record)):
            said[_UNNAMED] += [document.name for document in documents]
        for label, cluster in clusters:
            for mention in cluster:
                at = mention[0] if across else 0
                span = None
                if len(mention) == 2 + wide and 0 <= at < len(documents):
                    span = _span(documents[at], mention[across:], exclusive="cased_words" in record)
                if span is None:
                    sizes = ", ".join(str(len(each.words or ())) for each in documents[:3])
                    raise fail("tokens-invalid", f"{mention} is not a mention; words: {sizes}")
                start, end, is_given = span
                if not is_given:
                    said[_WIDENED].append(source.place(line))
                chain = f"{home}/{label}" if isinstance(label, int) else label
                rows.append((documents[at].name, start, end, chain, line))
    if len(said[_LOCAL]) < 2:
        del said[_LOCAL]
    layout = {name: Layout.of(name, one.sizes) for name, one in known.items() if one.sizes}
    notices = [
        notice(code, f"{counted(len(places), noun)} {what}", places, warning=warning)
        for (noun, what, code, warning), places in said.items()
    ]
    doc, starts, ends, chains, lines = zip(*rows, strict=True) if rows else ((),) * 5
    table = mention_table(doc, starts, ends, chains, line=lines)
    words = {name: document.words for name, document in known.items()}
    return Annotation(source.name, "documents", table, words, layout, tuple(notices))


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
    fields = cluster_fields(record)
    if not fields:
        raise fail("field-invalid", "the document has no 'clusters', a list of clusters")
    if has_both and len(fields) == 1:
        message = f"the document has only '{fields['chain']}', others have those of both sides"
        hint = "write an empty list for a side without clusters"
        raise fail("field-invalid", message, hint)
    field = fields[side]
    value, labels = record[field], record.get("cluster_labels")
    if isinstance(value, dict):
        labels, value = list(value), list(value.values())
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
        yield _Document(name, tuple(text[start:end] for start, end in places), [], places)
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


def _span(
    document: _Document, mention: list[int], *, exclusive: bool
) -> tuple[int, int, bool] | None:
    """Return the first and the last word of a mention, and if it is these; None if it is not there.

    Three numbers begin with that of the sentence.
    """
    *sentence, first, last = mention
    places, before = document.places, 0
    last -= exclusive or bool(places)
    size = MAX_TOKEN if document.words is None else len(document.words)
    if sentence:
        if not 0 <= sentence[0] < len(document.sizes):
            return None
        before, size = sum(document.sizes[: sentence[0]]), document.sizes[sentence[0]]
    if not 0 <= first <= last < (places[-1][1] if places else size):
        return None
    if not places:
        return before + first, before + last, True
    start = bisect_right(places, first, key=itemgetter(0)) - 1
    end = bisect_left(places, last + 1, key=itemgetter(1))
    if not 0 <= start <= end:
        return None
    return start, end, (places[start][0], places[end][1]) == (first, last + 1)
