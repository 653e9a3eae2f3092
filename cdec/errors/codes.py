"""The catalogue of error and notice codes: ``codes.toml``, one entry a code.

``docs/errors.md`` is generated from it by ``python -m cdec.errors.codes``.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_name("codes.toml")
_INTRODUCTION = """\
# Errors and notices

Every error and every notice of `cdec` has a code: it says what to do, the message names place and
values. The code is stable; the wording of the message is not. `--verbose` shows the code, and JSON
output has it as `code`. In Python it is `error.code` and `notice.code`.

An error ends the command with exit code 1, or 2 if the call itself is wrong. A notice reports an
irregularity that does not stop the evaluation.

This page is generated from `cdec/errors/codes.toml`.
"""


@dataclass(frozen=True)
class Code:
    """One code: its section of the catalogue, a one-sentence meaning, and what the user must do."""

    name: str
    section: str
    meaning: str
    cure: str


@cache
def catalogue() -> dict[str, Code]:
    """Return every code by its name, in the order of the catalogue."""
    sections = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    codes = (
        Code(name, section, **entry)
        for section, entries in sections.items()
        for name, entry in entries.items()
    )
    return {code.name: code for code in codes}


def documentation() -> str:
    """Return ``docs/errors.md``: a table for each section of the catalogue, sorted by code."""
    sections: dict[str, list[Code]] = {}
    for code in catalogue().values():
        sections.setdefault(code.section, []).append(code)
    tables = []
    for section, codes in sections.items():
        rows = [
            f'| <a id="{code.name}"></a>`{code.name}` '
            f"| {_cell(code.meaning)} | {_cell(code.cure)} |"
            for code in sorted(codes, key=lambda code: code.name)
        ]
        head = f"## {section.replace('-', ' ').capitalize()}\n\n| code | meaning | what to do |"
        tables.append("\n".join([head, "|---|---|---|", *rows, ""]))
    return "\n".join([_INTRODUCTION, *tables])


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


if __name__ == "__main__":
    print(documentation(), end="")
