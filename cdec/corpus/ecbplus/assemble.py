"""Build the corpus from the files of ECB+; list all errors of a copy, and count what is in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from cdec.columns.tables import table_rows
from cdec.corpus import rows as assembly
from cdec.corpus.adapter import Inspection, Tick, open_source, read_corpus
from cdec.corpus.ecbplus import ADDED_HALF, LAYOUT, REVIEWED
from cdec.corpus.ecbplus.document import ParsedFile, parse_file
from cdec.corpus.model import Corpus, Document, natural_key
from cdec.corpus.source import Source
from cdec.errors import CorpusError

_LIST = LAYOUT.sentence_list
_DIGITS = 9  # of a sentence number: Python does not convert thousands of digits
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
    number = row[2].strip() if len(row) == 3 else ""
    if not number.isdecimal() or len(number) > _DIGITS:
        message = f"expected topic, file, sentence number, got {row}"
        raise _LIST.refuse(f"{REVIEWED}:{line}", message)
    return f"{row[0].strip()}_{row[1].strip()}", int(number)


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
    numbers = {int(topic) for topic in topics if topic.isdecimal()}
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
