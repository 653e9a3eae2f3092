"""The field ``about`` of the files of an audit: the corpus that they are made from."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator

from cdec.io.schema import complaint, shown


def check_identity(about: Any) -> Any:
    """Return ``about``; raise a complaint if its name or digest of the corpus is not a string."""
    for name in ("corpus", "digest"):
        value = about.get(name) if isinstance(about, dict) else None
        if not isinstance(value, str | None):
            raise complaint(f"has the {name} {shown(value)}, not a string")
    return about


About = Annotated[dict[str, Any], AfterValidator(check_identity)]
