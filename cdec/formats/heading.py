"""What may stand before a response: a declaration in its first line, or the words of a model."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from cdec.catalogue import added, imported
from cdec.errors import FormatError, Notices, notice
from cdec.files.input import FileKind, TextFile
from cdec.files.strict_json import parse
from cdec.records import Row

ANSWER = re.compile(
    r"\s*(?:<think>|```)|(?:[^\n]*+\n){1,20}?```\w*[ \r]*\n"
)  # words before it
"""How the answer of a language model begins."""
_DECLARED = re.compile(r'\s*(#\s*cdec:([^\r\n]*)|\{[^\r\n]*"cdec"[^\r\n]*)')
_FENCE = re.compile(r"^```[^\n]*\n(.*?)(?:^```\s*$|\Z)", re.DOTALL | re.MULTILINE)
_HINT = 'write {"uses": {"mentions": "gold"}, "trained_on": "ecb+ train", "seed": 1}'
KIND = FileKind("a valid declaration", FormatError, "declaration-invalid", _HINT)


def without_declaration(source: TextFile) -> tuple[TextFile, Row]:
    r"""Return the source without its declaration, and the declared values by name.

    A room has the schema of declarations (``cdec.catalogue``). The line becomes blank, so that line
    numbers remain. Raises FormatError with ``file:line`` for an invalid declaration.

    >>> source = TextFile("mine.csv", '# cdec: {"seed": 3}\ndoc,start,end,chain\n', "0")
    >>> without_declaration(source)[1]
    {'seed': 3}
    """
    match = _DECLARED.match(source.text)
    if match is None:
        return source, {}
    line, comment = match.groups()
    number = source.text.count("\n", 0, match.start(1)) + 1
    place = source.place(number)
    following = ""  # what remains of the line
    try:
        value = parse(line if comment is None else comment)
    except ValueError as error:
        if comment is not None:
            raise KIND.refuse(place, f"invalid JSON: {error}") from None
        return (
            source,
            {},
        )  # a JSON file of several lines, or an error that its reader reports
    if comment is None:
        if "cdec" not in value:
            return source, {}
        content = {name: field for name, field in value.items() if name != "cdec"}
        value = value["cdec"]
        if content:
            following = json.dumps(content, ensure_ascii=False)
    # Imported here: the schemas of files take a tenth of a second, and few files declare anything.
    from cdec.files.models import validated  # noqa: PLC0415

    for schema in map(imported, added("declaration").values()):
        value = validated(schema, value, place, KIND).declared()
    text = source.text[: match.start(1)] + following + source.text[match.end() :]
    if not text.strip():
        raise source.error(
            "file-empty", 0, "there is nothing after the declaration", KIND.hint
        )
    return replace(source, text=text, declared_at=number), value


def without_answer(source: TextFile) -> tuple[TextFile, Notices]:
    r"""Return what an ``ANSWER`` of a language model has in its fence, or after ``</think>``.

    The other lines become blank, with a notice, so that line numbers remain.

    >>> without_answer(TextFile("a.json", "```json\n[]\n```"))[0].text
    '\n[]\n'
    """
    text = source.text
    start = 0
    stop = len(text)
    is_closed = True
    if "</think>" in text:
        start = text.index("</think>") + len("</think>")
    fences = list(_FENCE.finditer(text, start))
    if len(fences) > 1:
        line = text.count("\n", 0, fences[1].start()) + 1
        raise source.error(
            "file-invalid",
            line,
            "the answer has several fences, and only one of them can be read",
            "put all chains into one fence",
        )
    for fence in fences:
        start, stop = fence.span(1)
        is_closed = stop < fence.end()
    content = text[start:stop]
    if not content.strip():
        raise source.error(
            "file-empty", 0, "nothing after </think>, or in the fence", KIND.hint
        )
    before = "\n" * text.count("\n", 0, start)
    after = "\n" * text.count("\n", stop)
    message = "the words of a language model around the fence, or before </think>, are left out"
    if not is_closed:
        message += "; the fence has no end: is the answer truncated?"
    left_out = notice("reading-assumed", message, [source.name], warning=not is_closed)
    return replace(source, text=f"{before}{content}{after}"), (left_out,)
