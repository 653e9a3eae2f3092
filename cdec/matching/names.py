"""Document names: ``ECB+/24/24_1ecb.xml``, ``24/24_1ecb`` and ``24_1ecb`` are one document."""

from __future__ import annotations

from collections.abc import Iterable

from cdec.errors import ScoringError


def bare(name: str) -> str:
    """Return the name without folders and without ``.xml``."""
    return name.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".xml")


def align(names: Iterable[str], known: Iterable[str], place: str) -> dict[str, str]:
    """Return name → known name for those of ``names`` that mean a known document.

    The same name goes before the same bare name, unless the known document has no folder that
    could tell them apart. Raises ScoringError where a name fits two known documents, or two names
    fit one.
    """
    targets = dict.fromkeys(known)
    found = {name: name for name in names if name in targets}
    by_bare: dict[str, list[str]] = {}
    for target in targets:
        by_bare.setdefault(bare(target), []).append(target)
    for name in names:
        fitting = [] if name in found else by_bare.get(bare(name), [])
        if len(fitting) > 1:
            raise _ambiguous(place, f"document '{name}'", fitting)
        if fitting and (fitting[0] not in found or fitting[0] == bare(fitting[0])):
            found[name] = fitting[0]
    return _checked(found, place)


def _checked(found: dict[str, str], place: str) -> dict[str, str]:
    sources: dict[str, str] = {}
    for name, target in found.items():
        if target in sources:
            raise _ambiguous(place, f"document '{target}'", [sources[target], name])
        sources[target] = name
    return found


def _ambiguous(place: str, what: str, fitting: list[str]) -> ScoringError:
    message = f"{what} may be '{fitting[0]}' or '{fitting[1]}'"
    return ScoringError(message, place=place, cure="name the documents alike in both")
