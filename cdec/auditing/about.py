"""The field ``about`` of the files of an audit: the corpus and key that they are made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator

from cdec.corpus.model import Corpus
from cdec.errors import FormatError
from cdec.io.schema import complaint, shown


def check_identity(about: Any) -> Any:
    """Return ``about``; raise a complaint if its name or digest of the corpus is not a string."""
    for name in ("corpus", "digest"):
        value = about.get(name) if isinstance(about, dict) else None
        if not isinstance(value, str | None):
            raise complaint(f"has the {name} {shown(value)}, not a string")
    return about


About = Annotated[dict[str, Any], AfterValidator(check_identity)]


def check_corpus(about: Mapping[str, Any], corpus: Corpus, place: object) -> None:
    """Raise FormatError unless the digest in ``about`` is that of ``corpus``."""
    if about.get("digest") != corpus.digest:
        raise mismatch(about.get("corpus"), corpus.name, place)


def mismatch(name: object, other: object, place: object) -> FormatError:
    """Return the error for a file made from the corpus ``name``, used with the corpus ``other``."""
    message = f"made from the corpus '{name}', whose content differs from that of '{other}'"
    if name == other:
        message = f"made from another version of the corpus '{name}'"
    hint = "name the audited corpus with --corpus"
    return FormatError("input-mismatch", message, place=place, hint=hint)


def check_key(about: Mapping[str, Any], place: object) -> None:
    """Raise FormatError for ``about`` a list of a key that a patch has already corrected.

    ``about`` is that of a short-list, or of decisions, which has the signature of the list only.
    A patch of such decisions would hold for the corrected key, without the first patch in it.
    """
    if "key_patch_digest" in about or "|key_patch_digest:" in str(about.get("audit")):
        raise FormatError(
            "input-mismatch",
            "about a list of a corrected key (`cdec audit run --key-patch PATCH`), whose decisions "
            "would not be a patch of the key itself",
            place=place,
            hint="audit the corrected key as a corpus: `cdec corpus convert CORPUS --key-patch "
            "PATCH -o corrected.jsonl`, then `cdec audit run --corpus corrected.jsonl`",
        )
