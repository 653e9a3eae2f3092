"""Escape white space and special characters in tokens and labels of CoNLL files.

White space separates the columns, so a token such as ``7 ½`` would be split. Such characters are
written as decimal XML character references:

=========================================  ====================================
in the token or label                      written as
=========================================  ====================================
white space, control characters, BOM       ``&#9;``, ``&#8201;``, …
``(`` ``)`` ``|`` in a chain label         ``&#40;`` ``&#41;`` ``&#124;``
``+`` in a label such as ``12+3``          ``&#43;`` (else a double antecedent)
``#`` at the start of the first column     ``&#35;`` (else a directive)
``&#`` itself                              ``&#38;#``
the empty token or label                   ``&#;``
=========================================  ====================================

The readers decode only these references and keeps any other (such as ``&#39;`` from a web page).
"""

from __future__ import annotations

import re
import unicodedata

EMPTY = "&#;"
_SPECIAL = "()|#&+"
_REFERENCE = re.compile(r"&#([0-9]{1,7});")
_UNSAFE = re.compile(r"&(?=#)|[\s\x00-\x1f\x7f-\x9f\ufeff]")
_UNSAFE_LABEL = re.compile(
    r"&(?=#)|[\s\x00-\x1f\x7f-\x9f\ufeff()|]|(?<=[0-9])\+(?=[0-9]\Z)"
)


def escape(token: str) -> str:
    """Return ``token`` as one field without white space; ``unescape`` is the inverse."""
    return _UNSAFE.sub(_refer, token) if token else EMPTY


def escape_label(label: str) -> str:
    """Return a chain label for use between brackets."""
    return _UNSAFE_LABEL.sub(_refer, label) if label else EMPTY


def escape_name(name: str) -> str:
    """Return a document name for the first column, where ``#`` starts a directive."""
    field = escape(name)
    return f"&#35;{field[1:]}" if field.startswith("#") else field


def unescape(field: str) -> str:
    """Return the original of a token, label or name with a reference (``&#``)."""
    return "" if field == EMPTY else _REFERENCE.sub(_resolve, field)


def _refer(match: re.Match[str]) -> str:
    return f"&#{ord(match.group())};"


def _resolve(match: re.Match[str]) -> str:
    code = int(match.group(1))
    sign = chr(code) if code < 0x110000 else ""
    ours = sign and (
        sign in _SPECIAL
        or sign == "\ufeff"
        or sign.isspace()
        or unicodedata.category(sign) == "Cc"
    )
    return sign if ours else match.group()
