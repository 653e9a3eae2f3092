"""Names: which documents and mention ids of two files mean the same.

``ECB+/24/24_1ecb.xml``, ``24/24_1ecb`` and ``24_1ecb`` are one document; ``24_1ecb/12``,
``24_1ecb.xml_12`` and, in 24_1ecb, ``12`` are one mention.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from cdec.errors import ScoringError, counted
from cdec.matching.view import View
from cdec.notices import Notice, notice

_ID = re.compile(r"(.+?)(?:\.xml)?[/_]([^/_]+)", re.DOTALL)


def parts(name: str) -> list[str]:
    """Return the folders and the bare name of a document, without ``.xml``."""
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
            by_bare.setdefault(parts(target)[-1], []).append(target)
    sources: dict[str, str] = {}
    for name in names:
        fitting = [] if name in found else by_bare.get(parts(name)[-1], [])
        if len(fitting) > 1:
            raise _ambiguous(place, f"document '{name}'", fitting)
        for target in fitting:
            if target in sources:
                raise _ambiguous(place, f"document '{target}'", [sources[target], name])
            sources[target], found[name] = name, target
    return found


def _ambiguous(place: str, what: str, fitting: Sequence[str]) -> ScoringError:
    message = f"{what} may be '{fitting[0]}' or '{fitting[1]}'"
    return ScoringError(message, place=place, hint="name the documents alike in both")


def left_out(kind: str, docs: Sequence[str], mentions: int, where: str) -> Iterator[Notice]:
    """Yield a notice on response documents that are not ``where`` the key is, if there are any."""
    if docs:
        what = counted(len(docs), "response document")
        verb = "is" if len(docs) == 1 else "are"
        message = f"{what}, {counted(mentions, 'mention')}, {verb} not {where}: left out"
        yield notice(kind, message, docs)


def missing_and_renamed(docs: Iterable[str], pairs: Mapping[str, str]) -> Iterator[Notice]:
    """Yield a notice on key documents of which the response says nothing, and on renamed ones.

    ``pairs`` maps the response's documents to the key's. Of those whose folders differ nothing is
    said where one path is the end of the other, as in ``24_1ecb``, ``24/24_1ecb.xml`` and
    ``ECB+/24/24_1ecb.xml``: these are the usual forms of one name.
    """
    there = set(pairs.values())
    absent = [doc for doc in docs if doc not in there]
    if absent:
        what = counted(len(absent), "key document is", "key documents are")
        message = f"{what} missing from the response: counted as empty"
        yield notice("missing-document", message, absent)
    other = []
    for name, known in pairs.items():
        sides = parts(name), parts(known)
        size = min(map(len, sides))
        if sides[0][-size:] != sides[1][-size:]:
            other.append(f"{name} as {known}")
    if other:
        what = counted(len(other), "response document is", "response documents are")
        message = f"{what} in another folder in the key: matched by the bare name"
        yield notice("document-renamed", message, other, warning=False)


def whole_id(doc: str, mention: str) -> str:
    """Return ``doc/number`` for the id of a mention of ``doc``, in whatever form it is given."""
    if mention.startswith(f"{doc}/"):
        return mention
    match = _ID.fullmatch(mention)
    number = match.group(2) if match and parts(match.group(1))[-1] == parts(doc)[-1] else mention
    return f"{doc}/{number}"


def with_documents(view: View) -> View:
    """Return the view with the documents that bare mention ids name (``36_1ecb.xml_17``).

    An id that names none is its own document, so that it is said which one is not known.
    """
    table = view.mentions
    bare_ids = (table["start"] < 0) & (table["doc"] == "")
    if not bare_ids.any():
        return view
    found = [match.group(1) if (match := _ID.fullmatch(id_)) else id_ for id_ in table["mention"]]
    docs = table["doc"].where(~bare_ids, pd.Series(found, index=table.index, dtype=object))
    return replace(view, mentions=table.assign(doc=docs), texts=dict.fromkeys(docs))


def by_token_ids(view: View) -> View:
    """Return the view by the ids that stand as tokens (``36_1ecb.xml_17``), or as it is."""
    table = view.mentions
    texts = [view.texts[doc] for doc in table["doc"]]
    if (
        not len(table)
        or any(text is None for text in texts)
        or (table["start"] < table["end"]).any()
    ):
        return view
    tokens = [text[at] for text, at in zip(texts, table["start"], strict=True) if text is not None]
    split = [_ID.fullmatch(token) for token in tokens]
    if any(match is None for match in split):
        return view
    docs = [match.group(1) for match in split if match is not None]
    named = table.assign(doc=docs, mention=tokens, start=-1, end=-1)
    return View(view.source, named, dict.fromkeys(docs), {})


def with_places(
    table: pd.DataFrame, ids: Sequence[str], other: pd.DataFrame, other_ids: Sequence[str]
) -> list[str]:
    """Return ``ids``, those of mentions without tokens as the other file calls them.

    The other file has to give both tokens and mention ids.
    """
    unplaced = table["start"].to_numpy() < 0
    if not unplaced.any():
        return list(ids)
    given = (other["start"] >= 0) & (other["mention"] != "")
    rows = zip(other["doc"], other["mention"], other_ids, given, strict=True)
    called = {whole_id(doc, mention): id_ for doc, mention, id_, known in rows if known}
    names = zip(table["doc"], table["mention"], ids, unplaced, strict=True)
    return [called.get(whole_id(doc, m), id_) if bare_ else id_ for doc, m, id_, bare_ in names]


def lost_ids(key: pd.DataFrame, response: pd.DataFrame) -> Iterator[Notice]:
    """Yield a notice on mentions that have only an id, where the other file has only places."""
    for side, table, other in (("key", key, response), ("response", response, key)):
        unplaced = table["mention"][table["start"] < 0].tolist()
        if unplaced and len(other) and not (other["mention"] != "").any():
            what = counted(
                len(unplaced), f"mention of the {side} is an id", f"mentions of the {side} are ids"
            )
            message = f"{what} without tokens, the other has no ids"
            yield notice("lost-id", message, unplaced)
