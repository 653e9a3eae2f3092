"""Files that are refused: the tool that wrote them, what they have, and the nearest format.

A file of a tool that cdec does not read is known by names that only this tool writes. It is looked
at after a format has refused the file.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from cdec.errors import FormatError, spelled
from cdec.files.input import TextFile
from cdec.formats.brackets import BEGIN
from cdec.formats.fields import suggested_columns

_HEAD = 2**18  # signs of a file in which the names of its tool are
_PAGE = "docs/formats.md has the formats"
_DOCUMENTS = (
    'write a document a line, {"doc_key": "d", "sentences": [["A", "fire"]], "clusters": '
    "[[[0, 1]]]}: words count from 0, the last one is part of the mention"
)
_MENTIONS = (
    "write a mention a line with doc, start, end and chain: tokens count from 0 in the document, "
    "the end is the last one"
)
_TEXTS = (
    "`cdec corpus add TEXTS --mentions TABLE` reads mentions at characters "
    "(from_char, to_char)"
)
_RELATIONS = "export JSON: the other exports of Label Studio have no relations"
_ENTITIES = "give the file .entities of the book, which has the mentions"
_BRAT = "name the folder that has each file beside its text"
# The codes of the errors of a format after which the tool is named.
_CODES = ("format-undetected", "field-invalid", "mention-unknown", "file-invalid")


class Tool(NamedTuple):
    """A tool: its name, the patterns that all are in its files, and how a file becomes readable."""

    name: str
    patterns: tuple[str, ...]
    cure: str


TOOLS = (
    Tool("CoreNLP", ('"sentences"', '"basicDependencies"'), "run its annotator coref"),
    Tool("stanza", ('"id"', '"text"', '"(?:deprel|upos)"'), "run its processor coref"),
    Tool("Label Studio (JSON-MIN or CSV)", ("annotation_id", "lead_time"), _RELATIONS),
    Tool("Label Studio (CONLL2003)", (r"\A\s*-DOCSTART- -X- O",), _RELATIONS),
    Tool("doccano", ('"start_offset"', '"end_offset"'), _TEXTS),
    Tool("doccano", ('"text"', r'"labels?"\s*:\s*\[\s*\[\s*[0-9]+\s*,\s*[0-9]+\s*,\s*"'), _TEXTS),
    Tool("Prodigy", ('"_input_hash"', '"spans"'), _TEXTS),
    Tool("BookNLP (.tokens)", (r"\A\s*paragraph_ID\tsentence_ID\t",), _ENTITIES),
    Tool("spaCy", ('"spans"', '"coref_clusters_[0-9]+"'), "in Python: formats.from_spacy(docs)"),
    Tool("brat", (r"\A\s*[TREA*][0-9]*\t\S+ ",), _BRAT),
    Tool(
        "neleval or TAC",
        (r"\A\s*(?:\S+\t[0-9]+\t[0-9]+\t[^\t\n]+\t[0-9.]+\t|(?:[^\t\n]+\t){3}\S+:[0-9]+-[0-9]+\t)",),
        _TEXTS,
    ),
    Tool("KBP event nuggets (TBF)", (r"\A\s*#BeginOfDocument ",), _TEXTS),
    Tool("GATE", ("<GateDocument", "<AnnotationSet"), _TEXTS),
    Tool("MMAX2", ("<markables",), _MENTIONS),
    Tool("a language model", (r"</?(?:m|mention)\b[^>]*>|\]\(#",), _MENTIONS),
)  # fmt: skip


def with_tool(error: FormatError, source: TextFile) -> FormatError:
    """Return the error of a format, or one that names the tool whose file it is.

    >>> source = TextFile("a", '{"_input_hash": 1, "spans": []}')
    >>> with_tool(FormatError("file-invalid", "no chains"), source).message
    'this looks like a file of Prodigy, which is not read: no chains'
    """
    head = source.text[:_HEAD]
    for tool in TOOLS:
        is_of_tool = all(re.search(pattern, head) for pattern in tool.patterns)
        if is_of_tool and error.code in _CODES:
            return FormatError(
                error.code,
                f"this looks like a file of {tool.name}, which is not read: {error.message}",
                place=error.place,
                hint=tool.cure,
            )
    return error


def unknown_format(source: TextFile, head: str) -> FormatError:
    """Return the error for a file in no known format: what it has, the nearest format, the cure.

    ``head`` is its first line with content.
    """
    format_, cure = _nearest(head, source)
    has = f"its first line is '{head[:60]}'"
    error = source.error(
        "format-undetected",
        0,
        f"the format is unknown: {has}; the nearest is {format_}",
        f"{cure}; {_PAGE}",
    )
    return with_tool(error, source)


def _nearest(head: str, source: TextFile) -> tuple[str, str]:
    """Return the format that is nearest to a file, and what makes the file one of it."""
    if re.search(r"\(\S+\)?\s*$|(?:^|\s)\S+\)\s*$", head) or any(
        map(BEGIN.match, source.lines)
    ):
        return "conll", "write '#begin document (NAME)' before the lines of a document"
    separators = [sign for sign in "\t,;" if sign in head]
    if separators:
        names = [name.strip('" ') for name in head.split(separators[0])]
        format_ = "tsv" if separators[0] == "\t" else "csv"
        columns = {"chain": names[-1], **suggested_columns(names, ())}
        return format_, (
            "write a header such as doc,start,end,chain, or say which column is which, such as "
            f"{spelled('columns', columns)}"
        )
    return "jsonl", _MENTIONS
