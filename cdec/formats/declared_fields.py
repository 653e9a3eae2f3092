"""The fields of a declaration (see ``declaration``), and their check."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictInt, ValidationError

Use = Literal["gold", "predicted", "none"]
_Text = Annotated[str, Field(strict=True, min_length=1, max_length=200)]


class _Uses(BaseModel):
    model_config = ConfigDict(extra="forbid")
    mentions: Use | None = None
    sentences: Use | None = None
    topics: Use | None = None
    pairs: Use | None = None
    singletons: Use | None = None


class _Declaration(BaseModel):
    model_config = ConfigDict(extra="forbid")
    uses: _Uses = _Uses()
    trained_on: _Text | None = None
    tuned_on: _Text | None = None
    seed: StrictInt | None = None


def read_declared(declared: object) -> tuple[dict[str, Any], str]:
    """Return the declared values by name, those of ``uses`` among them, and what is wrong or ''."""
    try:
        valid = _Declaration.model_validate(declared)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the declaration"
        return {}, f"{where}: {first['msg']}"
    values = valid.model_dump(exclude_none=True)
    return {**values.pop("uses"), **values}, ""
