"""A folder of files as one key or response, and two folders whose files have the same names.

A document has the name of its file, without the ending, before its own, or in place of it if it has
none. A list of chains in a file holds in the file; other labels mean what they do in one file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pandas as pd

from cdec.errors import FormatError, Notice
from cdec.formats.annotation import LINES_OF_FILE, Annotation, within
from cdec.formats.reading import Choice
from cdec.records import Words

_HINT = "name a folder with one file of mentions and chains for each document or group of them"


def read_folder(folder: Path, read: Callable[[Path], Annotation]) -> Annotation:
    """Return all files of a folder and its folders as one annotation; hidden ones are left out.

    ``read`` reads a file. Raises FormatError for a folder without files, for two files with the
    same name, and for files of which two cannot be one, as CoNLL-U with trees.
    """
    annotations: dict[str, Annotation] = {}
    for path in sorted(folder.rglob("*")):
        place = path.relative_to(folder)
        if not path.is_file() or any(part.startswith(".") for part in place.parts):
            continue
        name = Path(place.as_posix().removesuffix(".gz")).with_suffix("").as_posix()
        if name in annotations:
            raise FormatError(
                "field-invalid",
                f"a second file '{name}', with another ending",
                place=path,
                hint=_HINT,
            )
        annotation = read(path)
        if annotation.trees is not None:
            raise FormatError(
                "format-unsuitable",
                "a folder of CoNLL-U cannot be read as one file",
                place=path,
                hint="name pairs of files, as `cdec score --pair a=KEY:FILE`, or convert the files",
            )
        annotations[name] = annotation
    if not annotations:
        raise FormatError(
            "file-unreadable", "a folder without files", place=folder, hint=_HINT
        )
    return _merged(str(folder), annotations)


def _merged(folder: str, annotations: Mapping[str, Annotation]) -> Annotation:
    tables = []
    documents: dict[str, Words | None] = {}
    layout = {}
    files = {}
    notices: list[Notice] = []
    for number, (file, annotation) in enumerate(annotations.items()):
        before = number * LINES_OF_FILE
        names = {doc: f"{file}/{doc}" for doc in annotation.documents}
        codes = [notice.code for notice in annotation.notices]
        if len(names) == 1 and "document-unnamed" in codes:
            names = dict.fromkeys(names, file)
        table = annotation.mentions
        if (table["mention"] != "").any():  # ids name documents
            names = {doc: doc for doc in names}
        if "labels" in annotation.reading:
            table = table.assign(chain=within(table["chain"], file))
        for doc, name in names.items():
            if name in documents:
                raise FormatError(
                    "field-invalid",
                    f"document '{name}' is in two files",
                    place=annotation.name,
                    hint=_HINT,
                )
            documents[name] = annotation.documents[doc]
            files[name] = file
            if doc in annotation.layout:
                # Two files can have blocks of the same name.
                lines = annotation.layout[doc].lines + before
                layout[name] = replace(
                    annotation.layout[doc], block=name, offset=0, lines=lines
                )
        placed = table["line"] + before
        tables.append(table.assign(doc=table["doc"].map(names), line=placed))
        notices += annotation.notices
    choices: dict[str, Choice] = {}
    for annotation in annotations.values():
        choices.update(annotation.reading)
    if any("labels" not in annotation.reading for annotation in annotations.values()):
        choices.pop("labels", None)
    digests = [
        f"{annotation.digest}  {file}" for file, annotation in annotations.items()
    ]
    gold = None
    if any(annotation.gold is not None for annotation in annotations.values()):
        keys = {file: annotation.as_key() for file, annotation in annotations.items()}
        gold = _merged(folder, keys)
    first = next(iter(annotations.values()))
    return replace(
        first,
        name=folder,
        mentions=pd.concat(tables, ignore_index=True),
        documents=documents,
        layout=layout,
        notices=tuple(
            notice for notice in notices if notice.code != "document-unnamed"
        ),
        digest=sha256("\n".join(digests).encode()).hexdigest(),
        names_tokens=any(part.names_tokens for part in annotations.values()),
        gold=gold,
        reading=choices,
        files=files,
        parts=tuple(part.name for part in annotations.values()),
    )


def named_by_files(
    key: Annotation, response: Annotation
) -> tuple[Annotation, Annotation]:
    """Return two folders in which a document has the name of its file, if it is the only one."""
    single = {*key.files.values(), *response.files.values()}
    for folder in (key, response):
        counts = Counter(folder.files.values())
        single -= {file for file, number in counts.items() if number > 1}
    return _named(key, single), _named(response, single)


def _named(folder: Annotation, files: set[str]) -> Annotation:
    names = {doc: file if file in files else doc for doc, file in folder.files.items()}
    docs = folder.mentions["doc"]
    return replace(
        folder,
        mentions=folder.mentions.assign(doc=docs.map(names)),
        documents={names[doc]: words for doc, words in folder.documents.items()},
        layout={
            names[doc]: replace(layout, block=names[doc])
            for doc, layout in folder.layout.items()
        },
        files={names[doc]: file for doc, file in folder.files.items()},
    )
