"""A TOML file that a user wrote: its tables, or one line that says where it is none."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from cdec.io.inputfile import FileKind

LARGEST = 2**18
# The parser's time grows with the square of the parts of a key; a key stands on one line.
_DOTS = 200
_PLACE = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)


def read_toml_file(path: Path, kind: FileKind) -> dict[str, Any]:
    """Return the content of a TOML file; raises the error of ``kind``, with the line."""
    return parse_toml(kind.read_text(path), path, kind)


def parse_toml(text: str, place: object, kind: FileKind) -> dict[str, Any]:
    """Return the content of a TOML text; raises the error of ``kind``, with the line."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") > _DOTS:
            why = f"more than {_DOTS} dots in one line"
            raise kind.refuse(f"{place}:{number}", why, "break the line")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _bad(text, place, kind, str(error)) from None
    except RecursionError:
        raise kind.refuse(place, "nested too deeply") from None
    except ValueError:  # the one thing that tomllib leaves to Python
        raise kind.refuse(place, "a number is too long") from None


def _bad(text: str, place: object, kind: FileKind, message: str) -> Exception:
    found = _PLACE.fullmatch(message)
    what, line, column = found.groups() if found else (message, None, None)
    at = f", column {column}" if column else ""
    line = line or str(text.rstrip().count("\n") + 1)
    return kind.refuse(f"{place}:{line}", f"not TOML: {what}{at}", f"mend this line; {kind.cure}")
