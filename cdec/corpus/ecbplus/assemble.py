"""Build the corpus from the files of ECB+; list all errors of a copy, and count what is in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from cdec.columns.tables import table_rows
from cdec.corpus import rows as assembly
from cdec.corpus.adapter import Defect, Inspection, Tick, open_source, read_corpus
from cdec.corpus.ecbplus import ADDED_HALF, FILE_NAME, LAYOUT, REVIEWED
from cdec.corpus.ecbplus.mentions import Reading, read_markables, read_mentions, read_relations
from cdec.corpus.model import Corpus, Document, natural_key
from cdec.corpus.rows import Row
from cdec.corpus.source import Source
from cdec.errors import CorpusError
from cdec.files.input import integer

_LIST = LAYOUT.sentence_list
_LAST_TITLE = "Sentence Number"


def read(path: Path | str, name: str | None = None) -> Corpus:
    """Return the whole corpus at ``path`` (folder or zip), without the cache.

    Raises CorpusError with file and line if the corpus is not valid ECB+.
    """
    source = open_source(path)
    return read_corpus(source, name or source.path.name)


def build(source: Source, name: str | None = None, tick: Tick = lambda: None) -> Corpus:
    """Return the corpus of all files of ``source``; ``tick`` is called after each file."""
    parsed = []
    for file, data in source.files.items():
        parsed.append(parse_file(file, data))
        tick()
    return assemble(source, parsed, name)


def assemble(source: Source, parsed: Iterable[ParsedFile], name: str | None = None) -> Corpus:
    """Return the corpus of the parsed files of ``source``.

    Raises CorpusError for a duplicate document and for an invalid reviewed-sentence list.
    """
    pairs = [(file.document, file.rows) for file in parsed]
    return assembly.assemble(source, name or source.path.name, pairs, reviewed_sentences(source))


def inspect(source: Source, tick: Tick) -> Inspection:
    """Read every file, also after an invalid one; ``tick`` is called after each."""
    parsed: list[ParsedFile] = []
    errors: list[CorpusError] = []
    for file, data in source.files.items():
        try:
            parsed.append(parse_file(file, data))
        except CorpusError as error:
            errors.append(error)
        tick()
    try:
        corpus = assemble(source, parsed)
    except CorpusError as error:  # of the corpus, not of a file
        errors.append(error)
    defects = tuple(defect for file in parsed for defect in file.defects)
    if errors:
        return Inspection(tuple(errors), defects)
    listed = reviewed_sentences(source)
    remarks = tuple(_dangling(listed, corpus))
    return Inspection((), defects, facts(corpus, source, len(listed)), remarks)


def reviewed_sentences(source: Source) -> set[tuple[str, int]]:
    """Return (document id, sentence number) of the fully reviewed sentences; empty without list.

    Raises CorpusError with the line of an invalid header or row.
    """
    if source.reviewed is None:
        return set()
    text = _LIST.decode(source.reviewed, REVIEWED)
    rows = table_rows(text, ",", lambda line, why: _LIST.refuse(f"{REVIEWED}:{line}", why))
    _, header = next(rows, (1, []))
    if header[-1:] != [_LAST_TITLE]:
        message = f"the last column must be '{_LAST_TITLE}'"
        raise _LIST.refuse(f"{REVIEWED}:1", message)
    return {_sentence(row, line) for line, row in rows}


def _sentence(row: list[str], line: int) -> tuple[str, int]:
    number = integer(row[2].strip()) if len(row) == 3 else -1
    if number < 0:
        message = f"expected topic, file, sentence number, got {row}"
        raise _LIST.refuse(f"{REVIEWED}:{line}", message)
    return f"{row[0].strip()}_{row[1].strip()}", number


def _dangling(listed: Iterable[tuple[str, int]], corpus: Corpus) -> Iterator[str]:
    """Yield a message for each entry of the list that refers to a missing sentence."""
    for id_, number in sorted(listed, key=lambda entry: (natural_key(entry[0]), entry[1])):
        document = corpus.documents.get(id_)
        if document is None:
            yield f"{REVIEWED}: document {id_} is not in the corpus"
        elif number >= len(document.sentences):
            yield f"{REVIEWED}: document {id_} has no sentence {number}"


def facts(corpus: Corpus, source: Source, reviewed: int) -> dict[str, int]:
    """Return fact → count; configs/corpora/kinds.toml describes each fact.

    ``reviewed`` is the number of sentences in the list of fully reviewed ones.
    """
    documents = corpus.documents.values()
    return {
        **_of_documents(documents),
        "non-ascii-files": sum(not data.isascii() for data in source.files.values()),
        **_of_mentions(corpus),
        **_of_chains(corpus),
        "reviewed-sentences": reviewed,
        "reviewed-event-mentions": int(corpus.selected["reviewed"].sum()),
    }


def _of_documents(documents: Iterable[Document]) -> dict[str, int]:
    listed = list(documents)
    topics = {document.topic for document in listed}
    return {
        "documents": len(listed),
        "topics": len(topics),
        "unused-topic-numbers": _unused(topics),
        "subtopics": len({(document.topic, document.subtopic) for document in listed}),
        "added-documents": sum(document.id.endswith(ADDED_HALF) for document in listed),
    }


def _unused(topics: set[str]) -> int:
    numbers = {integer(topic) for topic in topics} - {-1}
    return max(numbers) - min(numbers) + 1 - len(numbers) if numbers else 0


def _of_mentions(corpus: Corpus) -> dict[str, int]:
    tags = corpus.mentions["tag"].astype(str)
    return {
        "mentions": len(corpus.mentions),
        "event-mentions": len(corpus.selected),
        "location-mentions": int(tags.str.startswith("LOC_").sum()),
        "time-mentions": int(tags.str.startswith("TIME_").sum()),
        "human-mentions": int(tags.str.startswith("HUMAN_").sum()),
        "non-human-mentions": int(tags.str.startswith("NON_HUMAN_").sum()),
        "multi-token-event-mentions": int((corpus.selected["tokens"].map(len) > 1).sum()),
    }


def _of_chains(corpus: Corpus) -> dict[str, int]:
    chains = corpus.mentions.groupby("relation")["chain"].nunique()
    clusters = corpus.selected.groupby("chain")[["topic", "subtopic"]].nunique()
    instances = corpus.selected.query("relation == 'cross_doc'").groupby("chain").size()
    return {
        "cross-document-instances": int(chains.get("cross_doc", 0)),
        "intra-document-chains": int(chains.get("intra_doc", 0)),
        "one-event-instances": int((instances == 1).sum()),
        "clusters-across-subtopics": int((clusters["subtopic"] > 1).sum()),
        "clusters-across-topics": int((clusters["topic"] > 1).sum()),
    }


@dataclass(frozen=True)
class ParsedFile:
    """A document, its mentions in the order of the file, and the defects of the file."""

    document: Document
    rows: list[Row] = field(default_factory=list)
    defects: list[Defect] = field(default_factory=list)


def parse_file(name: str, data: bytes) -> ParsedFile:
    """Return the document, mentions and defects of ``data``, read from the file ``name``.

    Raises CorpusError, with file and line, for malformed XML, a DTD, a file that is not ECB+, a
    mention anchored to a missing token and a relation to a missing mention.
    """
    root = _parse_tree(name, data)
    id_, topic, suffix = _parse_name(name)
    reading = Reading(name, id_)
    numbers, sentences = _read_tokens(reading, root)
    text_start = 1 if suffix == ADDED_HALF else 0
    alias = root.get("doc_id")
    names = {"alias": alias} if alias else {}
    document = Document(id_, topic, topic + suffix, sentences, text_start, names)
    markables = read_markables(reading, root)
    relations = read_relations(reading, root, markables)
    rows = read_mentions(reading, document, numbers, markables, relations)
    return ParsedFile(document, rows, reading.defects)


def _parse_tree(name: str, data: bytes) -> etree._Element:
    """Return the root of the document in ``data``, read from the file ``name``.

    Raises CorpusError for malformed XML, a DTD (which allows entity bombs and external files) and
    a root that is not an ECB+ document.
    """
    at = data.find(b"<!DOCTYPE")
    if at >= 0:  # before parsing; a DTD in UTF-16 is detected in the tree only
        raise _doctype(name, data.count(b"\n", 0, at) + 1)
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise CorpusError(
            "corpus-file-invalid",
            f"invalid XML: {error.msg}",
            place=f"{name}:{error.lineno or 1}",
            hint="the file is damaged: install the corpus again",
        ) from None
    if root.getroottree().docinfo.internalDTD is not None:
        raise _doctype(name, 1)
    if root.tag != "Document" or root.find("token") is None or root.find("Markables") is None:
        raise CorpusError(
            "corpus-file-invalid",
            f"not an ECB+ document: the root <{root.tag}> has no tokens or no markables",
            place=f"{name}:1",
            hint="expected <Document> with <token>, <Markables> and <Relations>",
        )
    return root


def _doctype(name: str, line: int) -> CorpusError:
    message = "the file has a document type definition (DTD), which is not allowed"
    return CorpusError("corpus-file-invalid", message, place=f"{name}:{line}", hint="remove it")


def _parse_name(name: str) -> tuple[str, str, str]:
    """Return document id, topic, and half of the corpus (ecb or ecbplus) from the file name."""
    match = FILE_NAME.fullmatch(name.rpartition("/")[2])
    if match is None:
        raise CorpusError(
            "corpus-file-invalid",
            "the file name does not give topic and sub-topic",
            place=name,
            hint="expected <topic>_<number><sub-topic>.xml, as in 1_10ecbplus.xml",
        )
    return match[0].removesuffix(".xml"), match["topic"], match["suffix"]


def _read_tokens(
    reading: Reading, root: etree._Element
) -> tuple[dict[str, int], tuple[tuple[str, ...], ...]]:
    """Return ``t_id`` → index of the token in the document, and the texts by sentence.

    Raises CorpusError for a duplicate token or a sentence out of order.
    """
    numbers: dict[str, int] = {}
    sentences: list[list[str]] = []
    before = None  # the sentence number of the token before, as text
    for el in root.iterchildren("token"):
        t_id, text = reading.get(el, "t_id"), el.text or ""
        if t_id in numbers:
            raise reading.error("corpus-file-invalid", el, f"duplicate token {t_id}")
        if len(el):
            raise reading.error("corpus-file-invalid", el, f"token {t_id} contains other elements")
        sentence = reading.get(el, "sentence")
        if sentence != before and _is_new(reading, el, sentence, len(sentences) - 1):
            sentences.append([])
        before = sentence
        numbers[t_id] = len(numbers)
        sentences[-1].append(text)
        if not text.isalnum():
            _note_odd_text(reading, t_id, text)
    return numbers, tuple(map(tuple, sentences))


def _is_new(reading: Reading, el: etree._Element, text: str, last: int) -> bool:
    """Return whether a token is of the sentence after ``last``, rather than of ``last``."""
    number = integer(text)
    if number not in (last, last + 1) or number < 0:
        message = f"sentence '{text}' after sentence {last}"
        hint = "number the sentences from 0, without gaps"
        raise reading.error("corpus-file-invalid", el, message, hint)
    return number > last


def _note_odd_text(reading: Reading, t_id: str, text: str) -> None:
    if not text.isascii() and "\N{REPLACEMENT CHARACTER}" in text:
        reading.note("replacement-character", f"t{t_id}")
    if not text.strip():
        reading.note("blank-token", f"t{t_id}")
    elif len(text.split()) > 1 or text != text.strip():
        reading.note("white-space-in-token", f"t{t_id}")
