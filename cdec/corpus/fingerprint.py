"""Content hash of a document: text and language; id and topic do not enter."""

from __future__ import annotations

from hashlib import sha256

from cdec.corpus.model import ENGLISH, Document


def fingerprint(document: Document) -> str:
    """Return the SHA-256 (hex) of the tokens and sentence bounds of a document.

    A language other than English counts too, as annotations depend on it.
    """
    language = "" if document.language == ENGLISH else ascii(document.language)
    return sha256((language + ascii(document.sentences)).encode()).hexdigest()
