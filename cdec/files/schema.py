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
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Generic, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails, PydanticCustomError

from cdec.errors import CdecError
from cdec.files.inputfile import FileKind
from cdec.files.strict_json import read_json

M = TypeVar("M", bound=BaseModel)
LARGEST_TOML = 2**18
_SHOWN = 40
# The time of the TOML parser is quadratic in the parts of a dotted key, which is on one line.
_DOTS = 200
_PLACE = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)
_WANTED = {
    "string_type": "a string",
    "float_type": "a number",
    "int_type": "an integer",
    "bool_type": "true or false",
    "finite_number": "a finite number",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
}
# The patterns that strings may have, besides that of a string that is not blank.
_SHAPES = {
    "^[0-9a-f]{64}$": "a SHA-256 of 64 digits 0-9, a-f",
    "^[0-9a-f]{40}$": "an id of git of 40 digits 0-9, a-f",
    "^[A-Z]{3}$": "the three letters of a currency, as in USD",
}
_LIMITS = {
    "greater_than_equal": "at least {ge:g}",
    "less_than_equal": "at most {le:g}",
    "string_too_long": "at most {max_length} characters",
}


class FileModel(BaseModel):
    """An object in a file; a field that is unknown or has the wrong type is an error."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown(cls, value: object) -> object:
        known = cls.model_fields
        if (
            isinstance(value, dict)
            and not value.keys() <= known.keys()
            and cls.model_config["extra"] == "forbid"
        ):
            unknown = next(name for name in value if name not in known)
            near = get_close_matches(unknown, known, n=1)
            nearest = f"did you mean '{near[0]}'?" if near else f"known: {', '.join(known)}"
            raise complaint(f"has an unknown field '{unknown}', {nearest}")
        return value


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


Filled = Annotated[str, Field(pattern=r"\S")]  # a string that is not blank
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
        return self.parse_toml(self.kind.read_text(path), path)

    def parse_toml(self, text: str, place: object) -> M:
        """Return the content of a TOML text; raises the error of ``kind``."""
        for number, line in enumerate(text.split("\n"), start=1):
            if line.count(".") > _DOTS:
                why = f"more than {_DOTS} dots in one line"
                raise self.kind.refuse(f"{place}:{number}", why, "break the line")
        try:
            content = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise _invalid_toml(text, place, self.kind, str(error)) from None
        except RecursionError:
            raise self.kind.refuse(place, "too deeply nested") from None
        except ValueError:  # from Python's int, not from tomllib
            raise self.kind.refuse(place, "number with too many digits") from None
        return self.check(content, place)

    def check(self, content: object, place: object) -> M:
        """Return the model of a parsed file; raises the error of ``kind``.

        A file of another format or a newer version is an error.
        """
        if not isinstance(content, dict):
            return validated(self.model, content, place, self.kind)
        name = self.format.rpartition("/")[0]
        default = None if self.since is None else f"{name}/{self.since}"
        actual = content.get("format", default)
        if actual == self.format:
            rest = {name: value for name, value in content.items() if name != "format"}
            return validated(self.model, rest, place, self.kind)
        refuse_newer(actual, self.format, place, self.kind)
        raise self.kind.refuse(place, f"expected the format {self.format}")


def refuse_newer(actual: object, known: str, place: object, kind: FileKind) -> None:
    """Raise the error of ``kind`` if ``actual`` is a newer version of the format ``known``."""
    name, _, version = known.rpartition("/")
    newer = re.fullmatch(rf"{re.escape(name)}/([1-9][0-9]*)", str(actual))
    if newer and len(newer[1]) <= _SHOWN and int(newer[1]) > int(version):
        message = f"written by a newer release of cdec: expected {known}, got {actual}"
        raise kind.error("file-too-new", message, place=place, hint="install a newer cdec")


def validated(model: type[M], value: object, place: object, kind: FileKind) -> M:
    """Return the model of a value; raises the error of ``kind`` for the first invalid field."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise kind.refuse(place, _message(error.errors(include_url=False)[0])) from None


def _message(error: ErrorDetails) -> str:
    """Return a description of one error: the field, its value and the expected value."""
    *holders, name = error["loc"] or ("",)
    if error["type"] == "missing":
        return f"{_field(holders)} has no '{name}'"
    where, wanted = _field(error["loc"]), _WANTED.get(error["type"])
    if error["type"] == "too_short":
        return f"{where} is empty"
    if error["type"] == "string_pattern_mismatch":
        wanted = _SHAPES.get(error["ctx"]["pattern"])
        if wanted is None:
            return f"{where} is blank"
    if error["type"] == "literal_error":
        wanted = error["ctx"]["expected"]
    if error["type"] in _LIMITS:
        limit = _LIMITS[error["type"]].format(**error["ctx"])
        return f"{where} is {shown(error['input'])}, but must be {limit}"
    if wanted is None:
        return f"{where} {error['msg']}"
    return f"{where} is {shown(error['input'])}, not {wanted}"


def _field(location: Collection[int | str]) -> str:
    """Return the name of a field: ``'decisions', item 2, 'kind'``."""
    names = (f"item {part + 1}" if isinstance(part, int) else f"'{part}'" for part in location)
    return ", ".join(names) or "it"


def shown(value: object) -> str:
    """Return a value for a message, in at most 40 characters."""
    kinds = {dict: "an object", list: "a list", type(None): "null", bool: str(value).lower()}
    if type(value) in kinds:
        return kinds[type(value)]
    text = repr(value) if not isinstance(value, int) or abs(value) < 10**15 else "a huge number"
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _invalid_toml(text: str, place: object, kind: FileKind, message: str) -> CdecError:
    match = _PLACE.fullmatch(message)
    reason, line, column = match.groups() if match else (message, None, None)
    at = f", column {column}" if column else ""
    line = line or str(text.rstrip().count("\n") + 1)
    return kind.refuse(
        f"{place}:{line}", f"invalid TOML: {reason}{at}", f"fix this line; {kind.hint}"
    )
