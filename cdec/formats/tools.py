"""Files that are refused: the tool that wrote them, what they have, and the nearest format.

A file of a tool that cdec does not read is known by names that only this tool writes
(``configs/tools.toml``). It is looked at after a format has refused the file.
"""

from __future__ import annotations

import re

from cdec.configs import read_toml
from cdec.errors import FormatError, spelled
from cdec.files.input import TextFile
from cdec.formats.brackets import BEGIN
from cdec.formats.fields import suggested_columns

_HEAD = 2**18  # signs of a file in which the names of its tool are
_PAGE = "docs/formats.md has the formats"
_MENTIONS = (
    "write a mention a line with doc, start, end and chain: tokens count from 0 in the document, "
    "the end is the last one"
)
# The codes of the errors of a format after which the tool is named.
_CODES = ("format-undetected", "field-invalid", "mention-unknown", "file-invalid")


def with_tool(error: FormatError, source: TextFile) -> FormatError:
    """Return the error of a format, or one that names the tool whose file it is.

    >>> source = TextFile("a", '{"_input_hash": 1, "spans": []}')
    >>> with_tool(FormatError("file-invalid", "no chains"), source).message
    'this looks like a file of Prodigy, which is not read: no chains'
    """
    head = source.text[:_HEAD]
    for tool in read_toml("tools.toml")["tools"]:
        is_of_tool = all(re.search(pattern, head) for pattern in tool["patterns"])
        if is_of_tool and error.code in _CODES and error.hint != tool["cure"]:
            return FormatError(
                error.code,
                f"this looks like a file of {tool['name']}, which is not read: {error.message}",
                place=error.place,
                hint=tool["cure"],
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
