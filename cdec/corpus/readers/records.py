"""Corpora with a record for each mention: JSON lists, Parquet tables, and documents of contexts."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import pandas as pd
from pydantic import BaseModel, ConfigDict

from cdec.corpus.build import build
from cdec.corpus.model import Corpus, Documents
from cdec.corpus.source import DOCUMENT, HINT, Source, error
from cdec.errors import CorpusError
from cdec.files.input import Budget, FileKind
from cdec.files.models import validated
from cdec.files.strict_json import parse_at
from cdec.records import Row, Words

RECORD = FileKind("a record of the corpus", CorpusError, "format-undetected", HINT)


class Record(BaseModel):
    """An object in a file: the fields that a reader needs, of exactly these types."""

    model_config = ConfigDict(strict=True)


M = TypeVar("M", bound=Record)


def records(source: Source, file: str, model: type[M]) -> list[tuple[str, M]]:
    """Return the records of a JSON file with their places. Raises as ``checked``, and the line."""
    values = parse_at(source.text(file), 1, partial(error, file), last=True)
    return checked(file, values, model)


def checked(file: str, values: object, model: type[M]) -> list[tuple[str, M]]:
    """Return the records in a list with their places. Raises CorpusError with record and field."""
    if not isinstance(values, list):
        raise RECORD.refuse(file, "the file is not a list of records")
    mentions = []
    for number, value in enumerate(values, start=1):
        place = f"{file}, record {number}"
        mentions.append((place, validated(model, value, place, RECORD)))
    return mentions


def table_of(
    source: Source, file: str, columns: Sequence[str], optional: Sequence[str] = ()
) -> pd.DataFrame:
    """Return these columns of a file, and those of ``optional`` that it has.

    Raises CorpusError if the file is no Parquet, lacks a column or has an empty cell in one, or
    would be too large in memory; and if pyarrow is not installed.
    """
    try:
        from pyarrow import ArrowException, parquet  # noqa: PLC0415 (an extra)
    except ImportError:
        raise CorpusError(
            "package-missing",
            "tables in Parquet require pyarrow, which is not installed",
            place=file,
            hint="pip install 'cdec[parquet]'",
        ) from None
    try:
        opened = parquet.ParquetFile(io.BytesIO(source.files[file]))
        groups = range(opened.metadata.num_row_groups)
        size = sum(opened.metadata.row_group(n).total_byte_size for n in groups)
        size = max(size, 8 * opened.metadata.num_rows)  # a column of one value is short
        budget = source.budget or Budget()
        DOCUMENT.check_unpacked(file, size, len(source.files[file]), budget)
        names = opened.schema_arrow.names
        for name in columns:
            if name not in names:
                raise error(
                    file, "field-invalid", 0, f"the table has no column '{name}'"
                )
        selected = [*columns, *(name for name in optional if name in names)]
        table: pd.DataFrame = opened.read(columns=selected).to_pandas()
    except (ArrowException, OSError, ValueError, MemoryError) as problem:
        raise DOCUMENT.refuse(file, f"damaged Parquet: {problem}", HINT) from None
    for name in table.columns[table.isna().any()][:1]:
        row = int(table[name].isna().to_numpy().argmax()) + 1
        raise error(
            file, "field-invalid", row, f"the column '{name}' is empty in this row"
        )
    return table[selected].reset_index(drop=True)


def corpus_of_contexts(
    documents: Documents, mentions: Iterable[Row], **facts: Any
) -> Corpus:
    """Return the corpus whose sentences are the distinct contexts of mentions, in their order.

    ``documents`` have no sentences. A mention has the fields of ``build``, with ``tokens`` that
    count from 0 in its ``context``, and the ``place`` of an error; ``facts`` are those of
    ``build``. Raises CorpusError for tokens outside of the context.
    """
    # Document → its contexts, and the first token of each.
    contexts: dict[str, dict[Words, int]] = {id_: {} for id_ in documents}
    rows = []
    for mention in mentions:
        row = dict(mention)
        context = tuple(row.pop("context"))
        place = row.pop("place")
        tokens = row["tokens"]
        if not tokens or min(tokens) < 0 or max(tokens) >= len(context):
            raise error(
                place,
                "corpus-invalid",
                0,
                f"tokens {tokens[:5]} are not in the context of '{row['doc']}/{row['id']}'",
            )
        starts = contexts[row["doc"]]
        start = starts.setdefault(context, sum(map(len, starts)))
        row["tokens"] = [start + token for token in tokens]
        rows.append(row)
    texts = [
        replace(document, sentences=tuple(contexts[id_]))
        for id_, document in documents.items()
    ]
    return build(texts, rows, text="contexts", **facts)
