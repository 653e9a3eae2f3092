"""Match the document names and mention ids of two files.

``ECB+/24/24_1ecb.xml``, ``24/24_1ecb`` and ``24_1ecb`` are the same document;
``24_1ecb/12``, ``24_1ecb.xml_12`` and (in 24_1ecb) ``12`` are the same mention. ``24_1ecb_0_5_6``
is the mention of tokens 5 to 6 in sentence 0, ``4dc1.b2.24`` that of token 24 in sentence 2 of the
body (``t``: title) as GVC counts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from cdec.errors import ScoringError, counted
from cdec.formats.annotation import object_array
from cdec.matching.view import View
from cdec.notices import Notice, notice

GVC_ID = r"([tb])([0-9]{1,7})\.([0-9]{1,7})"
_ID = re.compile(
    rf"(.+?)(?:\.(?={GVC_ID}\Z)|(?:\.xml)?[/_](?!.*\.{GVC_ID}\Z))(?P<id>[^/_]+)", re.DOTALL
)
_SPAN = re.compile(r"(.+?)(?:\.xml)?" + 3 * r"[/_]([0-9]{1,7})", re.DOTALL)
# In front of all mention ids of a file in the layout of Bugert et al. (2021).
_META = "metadoc_"


def parts(name: str) -> list[str]:
    """Return the folders and the base name of a document, without ``.xml``."""
    return name.replace("\\", "/").removesuffix(".xml").split("/")


def pair_documents(
    names: Iterable[str], known: Iterable[str], place: str, aliases: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return name → known name for those of ``names`` that match a known document.

    Exact names are matched first, then by ``aliases`` (other name → known name), the rest by base
    name. Raises ScoringError if a name matches two known documents, or two names match the same
    one. Last, a name matches if it is the end of the other after ``_``, and no other name is:
    ``gun-violence_207542_4dc1`` and ``4dc1``.
    """
    names, targets = list(names), dict.fromkeys(known)
    pairs = {name: name for name in names if name in targets}
    by_bare: dict[str, list[str]] = {}
    for target in targets:
        if target not in pairs:
            by_bare.setdefault(parts(target)[-1], []).append(target)
    for alias, target in (aliases or {}).items():
        if alias and target not in pairs and alias not in targets:
            by_bare.setdefault(alias, []).append(target)
    sources: dict[str, str] = {}
    for name in names:
        matches = [] if name in pairs else by_bare.get(parts(name)[-1], [])
        if len(matches) > 1:
            raise _ambiguous(place, f"document '{name}'", matches)
        for target in matches:
            if target in sources:
                raise _ambiguous(place, f"document '{target}'", [sources[target], name])
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
        for bare in [parts(name)[-1].removeprefix(_META)]
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


def _ambiguous(place: str, what: str, matches: Sequence[str]) -> ScoringError:
    message = f"{what} matches both '{matches[0]}' and '{matches[1]}'"
    hint = "use the same document names in both"
    return ScoringError("document-ambiguous", message, place=place, hint=hint)


def left_out(code: str, docs: Sequence[str], mentions: int, where: str) -> Iterator[Notice]:
    """Yield a notice on response documents that are left out; ``where`` is as in "in the key"."""
    if docs:
        what = counted(len(docs), "response document")
        verb, ignored = ("is", "is ignored") if len(docs) == 1 else ("are", "are ignored")
        message = f"{what} ({counted(mentions, 'mention')}) {verb} not {where} and {ignored}"
        yield notice(code, message, docs)


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
        sides = parts(name), parts(known)
        size = min(map(len, sides))
        if sides[0][-size:] != sides[1][-size:]:
            renamed.append(f"{name} as {known}")
    if renamed:
        what = counted(len(renamed), "response document is", "response documents are")
        message = f"{what} under another name in the key: matched by a part of the name, or by id"
        yield notice("document-renamed", message, renamed, warning=False)


def whole_id(doc: str, mention: str) -> str:
    """Return ``doc/number`` for any form of the id of a mention of ``doc``."""
    if mention.startswith(f"{doc}/"):
        return mention
    match = _ID.fullmatch(mention)
    number = match["id"] if match and parts(match.group(1))[-1] == parts(doc)[-1] else mention
    return f"{doc}/{number}"


def with_documents(view: View) -> View:
    """Return the view with documents taken from mention ids such as ``36_1ecb.xml_17``.

    An id without a document counts as a document name, so that the notice can name it.
    """
    table = view.mentions
    bare = _bare_ids(table)
    if not bare.any():
        return view
    split = [(_ID.fullmatch(id_), id_) for id_ in table["mention"]]
    names = [match.group(1) if match else id_ for match, id_ in split]
    numbers = [match["id"] if match else id_ for match, id_ in split]
    docs = table["doc"].where(~bare, object_array(names))
    ids = table["mention"].where(~bare, object_array(numbers))
    return replace(view, mentions=table.assign(doc=docs, mention=ids), texts=dict.fromkeys(docs))


def by_span(view: View) -> View:
    """Return the view with mentions by tokens if all ids are such as ``36_1ecb_0_5_6``."""
    table = view.mentions
    bare = _bare_ids(table)
    split = [_SPAN.fullmatch(id_) for id_ in table["mention"]] if bare.all() else []
    found = [match.groups() for match in split if match is not None]
    if not found or len(found) < len(table):
        return view
    docs = [str(doc) for doc, *_ in found]
    spans = np.array([list(map(int, numbers)) for _, *numbers in found], dtype=np.int64)
    sentence, start, end = spans.T
    if (end < start).any():
        return view
    table = table.assign(doc=docs, sentence=sentence, start=start, end=end, mention="")
    return replace(view, mentions=table, texts=dict.fromkeys(docs))


def _bare_ids(table: pd.DataFrame) -> pd.Series:
    """Return which mentions have an id only, without document."""
    return (table["start"] < 0) & (table["doc"] == "")


def by_token_ids(view: View) -> View:
    """Return the view with mentions by id if the tokens are ids (``36_1ecb.xml_17``)."""
    table = view.mentions
    texts = [view.texts[doc] for doc in table["doc"]]
    if (
        not len(table)
        or any(text is None for text in texts)
        or (table["start"] < table["end"]).any()
    ):
        return view
    tokens = [text[at] for text, at in zip(texts, table["start"], strict=True) if text is not None]
    if not all(map(_ID.fullmatch, tokens)):
        return view
    by_id = table.assign(doc="", mention=object_array(tokens), start=-1, end=-1)
    return View(view.source, by_id, {"": None}, {})


def read_names(
    view: View, known: Iterable[str], aliases: Mapping[str, str]
) -> tuple[View, dict[str, str]]:
    """Return the view with documents taken from its ids, and document → known document.

    Tokens may be ids, and ids may be spans: of these readings, the one with most mentions in known
    documents counts.
    """
    known = list(known)
    by_id = by_token_ids(view)
    forms = [view] if by_id is view else [by_id, view]
    choices = []
    for read in (read for form in forms for read in (with_documents(form), by_span(form))):
        pairs = pair_documents(read.texts, known, view.source.name, aliases)
        choices.append((int(read.mentions["doc"].isin(list(pairs)).sum()), read, pairs))
        if choices[-1][0] == len(read.mentions):
            break
    _, read, pairs = max(choices, key=lambda choice: choice[0])
    return read, pairs


def with_places(
    table: pd.DataFrame, ids: Sequence[str], other: pd.DataFrame, other_ids: Sequence[str]
) -> list[str]:
    """Return ``ids``; a mention without tokens gets its id in the other file.

    The other file must have both tokens and mention ids.
    """
    unplaced = table["start"].to_numpy() < 0
    if not unplaced.any():
        return list(ids)
    both = (other["start"] >= 0) & (other["mention"] != "")
    rows = zip(other["doc"], other["mention"], other_ids, both, strict=True)
    known = {whole_id(doc, mention): id_ for doc, mention, id_, usable in rows if usable}
    names = zip(table["doc"], table["mention"], ids, unplaced, strict=True)
    return [known.get(whole_id(doc, m), id_) if bare else id_ for doc, m, id_, bare in names]


def lost_ids(key: pd.DataFrame, response: pd.DataFrame) -> Iterator[Notice]:
    """Yield a notice on mentions with an id only, if the other file has no ids."""
    for side, table, other in (("key", key, response), ("response", response, key)):
        unplaced = table["mention"][table["start"] < 0].tolist()
        if unplaced and len(other) and not (other["mention"] != "").any():
            what = counted(
                len(unplaced), f"mention of the {side} has", f"mentions of the {side} have"
            )
            message = f"{what} an id but no tokens, and the other file has no ids"
            yield notice("lost-id", message, unplaced)
