"""The document and the mention that a name in a file means.

``ECB+/24/24_1ecb.xml``, ``24/24_1ecb`` and ``24_1ecb`` are the same document. The name of a mention
is its id or has one of the forms below. Names are in a column of the file, or they are the tokens
on which the mentions are marked.

In a corpus a number can be the id of the mention in its document (``m_id`` of ECB+). Where no
mention of the corpus has a number as its id, numbers count the mentions of the document in text
order, from 0, those that a variant of the key leaves out included (Bugert et al. 2021).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256

import numpy as np
import pandas as pd

from cdec.clustering import chains_digest, is_no_chain
from cdec.corpus.model import Corpus
from cdec.errors import Notice, ScoringError, counted
from cdec.formats.annotation import Annotation, gaps, object_array

_N = "([0-9]{1,7})"
_PLACE = rf"(?s)\A.+/{_N}-{_N}\Z"  # 36_1ecb/5-6: tokens 5 to 6
_ID = r"(?s)\A(?P<doc>.+?)(?:\.xml)?[/_](?P<mention>[^/_]+)\Z"  # 36_1ecb/17, 36_1ecb.xml_17
# 36_1ecb_0_5_6: tokens 5 to 6 in sentence 0
_SPAN = rf"(?s)\A(.+?)(?:\.xml)?[/_]{_N}[/_]{_N}[/_]{_N}\Z"
_META = "metadoc_"  # before all mention ids of a file in the layout of Bugert et al. (2021)


# ---- documents ----


def path_of(name: str) -> list[str]:
    """Return the folders and the base name of a document, without ``.xml``."""
    return name.replace("\\", "/").removesuffix(".xml").split("/")


def pair_documents(
    names: Iterable[str], known: Iterable[str], file: str, aliases: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return name → known name for those of ``names`` that match a known document.

    Exact names are matched first, then base names and ``aliases`` (other name → known name). Raises
    ScoringError if a name matches two known documents, or two names match the same one. Last, a
    name matches if it is the end of the other after ``_``, and no other name is:
    ``gun-violence_207542_4dc1`` and ``4dc1``.
    """
    names, targets = list(names), dict.fromkeys(known)
    pairs = {name: name for name in names if name in targets}
    left = [name for name in names if name not in pairs]
    if not left:
        return pairs
    others = {a: target for a, target in (aliases or {}).items() if a and a not in targets}
    of_base: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for base, target in [*((path_of(one)[-1], one) for one in targets), *others.items()]:
        of_base[base] |= {} if target in pairs else {target: None}
    taken = set[str]()
    for name in left:
        for target in of_base[path_of(name)[-1]]:
            if name in pairs or target in taken:
                message = f"document '{name}' or '{target}' matches more than one document"
                hint = "use the same document names in both"
                raise ScoringError("mention-unknown", message, place=file, hint=hint)
            pairs[name] = target
            taken.add(target)
    single = ((base, *own) for base, own in of_base.items() if len(own) == 1)
    free = {base: target for base, target in single if target not in taken}
    near = dict[tuple[str, str], None]()  # name and target of which one is the end of the other
    of_end: defaultdict[str, list[str]] = defaultdict(list)
    for name in (name for name in left if name not in pairs):
        whole = path_of(name)[-1].removeprefix(_META)
        of_end[whole].append(name)
        near |= {(name, free[end]): None for end in _ends(whole) if end in free}
    for base, target in free.items():
        near |= {(name, target): None for end in _ends(base) for name in of_end.get(end, ())}
    uses = Counter(name for pair in near for name in pair)
    return pairs | {name: target for name, target in near if uses[name] == uses[target] == 1}


def _ends(name: str) -> list[str]:
    """Return the name and its ends after each ``_``."""
    return [name, *(name[at.end() :] for at in re.finditer("_(?=.)", name, re.DOTALL))]


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
        own = runs(tokens) if tokens else f"{start}-{end}" if start >= 0 else mention
        is_whole = start < 0 and (own.startswith(f"{doc}/") or not doc)
        ids.append(own if is_whole else f"{doc}/{own}")
    return ids


def with_digest(given: Annotation) -> Annotation:
    """Return the annotation with a digest, of its content if it has none of a file.

    It is the same for any order of the rows and for other chain labels. Labels that mean "no chain"
    are told apart from others: how they count is another choice.
    """
    if given.digest:
        return given
    table = given.mentions
    columns = (table[name].tolist() for name in ("start", "mention", "sentence", "chain"))
    names = []
    for id_, start, mention, sentence, label in zip(mention_ids(table), *columns, strict=True):
        parts = [id_]
        if start >= 0 and mention:
            parts.append(f"id {mention}")
        if sentence >= 0:
            parts.append(f"sentence {sentence}")
        if is_no_chain(label):
            parts.append(f"label {label}")
        names.append("\0".join(parts))
    digest = chains_digest(pd.Series(table["chain"].to_numpy(), names))
    if given.gold is not None:
        gold = chains_digest(pd.Series(object_array(given.gold), names))
        digest = sha256(f"{digest} {gold}".encode()).hexdigest()
    return replace(given, digest=digest)


def runs(tokens: Iterable[int]) -> str:
    """Return sorted token numbers as runs: ``3-4,6``."""
    bounds: list[list[int]] = []
    for token in tokens:
        if bounds and bounds[-1][1] == token - 1:
            bounds[-1][1] = token
        else:
            bounds.append([token, token])
    return ",".join(f"{a}-{b}" if a < b else str(a) for a, b in bounds)


def with_tokens(given: Annotation, ids: Iterable[str]) -> Annotation:
    """Return the mentions with the tokens of names ``doc/start-end``, unless these are ids."""
    table = given.mentions
    names = table["mention"].astype(object).where(table["start"] < 0, "")
    spans = names.str.extract(_PLACE).dropna().astype(np.int64)
    spans = spans[(spans[0] <= spans[1]) & ~names[spans.index].isin(list(ids))]
    if not len(spans):
        return given
    table = table.copy()
    table.loc[spans.index, ["start", "end"]] = spans.to_numpy()
    return replace(given, mentions=table)


def read_names(given: Annotation, corpus: Corpus) -> tuple[Annotation, dict[str, str]]:
    """Return the mentions with documents taken from names, and document → document of the corpus.

    Of the possible readings, the first of those with most mentions in known documents counts.
    """
    spans, documents = given.mentions[["start", "end"]], corpus.documents
    has_tokens = (spans["start"] >= 0).all()
    # If all mentions are one token, the words on which they are marked may be names: 36_1ecb/17.
    may_be_names = not (spans["start"] < spans["end"]).any()
    if has_tokens and not may_be_names and given.documents.keys() <= documents.keys():
        return given, {doc: doc for doc in given.documents}
    if not has_tokens:
        given = with_tokens(given, annotated(corpus).index)
    aliases = {doc.attributes.get("alias", ""): id_ for id_, doc in documents.items()}
    chosen, most = (given, dict[str, str]()), -1
    for reading in _readings(given):
        pairs = pair_documents(reading.documents, documents, given.name, aliases)
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
        tokens = pd.Series([text[at] for text, at in texts if text is not None], dtype=object)
        if len(tokens) == len(table) and tokens.str.match(_ID).all():
            by_name = table.assign(doc="", mention=tokens.to_numpy(), start=-1, end=-1)
            named = replace(given, mentions=by_name, documents={"": None}, layout={})
            alternatives.insert(0, named)
    for one in alternatives:
        yield with_documents(one)
        if not (one.mentions["start"] >= 0).any() and not one.mentions["doc"].any():
            spans = one.mentions["mention"].astype(object).str.extract(_SPAN)
            if len(spans) and spans.notna().all(axis=None):
                docs, *numbers = (spans[at] for at in range(4))
                sentence, start, end = (column.astype(np.int64) for column in numbers)
                columns = {"doc": docs, "sentence": sentence, "start": start, "end": end}
                mentions = one.mentions.assign(mention="", **columns)
                if (start <= end).all():
                    yield replace(one, mentions=mentions, documents=dict.fromkeys(docs))


def with_documents(given: Annotation) -> Annotation:
    """Return the mentions with documents taken from names such as ``36_1ecb.xml_17``.

    A name without a document counts as a document, so that the notice can name it.
    """
    table = given.mentions
    bare = ((table["start"] < 0) & (table["doc"] == "")).to_numpy()
    if not bare.any():
        return given
    parts = table["mention"].astype(object).str.extract(_ID)
    named = {n: table[n].mask(bare, parts[n].fillna(table["mention"])) for n in ("doc", "mention")}
    return replace(given, mentions=table.assign(**named), documents=dict.fromkeys(named["doc"]))


def whole_ids(table: pd.DataFrame) -> pd.Series[str]:
    """Return ``doc/number`` for any form of the name of each mention; '' for no name.

    >>> names = ["1_1ecb.xml_7", "7", ""]
    >>> whole_ids(pd.DataFrame({"doc": "1_1ecb", "mention": names})).tolist()
    ['1_1ecb/7', '1_1ecb/7', '']
    """
    ids = []
    for doc, name in zip(table["doc"], table["mention"], strict=True):
        parts = re.match(_ID, name)
        is_of_doc = parts and path_of(parts["doc"])[-1] == path_of(doc)[-1]
        own = f"{doc}/{parts['mention'] if parts and is_of_doc else name}"
        ids.append(name if name.startswith(f"{doc}/") or not name else own)
    return pd.Series(ids, table.index, dtype=object)


def ids_of(given: Annotation, corpus: Corpus) -> tuple[pd.Series[str], list[Notice]]:
    """Return the id that each mention gives, '' for none, as an id of the corpus; and notices.

    Raises ScoringError with ``file:line`` for an id without tokens that is not in the corpus.
    """
    table, known = given.mentions, annotated(corpus)
    ids = whole_ids(table)
    bare, number = table["start"] < 0, r"(?s).*/[0-9]+"
    notices = []
    are_numbers = bare.any() and ids[bare].str.fullmatch(number).all()
    if are_numbers and not known.index.str.fullmatch(number).any():
        places = known["doc"] + "/" + known.groupby("doc").cumcount().astype(str)
        by_order = dict(zip(places, known.index, strict=True))
        ids = ids.map(lambda id_: by_order.get(id_, id_))
        size, how = int(bare.sum()), "given by number: those of a document from 0, in text order"
        message = f"{counted(size, 'mention')} {how}"
        notices = [Notice("reading-assumed", size, message, (), warning=False)]
    unknown = table[bare & ~ids.isin(known.index)]
    if len(unknown):
        doc, name, line = unknown.iloc[0][["doc", "mention", "line"]]
        message = f"mention '{name}' of '{doc}' is not in the corpus"
        hint = "use the mention ids of the corpus"
        raise ScoringError("mention-unknown", message, place=given.place(int(line)), hint=hint)
    return ids, notices
