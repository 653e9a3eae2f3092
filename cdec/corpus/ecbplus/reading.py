"""Reading one file: its XML as a tree, errors with their line, and the defects that were met."""

from __future__ import annotations

from dataclasses import dataclass, field

from lxml import etree

from cdec.corpus.adapter import Defect
from cdec.errors import CorpusError

_HINT = "mend this line, or get the corpus again"


@dataclass(frozen=True)
class Reading:
    """``file`` is what errors call the file, ``document`` the id of the document in it."""

    file: str
    document: str
    defects: list[Defect] = field(default_factory=list)

    def error(self, el: etree._Element, message: str, hint: str = _HINT) -> CorpusError:
        """Return the error for an element, placed at its line."""
        return CorpusError(message, place=f"{self.file}:{el.sourceline}", hint=hint)

    def get(self, el: etree._Element, attribute: str) -> str:
        """Return an attribute of an element. Raises CorpusError where it has none."""
        value = el.get(attribute)
        if value is None:
            raise self.error(el, f"<{el.tag}> has no {attribute}")
        return value

    def note(self, kind: str, local_id: str | None = None) -> None:
        """Add a defect of the document, or of the token or mention in it that is named."""
        item = self.document if local_id is None else f"{self.document}/{local_id}"
        self.defects.append(Defect(kind, item))


def parse_tree(name: str, data: bytes) -> etree._Element:
    """Return the root of the document in ``data``, read from the file ``name``.

    Raises CorpusError for malformed XML, a DTD (the way in for entity bombs and foreign files) and
    a root that is no ECB+ document.
    """
    at = data.find(b"<!DOCTYPE")
    if at >= 0:  # before anything is parsed; one in UTF-16 is seen in the tree only
        raise _doctype(name, data.count(b"\n", 0, at) + 1)
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise CorpusError(
            f"not well-formed XML: {error.msg}",
            place=f"{name}:{error.lineno or 1}",
            hint="the file is damaged: install the corpus again",
        ) from None
    if root.getroottree().docinfo.internalDTD is not None:
        raise _doctype(name, 1)
    if root.tag != "Document" or root.find("token") is None or root.find("Markables") is None:
        raise CorpusError(
            f"not an ECB+ document: <{root.tag}> without tokens and markables",
            place=f"{name}:1",
            hint="expected <Document> with <token>, <Markables> and <Relations>",
        )
    return root


def _doctype(name: str, line: int) -> CorpusError:
    return CorpusError(
        "a document type definition is not accepted", place=f"{name}:{line}", hint="remove it"
    )
