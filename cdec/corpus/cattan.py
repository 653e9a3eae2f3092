"""The eight columns of Cattan et al. (2021) for cross-document keys.

Topic, sub-topic, document, sentence, token number, token, a flag, and chains in brackets, separated
by tabs, for all documents of a corpus between one ``#begin document`` and ``#end document``.
"""

from __future__ import annotations

from collections.abc import Iterator

from cdec.corpus.columns import Columns, error, head_of, lines_of, number
from cdec.corpus.source import Source

WIDTH = 8


def first_token(source: Source, file: str) -> list[str]:
    """Return the columns of the first token of a file; none if it is not in these columns."""
    lines = (line for line in head_of(source, file) if not line.startswith("#"))
    row = next(lines, "").split("\t")
    return row if len(row) == WIDTH and row[3].isdecimal() and row[4].isdecimal() else []


def documents(source: Source, file: str) -> Iterator[Columns]:
    """Yield the documents of a file, in its order. Raises CorpusError with file and line."""
    columns: Columns | None = None
    seen: set[str] = set()
    ended = 0
    for at, line in lines_of(source, file):
        if line.startswith("#begin document") or (ended := line.startswith("#end document")):
            continue
        fields = line.split("\t")
        if len(fields) != WIDTH:
            message = f"expected {WIDTH} columns separated by tabs, got {len(fields)}"
            raise error("document-invalid", file, at, message)
        topic, subtopic, id_, sentence, _, token, _, cell = fields
        if columns is None or columns.id != id_:
            if columns is not None:
                yield columns
            if not id_.strip() or id_ in seen:
                message = f"document '{id_}' is interrupted by another" if id_ else "no document id"
                raise error("document-structure", file, at, message)
            seen.add(id_)
            columns = Columns(file, id_, topic, subtopic)
        columns.add(at, number(sentence, file, at), token, cell)
    if not ended:
        raise error("document-structure", file, at, "the file has no '#end document' at its end")
    if columns is not None:
        yield columns
