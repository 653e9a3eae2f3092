"""Token numbers of a file, as numbers in the documents of the corpus or of the other file.

A CoNLL file may omit whole sentences of a document. Its column of sentence numbers identifies the
tokens; the numbers may start after the URL or date of the document (``text_start``).

Some files give a mention as sentence, first and last token. Whether the tokens count in the
sentence or in the document, and whether sentence 0 is the URL, is not in the file. Of the four
readings under which every mention is inside its sentence, the one with most mentions of the key is
used; of several, the first in this order: numbers in the document, then in the sentence, each with
the URL counted first.

Words that differ are harmless if the text is the same, as mentions are compared by token numbers:
the same number of tokens, and fewer than half of the words of each document differ.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product, zip_longest
from typing import cast

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.corpus.model import Document
from cdec.errors import Notice, ScoringError, counted, notice
from cdec.formats import reading
from cdec.formats.annotation import Annotation, object_array
from cdec.formats.reading import is_placeholder, is_same_word

MOST_WORDS = 0.5
"""The share of the words of a document from which on their differences are another text."""
_SPAN = ["doc", "start", "end"]
_ID_ON_LINE = re.compile(r"(?s).+[/_][^/_]+")


def renamed(given: Annotation, names: Mapping[str, str]) -> Annotation:
    """Return the mentions in the documents in ``names`` (old → new name), with the new names."""
    kept = given.mentions[given.mentions["doc"].isin(list(names))]
    layout = given.layout
    return replace(
        given,
        mentions=kept.assign(doc=kept["doc"].map(dict(names)).astype(object)),
        documents={new: given.documents.get(old) for old, new in names.items()},
        layout={new: layout[old] for old, new in names.items() if old in layout},
    )


def fitted(given: Annotation, homes: Mapping[str, Document]) -> tuple[Annotation, list[Notice]]:
    """Return a file with token numbers of its documents in a corpus, and notices on other words.

    A file may omit whole sentences if its sentence numbers are those of the corpus. Raises
    ScoringError with ``file:line`` for another text.
    """
    texts, table = dict[str, Sequence[str]](), given.mentions.copy()
    for doc, home in homes.items():
        text, layout = given.documents[doc], given.layout.get(doc)
        known = text if text is not None else layout.lines if layout else home.tokens
        if len(known) == len(home.tokens):
            texts |= {} if text is None else {doc: home.tokens}
            continue
        numbers = layout.sentences if layout and text else None
        starts = np.array(home.sentence_starts, dtype=np.int64)
        sizes = np.diff(starts, append=len(home.tokens))
        for skipped in () if numbers is None else (0, home.text_start):
            sentences = cast("Ints", numbers) + skipped
            inside = pd.Series(sentences).groupby(sentences).cumcount().to_numpy()
            fits = sentences.max() < len(starts) and (np.diff(sentences) >= 0).all()
            if fits and (inside < sizes[sentences]).all():
                moves = starts[sentences] + inside
                if not _differences(text or (), [home.tokens[at] for at in moves]):
                    rows = table["doc"] == doc
                    table.loc[rows, _SPAN[1:]] = moves[table.loc[rows, _SPAN[1:]].to_numpy()]
                    break
        else:
            raise _differing(given, doc, home.tokens)
    return replace(given, mentions=table), check_words(given, texts)


# ---- ids on lines ----


def lines_have_ids(file: Annotation) -> bool:
    """Return whether each line of a file is a mention whose word is its id."""
    identity = file.reading.get(reading.IDENTITY)
    if identity is None or identity.value != "names":
        return False
    words = [word for text in file.documents.values() for word in text or ("",)]
    return all(_ID_ON_LINE.fullmatch(word) for word in words)


def by_ids(key: Annotation, response: Annotation) -> tuple[Annotation, list[Notice]]:
    """Return a response whose lines have the numbers of those with the same ids in the key.

    Both files have a mention and its id on each line; other ids follow those of the key.
    """
    table = response.mentions.copy()
    documents = dict(response.documents)
    layout = dict(response.layout)
    for doc, text in response.documents.items():
        key_ids = key.documents.get(doc)
        if text is None or key_ids is None or text == key_ids:
            continue
        lines = {id_: line for line, id_ in reversed([*enumerate(key_ids)])}
        new_ids = [id_ for id_ in dict.fromkeys(text) if id_ not in lines]
        lines |= {id_: line for line, id_ in enumerate(new_ids, len(key_ids))}
        rows = table["doc"] == doc
        for side in _SPAN[1:]:
            table.loc[rows, side] = [lines[text[line]] for line in table.loc[rows, side]]
        documents[doc] = None
        layout.pop(doc, None)
    changed = [doc for doc, text in response.documents.items() if documents[doc] != text]
    if not changed:
        return response, []
    message = "mentions are paired by their ids: key and response have other lines"
    paired = notice("reading-assumed", message, changed, warning=False)
    return replace(response, mentions=table, documents=documents, layout=layout), [paired]


# ---- sentences ----


def in_document(
    given: Annotation, homes: Mapping[str, Document], key: pd.DataFrame
) -> tuple[Annotation, list[Notice], pd.Index[int]]:
    """Return a file with token numbers that count in the documents of a corpus, and a notice.

    The last value has the rows of mentions outside their sentences.
    """
    table = given.mentions
    used = {doc: homes[doc] for doc in table["doc"].unique()}
    sentences = {doc: sentence_numbers(home) for doc, home in used.items()}
    skipped = {doc: home.text_start for doc, home in used.items()}
    reading, how = _read_sentences(given, sentences, key, skipped)
    message = f"token numbers count in {how} (inferred from {len(reading):,} mentions)"
    said = Notice("reading-assumed", len(reading), message, (), warning=False)
    outside = reading.index[~reading["inside"]]
    return _shifted(given, reading["shift"]), [said] if how else [], outside


def sentence_numbers(home: Document) -> Ints:
    """Return the number of the sentence of each token of a document."""
    return np.repeat(np.arange(len(home.sentences)), [*map(len, home.sentences)])


def in_files(key: Annotation, response: Annotation) -> tuple[Annotation, Annotation]:
    """Return two files with token numbers that count in the same unit.

    A file with a column of sentences gives the first tokens of those of the other. Without such a
    file, the numbers count in the sentence if both files have sentences and, in some document,
    numbers do not rise from sentence to sentence.
    """
    sides = [key, response]
    both = pd.concat([side.mentions for side in sides])
    if (both["sentence"] < 0).all():
        return key, response
    for number, other in enumerate((response, key)):
        table = sides[number].mentions
        layouts = {doc: at.sentences for doc, at in other.layout.items()}
        known = {doc: numbers for doc, numbers in layouts.items() if numbers is not None}
        used = {*table["doc"][table["sentence"] >= 0]} & other.documents.keys()
        if used and used <= known.keys():
            reading, _ = _read_sentences(sides[number], known, other.mentions)
            if reading["inside"].all():
                sides[number] = _shifted(sides[number], reading["shift"])
    both = pd.concat([side.mentions for side in sides])
    ends = both.groupby(["doc", "sentence"])["start"].agg(["min", "max"])
    rises = (ends["min"] > ends.groupby(level="doc")["max"].shift().fillna(-1)).all()
    if rises or (both["sentence"] < 0).any():
        return sides[0], sides[1]
    # The lengths of the sentences are unknown, so each counts as the longest.
    size = int(both["end"].max()) + 1
    key, response = (_shifted(side, side.mentions["sentence"] * size) for side in sides)
    return key, response


def _read_sentences(
    given: Annotation,
    sentences: Mapping[str, Ints],
    key: pd.DataFrame,
    skipped: Mapping[str, int] | None = None,
) -> tuple[pd.DataFrame, str]:
    """Return what to add to the tokens of mentions with a sentence, and whether they are inside it.

    ``sentences`` has the sentence of each token of the documents that count, ``skipped`` the number
    of those before the text. The second value says how tokens count, '' in the document.
    """
    tokens = pd.concat({doc: pd.Series(numbers) for doc, numbers in sentences.items()})
    places = tokens.rename_axis(["doc", "token"]).rename("sentence").reset_index()
    bounds = places.groupby(["doc", "sentence"])["token"].agg(["min", "size"])
    table, known = given.mentions, pd.MultiIndex.from_frame(key[_SPAN])
    table = table[(table["sentence"] >= 0) & table["doc"].isin(list(sentences))]
    start, end, beyond = table["start"], table["end"], table["doc"].map(skipped or {}).fillna(0)
    best, chosen = (-1, -1), (table, "")
    for relative, url in product((False, True), (True, False) if beyond.any() else (True,)):
        number = (table["sentence"] + (0 if url else beyond)).astype(np.int64)
        at = pd.MultiIndex.from_arrays([table["doc"], number])
        first, size = bounds.reindex(at, fill_value=0).to_numpy(np.int64).T
        shift = first if relative else np.zeros_like(first)
        # In a document a mention may continue in the next sentence.
        last = end if relative else start
        inside = (start + shift >= first) & (last + shift < first + size)
        moved = table[_SPAN].assign(start=start + shift, end=end + shift)
        hits = int(pd.MultiIndex.from_frame(moved).isin(known).sum())
        if (int(inside.sum()), hits) > best:
            best = int(inside.sum()), hits
            how = "the sentence" + ("" if url else ", not counting the URL as a sentence")
            chosen = table.assign(shift=shift, inside=inside), how if relative else ""
    return chosen


def _shifted(given: Annotation, shift: pd.Series[int]) -> Annotation:
    """Return the file with these numbers added to the tokens of mentions, 0 for others."""
    table = given.mentions
    shift = shift.reindex(table.index, fill_value=0)
    pairs = zip(table["tokens"], shift.tolist(), strict=True)
    tokens = object_array(tuple(token + more for token in gap) for gap, more in pairs)
    moved = {"start": table["start"] + shift, "end": table["end"] + shift}
    return replace(given, mentions=table.assign(**moved, tokens=tokens, sentence=-1))


# ---- words ----


def file_words(key: Annotation, response: Annotation) -> list[Notice]:
    """Compare the documents that both files have (under the key's names), as ``check_words`` does.

    Without texts a difference in length is a notice only: the reference scorer accepts it.
    """
    texts, lengths = dict[str, Sequence[str]](), list[str]()
    for doc, text in response.documents.items():
        ours, sides = key.documents.get(doc), (key.layout.get(doc), response.layout.get(doc))
        if text is not None and ours is not None:
            texts[doc] = ours
        elif sides[0] and sides[1] and len(sides[0].lines) != len(sides[1].lines):
            lengths.append(f"{doc}: {len(sides[0].lines)} and {len(sides[1].lines)}")
    notices = check_words(response, texts)
    if lengths:
        what = counted(len(lengths), "document")
        message = f"{what} with different numbers of tokens in key and response"
        notices += [notice("text-mismatch", message, lengths)]
    return notices


def check_words(response: Annotation, texts: Mapping[str, Sequence[str]]) -> list[Notice]:
    """Return a notice on words of the response that differ from the ``texts`` of the key.

    Of the words of each document that are compared, fewer than half may differ. Raises ScoringError
    otherwise, with ``file:line`` of the first difference, and for texts that differ in length.
    """
    cases, compared = list[str](), 0
    for doc, ours in texts.items():
        text = response.documents[doc] or ()
        if len(text) != len(ours):
            raise _differing(response, doc, ours)
        words = len(text)
        if text != ours:
            words -= sum(map(is_placeholder, text, ours))
            differing = _differences(text, ours)
            if differing and len(differing) >= MOST_WORDS * words:
                raise _differing(response, doc, ours)
            for at in differing:
                difference, place = _difference(response, doc, at, ours)
                cases.append(f"{difference} at {place}")
        compared += words
    if not cases:
        return []
    words_differ = counted(len(cases), "word differs", "words differ")
    message = f"{words_differ} from the key (of {compared:,}): mentions are matched by token number"
    return [notice("text-mismatch", message, cases)]


def _differing(response: Annotation, doc: str, ours: Sequence[str]) -> ScoringError:
    """Return the error for another text of a document, at the first token that differs."""
    text = response.documents[doc] or ()
    layout = response.layout.get(doc)
    size = len(layout.lines) if layout else len(text)
    differing = _differences(text, ours)
    difference, place = _difference(response, doc, differing[0], ours)
    message = f"token {differing[0]} of '{doc}' is {difference}"
    hint = "use the text of the key: all tokens, with the same tokenisation"
    if size == len(ours):
        differ = counted(len(differing), "token differs", "tokens differ")
        message += f": {differ} of {size:,}, and half are too many"
    else:
        message = f"'{doc}' has {counted(size, 'token')}, in the key {len(ours):,}; {message}"
    return ScoringError("text-mismatch", message, place=place, hint=hint)


def _difference(response: Annotation, doc: str, at: int, ours: Sequence[str]) -> tuple[str, str]:
    """Return the two words of a token, and its ``file:line`` (of the last if it is beyond it)."""
    lines = response.layout[doc].lines.tolist() if doc in response.layout else []
    place = response.place((lines[: at + 1] or [0])[-1])
    words = ((text or ())[at : at + 1] for text in (response.documents[doc], ours))
    here, there = (repr(one[0][:40]) if one else "missing" for one in words)
    return f"{here}, in the key {there}", place


def _differences(text: Sequence[str], ours: Sequence[str]) -> list[int]:
    """Return the numbers of the tokens that are not the same word, or in one text only."""
    pairs = enumerate(zip_longest(text, ours))
    return [k for k, (a, b) in pairs if a is None or b is None or not is_same_word(a, b)]
