"""Patches for tests, from groups of mentions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from cdec.auditing import Correction, Patch

Group = tuple[str, ...]


def patch_of(
    merge: Iterable[Group] = (),
    move: Iterable[Group] = (),
    about: Mapping[str, Any] | None = None,
    places: Mapping[str, str] | None = None,
    name: str = "patch",
    **edits: Any,
) -> Patch:
    """Return a patch with an operation for each merge, move and change of a mention."""
    remove, named = edits.pop("remove", ()), edits.items()
    operations = (
        *(Correction(merge=group) for group in merge),
        *(Correction(move=group) for group in move),
        *(Correction(remove=(mention,)) for mention in remove),
        *(Correction(**{kind: {m: value}}) for kind, of in named for m, value in of.items()),
    )
    return Patch(operations, about or {}, places or {}, name)
