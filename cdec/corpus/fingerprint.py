"""Content hash of a document; id and topic do not enter."""

from __future__ import annotations

from hashlib import sha256

from cdec.corpus.model import Document


def fingerprint(document: Document) -> str:
    """Return the SHA-256 (hex) of the tokens and sentence bounds of a document."""
    return sha256(ascii(document.sentences).encode()).hexdigest()
