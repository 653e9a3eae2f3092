"""Read the lines of CoNLL-U: words, empty nodes and ranges, and the comments that count."""

from __future__ import annotations

import re
from array import array
from sys import intern

import numpy as np

from cdec.corefud.trees import DEPS, DIGITS, FORM, HEAD, ID, MISC, WIDTH, Trees, lines_of
from cdec.errors import FormatError
from cdec.files.input import Source

_COLUMNS = 10
_ENTITY = "Entity="
_ID = re.compile(r"([0-9]{1,9})(?:\.([0-9]{1,9}))?")
_RANGE = re.compile(r"[0-9]{1,9}-[0-9]{1,9}")
_COMMENT = re.compile(
    r"#[ \t]*(?:newdoc\b(?:[ \t]+id)?[ \t]*=?(?P<document>.*)|sent_id[ \t]*=(?P<sentence>.*)"
    r"|global\.Entity[ \t]*=(?P<header>.*))"
)


class Lines:
    r"""The content of a file, read line by line; raises FormatError with the line of a fault.

    ``values`` has each ``Entity=…``, ``value_nodes`` their nodes, ``header`` the names of their
    fields (the first ``# global.Entity`` of the file).

    >>> text = "# newdoc id = d\n1\tShe\tshe\tPRON\t_\t_\t0\troot\t_\tEntity=(e1)\n"
    >>> lines = Lines(Source("f", text))
    >>> lines.forms, lines.values, lines.trees().names
    (['She'], ['Entity=(e1)'], ('d',))
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.line = array("q")  # of each node
        self.forms: list[str] = []
        self.empty: dict[int, tuple[int, str]] = {}  # node → the number after its point, DEPS
        self.starts: list[int] = []  # the first node of each sentence
        self.document: list[int] = []  # of each sentence
        self.names: dict[str, int] = {}
        self.sent_ids: list[str] = []
        self.values, self.value_nodes = list[str](), array("q")
        self.header = ""
        self._marks = 0  # comments that begin a document
        self._current = -1  # the document of the next sentence
        self._is_new, self._word, self._sub = True, 0, 0  # the last word, empty nodes after it
        for number, line in enumerate(lines_of(source), start=1):
            if line == "\n":
                self._is_new, self._word, self._sub = True, 0, 0
            elif line[0] == "#":
                self._comment(line)
            else:
                self._row(number, line.rstrip("\n").split("\t"))
        if not self.line:
            raise source.error("file-empty", 0, "the file has no words", "check the file")

    def _comment(self, line: str) -> None:
        """Read a comment. A document without an id has its number as name."""
        match = _COMMENT.match(line)
        if match is None:
            return
        text = match[match.lastgroup or 0].strip()
        if match.lastgroup == "sentence":
            self.sent_ids.append(text)
        elif match.lastgroup == "header":
            self.header = self.header or text
        else:
            self._marks += 1
            self._current = self.names.setdefault(text or str(self._marks), len(self.names))

    def _row(self, line: int, cells: list[str]) -> None:
        """Read the columns of a word, an empty node or a multiword range, which is no node."""
        if len(cells) != _COLUMNS or len(cells[HEAD]) > DIGITS:
            raise self._columns_error(line, cells)
        node = len(self.line)
        if cells[ID] == str(self._word + 1):
            self._word, self._sub = self._word + 1, 0
            self.forms.append(intern(cells[FORM]))
        elif _RANGE.fullmatch(cells[ID]):
            if f"|{_ENTITY}" in f"|{cells[MISC]}":
                message, hint = "Entity= is at a multiword range", "write it at the words"
                raise self.source.error("entity-invalid", line, message, hint)
            return
        else:
            self._sub = self._number_after_point(line, cells[ID])
            self.empty[node] = self._sub, cells[DEPS]
        if self._is_new:
            self._begin_sentence()
        if _ENTITY in cells[MISC]:
            for item in cells[MISC].split("|"):
                if item.startswith(_ENTITY):
                    self.values.append(item)
                    self.value_nodes.append(node)
        self.line.append(line)

    def _columns_error(self, line: int, cells: list[str]) -> FormatError:
        if len(cells) == _COLUMNS:
            message = f"'{cells[HEAD][:20]}' in the column HEAD is not the id of a word"
            return self.source.error("conll-structure", line, message, "as 3, 0 or _")
        text, hint = "\t".join(cells)[:40], "expected ten columns separated by tabs"
        message = f"the line '{text}' does not have ten columns"
        return self.source.error("conll-structure", line, message, hint)

    def _number_after_point(self, line: int, text: str) -> int:
        """Return i of the next empty node n.i after word n: i increases."""
        match = _ID.fullmatch(text)
        sub = int(match[2] or 0) if match else 0
        if match is None or (match[2] and not 0 < sub < WIDTH):
            message = f"'{text[:20]}' is not a valid id of a word, an empty node or a range"
            raise self.source.error("conll-structure", line, message, "as 3, 3.1 or 3-4")
        if int(match[1]) != self._word or sub <= self._sub:
            expected = f"{self._word}.n, with n increasing" if sub else self._word + 1
            message, hint = f"id {text} is out of order", f"expected {expected}"
            raise self.source.error("conll-structure", line, message, hint)
        return sub

    def _begin_sentence(self) -> None:
        """Begin a sentence. Those before the first document are one without a name."""
        if self._current < 0:
            self._current = self.names.setdefault("", 0)
        self.starts.append(len(self.line))
        self.document.append(self._current)
        self._is_new = False

    def trees(self) -> Trees:
        """Return the nodes of the file; raises FormatError for a document in two places."""
        names, (used, codes) = list(self.names), np.unique(self.document, return_inverse=True)
        line, sub = np.array(self.line), np.zeros(len(self.line), np.int64)
        sub[list(self.empty)] = [number for number, _ in self.empty.values()]
        sentence = np.repeat(np.arange(len(self.starts)), np.diff(self.starts, append=len(line)))
        back = np.flatnonzero(np.diff(codes) < 0)
        if len(back):
            at = int(back[0]) + 1
            message = f"the document '{names[self.document[at]]}' occurs twice, not in one place"
            hint = "give each its own id"
            raise self.source.error("conll-structure", int(line[self.starts[at]]), message, hint)
        return Trees(
            again=self.source.again(),
            sub=sub,
            sentence=sentence,
            document=codes[sentence],
            line=line,
            names=tuple(names[number] for number in used.tolist()),
            sent_ids=self.sent_ids,
            forms=self.forms,
            empty_deps={node: deps for node, (_, deps) in self.empty.items()},
        )
