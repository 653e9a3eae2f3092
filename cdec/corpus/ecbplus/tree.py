"""XML bytes → the tree of an ECB+ document, or an error that names the line."""

from __future__ import annotations

from lxml import etree

from cdec.errors import CorpusError


def tree(name: str, data: bytes) -> etree._Element:
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
            cure="the file is damaged: install the corpus again",
        ) from None
    if root.getroottree().docinfo.internalDTD is not None:
        raise _doctype(name, 1)
    if root.tag != "Document" or root.find("token") is None or root.find("Markables") is None:
        raise CorpusError(
            f"not an ECB+ document: <{root.tag}> without tokens and markables",
            place=f"{name}:1",
            cure="expected <Document> with <token>, <Markables> and <Relations>",
        )
    return root


def _doctype(name: str, line: int) -> CorpusError:
    return CorpusError(
        "a document type definition is not accepted", place=f"{name}:{line}", cure="remove it"
    )
