"""The field ``about`` of the files of an audit: the corpus and key that they are made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator

from cdec.corpus.model import Corpus
from cdec.errors import FormatError
from cdec.files.models import complaint, shown


def check_identity(about: Any) -> Any:
    """Return ``about``; raise a complaint if its name or digest of the corpus is not a string."""
    for name in ("corpus", "digest"):
        value = about.get(name) if isinstance(about, dict) else None
        if not isinstance(value, str | None):
            raise complaint(f"has the {name} {shown(value)}, not a string")
    return about


About = Annotated[dict[str, Any], AfterValidator(check_identity)]


def origin_of(corpus: Corpus) -> dict[str, str]:
    """Return name and digest of a corpus and, as ``base``, the digest of the patch of its key."""
    base = corpus.correction.get("key_patch_digest")
    return {"corpus": corpus.name, "digest": corpus.digest} | ({"base": base} if base else {})


def check_origin(
    about: Mapping[str, Any], corpus: Corpus, place: object, base: str = "base"
) -> None:
    """Raise FormatError unless the digest in ``about`` is that of ``corpus``, and so is the key.

    The field ``base`` is the digest of the patch that corrected the key; without it, the key must
    be uncorrected. Operations and cases hold for the key that they are about.
    """
    if about.get("digest") != corpus.digest:
        raise mismatch(about.get("corpus"), corpus.name, place)
    applied = corpus.correction.get("key_patch_digest")
    if about.get(base) == applied:
        return
    name = corpus.correction.get("key_patch")
    message = f"about another key than that of '{corpus.name}', which the patch {name} corrects"
    hint = "leave out the key patch, or give the patch that it was made with"
    if applied is None:
        message = f"about the key that another patch (digest {str(about.get(base))[:12]}) corrects"
        hint = "give that patch as the key patch; for the original key use a list of that key"
    raise FormatError("input-mismatch", message, place=place, hint=hint)


def mismatch(name: object, other: object, place: object) -> FormatError:
    """Return the error for a file made from the corpus ``name``, used with the corpus ``other``."""
    message = f"made from the corpus '{name}', whose content differs from that of '{other}'"
    if name == other:
        message = f"made from another version of the corpus '{name}'"
    hint = "name the audited corpus"
    return FormatError("input-mismatch", message, place=place, hint=hint)


def check_key(about: Mapping[str, Any], place: object) -> None:
    """Raise FormatError for ``about`` a corrected key without ``base``, the digest of its patch."""
    corrected = "key_patch_digest" in about or "|key_patch_digest:" in str(about.get("audit"))
    if corrected and "base" not in about:
        message = "about a list of a corrected key, without the digest of its patch"
        hint = "export the decisions again: `cdec audit review CASES --key-patch PATCH`"
        raise FormatError("input-mismatch", message, place=place, hint=hint)
