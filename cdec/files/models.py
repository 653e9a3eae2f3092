"""JSON and TOML files with a versioned schema, validated by pydantic.

The field ``format`` of a file names its kind and version, as in ``cdec-key-patch/1``; a higher
version is an error. Errors come from the ``FileKind`` of the file and name the place, the field,
its value and the expected value.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Generic, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from cdec.files.input import FileKind
from cdec.files.strict_json import read_json, shown

M = TypeVar("M", bound=BaseModel)
LARGEST_TOML = 2**18
_BLANK = r"\S"
_PLACE = re.compile(r"\(at line (\d+), column \d+\)")
# The time and memory of the TOML parser are quadratic in the parts of a key, which is on one line.
_DOTS = 200


class FileModel(BaseModel):
    """An object in a file; a field that is unknown or has the wrong type is an error."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


def complaint(text: str) -> PydanticCustomError:
    """Return the error for a validator to raise; ``text`` follows the field's name: "is …"."""
    return PydanticCustomError("complaint", "{text}", {"text": text})


def one_of(known: Collection[str]) -> AfterValidator:
    """Return a validator: the string must be one of ``known``."""

    def check(value: str) -> str:
        if value not in known:
            raise complaint(f"is '{value}', not {', '.join(known)}")
        return value

    return AfterValidator(check)


Filled = Annotated[str, Field(pattern=_BLANK)]  # a string that is not blank
Texts = Annotated[tuple[Filled, ...], Field(strict=False)]  # JSON has lists only


@dataclass(frozen=True)
class Schema(Generic[M]):
    """A kind of file: its format with version, and the model of its content.

    ``since`` is the version of a file without the field ``format``; None if that is an error.
    """

    kind: FileKind
    model: type[M]
    format: str
    since: int | None = None

    def read_json(self, path: Path) -> M:
        """Return the content of a JSON file; raises the error of ``kind``."""
        return self.check(read_json(path, self.kind), path)

    def read_toml(self, path: Path) -> M:
        """Return the content of a TOML file; raises the error of ``kind``."""
        text = self.kind.read_text(path)
        for number, line in enumerate(text.split("\n"), start=1):
            if line.count(".") > _DOTS:
                why = f"more than {_DOTS} dots in one line"
                raise self.kind.refuse(f"{path}:{number}", why, "break the line")
        try:
            content = tomllib.loads(text)
        except RecursionError:
            raise self.kind.refuse(path, "too deeply nested") from None
        except ValueError as error:  # also from Python's int: thousands of digits
            found = _PLACE.search(str(error))
            last = text.rstrip().count("\n") + 1
            where = f"{path}:{found[1] if found else last}"
            raise self.kind.refuse(where, f"invalid TOML: {error}") from None
        return self.check(content, path)

    def check(self, content: object, place: object) -> M:
        """Return the model of a parsed file; raises the error of ``kind``.

        A file of another format or a newer version is an error.
        """
        if isinstance(content, dict):
            name = self.format.rpartition("/")[0]
            actual = content.get("format", f"{name}/{self.since}" if self.since else None)
            if actual != self.format:
                refuse_newer(actual, self.format, place, self.kind)
                raise self.kind.refuse(place, f"expected the format {self.format}")
            content = {name: value for name, value in content.items() if name != "format"}
        return validated(self.model, content, place, self.kind)


def refuse_newer(actual: object, known: str, place: object, kind: FileKind) -> None:
    """Raise the error of ``kind`` if ``actual`` is a newer version of the format ``known``."""
    name, _, version = known.rpartition("/")
    newer = re.fullmatch(rf"{re.escape(name)}/([1-9][0-9]{{0,40}})", str(actual))
    if newer and int(newer[1]) > int(version):
        message = f"written by a newer release of cdec: expected {known}, got {actual}"
        raise kind.error("file-too-new", message, place=place, hint="install a newer cdec")


def validated(model: type[M], value: object, place: object, kind: FileKind) -> M:
    """Return the model of a value; raises the error of ``kind`` for the first invalid field."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        found = error.errors(include_url=False)
        unknown = (each for each in found if each["type"] == "extra_forbidden")
        raise kind.refuse(place, _message(next(unknown, found[0]))) from None


def _message(error: ErrorDetails) -> str:
    """Return one error: the field, as in ``'decisions', item 2``, its value and what is wrong."""
    *holders, last = (
        f"item {part + 1}" if isinstance(part, int) else f"'{part}'"
        for part in error["loc"] or ("",)
    )
    if error["type"] in ("missing", "extra_forbidden"):
        what = "no" if error["type"] == "missing" else "an unknown field"
        return f"{', '.join(holders) or 'it'} has {what} {last}"
    where = ", ".join([*holders, last]) if error["loc"] else "it"
    if error["type"] == "complaint":
        return f"{where} {error['msg']}"
    wanted = error["msg"].removeprefix("Input ").removeprefix("String ")
    wanted = wanted.removeprefix("Value error, ")
    if error.get("ctx", {}).get("pattern") == _BLANK:
        wanted = "should not be blank"
    return f"{where} is {shown(error['input'])}, but {wanted}"
