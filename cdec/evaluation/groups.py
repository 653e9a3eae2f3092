"""Groups of documents, such as the genres of CoNLL-2012: from their names or from a file."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from cdec.errors import FormatError, ScoringError
from cdec.io.inputfile import FileKind

_KIND = FileKind(
    "a file of groups", FormatError, "groups-invalid", "one line per document: document,group"
)


def read_groups(path: Path) -> dict[str, str]:
    """Return document → group from a CSV or TSV file without header; raises FormatError."""
    text = _KIND.read_text(path)
    rows = list(csv.reader(text.splitlines(), delimiter="\t" if "\t" in text else ","))
    for number, row in enumerate(rows, start=1):
        if len(row) != 2:
            place = f"{path}:{number}"
            raise _KIND.refuse(place, f"{len(row)} columns instead of 2")
    return {document.strip(): group.strip() for document, group in rows}


def with_groups(mentions: pd.DataFrame, groups: Mapping[str, str] | None) -> pd.DataFrame:
    """Return the mentions with a column ``group``.

    Without ``groups`` it is the first part of a path such as ``bc/cctv/00/cctv_0001``; the column
    is left out if no document has a path. Raises ScoringError for a document without a group.

    >>> with_groups(pd.DataFrame({"doc": ["(bc/cctv/00/cctv_0001); part 000"]}), None)["group"][0]
    'bc'
    """
    if "doc" not in mentions:
        return mentions
    documents = mentions["doc"].unique().tolist()
    if groups is None:
        if not any("/" in doc for doc in documents):
            return mentions
        groups = {doc: doc.lstrip("(").split("/")[0] for doc in documents}
    missing = [doc for doc in documents if doc not in groups]
    if missing:
        message = f"the document '{missing[0]}' has no group"
        raise ScoringError("group-missing", message, hint="add a line for it: document,group")
    return mentions.assign(group=mentions["doc"].map(dict(groups)).astype(object))
