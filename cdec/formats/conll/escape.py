"""White space and odd signs inside tokens and labels, for formats with one field a column.

Columns are separated by white space, so a token such as ``7 ½`` would fall apart. What cannot
stand in a column is written as a decimal XML character reference, a notation that people know:

=========================================  ====================================
in the token or label                      written as
=========================================  ====================================
white space, control characters, BOM       ``&#9;``, ``&#8201;``, …
``(`` ``)`` ``|`` in a chain label         ``&#40;`` ``&#41;`` ``&#124;``
``+`` in a label such as ``12+3``          ``&#43;`` (else a double antecedent)
``#`` at the head of the first column      ``&#35;`` (else it would be a directive)
``&#`` itself                              ``&#38;#``
the empty token or label                   ``&#;``
=========================================  ====================================

Only these references are decoded on reading; any other (``&#39;`` left over from a web page)
stays as it is. Tokens without such signs look the same in the file as in the text.
"""

from __future__ import annotations

import re
import unicodedata

EMPTY = "&#;"
_SPECIAL = "()|#&+"
_REFERENCE = re.compile(r"&#([0-9]{1,7});")
_UNSAFE = re.compile(r"&(?=#)|[\s\x00-\x1f\x7f-\x9f\ufeff]")
_UNSAFE_LABEL = re.compile(r"&(?=#)|[\s\x00-\x1f\x7f-\x9f\ufeff()|]|(?<=[0-9])\+(?=[0-9]\Z)")


def escape(token: str) -> str:
    """Return ``token`` as one field without white space; ``unescape`` gives it back."""
    return _UNSAFE.sub(_refer, token) if token else EMPTY


def escape_label(label: str) -> str:
    """Return a chain label as it may stand between brackets."""
    return _UNSAFE_LABEL.sub(_refer, label) if label else EMPTY


def escape_name(name: str) -> str:
    """Return a document name for the first column, where a leading ``#`` is a directive."""
    field = escape(name)
    return f"&#35;{field[1:]}" if field.startswith("#") else field


def unescape(field: str) -> str:
    """Return what ``escape``, ``escape_label`` or ``escape_name`` was given."""
    if "&#" not in field:
        return field
    return "" if field == EMPTY else _REFERENCE.sub(_resolve, field)


def _refer(match: re.Match[str]) -> str:
    return f"&#{ord(match.group())};"


def _resolve(match: re.Match[str]) -> str:
    code = int(match.group(1))
    sign = chr(code) if code < 0x110000 else ""
    ours = sign and (
        sign in _SPECIAL or sign == "\ufeff" or sign.isspace() or unicodedata.category(sign) == "Cc"
    )
    return sign if ours else match.group()
