"""The second step of matching: give the documents of a response the names that its home has.

A CoNLL file can have several documents in a block, and a block is then a document of its home; a
file can have documents without names, which are known by their words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import PurePath
from typing import TypeAlias

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.corpus.model import Corpus
from cdec.errors import Log, Notice, Notices, UsageError, counted, notice, spelled
from cdec.formats import reading
from cdec.formats.annotation import Annotation, Layout
from cdec.matching.home import NO_DOCUMENT, Home
from cdec.matching.identify import annotated
from cdec.matching.names import (
    ID,
    SPAN_NAME,
    aliases_of,
    pair_by_words,
    pair_documents,
    path_of,
    with_documents,
    with_tokens,
)
from cdec.matching.policy import DEFAULT_POLICY, FilePolicy
from cdec.records import Words

_DOCUMENT = "response document"
_AS_KEY = re.compile("(?<![a-z])(?:key|gold)(?![a-z])")
_AS_RESPONSE = re.compile("response|predict|pred_|_pred|system")
Pairs: TypeAlias = Mapping[str, str]
"""Document of a response → document of its home."""


def name_documents(
    response: Annotation, home: Home, policy: FilePolicy, log: Log
) -> tuple[Annotation, Home]:
    """Return the response with the documents of its home, and the home.

    A key file is by block if only the names of its blocks are those of the response.

    Beside a corpus the mentions get the column ``unknown``: NO_DOCUMENT in documents that the whole
    corpus does not have, else ''. Mentions in documents outside the part are left out. Raises
    FormatError for mentions without identity, ScoringError for a name of two documents.
    """
    if not isinstance(home, Corpus):
        return _name_in_file(response, home, policy, log)
    read, pairs = read_names(response, home)
    if not pairs:
        reading.check_identity(response.reading, response.name)
    log += read.notices
    docs = read.mentions["doc"]
    outside: Pairs = {}
    # Nothing is to be reported if both have mentions in the same documents.
    if (
        not {*home.selected["doc"].unique()}
        == read.documents.keys()
        == {*docs.unique()}
    ):
        outside = _report_documents(read, home, pairs, policy, log)
    # Equal names are paired first: if these are all, nothing is to be renamed.
    if {*pairs.values()} == read.documents.keys():
        return replace(read, mentions=read.mentions.assign(unknown="")), home
    named = renamed(read, pairs)
    is_nowhere = ~docs.isin([*pairs, *outside])
    nowhere = read.mentions[is_nowhere].assign(unknown=NO_DOCUMENT)
    mentions = pd.concat([named.mentions.assign(unknown=""), nowhere]).sort_index()
    return replace(named, mentions=mentions), home


def renamed(file: Annotation, names: Pairs) -> Annotation:
    """Return the mentions in the documents in ``names`` (old → new name), with the new names."""
    mentions = file.mentions[file.mentions["doc"].isin(list(names))]
    layout = file.layout
    return replace(
        file,
        mentions=mentions.assign(doc=mentions["doc"].map(dict(names)).astype(object)),
        documents={new: file.documents.get(old) for old, new in names.items()},
        layout={new: layout[old] for old, new in names.items() if old in layout},
    )


# ---- in a corpus ----


def read_names(file: Annotation, corpus: Corpus) -> tuple[Annotation, Pairs]:
    """Return the file with documents taken from names, and document of it → document of the part.

    Of the possible readings, the first of those with most mentions in known documents counts. If no
    name fits, or documents have none, those with the same words are the same.
    """
    if file.notices and are_unnamed(file):
        named = _named_as_in(corpus, file)
        if named is not None:
            return named
    documents = corpus.documents
    has_tokens = (file.mentions["start"] >= 0).all()
    # The words on which mentions are marked may be names, as 36_1ecb/17.
    may_be_names = not (file.mentions["start"] < file.mentions["end"]).any()
    if has_tokens and not may_be_names and file.documents.keys() <= documents.keys():
        return file, {doc: doc for doc in file.documents}
    if not has_tokens:
        file = with_tokens(file, annotated(corpus).index)
    aliases = aliases_of(documents)
    best = file
    best_pairs = {}
    most = -1
    for candidate in _readings(file):
        pairs = pair_documents(
            candidate.documents, documents, file.name, aliases, corpus.elsewhere
        )
        inside = int(candidate.mentions["doc"].isin(list(pairs)).sum())
        if inside > most:
            best = candidate
            best_pairs = pairs
            most = inside
        if inside == len(candidate.mentions):
            break
    if not best_pairs and file.documents.keys().isdisjoint(corpus.elsewhere):
        named = _named_as_in(corpus, file)
        if named is not None:
            return named
    return best, best_pairs


def _readings(file: Annotation) -> Iterator[Annotation]:
    """Yield the file with tokens as names, then with names as they are: as ids, then as spans.

    A reading that does not fit is left out.
    """
    candidates = [file]
    have_one_token = not (file.mentions["start"] < file.mentions["end"]).any()
    if len(file.mentions) and have_one_token:
        by_words = _named_by_words(file)
        if by_words is not None:
            candidates.insert(0, by_words)
    for candidate in candidates:
        yield with_documents(candidate)
        table = candidate.mentions
        if (table["start"] >= 0).any() or table["doc"].any():
            continue
        spans = table["mention"].astype(object).str.extract(SPAN_NAME)
        if not len(spans) or spans.isna().any(axis=None):
            continue
        numbers = spans[[1, 2, 3]].astype(np.int64)
        if (numbers[2] <= numbers[3]).all():
            mentions = table.assign(
                doc=spans[0],
                sentence=numbers[1],
                start=numbers[2],
                end=numbers[3],
                mention="",
            )
            yield replace(
                candidate, mentions=mentions, documents=dict.fromkeys(spans[0])
            )


def _named_by_words(file: Annotation) -> Annotation | None:
    """Return the file with the word of each mention as its name; None if one is no name."""
    table = file.mentions
    names = []
    for doc, token in zip(table["doc"], table["start"], strict=True):
        text = file.documents[doc]
        if text is None or not re.match(ID, text[token]):
            return None
        names.append(text[token])
    by_name = table.assign(doc="", mention=names, start=-1, end=-1)
    return replace(file, mentions=by_name, documents={"": None}, layout={})


def are_unnamed(file: Annotation) -> bool:
    """Return whether documents of a file have no name, so that they have a number or its name."""
    return any(notice.code == "document-unnamed" for notice in file.notices)


def with_names_by_words(
    file: Annotation, texts: Mapping[str, Sequence[str] | None]
) -> Annotation | None:
    """Return the file with the names of the ``texts`` with the same words, and a notice.

    None unless each document has exactly one such text, and no two the same.
    """
    pairs = pair_by_words(file.documents, texts)
    if not pairs:
        return None
    notices = list(notices_by_words(file))
    cases = [f"{name} as {text}" for name, text in pairs.items() if name != text]
    if cases and not are_unnamed(file):
        documents = counted(len(cases), "response document")
        notices.append(
            notice(
                "document-renamed",
                f"{documents} under another name in the key: matched by the words",
                cases,
                warning=False,
            )
        )
    return replace(renamed(file, pairs), notices=tuple(notices))


def notices_by_words(file: Annotation) -> Notices:
    """Return the notices of a file whose documents without a name are known by their words."""
    message = "documents without a name are those of the key with the same words"
    return tuple(
        replace(notice, message=message, warning=False)
        if notice.code == "document-unnamed"
        else notice
        for notice in file.notices
    )


def _named_as_in(corpus: Corpus, file: Annotation) -> tuple[Annotation, Pairs] | None:
    """Return the file with the names of the documents of a corpus, also outside of its part.

    The second value is document → document of the part.
    """
    if corpus.text == "none":
        return None
    documents = {**corpus.documents, **corpus.elsewhere}
    texts = {id_: document.tokens for id_, document in documents.items()}
    named = with_names_by_words(file, texts)
    if named is None:
        return None
    return named, {doc: doc for doc in named.documents if doc in corpus.documents}


# ---- in a key file ----


def _name_in_file(
    response: Annotation, key: Annotation, policy: FilePolicy, log: Log
) -> tuple[Annotation, Annotation]:
    if policy.zeros != DEFAULT_POLICY.zeros:
        raise UsageError(
            "option-conflict",
            f"{spelled('zeros', policy.zeros)} has no effect: the files have no empty nodes",
            hint=f"use {spelled('zeros', DEFAULT_POLICY.zeros)}, or two CoNLL-U files",
        )
    for file in (key, response):
        reading.check_identity(file.reading, file.name)
    key, response = _by_same_blocks(key, response)
    pairs = _pairs_of_files(key, response)
    if not pairs:
        by_words = with_names_by_words(response, key.documents)
        if by_words is not None:
            key = replace(key, notices=notices_by_words(key))
            response = by_words
            pairs = {doc: doc for doc in response.documents}
    log += response.notices
    log += key.notices
    if key.documents.keys() != response.documents.keys():
        _report_documents(response, key, pairs, policy, log)
        new_names = {doc: pairs.get(doc, doc) for doc in response.documents}
        response = renamed(response, new_names)
    report_exchange(key, response, log)
    return response, key


def _by_same_blocks(
    key: Annotation, response: Annotation
) -> tuple[Annotation, Annotation]:
    """Return both files by block or by document, so that their names match."""
    layouts = [*key.layout.items(), *response.layout.items()]
    if any(layout.block != doc for doc, layout in layouts):
        blocks_of_key = sorted({layout.block for layout in key.layout.values()})
        blocks = sorted({layout.block for layout in response.layout.values()})
        if pair_documents(blocks, blocks_of_key, response.name):
            return _by_block(key), _by_block(response)
    has_tokens_in_key = key.mentions["start"] >= 0
    has_tokens = response.mentions["start"] >= 0
    if has_tokens_in_key.all() and has_tokens.all():
        return key, response
    ids_of_key = {*key.mentions["mention"][has_tokens_in_key]}
    ids = {*response.mentions["mention"][has_tokens]}
    key = with_tokens(key, ids)
    response = with_tokens(response, ids_of_key)
    if ("" in key.documents) == ("" in response.documents):
        return key, response
    return with_documents(key), with_documents(response)


def _by_block(file: Annotation) -> Annotation:
    """Return the file with token numbers that count within each ``#begin document``."""
    layout = file.layout
    docs = file.mentions["doc"]
    shift = docs.map({doc: part.offset for doc, part in layout.items()}).astype(
        np.int64
    )
    moved = file.mentions.assign(
        doc=docs.map({doc: part.block for doc, part in layout.items()}).astype(object),
        start=file.mentions["start"] + shift,
        end=file.mentions["end"] + shift,
    )
    texts: dict[str, Words | None] = {}
    lines: dict[str, Ints] = {}
    for doc, part in layout.items():
        text = file.documents[doc]
        text_before = texts.get(part.block, ())
        if text is None or text_before is None:
            texts[part.block] = None
        else:
            texts[part.block] = text_before + text
        lines_before = lines.get(part.block, part.lines[:0])
        lines[part.block] = np.append(lines_before, part.lines)
    blocks = {name: Layout(name, 0, of_block) for name, of_block in lines.items()}
    return replace(file, mentions=moved, documents=texts, layout=blocks)


def _pairs_of_files(key: Annotation, response: Annotation) -> Pairs:
    """Return document of the response → document of the key, by their names; none if they differ.

    Documents that have no names in their file are known by their words, if these are the same: then
    no name counts here.
    """
    has_no_names = are_unnamed(key) or are_unnamed(response)
    if has_no_names and pair_by_words(response.documents, key.documents):
        return {}
    pairs = pair_documents(response.documents, key.documents, response.name)
    is_single = len(key.documents) == len(response.documents) == 1
    if has_no_names and is_single and not pairs:
        # The only documents of two files are the same if one has the name of its file only.
        return dict(zip(response.documents, key.documents, strict=True))
    return pairs


# ---- notices ----


def _report_documents(
    response: Annotation, home: Home, pairs: Pairs, policy: FilePolicy, log: Log
) -> Pairs:
    """Report documents that are not in the part or key, missing, or renamed.

    A document is not renamed if one path is the end of the other, as in ``24_1ecb`` and
    ``ECB+/24/24_1ecb.xml``. Returns document of the response → document of the corpus outside the
    part.
    """
    without_pair = [doc for doc in response.documents if doc not in pairs]
    outside: Pairs = {}
    where = "not in the key"
    docs = [*home.documents]
    if isinstance(home, Corpus):
        where = "not in the corpus"
        docs = [*dict.fromkeys(home.selected["doc"])]
        elsewhere = home.elsewhere
        aliases = aliases_of(elsewhere)
        outside = pair_documents(without_pair, elsewhere, response.name, aliases)
        without_pair = [doc for doc in without_pair if doc not in outside]
        rest = f"not in '{home.part}': left out"
        log.report("outside-split", outside, _DOCUMENT, rest)
    if home.documents:
        where += f", which has names such as '{next(iter(home.documents))}'"
    effect = "left out"
    if policy.unknown == "twinless":
        effect = "mentions in them are twinless"
    log.report("unknown-document", without_pair, _DOCUMENT, f"{where}: {effect}")
    present = {*pairs.values()}
    absent = [doc for doc in docs if doc not in present]
    rest = "missing from the response, taken as empty"
    log.report("missing-document", absent, "key document", rest)
    with_other_name = [
        f"{name} as {doc}" for name, doc in pairs.items() if not _is_end_of(name, doc)
    ]
    rest = "under another name in the key: matched by a part of the name, or by id"
    log.report("document-renamed", with_other_name, _DOCUMENT, rest, warning=False)
    if isinstance(home, Corpus):
        home_of = {**outside, **pairs}
        named = response.mentions["doc"].unique()
        warn_of_other_part(home, {home_of[doc] for doc in named if doc in home_of}, log)
    return outside


def _is_end_of(name: str, other: str) -> bool:
    path = "/" + "/".join(path_of(name))
    other_path = "/" + "/".join(path_of(other))
    return path.endswith(other_path) or other_path.endswith(path)


def warn_of_other_part(corpus: Corpus, documents: Set[str], log: Log) -> None:
    """Warn if these documents are those of another part, or their topics (other units).

    ``documents`` are those of the response, inside the part or not. The parts of cdec's own splits
    are considered, if the split assigns every unit of the corpus.
    """
    if not corpus.elsewhere or documents == corpus.documents.keys():
        return
    from cdec.corpus.splits import SPLITS, load_split  # noqa: PLC0415  # slow: schemas

    all_documents = {**corpus.documents, **corpus.elsewhere}
    for split in map(load_split, SPLITS):
        units = split.units(all_documents)
        if {*units.values()} != set().union(*split.parts.values()):
            continue
        covered = {units[doc] for doc in documents}
        of_part = {units[doc] for doc in corpus.documents}
        if covered == of_part:
            continue
        for name, units_of_part in split.parts.items():
            if units_of_part == covered:
                message = (
                    f"the response covers {split.name}/{name}; did you mean that part?"
                )
                is_warning = not of_part <= covered
                log.append(Notice("other-split", 1, message, warning=is_warning))
                break


def report_exchange(key: Annotation, response: Annotation, log: Log) -> None:
    """Report that content or names suggest that a file is on the wrong side.

    It is a warning if the names of both files are those of the other side. A file that has both
    sides is the key and the response.
    """
    has_same_digest = key.digest == response.digest
    if has_same_digest and response.gold is not None:
        return
    if has_same_digest and key.digest:
        message = f"the response '{response.name}' has the same content as the key"
        log.append(Notice("swapped", 1, message, (response.name,), warning=False))
        return
    name_of_key = PurePath(key.name).name.casefold()
    name = PurePath(response.name).name.casefold()
    if _AS_KEY.search(name_of_key) or not _AS_KEY.search(name):
        return
    message = f"key and response may be swapped: the response is '{response.name}'"
    both = _AS_RESPONSE.search(name_of_key) is not None
    log.append(Notice("swapped", 1, message, (key.name, response.name), warning=both))
