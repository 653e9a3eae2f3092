"""The fourth step of matching: find the mention of the home that each mention of a response is.

Mentions are known by their tokens, or by an id. In a corpus a number can be the id of the mention
in its document (``m_id`` of ECB+). Where no mention of the corpus has a number as its id, numbers
count the mentions of the document in text order, from 0, those that a variant of the key leaves out
included (Bugert et al. 2021).

A response can have mentions that its home does not have at all: their id, document or tokens are
unknown. A choice says what happens to them: ``error`` refuses the response, ``drop`` leaves them
out, and ``twinless`` counts them as mentions that the response invented. A mention in a document
of another part of the corpus, and a span of a document that is no mention of the key, are known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from cdec.arrays import AnySeries, Bools, BoolSeries, StrSeries
from cdec.clustering import SIDES
from cdec.corpus.model import Corpus, Documents
from cdec.errors import EXAMPLES, Log, Notice, ScoringError, counted, spelled
from cdec.formats.annotation import Annotation, gaps, mention_ids, object_array
from cdec.matching.home import (
    MENTION,
    NO_DOCUMENT,
    NO_ID,
    NO_TOKENS,
    SPAN,
    Home,
    sizes_of,
)
from cdec.matching.names import whole_ids
from cdec.matching.policy import FilePolicy
from cdec.matching.repeats import cases_with_places, key_without_repeats, report_twins

_TREATED = {"drop": "left out", "twinless": "twinless"}
_HINTS = {
    NO_ID: "use the mention ids of the corpus",
    NO_DOCUMENT: "use the document names of the corpus",
    NO_TOKENS: "count tokens from 0, in the document or in the sentence; end is the last token",
}


def identify_mentions(
    response: Annotation, home: Home, policy: FilePolicy, log: Log, *, across: bool
) -> tuple[Annotation, Home]:
    """Return the response and a key file with mentions indexed by id; a corpus stays as it is.

    The id of a mention that the home does not have is its document and tokens. Of the mentions of a
    corpus with the tokens of a response mention one counts, in this order: the selected one; unless
    the response names tokens, the only selected one with a gap and this first and last token;
    another. A mention that is given by its id alone has the tokens of the corpus; beside tokens, an
    id is only a name. Raises ScoringError for unknown mentions, unless the policy accepts them.
    ``across``, of a key file: whether a label in two documents is one chain, for singletons that
    each side drops.
    """
    if not isinstance(home, Corpus):
        return _identify_in_file(response, home, policy, log, across=across)
    table = response.mentions
    corpus_mentions = annotated(home)
    # By rows of the index, which is faster than isin.
    is_selected = home.selected.index.get_indexer(corpus_mentions.index) >= 0
    place_names = corpus_mentions["name"]
    by_name = [place_names[is_selected], place_names[~is_selected]]
    if not response.names_tokens:
        has_gap = corpus_mentions["tokens"].map(len) > 0
        gapped = corpus_mentions[is_selected & has_gap]
        start = gapped["start"].astype(str)
        ends = gapped["doc"] + "/" + start + "-" + gapped["end"].astype(str)
        by_name.insert(1, ends[~ends.duplicated(keep=False)])
    names = pd.concat(by_name).drop_duplicates()  # of several mentions the first counts
    id_of_name = dict(zip(names.tolist(), names.index.tolist(), strict=True))
    ids = object_array(id_of_name.get(name, name) for name in mention_ids(table))
    if (table["mention"] != "").any():
        is_known = table["unknown"] == ""
        is_bare = is_known & (table["start"] < 0)
        stated = _stated_ids(table, is_bare, corpus_mentions, log)
        has_known_id = corpus_mentions.index.get_indexer(pd.Index(stated)) >= 0
        file = replace(response, mentions=table[is_known])
        report_contrary(
            file,
            stated[is_known],
            stated.where(has_known_id)[is_known],
            ids[is_known.to_numpy()],
            log,
        )
        ids = np.where(is_bare, stated, ids)
        of_corpus = is_bare & has_known_id
        spans = corpus_mentions.reindex(stated[of_corpus])
        unknown = table["unknown"].mask(is_bare & ~has_known_id, NO_ID)
        table = table.assign(unknown=unknown)
        for name in SPAN[1:]:
            table.loc[of_corpus, name] = spans[name].to_numpy()
    of_key = corpus_mentions[is_selected]
    has_twin = of_key["name"].duplicated(keep=False)
    if has_twin.any():
        report_twins(of_key[has_twin], ids[(table["unknown"] == "").to_numpy()], log)
    response = replace(response, mentions=table.assign(id=ids))
    if (table["unknown"] != "").any():
        response = _treat_unknown(response, home, policy, log)
    return replace(response, mentions=response.mentions.set_index("id")), home


# ---- in a corpus ----


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


def _stated_ids(
    table: pd.DataFrame, is_bare: BoolSeries, mentions: pd.DataFrame, log: Log
) -> StrSeries:
    """Return the id that each mention gives, '' for none, as an id of the corpus."""
    ids = whole_ids(table)
    number = r"(?s).*/[0-9]+"
    are_numbers = is_bare.any() and ids[is_bare].str.fullmatch(number).all()
    if are_numbers and not mentions.index.str.fullmatch(number).any():
        places = mentions["doc"] + "/" + mentions.groupby("doc").cumcount().astype(str)
        by_order = dict(zip(places, mentions.index, strict=True))
        ids = ids.map(lambda id_: by_order.get(id_, id_))
        size = int(is_bare.sum())
        how = "given by number: those of a document from 0, in text order"
        message = f"{counted(size, 'mention')} {how}"
        log.append(Notice("reading-assumed", size, message, (), warning=False))
    return ids


def _treat_unknown(
    response: Annotation, corpus: Corpus, policy: FilePolicy, log: Log
) -> Annotation:
    """Return the response without unknown mentions, or with ids and places for these.

    An unknown mention has no id of the corpus, and is behind the last token of its document.
    """
    table = response.mentions
    is_unknown = table["unknown"] != ""
    reasons = table["unknown"][is_unknown]
    check_unknown(response, reasons, policy, f"the corpus '{corpus.name}'", log)
    if policy.unknown == "drop":
        return replace(response, mentions=table[~is_unknown])
    corpus_ids = annotated(corpus).index
    is_id_of_corpus = is_unknown & table["id"].isin(corpus_ids)
    sizes = table["doc"].map(sizes_of(corpus)).fillna(0).astype(np.int64)
    no_tokens = pd.Series([()] * len(table), table.index, dtype=object)
    table = table.assign(
        id=table["id"].mask(is_id_of_corpus, table["id"] + "?"),
        start=table["start"].mask(is_unknown, sizes),
        end=table["end"].mask(is_unknown, sizes),
        tokens=table["tokens"].mask(is_unknown, no_tokens),
    )
    unknown_documents = dict.fromkeys(table["doc"])
    documents = {**unknown_documents, **response.documents}
    return replace(response, mentions=table, documents=documents)


# ---- in a key file ----


def _identify_in_file(
    response: Annotation,
    key: Annotation,
    policy: FilePolicy,
    log: Log,
    *,
    across: bool,
) -> tuple[Annotation, Annotation]:
    if policy.singletons == "drop":
        key = _without_singletons(key, across=across)
        response = _without_singletons(response, across=across)
    key, response = _indexed(key, response, log)
    if not key.mentions.index.is_unique:
        table = key_without_repeats(key.mentions, key, policy.repeats, log)
        key = replace(key, mentions=table)
    if policy.unknown != "twinless":
        response = _without_unknown(key, response, policy, log)
    report_recurring_labels(key.mentions, response.mentions, log)
    return response, key


def report_contrary(
    file: Annotation,
    ids: StrSeries,
    by_id: AnySeries,
    by_tokens: AnySeries | npt.NDArray[Any],
    log: Log,
) -> None:
    """Warn of mentions with the id of one mention of the key and the tokens of another.

    ``ids`` are those that the mentions give, ``by_id`` and ``by_tokens`` the mentions of the key
    that have them (missing: none). Numbers that never fit are the file's own.
    """
    has_both = (file.mentions["start"] >= 0) & by_id.notna()
    if not has_both.any():
        return
    table = file.mentions.assign(id=ids, fits=by_id == by_tokens)
    table = table[has_both]
    differing = table[~table["fits"]]
    if len(differing) == len(table) and not (table["mention"] == table["id"]).any():
        return
    log.report(
        "reading-assumed",
        cases_with_places(differing.set_index("id"), file),
        MENTION,
        "with the id of one mention of the key and the tokens of another: the tokens count",
    )


def check_unknown(
    response: Annotation, reasons: StrSeries, policy: FilePolicy, home: str, log: Log
) -> None:
    """Warn of the mentions that ``home`` does not have.

    ``reasons`` maps rows of the response to NO_ID, NO_DOCUMENT or NO_TOKENS. Raises ScoringError
    with the place of the first if the policy refuses them.
    """
    if reasons.empty:
        return
    reasons = reasons.sort_index()
    table = response.mentions.loc[reasons.index]
    names = mention_ids(table)
    treatment = policy.unknown or "error"
    if treatment != "error":
        cases = cases_with_places(table.set_axis(names), response)
        effect = f"that {home} does not have: {_TREATED[treatment]}"
        log.report("mention-unknown", cases, MENTION, effect)
        return
    code = "mention-unknown"
    if (reasons == NO_TOKENS).all():
        code = "tokens-invalid"
    elif (reasons == NO_DOCUMENT).all() and len(reasons) == len(response.mentions):
        code = "mentions-disjoint"
    shown = [
        f"'{name}' ({reason})" for name, reason in zip(names, reasons, strict=True)
    ]
    number = counted(len(shown), f"{MENTION} is", f"{MENTION}s are")
    message = f"{number} not in {home}: {', '.join(shown[:EXAMPLES])}"
    if len(shown) > EXAMPLES:
        message += ", …"
    drop = spelled("unknown", "drop")
    twinless = spelled("unknown", "twinless")
    raise ScoringError(
        code,
        message,
        place=response.place(int(table["line"].iloc[0])),
        hint=f"{_HINTS[reasons.iloc[0]]}; or {drop} leaves them out, {twinless} counts them as "
        "wrong",
    )


def is_invented(mentions: pd.DataFrame, documents: Documents) -> Bools:
    """Return whether each mention has no tokens in its document, or no document of these."""
    sizes = mentions["doc"].map(
        {id_: len(one.tokens) for id_, one in documents.items()}
    )
    is_inside: Bools = ((mentions["start"] >= 0) & (mentions["end"] < sizes)).to_numpy()
    return ~is_inside


def _without_singletons(file: Annotation, *, across: bool) -> Annotation:
    """Return the file without chains of one mention; repeats in a chain count once.

    ``across``: whether a label in two documents is one chain.
    """
    chain = ["chain"] if across else ["doc", "chain"]
    table = file.mentions
    mention = table["doc"] + "\0" + mention_ids(table)
    sizes = table.assign(id=mention).groupby(chain)["id"].transform("nunique")
    return replace(file, mentions=table[sizes > 1])


def _indexed(
    key: Annotation, response: Annotation, log: Log
) -> tuple[Annotation, Annotation]:
    """Return both files with mentions indexed by document and tokens.

    Brackets cannot express a gap, so gaps are filled if one file is CoNLL, unless another mention
    has the same first and last token. If one side has only the id of a mention, the tokens are
    those of the other side.
    """
    fills_gaps = "conll" in (key.format, response.format)
    places_of_key = _places(key.mentions, fills_gaps=fills_gaps)
    places = _places(response.mentions, fills_gaps=fills_gaps)
    has_ids_in_key = (key.mentions["mention"] != "").any()
    has_ids = (response.mentions["mention"] != "").any()
    if has_ids_in_key or has_ids:
        ids_of_key = whole_ids(key.mentions)
        ids = whole_ids(response.mentions)
        place_in_key = _place_of_id(key.mentions, ids_of_key, places_of_key)
        place_in_response = _place_of_id(response.mentions, ids, places)
        report_contrary(response, ids, ids.map(place_in_key.get), places, log)
        places_of_key, bare_in_key = _with_places_of_ids(
            key.mentions, ids_of_key, places_of_key, place_in_response
        )
        places, bare = _with_places_of_ids(response.mentions, ids, places, place_in_key)
        rest = "with an id but no tokens, and the other file has no ids"
        if not has_ids:
            log.report("mention-unknown", bare_in_key, "mention of the key", rest)
        if not has_ids_in_key:
            log.report("mention-unknown", bare, "mention of the response", rest)
    key = replace(
        key, mentions=key.mentions.set_index(pd.Index(places_of_key, dtype=object))
    )
    response = replace(
        response, mentions=response.mentions.set_index(pd.Index(places, dtype=object))
    )
    return key, response


def _places(table: pd.DataFrame, *, fills_gaps: bool) -> StrSeries:
    """Return the identity of each mention by its tokens; a gap is filled if that is no other."""
    places = pd.Series(mention_ids(table), table.index, dtype=object)
    if not fills_gaps or not table["tokens"].map(len).any():
        return places
    without_gaps = table.assign(tokens=object_array([()] * len(table)))
    filled = pd.Series(mention_ids(without_gaps), table.index, dtype=object)
    return places.where(filled.duplicated(keep=False), filled)


def _place_of_id(
    table: pd.DataFrame, ids: StrSeries, places: StrSeries
) -> dict[str, str]:
    has_tokens = table["start"] >= 0
    return dict(zip(ids[has_tokens], places[has_tokens], strict=True))


def _with_places_of_ids(
    table: pd.DataFrame,
    ids: StrSeries,
    places: StrSeries,
    place_of_id: Mapping[str, str],
) -> tuple[StrSeries, StrSeries]:
    """Return the places of a side, where a mention with an id alone has that of the other side.

    The second value has the ids of these mentions, as they are in the file.
    """
    bare = table["start"] < 0
    of_other = ids.map(place_of_id.get).fillna(places)
    return places.where(~bare, of_other), table["mention"][bare]


def _without_unknown(
    key: Annotation, response: Annotation, policy: FilePolicy, log: Log
) -> Annotation:
    """Return the response without mentions that a key file cannot have; report them.

    Raises ScoringError if they are refused.
    """
    table = response.mentions
    by_row = replace(response, mentions=table.reset_index(drop=True))
    docs = by_row.mentions["doc"]
    is_outside = by_row.mentions["end"] >= docs.map(sizes_of(key))
    is_unknown_id = (by_row.mentions["start"] < 0) & ~table.index.isin(
        key.mentions.index
    )
    reasons = pd.Series("", docs.index, dtype=object)
    reasons[is_outside] = NO_TOKENS
    reasons[is_unknown_id] = NO_ID
    reasons[~docs.isin(list(key.documents))] = NO_DOCUMENT
    reasons = reasons[reasons != ""]
    check_unknown(by_row, reasons, policy, "the key", log)
    is_known = ~by_row.mentions.index.isin(reasons.index)
    return replace(response, mentions=table[is_known])


def report_recurring_labels(
    key: pd.DataFrame, response: pd.DataFrame, log: Log
) -> None:
    """Report labels in several documents, of the key or else of the response."""
    for side, table in zip(SIDES, (key, response), strict=True):
        documents = table.drop_duplicates(["doc", "chain"])["chain"].value_counts()
        labels = documents.index[documents.to_numpy() > 1]
        if len(labels):
            across = spelled("scope", "corpus")
            log.report(
                "scope-ambiguous",
                labels,
                "chain label",
                f"of the {side} in several documents; if chains cross documents, use {across}",
                warning=False,
            )
            return
