"""Files of a corpus with a record for each mention or token: JSON lists, and Parquet tables."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import partial
from typing import TypeVar

import pandas as pd
from pydantic import BaseModel, TypeAdapter, ValidationError

from cdec.corpus.columns import error_at, text_of
from cdec.corpus.reading import HINT
from cdec.corpus.source import Source
from cdec.errors import CorpusError, one_line
from cdec.io.strict_json import parse_at

M = TypeVar("M", bound=BaseModel)


def records(source: Source, file: str, model: type[M]) -> list[M]:
    """Return the records of a file. Raises CorpusError with the line, or the record and field."""
    return validated(file, parse_at(text_of(source, file), 1, partial(error_at, file)), model)


def validated(file: str, value: object, model: type[M]) -> list[M]:
    """Return the records in ``value``. Raises CorpusError with the record and its field."""
    try:
        return TypeAdapter(list[model]).validate_python(value, strict=True)  # type: ignore[valid-type]
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        number, *field = first["loc"] or (-1,)
        where = f"record {int(number) + 1}: " if first["loc"] else ""
        named = f"'{'.'.join(map(str, field))}': " if field else ""
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
        source.layout.check_sizes(source.path, [(file, size)])
        known = opened.schema_arrow.names
        missing = [name for name in columns if name not in known]
        if missing:
            message = f"the table has no column '{missing[0]}'"
            raise CorpusError("field-invalid", message, place=file, hint=HINT)
        chosen = [*columns, *(name for name in optional if name in known)]
        table: pd.DataFrame = opened.read(columns=chosen).to_pandas()
    except (ArrowException, OSError, ValueError, MemoryError) as error:
        raise source.layout.document.refuse(file, f"damaged Parquet: {error}", HINT) from None
    empty = table.columns[table.isna().any()].tolist()
    if empty:
        row = int(table[empty[0]].isna().to_numpy().argmax())
        message = f"the column '{empty[0]}' is empty in row {row + 1}"
        raise CorpusError("field-invalid", message, place=file, hint=HINT)
    return table[chosen].reset_index(drop=True)
