"""Document names: ``ECB+/24/24_1ecb.xml``, ``24/24_1ecb`` and ``24_1ecb`` are one document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from cdec.errors import ScoringError, counted
from cdec.notices import Notice, notice


def bare(name: str) -> str:
    """Return the name without folders and without ``.xml``."""
    return _parts(name)[-1]


def _parts(name: str) -> list[str]:
    return name.replace("\\", "/").removesuffix(".xml").split("/")


def pair_documents(names: Iterable[str], known: Iterable[str], place: str) -> dict[str, str]:
    """Return name → known name for those of ``names`` that mean a known document.

    The same name goes before the same bare name: a document of which the exact name is there is
    meant by no other. Raises ScoringError where a name fits two known documents, or two names fit
    one.
    """
    names, targets = list(names), dict.fromkeys(known)
    found = {name: name for name in names if name in targets}
    by_bare: dict[str, list[str]] = {}
    for target in targets:
        if target not in found:
            by_bare.setdefault(bare(target), []).append(target)
    sources: dict[str, str] = {}
    for name in names:
        fitting = [] if name in found else by_bare.get(bare(name), [])
        if len(fitting) > 1:
            raise _ambiguous(place, f"document '{name}'", fitting)
        for target in fitting:
            if target in sources:
                raise _ambiguous(place, f"document '{target}'", [sources[target], name])
            sources[target], found[name] = name, target
    return found


def _ambiguous(place: str, what: str, fitting: Sequence[str]) -> ScoringError:
    message = f"{what} may be '{fitting[0]}' or '{fitting[1]}'"
    return ScoringError(message, place=place, cure="name the documents alike in both")


def renamed(pairs: Mapping[str, str]) -> Iterator[Notice]:
    """Yield a notice on documents that were paired although their folders differ.

    Not where one path is the end of the other, as in ``24_1ecb``, ``24/24_1ecb.xml`` and
    ``ECB+/24/24_1ecb.xml``: these are the usual forms of one name.
    """
    other = [f"{name} as {known}" for name, known in pairs.items() if not _is_end(name, known)]
    if other:
        what = counted(len(other), "response document is", "response documents are")
        message = f"{what} in another folder in the key: matched by the bare name"
        yield notice("document-renamed", message, other, warning=False)


def _is_end(name: str, known: str) -> bool:
    one, other = _parts(name), _parts(known)
    size = min(len(one), len(other))
    return one[-size:] == other[-size:]


def left_out(kind: str, docs: Sequence[str], mentions: int, where: str) -> Iterator[Notice]:
    """Yield a notice on response documents that are not ``where`` the key is, if there are any."""
    if docs:
        what = counted(len(docs), "response document")
        verb = "is" if len(docs) == 1 else "are"
        message = f"{what}, {counted(mentions, 'mention')}, {verb} not {where}: left out"
        yield notice(kind, message, docs)


def missing(docs: Iterable[str], covered: Iterable[str]) -> Iterator[Notice]:
    """Yield a notice on key documents of which the response says nothing, if there are any."""
    there = set(covered)
    absent = [doc for doc in docs if doc not in there]
    if absent:
        what = counted(len(absent), "key document is", "key documents are")
        message = f"{what} missing from the response: counted as empty"
        yield notice("missing-document", message, absent)
