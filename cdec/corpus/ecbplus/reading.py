"""Parser state of one ECB+ file: its XML tree, errors with their line, and its defects."""

from __future__ import annotations

from dataclasses import dataclass, field

from lxml import etree

from cdec.corpus.adapter import Defect
from cdec.errors import CorpusError

_HINT = "fix this line, or get the corpus again"


@dataclass(frozen=True)
class Reading:
    """Parser state: ``file`` is the name for error messages, ``document`` the document id."""

    file: str
    document: str
    defects: list[Defect] = field(default_factory=list)

    def error(self, code: str, el: etree._Element, message: str, hint: str = _HINT) -> CorpusError:
        """Return the error for an element, with its line as the place."""
        return CorpusError(code, message, place=f"{self.file}:{el.sourceline}", hint=hint)

    def get(self, el: etree._Element, attribute: str) -> str:
        """Return an attribute of an element. Raises CorpusError if it is missing."""
        value = el.get(attribute)
        if value is None:
            raise self.error(
                "corpus-file-invalid", el, f"<{el.tag}> has no attribute '{attribute}'"
            )
        return value

    def note(self, kind: str, local_id: str | None = None) -> None:
        """Add a defect of the document, or of its token or mention ``local_id``."""
        item = self.document if local_id is None else f"{self.document}/{local_id}"
        self.defects.append(Defect(kind, item))


def parse_tree(name: str, data: bytes) -> etree._Element:
    """Return the root of the document in ``data``, read from the file ``name``.

    Raises CorpusError for malformed XML, a DTD (which allows entity bombs and external files) and
    a root that is not an ECB+ document.
    """
    at = data.find(b"<!DOCTYPE")
    if at >= 0:  # before parsing; a DTD in UTF-16 is detected in the tree only
        raise _doctype(name, data.count(b"\n", 0, at) + 1)
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise CorpusError(
            "corpus-file-invalid",
            f"invalid XML: {error.msg}",
            place=f"{name}:{error.lineno or 1}",
            hint="the file is damaged: install the corpus again",
        ) from None
    if root.getroottree().docinfo.internalDTD is not None:
        raise _doctype(name, 1)
    if root.tag != "Document" or root.find("token") is None or root.find("Markables") is None:
        raise CorpusError(
            "corpus-file-invalid",
            f"not an ECB+ document: the root <{root.tag}> has no tokens or no markables",
            place=f"{name}:1",
            hint="expected <Document> with <token>, <Markables> and <Relations>",
        )
    return root


def _doctype(name: str, line: int) -> CorpusError:
    message = "the file has a document type definition (DTD), which is not allowed"
    return CorpusError("corpus-file-invalid", message, place=f"{name}:{line}", hint="remove it")
