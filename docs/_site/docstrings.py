"""An extension of griffe: docstrings of cdec as Markdown.

Examples (``>>>``) and tables of ``=`` are shown as they are written, in a block of code.
"""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

_EXAMPLE = re.compile(r"(?:^|\n\n)(>>> .*?)(?=\n\n|\Z)", re.DOTALL)
_TABLE = re.compile(r"^=+( +=+)+$.*^=+( +=+)+$", re.MULTILINE | re.DOTALL)
_LITERAL = re.compile(r"::\n\n((?: {4}.*\n?|\n)+)")


class Docstrings(Extension):
    """Rewrites every docstring once, when its object is known."""

    def on_object(self, *, obj: Object, **kwargs: Any) -> None:
        """Replace the docstring of ``obj``."""
        if obj.docstring:
            obj.docstring.value = markdown(obj.docstring.value)


def markdown(text: str) -> str:
    """Return a docstring with its examples, tables and literal blocks fenced."""
    fenced = _TABLE.sub(lambda table: f"```text\n{table[0]}\n```", text)
    fenced = _LITERAL.sub(lambda block: f"\n\n```text\n{block[1].rstrip()}\n```\n", fenced)
    fenced = _EXAMPLE.sub(lambda block: f"\n\n```pycon\n{block[1].rstrip()}\n```", fenced)
    return fenced.lstrip("\n")
