"""Match the document names of two files.

``ECB+/24/24_1ecb.xml``, ``24/24_1ecb`` and ``24_1ecb`` are the same document.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from cdec.errors import ScoringError, counted
from cdec.errors.notices import Notice, notice

# In front of all mention ids of a file in the layout of Bugert et al. (2021).
_META = "metadoc_"


def path_of(name: str) -> list[str]:
    """Return the folders and the base name of a document, without ``.xml``."""
    return name.replace("\\", "/").removesuffix(".xml").split("/")


def pair_documents(
    names: Iterable[str], known: Iterable[str], file: str, aliases: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return name → known name for those of ``names`` that match a known document.

    Exact names are matched first, then by ``aliases`` (other name → known name), the rest by base
    name. Raises ScoringError if a name matches two known documents, or two names match the same
    one. Last, a name matches if it is the end of the other after ``_``, and no other name is:
    ``gun-violence_207542_4dc1`` and ``4dc1``.
    """
    names, targets = list(names), dict.fromkeys(known)
    pairs = {name: name for name in names if name in targets}
    if len(pairs) == len(names):
        return pairs
    by_bare: dict[str, list[str]] = {}
    for target in targets:
        if target not in pairs:
            by_bare.setdefault(path_of(target)[-1], []).append(target)
    for alias, target in (aliases or {}).items():
        if alias and target not in pairs and alias not in targets:
            by_bare.setdefault(alias, []).append(target)
    sources: dict[str, str] = {}
    for name in names:
        matches = [] if name in pairs else by_bare.get(path_of(name)[-1], [])
        if len(matches) > 1:
            raise _ambiguous(file, f"document '{name}'", matches)
        for target in matches:
            if target in sources:
                raise _ambiguous(file, f"document '{target}'", [sources[target], name])
            sources[target], pairs[name] = name, target
    free = {bare: found[0] for bare, found in by_bare.items() if found[0] not in sources}
    return pairs | _pair_by_end([name for name in names if name not in pairs], free)


def _pair_by_end(names: Sequence[str], known: Mapping[str, str]) -> dict[str, str]:
    """Return the pairs of names of which one is the end of the other, if there is one only."""
    if not names or not known:
        return {}
    longer: dict[str, set[str]] = {}
    for bare, target in known.items():
        for end in _ends(bare):
            longer.setdefault(end, set()).add(target)
    found = {
        name: longer.get(bare, set()).union(
            known[end] for end in (bare, *_ends(bare)) if end in known
        )
        for name in names
        for bare in [path_of(name)[-1].removeprefix(_META)]
    }
    counts = Counter(target for targets in found.values() for target in targets)
    return {
        name: target
        for name, targets in found.items()
        for target in targets
        if len(targets) == 1 and counts[target] == 1
    }


def _ends(name: str) -> Iterator[str]:
    """Yield the ends of a name after each ``_``."""
    for match in re.finditer("_(?=.)", name, re.DOTALL):
        yield name[match.end() :]


def _ambiguous(file: str, what: str, matches: Sequence[str]) -> ScoringError:
    message = f"{what} matches both '{matches[0]}' and '{matches[1]}'"
    hint = "use the same document names in both"
    return ScoringError("document-ambiguous", message, place=file, hint=hint)


def left_out(code: str, docs: Sequence[str], mentions: int, where: str) -> Notice:
    """Return the notice on documents that are left out; ``where`` is as in "in the key"."""
    what = counted(len(docs), "response document")
    verb, ignored = ("is", "is ignored") if len(docs) == 1 else ("are", "are ignored")
    message = f"{what} ({counted(mentions, 'mention')}) {verb} not {where} and {ignored}"
    return notice(code, message, docs)


def missing_and_renamed(docs: Iterable[str], pairs: Mapping[str, str]) -> Iterator[Notice]:
    """Yield a notice on key documents missing in the response, and on renamed documents.

    ``pairs`` maps the documents of the response to those of the key. A document is not renamed if
    one path is the end of the other, as in ``24_1ecb`` and ``ECB+/24/24_1ecb.xml``.
    """
    present = set(pairs.values())
    absent = [doc for doc in docs if doc not in present]
    if absent:
        what = counted(len(absent), "key document is", "key documents are")
        counts = "counts" if len(absent) == 1 else "count"
        message = f"{what} missing from the response and {counts} as empty"
        yield notice("missing-document", message, absent)
    renamed = []
    for name, known in pairs.items():
        if name != known:
            here, there = path_of(name), path_of(known)
            size = min(len(here), len(there))
            if here[-size:] != there[-size:]:
                renamed.append(f"{name} as {known}")
    if renamed:
        what = counted(len(renamed), "response document is", "response documents are")
        message = f"{what} under another name in the key: matched by a part of the name, or by id"
        yield notice("document-renamed", message, renamed, warning=False)
