"""The formats of CorefUD and of the CRAC shared tasks, and how a file is known to be in one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from cdec.catalogue import imported
from cdec.files.input import TextFile
from cdec.formats.registry import Format

_TAG = r"(?:\[[^\s\[\],|-]+\]?|[^\s\[\],|-]+\])"
TAGGED = re.compile(rf"(\S+)\|({_TAG}(?:[,-]{_TAG})*)")
CLUSTERS = "clusters_token_offsets"
_LINES = 1000
_JSON = re.compile(r'\s*[{\[]["{\[]')  # in a text a blank is between two tokens


def is_tagged(lines: Sequence[str]) -> bool:
    """Return whether one of the lines has a token with brackets as in CRAC's plain text.

    >>> is_tagged(["She|[e1] left"]), is_tagged(["a|b [e1]"])
    (True, False)
    """
    return any(
        "|" in line and any(map(TAGGED.fullmatch, line.split())) for line in lines
    )


def is_conllu(source: TextFile) -> bool:
    r"""Return whether a file is CoNLL-U, by its first line that is no comment.

    >>> is_conllu(TextFile("f", "# newdoc\n1\tShe\tshe\tPRON\t_\t_\t0\troot\t_\tEntity=(e1)\n"))
    True
    """
    lines = (line for line in source.lines if line.strip() and not line.startswith("#"))
    cells = next(lines, "").split("\t")
    return len(cells) == 10 and (cells[0][:1] == "1" or cells[0].startswith("0."))


def _beginning(source: TextFile) -> tuple[Sequence[str], str]:
    lines = list(islice(filter(str.strip, source.lines), _LINES))
    return lines, next((line for line in lines if not line.startswith("#")), "")


def is_text(source: TextFile) -> bool:
    """Return whether a file is CRAC's plain text, by brackets behind its words."""
    lines, head = _beginning(source)
    if is_tagged([head]):
        return not _JSON.match(head)
    is_table = any(sign in head for sign in "\t,;") or head.lstrip()[:1] in ("{", "[")
    return not is_table and is_tagged(lines)


def is_json(source: TextFile) -> bool:
    """Return whether a file is CRAC's JSON, a list of documents, by their field of clusters."""
    is_list = (
        _beginning(source)[1].lstrip()[:1] == "[" and f'"{CLUSTERS}"' in source.text
    )
    return is_list and not is_text(source)


def _imported(text: str) -> Callable[..., Any]:
    """Return the function ``module:name``, which is imported when it is called."""

    def call(content: Any) -> Any:
        return imported(f"cdec.corefud.{text}")(content)

    return call


CONLLU = Format(
    "conllu",
    "CoNLL-U with Entity= in MISC, as in CorefUD",
    _imported("conllu:read"),
    _imported("conllu:write"),
    is_conllu,
    endings=(".conllu",),
)
TEXT = Format(
    "crac",
    "CRAC's plain text: one document per line, brackets as in word|[e1",
    _imported("crac:read_text"),
    _imported("crac:write_text"),
    is_text,
    _imported("crac:reduced"),
    endings=(".crac",),
)
JSON = Format(
    "crac-json",
    "CRAC's JSON: tokens and clusters_token_offsets",
    _imported("crac:read_json"),
    _imported("crac:write_json"),
    is_json,
    _imported("crac:reduced"),
    endings=(".json",),
)
