"""Corpora with a record for each mention: JSON lists, Parquet tables, and documents of contexts."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import pandas as pd
from pydantic import BaseModel, TypeAdapter, ValidationError

from cdec.corpus.columns import error_at, text_of
from cdec.corpus.model import Document
from cdec.corpus.reading import HINT, Content
from cdec.corpus.rows import Row
from cdec.corpus.source import Source
from cdec.errors import CorpusError, one_line
from cdec.files.strict_json import parse_at

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


@dataclass
class Excerpts:
    """A document known only by the text around its mentions.

    Its sentences are the distinct contexts of its mentions, in their order. ``file`` is for
    messages.
    """

    file: str
    id: str
    topic: str = ""
    subtopic: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)
    contexts: dict[tuple[str, ...], int] = field(default_factory=dict)
    mentions: list[tuple[str, tuple[str, ...], Sequence[int], str, Mapping[str, Any]]] = field(
        default_factory=list
    )

    def add(
        self, name: str, context: Sequence[str], tokens: Sequence[int], chain: str, **more: Any
    ) -> None:
        """Add a mention at ``tokens``, which count from 0 in its context."""
        text = tuple(context)
        if not tokens or min(tokens) < 0 or max(tokens) >= len(text):
            message = f"tokens {list(tokens)[:5]} are not in the context of the mention"
            place = f"{self.file}: {self.id}/{name}"
            raise CorpusError("corpus-record-invalid", message, place=place, hint=HINT)
        self.contexts.setdefault(text, sum(map(len, self.contexts)))
        self.mentions.append((name, text, tokens, chain, more))

    def close(self, content: Content) -> None:
        """Add the document and its mentions to ``content``."""
        document = Document(
            self.id, self.topic, self.subtopic, tuple(self.contexts), attributes=self.attributes
        )
        rows = [
            Row.from_tokens(
                document, name, (self.contexts[text] + t for t in tokens), chain, **more
            )
            for name, text, tokens, chain, more in self.mentions
        ]
        content.documents.append((document, rows))
