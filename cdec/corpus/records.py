"""JSON files of a corpus: a list with a record for each mention."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from cdec.corpus.columns import text_of
from cdec.corpus.reading import HINT
from cdec.corpus.source import Source
from cdec.errors import CorpusError, one_line
from cdec.io.strict_json import located, parse

M = TypeVar("M", bound=BaseModel)


def records(source: Source, file: str, model: type[M]) -> list[M]:
    """Return the records of a file. Raises CorpusError with the line, or the record and field."""
    text = text_of(source, file)
    try:
        value = parse(text)
    except ValueError as error:
        line, reason = located(error, text)
        place = f"{file}:{line}" if line else file
        message = f"invalid JSON: {reason}"
        raise CorpusError("json-invalid", message, place=place, hint=HINT) from None
    return validated(file, value, model)


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
        raise CorpusError("json-structure", message, place=file, hint=HINT) from None
