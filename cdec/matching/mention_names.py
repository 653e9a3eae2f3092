"""The mention that a name in a file means.

A name has one of the FORMS, or is the id itself. Names are in a column of the file, or they are the
tokens on which the mentions are marked.

In a corpus a number can be the id of the mention in its document (``m_id`` of ECB+). Where no
mention of the corpus has a number as its id, numbers count the mentions of the document in text
order, from 0, those that a variant of the key leaves out included (Bugert et al. 2021). Token ids
of GVC count NEWLINE tokens, which the corpus does not have: they give the order of the mentions of
a document, and need all of them.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from cdec.corpus.model import Corpus
from cdec.errors import ScoringError, counted
from cdec.errors.notices import Notice, notice
from cdec.formats.annotation import object_array
from cdec.matching.documents import pair_documents, path_of
from cdec.matching.view import View, annotated

_N = "([0-9]{1,7})"
FORMS = {
    form: re.compile(pattern, re.DOTALL)
    for form, pattern in {
        # 4dc1.b2.24: token 24 in sentence 2 of the body (t: title), as GVC counts
        "document.token": rf"(?P<doc>.+)\.(?P<id>[tb]{_N}\.{_N})",
        # 36_1ecb/17, 36_1ecb.xml_17
        "document/id": r"(?P<doc>.+?)(?:\.xml)?[/_](?P<id>[^/_]+)",
        # 36_1ecb_0_5_6: tokens 5 to 6 in sentence 0
        "document_span": rf"(.+?)(?:\.xml)?[/_]{_N}[/_]{_N}[/_]{_N}",
        "token": rf"([tb]){_N}\.{_N}",
        "number": r"\d+",
    }.items()
}

_PLACE = re.compile(r"(.+)/([0-9]{1,7})-([0-9]{1,7})", re.DOTALL)


def place_of(name: str) -> tuple[int, int] | None:
    """Return first and last token of ``doc/start-end``; None for a name of another form.

    >>> place_of("d/3-5"), place_of("d/5-3"), place_of("d/17")
    ((3, 5), None, None)
    """
    match = _PLACE.fullmatch(name)
    place = (int(match[2]), int(match[3])) if match else (1, 0)
    return place if place[0] <= place[1] else None


def with_tokens(view: View, ids: Container[str]) -> View:
    """Return the view with the tokens of mentions named ``doc/start-end``, unless these are ids."""
    table = view.mentions
    names = enumerate(table["mention"].where(table["start"] < 0, ""))
    places = {row: place for row, n in names if n and n not in ids and (place := place_of(n))}
    if not places:
        return view
    start, end = (table[name].to_numpy(copy=True) for name in ("start", "end"))
    start[[*places]], end[[*places]] = np.array([*places.values()]).T
    return replace(view, mentions=table.assign(start=start, end=end))


def read_names(view: View, corpus: Corpus) -> tuple[View, dict[str, str]]:
    """Return the view with documents taken from its names, and document → document of the corpus.

    Of the possible readings, the first of those with most mentions in known documents counts.
    """
    view, known = with_tokens(view, annotated(corpus).index), corpus.documents
    aliases = {doc.attributes.get("alias", ""): id_ for id_, doc in known.items()}
    chosen: tuple[View, dict[str, str]] = view, {}
    most = -1
    for reading in _readings(view):
        pairs = pair_documents(reading.texts, known, view.source.name, aliases)
        inside = int(reading.mentions["doc"].isin(list(pairs)).sum())
        if inside > most:
            chosen, most = (reading, pairs), inside
        if inside == len(reading.mentions):
            break
    return chosen


def _readings(view: View) -> Iterator[View]:
    """Yield the view with tokens as names, then with names as they are: each as ids and as spans.

    A reading that does not fit is left out.
    """
    table = view.mentions
    of_tokens = len(table) and not (table["start"] < table["end"]).any()
    tokens = _tokens_as_names(view) if of_tokens else None
    for named in (tokens, view) if tokens else (view,):
        bare = nameless(named.mentions)
        yield with_documents(named) if bare.any() else named
        if bare.any() and bare.all() and (spans := _names_as_spans(named)):
            yield spans


def _tokens_as_names(view: View) -> View | None:
    """Return the view with mentions by name if each is a token of the form ``36_1ecb.xml_17``."""
    table = view.mentions
    texts = [view.texts[doc] for doc in table["doc"]]
    tokens = [text[at] for text, at in zip(texts, table["start"], strict=True) if text is not None]
    if len(tokens) < len(texts) or not all(map(_split, tokens)):
        return None
    by_name = table.assign(doc="", mention=object_array(tokens), start=-1, end=-1)
    return View(view.source, by_name, {"": None}, {})


def with_documents(view: View) -> View:
    """Return the view with documents taken from mention names such as ``36_1ecb.xml_17``.

    A name without a document counts as a document, so that the notice can name it.
    """
    table = view.mentions
    bare = nameless(table)
    if not bare.any():
        return view
    names = [_split(name) or (name, name) for name in table["mention"]]
    docs, ids = (
        table[column].where(~bare, object_array([name[k] for name in names]))
        for k, column in enumerate(("doc", "mention"))
    )
    return replace(view, mentions=table.assign(doc=docs, mention=ids), texts=dict.fromkeys(docs))


def _names_as_spans(view: View) -> View | None:
    """Return the view with mentions by tokens if all names are such as ``36_1ecb_0_5_6``."""
    table = view.mentions
    matches = [FORMS["document_span"].fullmatch(name) for name in table["mention"]]
    found = [match.groups() for match in matches if match is not None]
    docs = [doc for doc, *_ in found]
    spans = np.array([[int(number) for number in span] for _, *span in found], dtype=np.int64)
    if len(found) < len(table) or (spans[:, 2] < spans[:, 1]).any():
        return None
    sentence, start, end = spans.T
    table = table.assign(doc=docs, sentence=sentence, start=start, end=end, mention="")
    return replace(view, mentions=table, texts=dict.fromkeys(docs))


def nameless(table: pd.DataFrame) -> pd.Series:
    """Return which mentions have neither tokens nor a document."""
    return (table["start"] < 0) & (table["doc"] == "")


def _split(name: str) -> tuple[str, str] | None:
    """Return the document and the id in a name, None if it has another form."""
    forms = FORMS["document.token"], FORMS["document/id"]
    match = next((match for form in forms if (match := form.fullmatch(name))), None)
    return (match["doc"], match["id"]) if match else None


def whole_id(doc: str, name: str) -> str:
    """Return ``doc/number`` for any form of the name of a mention of ``doc``.

    >>> whole_id("1_1ecb", "1_1ecb.xml_7"), whole_id("1_1ecb", "7")
    ('1_1ecb/7', '1_1ecb/7')
    """
    if name.startswith(f"{doc}/"):
        return name
    home, number = _split(name) or ("", "")
    is_same = bool(home) and path_of(home)[-1] == path_of(doc)[-1]
    return f"{doc}/{number if is_same else name}"


def ids_of(view: View, corpus: Corpus) -> tuple[list[str], list[Notice]]:
    """Return the id in the corpus of each mention without tokens ('' with tokens), and notices.

    Raises ScoringError with ``file:line`` for a name that is not in the corpus.
    """
    table = view.mentions
    bare = np.flatnonzero(table["start"].to_numpy() < 0).tolist()
    known = set(annotated(corpus).index)
    names = table[["doc", "mention"]].iloc[bare].itertuples(index=False, name=None)
    whole = [whole_id(doc, name) for doc, name in names]
    by_order, notices = _by_order(view, bare, whole, corpus)
    ids = [""] * len(table)
    for row, id_ in zip(bare, whole, strict=True):
        ids[row] = by_order.get(id_, id_)
        if ids[row] not in known:
            doc, name, line = table.iloc[row][["doc", "mention", "line"]]
            message = f"mention '{name}' of '{doc}' is not in the corpus"
            hint = "use the mention ids of the corpus"
            place = view.place(int(line))
            raise ScoringError("mention-unknown", message, place=place, hint=hint)
    return ids, notices


def _by_order(
    view: View, rows: Sequence[int], whole: Sequence[str], corpus: Corpus
) -> tuple[Mapping[str, str], list[Notice]]:
    """Return id → mention of the corpus if ids count mentions, and a notice that they do."""
    table = annotated(corpus)[["doc"]]
    if _have_form("number", whole) and not any(_have_form("number", [id_]) for id_ in table.index):
        places = zip(table["doc"], table.groupby("doc").cumcount(), table.index, strict=True)
        ids = {f"{doc}/{number}": id_ for doc, number, id_ in places}
        how = "given by number: the mentions of a document count from 0, in text order"
    elif _have_form("token", whole):
        lines = dict(zip(whole, view.mentions["line"].iloc[list(rows)], strict=True))
        ids = _by_token_order(view, lines, table["doc"])
        how = "given by a token id that counts NEWLINE tokens: matched by text order"
    else:
        return {}, []
    message = f"{counted(len(rows), 'mention is', 'mentions are')} {how}"
    return ids, [Notice("mention-numbers", len(rows), message, (), warning=False)]


def _by_token_order(view: View, lines: Mapping[str, int], docs: pd.Series[str]) -> dict[str, str]:
    """Return token id → mention, by their order in each document.

    Raises ScoringError with ``file:line`` for a document of which mentions are missing.
    """
    found: dict[str, str] = {}
    for doc, ids in pd.Series(lines.keys()).groupby([id_.rpartition("/")[0] for id_ in lines]):
        ordered, known = sorted(ids, key=_token), docs.index[docs == doc]
        if len(ordered) != len(known):
            message = (
                f"'{doc}' has {counted(len(ordered), 'mention')} here and {len(known)} in the "
                "corpus: token ids count NEWLINE tokens, which the corpus does not have, so that "
                "only all mentions of a document can be matched, by their order"
            )
            place = view.place(int(lines[ordered[0]]))
            hint = "give all mentions of the document, or token numbers without NEWLINE"
            raise ScoringError("mention-unknown", message, place=place, hint=hint)
        found |= zip(ordered, known.astype(str), strict=True)
    return found


def _have_form(form: str, ids: Iterable[str]) -> bool:
    return all(FORMS[form].fullmatch(id_.rpartition("/")[2]) for id_ in ids)


def _token(id_: str) -> tuple[bool, int, int]:
    """Return the order of a token id: title before body, sentence, token."""
    match = FORMS["token"].fullmatch(id_.rpartition("/")[2])
    return (match[1] == "b", int(match[2]), int(match[3])) if match else (True, 0, 0)


def with_places(
    table: pd.DataFrame, ids: Sequence[str], other: pd.DataFrame, other_ids: Sequence[str]
) -> list[str]:
    """Return ``ids``; a mention without tokens gets its id in the other file.

    The other file must have both tokens and mention ids.
    """
    unplaced = table["start"].to_numpy() < 0
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
