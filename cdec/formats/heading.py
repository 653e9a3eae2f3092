"""What may stand before a response: a declaration in its first line, or the words of a model."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain
from typing import TypeVar

import pandas as pd

from cdec.catalogue import added, imported
from cdec.clustering import is_no_chain
from cdec.errors import FormatError, Notice, Notices, counted, notice, spelled
from cdec.files.input import FileKind, TextFile
from cdec.files.strict_json import CUT, parse
from cdec.formats.annotation import Annotation, within
from cdec.formats.reading import Choice, ChoiceSource
from cdec.records import Row

ANSWER = re.compile(
    r"\s*(?:<think>|```)|(?:[^\n]*+\n){1,20}?```\w*[ \r]*\n"
)  # words before it
"""How the answer of a language model begins."""
_DECLARED = re.compile(r'\s*(#\s*cdec:([^\r\n]*)|\{[^\r\n]*"cdec"[^\r\n]*)')
# The end of the text can be in the last line of a fence.
_FENCE = re.compile(
    r"^```[^\n]*\n(.*?)(?:^```\s*$|^``?\Z|\Z)", re.DOTALL | re.MULTILINE
)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_CLOSED = re.compile(r"\[[^][{}]*\]|\{[^][{}]*\}")
# The outline of JSON that is cut: q for the letters of strings, c for those of closed lists and
# objects; what is open stays. First, a field that is neither: then the objects are records.
_VALUE = re.compile(r":\s*[^\s[{c]")
# Where the rest of the outline can be left out: whole items are before it.
_END = (
    r"(?:\A|\[)[^[{]*c"  # behind a closed item, in a list or between lines
    r"|\{(?:[\s,]*q+\s*:\s*c+)+"  # in an object, behind fields that are lists or objects
    r"|\A\s*\{[^[{]*(?=,)"  # in the first object, which may map mentions to chains
)
_END_OF_NAMES = (
    r"|\[[^[{]*(?=,)"  # in a list of names or numbers, if there are no records
)
_CLOSING = str.maketrans("[{", "]}")
_HINT = 'write {"uses": {"mentions": "gold"}, "trained_on": "ecb+ train", "seed": 1}'
Content = TypeVar("Content")
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


def without_answer(source: TextFile) -> tuple[list[TextFile], Notices]:
    r"""Return what an ``ANSWER`` of a language model has in each fence, or after ``</think>``.

    The other lines become blank, with a notice, so that line numbers remain.

    >>> sources, _ = without_answer(TextFile("a.json", "```json\n[]\n```"))
    >>> sources[0].text
    '\n[]\n'
    """
    text = source.text
    bounds, is_closed = _bounds(text)
    content = text[bounds[-1][0] :].lstrip()
    if not is_closed and text[-1] != "\n" and content[:1] not in ("[", "{"):
        raise source.error(
            "file-invalid",
            len(source.lines),
            "the fence has no end, so that its last line may be truncated",
            "write the file again",
        )
    contents = []
    for begin, stop in bounds:
        if text[begin:stop].strip():
            before = "\n" * text.count("\n", 0, begin)
            after = "\n" * text.count("\n", stop)
            content = f"{before}{text[begin:stop]}{after}"
            contents.append(replace(source, text=content))
    if not contents:
        raise source.error(
            "file-empty", 0, "nothing after </think>, or in the fence", KIND.hint
        )
    message = "the words of a language model around the fence, or before </think>, are left out"
    if len(contents) > 1:
        message = f"{len(contents)} fences of one answer are read; other words of a language model "
        message += "are left out"
    if not is_closed:
        message += "; the fence has no end: is the answer truncated?"
    left_out = notice("reading-assumed", message, [source.name], warning=not is_closed)
    return contents, (left_out,)


def _bounds(text: str) -> tuple[list[tuple[int, int]], bool]:
    """Return where the content of each fence is, and whether the last fence has an end.

    Without a fence, the content is all that follows ``</think>``.
    """
    start = 0
    if "</think>" in text:
        start = text.index("</think>") + len("</think>")
    fences = list(_FENCE.finditer(text, start))
    if not fences:
        return [(start, len(text))], True
    bounds = [fence.span(1) for fence in fences]
    _, stop = bounds[-1]
    return bounds, stop < fences[-1].end()


def read_complete(
    source: TextFile,
    error: FormatError,
    read: Callable[[TextFile], Content],
    *,
    lenient: bool | None,
) -> tuple[Content, Notice]:
    """Read what is complete of an answer that was cut at its end, with a notice on the rest.

    It is the longest part that ``read`` accepts when what is open there is closed. Raises
    ``error``, the one of the whole, if there is none, if JSON has the error before its end, and if
    this is not ``lenient``; its hint says so, unless the caller has no such choice (None).
    """
    text = source.text
    begin, stop = _bounds(text)[0][-1]
    content = text[begin:stop]
    outline = ""
    ends = [content.rfind("\n") + 1]
    if CUT in error.message:
        closed = _STRING.sub(lambda string: "q" * len(string[0]), content)
        while outline != closed:
            outline = closed
            closed = _CLOSED.sub(lambda value: "c" * len(value[0]), outline)
        pattern = _END
        if not _VALUE.search(outline):
            pattern += _END_OF_NAMES
        ends = [match.end() for match in re.finditer(pattern, outline)]
    if lenient is None:
        ends = []
    for end in reversed(ends):
        # What is open there is closed, the innermost first.
        brackets = re.sub(r"[^[{]", "", outline[:end])[::-1]
        part = text[: begin + end] + brackets.translate(_CLOSING)
        if not part.strip():
            continue
        try:
            result = read(replace(source, text=f"{part}\n", is_truncated=True))
        except FormatError:
            continue
        if not lenient:
            error.hint = f"{error.hint}; {spelled('lenient')} reads what is complete"
            break
        rest = counted(len(content) - end, "character")
        message = (
            f"the answer is truncated: it is read up to here, {rest} behind it left out"
        )
        last_line = part.rstrip().count("\n") + 1
        return result, notice("reading-assumed", message, [source.place(last_line)])
    raise error


def merge_answers(annotations: Sequence[Annotation]) -> Annotation:
    """Return the annotation of all fences of an answer.

    If a label is in two of them, chains end with their fence: models number the chains of each
    prompt anew. That is assumed, unless the labels of each fence are the positions in its list.
    Raises FormatError for the same document, with words or without a name, in two fences.
    """
    first, *following = annotations
    documents = dict(first.documents)
    for annotation in following:
        for doc, words in annotation.documents.items():
            is_new = doc not in documents or documents[doc] == words is None
            if not is_new or annotation.trees is not None:
                raise FormatError(
                    "file-invalid",
                    f"the answer has several fences, and document '{doc}' is in two of them",
                    place=annotation.name,
                    hint="put the chains of a document into one fence, and name it",
                )
            documents[doc] = words
    choices = dict(first.reading)
    notices = [notice_ for annotation in annotations for notice_ in annotation.notices]
    tables = [annotation.mentions for annotation in annotations]
    labels = [
        {label for label in table["chain"] if not is_no_chain(label)}
        for table in tables
    ]
    if len(set().union(*labels)) < sum(map(len, labels)):
        tables = [
            table.assign(chain=within(table["chain"], str(number)))
            for number, table in enumerate(tables, start=1)
        ]
        are_positions = all(
            part == {str(number) for number in range(len(part))} for part in labels
        )
        source: ChoiceSource = "evidence" if are_positions else "assumed"
        choices["fences"] = Choice("apart", source)
        message = f"chains end with their fence, in {len(tables)} fences of one answer"
        notices.append(
            notice("reading-assumed", message, [first.name], warning=not are_positions)
        )
    gold = None
    if any(annotation.gold is not None for annotation in annotations):
        gold = merge_answers([annotation.as_key() for annotation in annotations])
    layouts = (annotation.layout.items() for annotation in annotations)
    return replace(
        first,
        mentions=pd.concat(tables, ignore_index=True),
        documents=documents,
        layout=dict(chain.from_iterable(layouts)),
        notices=tuple(notices),
        names_tokens=any(annotation.names_tokens for annotation in annotations),
        gold=gold,
        reading=choices,
    )
