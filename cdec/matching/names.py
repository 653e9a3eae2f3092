"""The document and the mention that a name in a file means.

``ECB+/24/24_1ecb.xml``, ``24/24_1ecb`` and ``24_1ecb`` are the same document. The name of a mention
is its id or has one of the forms below. Names are in a column of the file, or they are the tokens
on which the mentions are marked.

In a corpus a number can be the id of the mention in its document (``m_id`` of ECB+). Where no
mention of the corpus has a number as its id, numbers count the mentions of the document in text
order, from 0, those that a variant of the key leaves out included (Bugert et al. 2021). Token ids
of GVC count NEWLINE tokens, which the corpus does not have: they give the order of the mentions of
a document, and need all of them.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pandas as pd

from cdec.arrays import Bools
from cdec.corpus.model import Corpus
from cdec.errors import Notice, ScoringError, counted
from cdec.formats.annotation import Annotation, gaps, object_array

_N = "([0-9]{1,7})"
_PLACE = re.compile(rf"(.+)/{_N}-{_N}", re.DOTALL)  # 36_1ecb/5-6: tokens 5 to 6
_ID = re.compile(r"(.+?)(?:\.xml)?[/_]([^/_]+)", re.DOTALL)  # 36_1ecb/17, 36_1ecb.xml_17
# 4dc1.b2.24: token 24 in sentence 2 of the body (t: title), as GVC counts
_TOKEN = rf"[tb]{_N}\.{_N}"
# 36_1ecb_0_5_6: tokens 5 to 6 in sentence 0
_SPAN = re.compile(rf"(.+?)(?:\.xml)?[/_]{_N}[/_]{_N}[/_]{_N}", re.DOTALL)
_META = "metadoc_"  # before all mention ids of a file in the layout of Bugert et al. (2021)


# ---- documents ----


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
    bare: defaultdict[str, list[str]] = defaultdict(list)
    for target in targets:
        if target not in pairs:
            bare[path_of(target)[-1]].append(target)
    for alias, target in (aliases or {}).items():
        if alias and target not in pairs and alias not in targets:
            bare[alias].append(target)
    taken: dict[str, str] = {}
    for name in (name for name in names if name not in pairs):
        matches = bare.get(path_of(name)[-1], [])
        one, both = name, matches
        if len(matches) == 1 and matches[0] in taken:
            one, both = matches[0], [taken[matches[0]], name]
        if len(both) > 1:
            message = f"document '{one}' matches both '{both[0]}' and '{both[1]}'"
            hint = "use the same document names in both"
            raise ScoringError("mention-unknown", message, place=file, hint=hint)
        taken |= dict.fromkeys(matches, name)
    pairs |= {name: target for target, name in taken.items()}
    free = {base: found[0] for base, found in bare.items() if found[0] not in taken}
    return pairs | _paired_by_end([name for name in names if name not in pairs], free)


def _paired_by_end(names: Sequence[str], known: Mapping[str, str]) -> dict[str, str]:
    """Return the pairs of names of which one is the end of the other, if there is one only."""
    longer: defaultdict[str, set[str]] = defaultdict(set)
    for base in known if names else ():
        for end in _ends(base):
            longer[end].add(known[base])
    near = {}
    for name in names if known else ():
        base = path_of(name)[-1].removeprefix(_META)
        shorter = {known[end] for end in (base, *_ends(base)) if end in known}
        near[name] = longer.get(base, set()) | shorter
    counts = Counter(target for targets in near.values() for target in targets)
    alone = {name: min(targets) for name, targets in near.items() if len(targets) == 1}
    return {name: target for name, target in alone.items() if counts[target] == 1}


def _ends(name: str) -> list[str]:
    return [name[at.end() :] for at in re.finditer("_(?=.)", name, re.DOTALL)]


# ---- mentions ----


@lru_cache(maxsize=1)
def annotated(corpus: Corpus) -> pd.DataFrame:
    """Return all known mentions by place: also those outside the region, and those removed.

    ``name`` is the identity of each, as from ``mention_ids``; a mention has tokens if it has a gap.
    """
    others = [corpus.removed, *([corpus.region.outside] if corpus.region else [])]
    table = pd.concat([corpus.mentions, *(table for table in others if len(table))])
    table = table.sort_values(["start", "end"], kind="stable")
    table = table.assign(tokens=object_array(gaps(table)), mention="")
    return table.assign(name=mention_ids(table))


def mention_ids(mentions: pd.DataFrame) -> list[str]:
    """Return the identity of each mention as a string: equal strings are the same mention.

    ``doc/3-5`` for tokens 3 to 5, ``doc/3-4,6`` with a gap, ``doc/id`` for an id without tokens.
    """
    columns = (mentions[name].tolist() for name in ("doc", "start", "end", "tokens", "mention"))
    ids = []
    for doc, start, end, tokens, mention in zip(*columns, strict=True):
        if tokens:
            ids.append(f"{doc}/{runs(tokens)}")
        elif start >= 0:
            ids.append(f"{doc}/{start}-{end}")
        else:
            is_whole = mention.startswith(f"{doc}/") or not doc
            ids.append(mention if is_whole else f"{doc}/{mention}")
    return ids


def runs(tokens: Iterable[int]) -> str:
    """Return sorted token numbers as runs: ``3-4,6``."""
    bounds: list[list[int]] = []
    for token in tokens:
        if bounds and bounds[-1][1] == token - 1:
            bounds[-1][1] = token
        else:
            bounds.append([token, token])
    return ",".join(f"{a}-{b}" if a < b else str(a) for a, b in bounds)


def place_of(name: str) -> tuple[int, int] | None:
    """Return first and last token of ``doc/start-end``; None for a name of another form.

    >>> place_of("d/3-5"), place_of("d/5-3"), place_of("d/17")
    ((3, 5), None, None)
    """
    match = _PLACE.fullmatch(name)
    place = (int(match[2]), int(match[3])) if match else (1, 0)
    return place if place[0] <= place[1] else None


def with_tokens(given: Annotation, ids: Container[str]) -> Annotation:
    """Return the mentions with the tokens of names ``doc/start-end``, unless these are ids."""
    table = given.mentions
    names = enumerate(table["mention"].where(table["start"] < 0, ""))
    places = {row: place for row, n in names if n and n not in ids and (place := place_of(n))}
    if not places:
        return given
    start, end = (table[name].to_numpy(copy=True) for name in ("start", "end"))
    start[[*places]], end[[*places]] = np.array([*places.values()]).T
    return replace(given, mentions=table.assign(start=start, end=end))


def read_names(given: Annotation, corpus: Corpus) -> tuple[Annotation, dict[str, str]]:
    """Return the mentions with documents taken from names, and document → document of the corpus.

    Of the possible readings, the first of those with most mentions in known documents counts.
    """
    if (given.mentions["start"] < 0).any():
        given = with_tokens(given, annotated(corpus).index)
    known = corpus.documents
    aliases = {doc.attributes.get("alias", ""): id_ for id_, doc in known.items()}
    chosen, most = (given, dict[str, str]()), -1
    for reading in _readings(given):
        pairs = pair_documents(reading.documents, known, given.name, aliases)
        inside = int(reading.mentions["doc"].isin(list(pairs)).sum())
        if inside > most:
            chosen, most = (reading, pairs), inside
        if inside == len(reading.mentions):
            break
    return chosen


def _readings(given: Annotation) -> Iterator[Annotation]:
    """Yield the file with tokens as names, then with names as they are: as ids, then as spans.

    A reading that does not fit is left out.
    """
    table, alternatives = given.mentions, [given]
    if len(table) and not (table["start"] < table["end"]).any():  # all mentions are one token
        places = zip(table["doc"], table["start"], strict=True)
        texts = ((given.documents[doc], at) for doc, at in places)
        tokens = [text[at] for text, at in texts if text is not None]
        if len(tokens) == len(table) and all(map(_split, tokens)):
            by_name = table.assign(doc="", mention=object_array(tokens), start=-1, end=-1)
            named = replace(given, mentions=by_name, documents={"": None}, layout={})
            alternatives.insert(0, named)
    for one in alternatives:
        yield with_documents(one)
        names = one.mentions["mention"]
        spans = [_SPAN.fullmatch(name) for name in names] if _nameless(one.mentions).all() else []
        fields = [match.groups() for match in spans if match]
        numbers = np.array([one[1:] for one in fields], np.int64).reshape(-1, 3).T
        if 0 < len(fields) == len(spans) and (numbers[1] <= numbers[2]).all():
            docs = [doc for doc, *_ in fields]
            columns = dict(zip(("sentence", "start", "end"), numbers, strict=True))
            mentions = one.mentions.assign(doc=docs, mention="", **columns)
            yield replace(one, mentions=mentions, documents=dict.fromkeys(docs))


def with_documents(given: Annotation) -> Annotation:
    """Return the mentions with documents taken from names such as ``36_1ecb.xml_17``.

    A name without a document counts as a document, so that the notice can name it.
    """
    table = given.mentions
    bare = _nameless(table)
    if not bare.any():
        return given
    names = table["mention"]
    pairs = [_split(name) or (name, name) for name in names]
    parts = map(object_array, zip(*pairs, strict=True))
    columns = zip((table["doc"], names), parts, strict=True)
    docs, ids = (column.where(~bare, part) for column, part in columns)
    mentions = table.assign(doc=docs, mention=ids)
    return replace(given, mentions=mentions, documents=dict.fromkeys(docs))


def _nameless(table: pd.DataFrame) -> Bools:
    """Return which mentions have neither tokens nor a document."""
    return ((table["start"] < 0) & (table["doc"] == "")).to_numpy()


def _split(name: str) -> tuple[str, str] | None:
    """Return the document and the id in a name, None if it has another form."""
    token = re.fullmatch(rf"(.+)\.({_TOKEN})", name, re.DOTALL)
    match = token or _ID.fullmatch(name)
    return (match[1], match[2]) if match else None


def whole_id(doc: str, name: str) -> str:
    """Return ``doc/number`` for any form of the name of a mention of ``doc``.

    >>> whole_id("1_1ecb", "1_1ecb.xml_7"), whole_id("1_1ecb", "7")
    ('1_1ecb/7', '1_1ecb/7')
    """
    if name.startswith(f"{doc}/"):
        return name
    home, number = _split(name) or ("", name)
    return f"{doc}/{number if path_of(home)[-1] == path_of(doc)[-1] else name}"


def ids_of(given: Annotation, corpus: Corpus) -> tuple[list[str], list[Notice]]:
    """Return the id in the corpus of each mention without tokens ('' with tokens), and notices.

    Raises ScoringError with ``file:line`` for a name that is not in the corpus.
    """
    table, known = given.mentions, annotated(corpus)["doc"]
    bare = table[table["start"] < 0]
    ids = [whole_id(doc, name) for doc, name in zip(bare["doc"], bare["mention"], strict=True)]
    by_order, how = dict[str, str](), ""
    if _have_form(r"\d+", ids) and not any(_have_form(r"\d+", [id_]) for id_ in known.index):
        how = "given by number: the mentions of a document count from 0, in text order"
        places = zip(known, known.groupby(known).cumcount(), known.index, strict=True)
        by_order = {f"{doc}/{number}": id_ for doc, number, id_ in places}
    elif _have_form(_TOKEN, ids):
        how = "given by a token id that counts NEWLINE tokens: matched by text order"
        lines = dict(zip(ids, map(given.place, bare["line"].tolist()), strict=True))
        by_order = _by_token_order(lines, known)
    ids = [by_order.get(id_, id_) for id_ in ids]
    message = f"{counted(len(ids), 'mention is', 'mentions are')} {how}"
    notices = [Notice("reading-assumed", len(ids), message, (), warning=False)] if how else []
    for row in np.flatnonzero(~pd.Index(ids, dtype=object).isin(known.index))[:1]:
        doc, name, line = bare.iloc[row][["doc", "mention", "line"]]
        message = f"mention '{name}' of '{doc}' is not in the corpus"
        hint = "use the mention ids of the corpus"
        raise ScoringError("mention-unknown", message, place=given.place(int(line)), hint=hint)
    whole = object_array([""] * len(table))
    whole[(table["start"] < 0).to_numpy()] = ids
    return whole.tolist(), notices


def _by_token_order(places: Mapping[str, str], docs: pd.Series[str]) -> dict[str, str]:
    """Return token id → mention of the corpus, by their order in each document.

    ``places`` are those of the token ids in the file. Raises ScoringError for a document of which
    mentions are missing.
    """

    def order(id_: str) -> tuple[bool, int, int]:
        kind, sentence, token = re.split(r"(?<=[tb])|\.", id_.rpartition("/")[2])
        return kind == "b", int(sentence), int(token)  # the title before the body

    found: dict[str, str] = {}
    for doc, ids in pd.Series([*places]).groupby([id_.rpartition("/")[0] for id_ in places]):
        own, known = sorted(ids, key=order), docs.index[docs == doc]
        if len(own) != len(known):
            message = (
                f"'{doc}' has {counted(len(own), 'mention')} here and {len(known)} in the corpus: "
                "token ids count NEWLINE tokens, which the corpus does not have, so that only all "
                "mentions of a document can be matched, by their order"
            )
            hint = "give all mentions of the document, or token numbers without NEWLINE"
            raise ScoringError("mention-unknown", message, place=places[own[0]], hint=hint)
        found |= zip(own, known.astype(str), strict=True)
    return found


def _have_form(form: str, ids: Iterable[str]) -> bool:
    return all(re.fullmatch(form, id_.rpartition("/")[2]) for id_ in ids)
