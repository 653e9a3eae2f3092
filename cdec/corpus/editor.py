"""A file of ECB+, edited by its bytes: encoding, line ends, attributes and white space are kept.

Expat gives the byte at which each element begins. New elements are written as the release has them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from operator import itemgetter
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from cdec.corpus.readers.ecbplus import CROSS_DOC, INTRA_DOC
from cdec.errors import CorpusError
from cdec.files.input import integer

_TAG = re.compile(rb"""<[^\s/>]+(?:[^>"']|"[^"]*"|'[^']*')*>""")


@dataclass(eq=False)
class Element:
    """An element of a file: its bytes are ``start`` to ``end``, its start tag ends at ``inner``."""

    name: str
    attributes: Mapping[str, str]
    start: int
    inner: int
    end: int = 0
    children: list[Element] = field(default_factory=list)

    def of(self, name: str) -> list[Element]:
        """Return the children of this name."""
        return [child for child in self.children if child.name == name]


class EditedFile:
    """The elements of a file by their bytes, and the edits that are made."""

    def __init__(self, name: str, data: bytes) -> None:
        self._name, self._data = name, data
        self._edits: list[tuple[int, int, bytes]] = []
        self.document = name.rpartition("/")[2].removesuffix(".xml")
        self._root = self._parsed()
        self._list = self._root.of("Markables")[0]
        self.markables = {el.attributes["m_id"]: el for el in self._list.children}
        related = next(iter(self._root.of("Relations")), None)
        self.relations = related.children if related else []
        self._related, self._chains = related, list[bytes]()
        self._t_ids = [token.attributes["t_id"] for token in self._root.of("token")]
        self._m_ids = count(1 + max(map(integer, self.markables), default=0))
        self._newline = b"\r\n" if b"\r\n" in data else b"\n"
        self._targets = Counter(map(self._target, self.relations))

    def _parsed(self) -> Element:
        """Return the root, by expat: it gives the byte at which each element begins."""
        parser, data = expat.ParserCreate(), self._data
        if b"\0" in data:
            raise self._refused("it is in UTF-16 or UTF-32")
        top = Element("", {}, 0, 0)
        stack = [top]

        def start(name: str, attributes: Mapping[str, str]) -> None:
            at = parser.CurrentByteIndex
            tag = _TAG.match(data, at)
            if tag is None:
                raise self._refused(f"no start tag at byte {at}")
            element = Element(name, dict(attributes), at, tag.end(), tag.end())
            stack[-1].children.append(element)
            stack.append(element)

        def end(name: str) -> None:
            element = stack.pop()
            if not data.endswith(b"/>", 0, element.inner):
                element.end = data.index(b">", parser.CurrentByteIndex) + 1

        parser.StartElementHandler, parser.EndElementHandler = start, end
        try:
            parser.Parse(data, True)
        except expat.ExpatError as error:
            raise self._refused(str(error)) from None
        return top.children[0]

    def _refused(self, why: str) -> CorpusError:
        message = f"the file cannot be edited: {why}"
        hint = "convert the corpus to jsonl"
        return CorpusError("format-unsuitable", message, place=self._name, hint=hint)

    def _target(self, relation: Element) -> str:
        return relation.of("target")[0].attributes["m_id"]

    def label(self, relation: Element) -> str:
        """Return the label of the chain of a relation, as the reader has it."""
        own = f"{self.document}/r{relation.attributes['r_id']}"
        return relation.attributes["note"] if relation.name == CROSS_DOC else own

    def _space(self, at: int) -> bytes:
        """Return the white space before a byte."""
        return self._data[len(self._data[:at].rstrip()) : at]

    def cut(self, element: Element) -> None:
        """Leave out an element, and the white space before it."""
        start = element.start - len(self._space(element.start))
        self._edits.append((start, element.end, b""))

    def write_mention(self, m_id: str, tag: str, tokens: Sequence[int]) -> None:
        """Give a mention this tag and these tokens: the element is written anew."""
        mention = self.markables[m_id]
        lines = self._newline.join(self._mention(tag, mention.attributes, tokens))
        self._edits.append((mention.start, mention.end, lines))

    def add_mention(self, tag: str, tokens: Sequence[int]) -> str:
        """Add a mention behind the others; return its number."""
        m_id = str(next(self._m_ids))
        mentions = [el for el in self._list.children if el.children]
        self._add(self._list, mentions, self._mention(tag, {"m_id": m_id}, tokens))
        return m_id

    def _mention(self, tag: str, names: Mapping[str, str], tokens: Sequence[int]) -> list[bytes]:
        anchors = [_tag("token_anchor", t_id=self._t_ids[at]) for at in tokens]
        return _block(tag, names, anchors)

    def relate(self, relation: Element, leaving: Collection[str], joining: Sequence[str]) -> None:
        """Take mentions out of a relation and put others in; leave out an empty one."""
        sources = relation.of("source")
        left = [source for source in sources if source.attributes["m_id"] in leaving]
        if left and len(left) == len(sources) and not joining:
            self.cut(relation)
            target = self._target(relation)
            self._targets[target] -= 1
            if not self._targets[target]:
                self.cut(self.markables[target])
            return
        for source in left:
            self.cut(source)
        for m_id in joining:
            self._add(relation, sources, [_tag("source", m_id=m_id)])

    def add_chain(
        self, label: str, descriptor: str, tag: str, sources: Sequence[str], numbers: Iterator[int]
    ) -> None:
        """Add the instance of a chain, and the relation of these mentions to it."""
        m_id, local = str(next(self._m_ids)), label.rpartition("/r")
        inside = local[0] == self.document and bool(local[1])
        about = {"RELATED_TO": "", "TAG_DESCRIPTOR": descriptor}
        about |= {} if inside else {"instance_id": label}
        self._add(self._list, self._list.children, [_tag(tag, m_id=m_id, **about)])
        ends = [*(_tag("source", m_id=source) for source in sources), _tag("target", m_id=m_id)]
        own = {"r_id": local[2]} if inside else {"r_id": str(next(numbers)), "note": label}
        self._chains += _block(INTRA_DOC if inside else CROSS_DOC, own, ends)

    def _add(self, parent: Element, children: Sequence[Element], lines: Sequence[bytes]) -> None:
        """Add lines behind the last of these children, or as the first in their parent."""
        space = self._space(children[-1].start) if children else self._newline
        at = children[-1].end if children else parent.inner
        self._edits.append((at, at, space + self._newline.join(lines)))

    def edited(self) -> bytes:
        """Return the bytes with all edits."""
        if self._chains and self._related and self._related.end > self._related.inner:
            self._add(self._related, self.relations, self._chains)
        elif self._chains:  # <Relations/> has no place for a relation
            self._add(self._root, self._root.children, [*_block("Relations", {}, self._chains)])
            if self._related:
                self.cut(self._related)
        self._chains = []
        pieces, at = [], 0
        for start, end, text in sorted(self._edits, key=itemgetter(0, 1)):
            pieces += [self._data[at:start], text]
            at = end
        return b"".join([*pieces, self._data[at:]])


def _tag(name: str, **attributes: str) -> bytes:
    """Return an empty element."""
    close = "/>" if name == "token_anchor" else " />"  # as the release has them
    return _start(name, attributes)[:-1] + close.encode()


def _start(name: str, attributes: Mapping[str, str]) -> bytes:
    pairs = "".join(f" {key}={quoteattr(value)}" for key, value in attributes.items())
    return f"<{name}{pairs}>".encode("ascii", "xmlcharrefreplace")


def _block(name: str, attributes: Mapping[str, str], lines: Sequence[bytes]) -> list[bytes]:
    """Return an element around others, in lines as the release has them."""
    first = _start(name, attributes)[:-1] + b" >"
    return [first, *(b"  " + line for line in lines), f"</{name}>".encode()]
