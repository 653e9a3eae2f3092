"""Corpora with a record for each mention: JSON lists, Parquet tables, and documents of contexts."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import pandas as pd
from pydantic import BaseModel, TypeAdapter, ValidationError

from cdec.corpus.build import build
from cdec.corpus.model import Corpus, Document
from cdec.corpus.source import DOCUMENT, HINT, LARGEST, Source, error, too_large
from cdec.errors import CorpusError, one_line
from cdec.files.strict_json import parse_at

M = TypeVar("M", bound=BaseModel)


def records(source: Source, file: str, model: type[M]) -> list[M]:
    """Return the records of a file. Raises CorpusError with the line, or the record and field."""
    return validated(file, parse_at(source.text(file), 1, partial(error, file), last=True), model)


def validated(file: str, value: object, model: type[M]) -> list[M]:
    """Return the records in ``value``. Raises CorpusError with the record and its field."""
    try:
        return TypeAdapter(list[model]).validate_python(value, strict=True)  # type: ignore[valid-type]
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False)[0]
        number, *path = first["loc"] or (-1,)
        where = f"record {int(number) + 1}: " if first["loc"] else ""
        named = f"'{'.'.join(map(str, path))}': " if path else ""
        message = one_line(f"{where}{named}{first['msg']}")
        raise CorpusError("format-undetected", message, place=file, hint=HINT) from None


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
        message = "tables in Parquet require pyarrow, which is not installed"
        hint = "pip install 'cdec[parquet]'"
        raise CorpusError("package-missing", message, place=file, hint=hint) from None
    try:
        opened = parquet.ParquetFile(io.BytesIO(source.files[file]))
        groups = range(opened.metadata.num_row_groups)
        size = sum(opened.metadata.row_group(n).total_byte_size for n in groups)
        if size > LARGEST:
            raise too_large(file, size)
        known = opened.schema_arrow.names
        for name in filter(lambda name: name not in known, columns):
            raise error(file, "field-invalid", 0, f"the table has no column '{name}'")
        chosen = [*columns, *(name for name in optional if name in known)]
        table: pd.DataFrame = opened.read(columns=chosen).to_pandas()
    except (ArrowException, OSError, ValueError, MemoryError) as problem:
        raise DOCUMENT.refuse(file, f"damaged Parquet: {problem}", HINT) from None
    for name in table.columns[table.isna().any()][:1]:
        row = int(table[name].isna().to_numpy().argmax()) + 1
        raise error(file, "field-invalid", row, f"the column '{name}' is empty in this row")
    return table[chosen].reset_index(drop=True)


def corpus_of_contexts(
    documents: Mapping[str, Document], mentions: Iterable[dict[str, Any]], **facts: Any
) -> Corpus:
    """Return the corpus whose sentences are the distinct contexts of mentions, in their order.

    ``documents`` have no sentences. A mention has the fields of ``build``, with ``tokens`` that
    count from 0 in its ``context``, and the ``place`` of an error; ``facts`` are those of
    ``build``. Raises CorpusError for tokens outside of the context.
    """
    contexts: dict[str, dict[tuple[str, ...], int]] = {id_: {} for id_ in documents}
    rows = []
    for one in mentions:
        known, context, tokens = contexts[one["doc"]], tuple(one["context"]), one["tokens"]
        if not tokens or min(tokens) < 0 or max(tokens) >= len(context):
            message = f"tokens {tokens[:5]} are not in the context of '{one['doc']}/{one['id']}'"
            raise CorpusError("corpus-invalid", message, place=one["place"], hint=HINT)
        first = known.setdefault(context, sum(map(len, known)))
        own = {name: value for name, value in one.items() if name not in ("context", "place")}
        rows.append({**own, "tokens": [first + token for token in tokens]})
    texts = (replace(d, sentences=tuple(contexts[id_])) for id_, d in documents.items())
    return build(texts, rows, text="contexts", **facts)
