"""Tables in Parquet, by the extra ``parquet``."""

from __future__ import annotations

import io
from collections.abc import Sequence

import pandas as pd

from cdec.corpus.reading import HINT
from cdec.corpus.source import Source
from cdec.errors import CorpusError


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
        raise CorpusError("parquet-missing", message, place=file, hint=hint) from None
    try:
        opened = parquet.ParquetFile(io.BytesIO(source.files[file]))
        groups = range(opened.metadata.num_row_groups)
        size = sum(opened.metadata.row_group(n).total_byte_size for n in groups)
        source.layout.check_sizes(source.path, [(file, size)])
        known = opened.schema_arrow.names
        missing = [name for name in columns if name not in known]
        if missing:
            message = f"the table has no column '{missing[0]}'"
            raise CorpusError("field-missing", message, place=file, hint=HINT)
        chosen = [*columns, *(name for name in optional if name in known)]
        table: pd.DataFrame = opened.read(columns=chosen).to_pandas()
    except (ArrowException, OSError, ValueError, MemoryError) as error:
        raise source.layout.document.refuse(file, f"damaged Parquet: {error}", HINT) from None
    empty = table.columns[table.isna().any()].tolist()
    if empty:
        row = int(table[empty[0]].isna().to_numpy().argmax())
        message = f"the column '{empty[0]}' is empty in row {row + 1}"
        raise CorpusError("field-missing", message, place=file, hint=HINT)
    return table[chosen].reset_index(drop=True)
