"""What a document says, as a fingerprint: the same text is the same text under any name."""

from __future__ import annotations

from hashlib import sha256

from cdec.corpus.model import Document


def fingerprint(document: Document) -> str:
    """Return the SHA-256 (hex) of the tokens and sentence bounds; id and topic do not count."""
    return sha256(ascii(document.sentences).encode()).hexdigest()
