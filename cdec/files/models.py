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

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, allow_inf_nan=False
    )


def complaint(text: str) -> PydanticCustomError:
    """Return the error for a validator to raise; ``text`` follows the field's name: "is …"."""
    return PydanticCustomError("complaint", "{text}", {"text": text})


def one_of(values: Collection[str]) -> AfterValidator:
    """Return a validator: the string must be one of ``values``."""

    def check(value: str) -> str:
        if value not in values:
            raise complaint(f"is '{value}', not {', '.join(values)}")
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
                raise self.kind.refuse(
                    f"{path}:{number}",
                    f"more than {_DOTS} dots in one line",
                    "break the line",
                )
        try:
            content = tomllib.loads(text)
        except RecursionError:
            raise self.kind.refuse(path, "too deeply nested") from None
        except ValueError as error:  # also from Python's int: thousands of digits
            match = _PLACE.search(str(error))
            last_line = text.rstrip().count("\n") + 1
            raise self.kind.refuse(
                f"{path}:{match[1] if match else last_line}", f"invalid TOML: {error}"
            ) from None
        return self.check(content, path)

    def check(self, content: object, place: object) -> M:
        """Return the model of a parsed file; raises the error of ``kind``.

        A file of another format or a newer version is an error.
        """
        if isinstance(content, dict):
            name, _, _ = self.format.rpartition("/")
            default = None if self.since is None else f"{name}/{self.since}"
            actual = content.get("format", default)
            if actual != self.format:
                refuse_newer(actual, self.format, place, self.kind)
                raise self.kind.refuse(place, f"expected the format {self.format}")
            content = {
                name: value for name, value in content.items() if name != "format"
            }
        return validated(self.model, content, place, self.kind)


def refuse_newer(actual: object, format_: str, place: object, kind: FileKind) -> None:
    """Raise the error of ``kind`` if ``actual`` is a newer version of ``format_``."""
    name, _, version = format_.rpartition("/")
    newer = re.fullmatch(rf"{re.escape(name)}/([1-9][0-9]{{0,40}})", str(actual))
    if newer and int(newer[1]) > int(version):
        raise kind.error(
            "file-too-new",
            f"written by a newer release of cdec: expected {format_}, got {actual}",
            place=place,
            hint="install a newer cdec",
        )


def validated(model: type[M], value: object, place: object, kind: FileKind) -> M:
    """Return the model of a value; raises the error of ``kind`` for the first invalid field."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        problems = error.errors(include_url=False)
        unknown = [
            problem for problem in problems if problem["type"] == "extra_forbidden"
        ]
        raise kind.refuse(place, _message([*unknown, *problems][0])) from None


def _message(error: ErrorDetails) -> str:
    """Return one error: the field, as in ``'decisions', item 2``, its value and what is wrong."""
    parts = [
        f"item {part + 1}" if isinstance(part, int) else f"'{part}'"
        for part in error["loc"] or ("",)
    ]
    holder = ", ".join(parts[:-1]) or "it"
    place = ", ".join(parts) if error["loc"] else "it"
    if error["type"] == "missing":
        return f"{holder} has no {parts[-1]}"
    if error["type"] == "extra_forbidden":
        return f"{holder} has an unknown field {parts[-1]}"
    if error["type"] == "complaint":
        return f"{place} {error['msg']}"
    expectation = error["msg"]
    for prefix in ("Input ", "String ", "Value error, "):
        expectation = expectation.removeprefix(prefix)
    if error.get("ctx", {}).get("pattern") == _BLANK:
        expectation = "should not be blank"
    return f"{place} is {shown(error['input'])}, but {expectation}"
