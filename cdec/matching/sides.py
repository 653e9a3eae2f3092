"""The last steps of matching: lay key and response side by side, in one frame.

Missing key mentions count, become singletons of the response, or leave the key, as the policy says;
what looks like a mistake is reported.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from cdec.arrays import ALONE, NAME, Bools, StrIndex, StrSeries
from cdec.clustering import SIDES, chains_digest
from cdec.corpus.model import ALL_KINDS, Corpus
from cdec.errors import Log, Notice, ScoringError, counted, notice, spelled
from cdec.formats import reading
from cdec.formats.annotation import Annotation
from cdec.matching.alignment import Alignment, again_in_key
from cdec.matching.home import MENTION, SPAN, Home
from cdec.matching.identify import annotated, is_invented
from cdec.matching.policy import BY_HEAD, DEFAULT_POLICY, SIGNED, FilePolicy
from cdec.matching.repeats import distinct, without_repeats
from cdec.matching.trees import of_trees, word_counts
from cdec.metrics import links
from cdec.records import Row
from cdec.settings.setting import key_singletons

UNREVIEWED = 0.05
"""The share of unreviewed sentences from which predicted mentions are not scored in silence."""
_PATCHED = "removed from the key by its patch: left out too"
# Mentions of another kind that a system of this kind does not have: their share, and number. Of the
# mentions that published systems detect as events on ECB+, up to 20 % are gold entities; in a
# response of all kinds they are 54 %.
_MANY = 1 / 3
_SEVERAL = 10
_COLUMNS = [
    "doc",
    "topic",
    "subtopic",
    "sentence",
    "start",
    "end",
    "tokens",
    "text",
    "kind",
]
MOST = 0.5
"""A response leaves its singletons out if this share of the missing mentions are key singletons."""
WORTH_A_WARNING = 0.01
"""The share of key mentions or key links that are not counted as not found in silence."""
_PLACE = ["doc", "start", "end"]
_KEY_MENTION = "key mention"
_SEVERAL_MATCHES = 2
"""In one document, so many mentions must match when they are moved."""
# Common mistake → numbers to subtract from start and end.
_SHIFTS = {
    "every start and end reduced by 1 (tokens count from 0)": (1, 1),
    "every start and end raised by 1 (tokens count from 0)": (-1, -1),
    "every end reduced by 1 (the end is the last token, inclusive)": (0, 1),
}
_LOST = (
    "unknown-document",
    "outside-split",
    "outside-region",
    "other-split",
    "mention-unknown",
)
_TREATED = {
    "singletons": "made singletons of the response",
    "drop": "dropped from the key",
}


def side_by_side(
    response: Annotation, home: Home, policy: FilePolicy, log: Log
) -> Alignment:
    """Return key and response, whose mentions are indexed by id, as an ``Alignment``.

    The id of a mention is that of the equal key mention, or of the one with which the rule aligns
    it; any other has its own. Raises ScoringError for many mentions of another kind.
    """
    corpus = home if isinstance(home, Corpus) else None
    if isinstance(home, Corpus):
        key = home.selected[[*_COLUMNS, "chain"]]
    else:
        key = home.mentions.filter([*SPAN, "chain", NAME])
    table = response.mentions
    digest = response.digest or chains_digest(table["chain"])
    key_once = key[key[NAME] == key.index] if NAME in key else key
    if policy.alignment != "exact" and len(key) and len(table):
        table = _with_partners(key_once, table, policy, corpus)
    if not table.index.is_unique:
        table = _with_unique_ids(table, response, key, log)

    # The rows of both sides in text order.
    both = key.drop(columns=["chain", NAME], errors="ignore")
    is_twinless = key.index.get_indexer(table.index) < 0
    if is_twinless.any():
        twinless = table[is_twinless]
        if corpus is not None:
            ids_of_twinless = twinless.index
            twinless = _twinless(corpus, twinless, len(table), response.name, log)
            table = table.drop(index=ids_of_twinless.difference(twinless.index))
        both = pd.concat([both, twinless[both.columns]])
    documents = [*{**home.documents, **response.documents}]
    rank = both["doc"].map({doc: number for number, doc in enumerate(documents)})
    both = both.iloc[np.lexsort((both["end"], both["start"], rank))]
    if NAME in key or NAME in table:
        both = both.assign(**{NAME: _names_of_occurrences(both.index, key, table)})
    mentions = both.assign(
        key=key["chain"].astype(object).reindex(both.index),
        response=table["chain"].astype(object).reindex(both.index),
    )

    about: Row = {"response_digest": digest}
    choices = reading.signed(response.reading)
    if isinstance(home, Annotation):
        of_key = reading.signed(home.reading)
        choices |= {f"key_{name}": value for name, value in of_key.items()}
    if choices:
        about["reading"] = choices
    if corpus is not None:
        chains_of_key = pd.factorize(mentions["key"])[0]
        chains = pd.factorize(mentions["response"])[0]
        last_chain = chains_of_key.max(initial=0)
        is_plain = last_chain in {0, len(mentions) - 1}  # one chain, or singletons
        if not is_plain and np.array_equal(chains_of_key, chains):
            name = response.name
            message = f"the response '{name}' has the chains of the key; is it the key?"
            log.append(Notice("swapped", 1, message, (name,)))
        if policy.alignment in BY_HEAD:
            about["heads"] = policy.nlp
    return Alignment(
        mentions,
        about=about,
        system=response.name,
        name=response.name,
        words=partial(word_counts, key_once[SPAN], table[SPAN]),
    )


def _with_unique_ids(
    table: pd.DataFrame, response: Annotation, key: pd.DataFrame, log: Log
) -> pd.DataFrame:
    """Return the mentions without repeats of key mentions, and with an id for each other repeat."""
    table = without_repeats(table, response, key, log)
    if table.index.is_unique:
        return table
    ids = distinct(table.index, {*key.index.difference(table.index)})
    named = table.assign(**{NAME: table.index})
    return named.set_axis(pd.Index(ids, dtype=object))


def _with_partners(
    key: pd.DataFrame, table: pd.DataFrame, policy: FilePolicy, corpus: Corpus | None
) -> pd.DataFrame:
    """Return the mentions of a response with the ids of the key mentions that the rule finds."""
    is_placed = np.ones(len(table), np.bool_)
    if corpus:
        is_placed = ~is_invented(table, corpus.documents)
    ids = table.index.to_numpy(copy=True)
    ids[is_placed] = of_trees("aligned")(key, table[is_placed], policy, corpus)
    return table.set_axis(pd.Index(ids, dtype=object))


def _names_of_occurrences(index: StrIndex, *sides: pd.DataFrame) -> StrSeries:
    """Return the id of the mention of which each row is an occurrence, on either side."""
    ids = index.to_series()
    for side in sides:
        if NAME in side:
            ids = side[NAME].reindex(index).fillna(ids)
    return ids


def _twinless(
    corpus: Corpus, mentions: pd.DataFrame, size: int, name: str, log: Log
) -> pd.DataFrame:
    """Return the mentions as rows of the corpus, without those that are not scored.

    The ``mentions`` are not in the key; those that the corpus has, but leaves out of it, and those
    outside the region of the part are left out. ``size`` is the number of all mentions of the
    response. Raises ScoringError if many of them are of another kind than the selected.
    """
    invented = mentions.index[is_invented(mentions, corpus.documents)]
    of_dropped = Log()
    dropped = leave_out(corpus, mentions.drop(invented), of_dropped)
    kinds = annotated(corpus)["kind"].reindex(mentions.index.drop(dropped))
    other = kinds[kinds.notna() & (kinds != corpus.kind)].sort_index()
    if corpus.kind == ALL_KINDS:
        other = other[:0]
    why = "of another kind in the corpus"
    if len(other) >= max(_SEVERAL, _MANY * size):
        message = f"{counted(len(other), MENTION)} {why}, such as {other.iloc[0]}"
        kind_in_use = spelled("mentions", corpus.kind)
        raise ScoringError(
            "input-mismatch",
            message,
            place=name,
            hint=f"use {spelled('mentions', 'all')}, or remove them; {kind_in_use} is in use",
        )
    rows = []
    for mention, doc, start, end, gap in mentions.loc[kinds.index, SPAN].itertuples():
        home = corpus.documents.get(doc)
        sentence = -1
        text = ""
        if home and mention not in invented:
            sentence = bisect_right(home.sentence_starts, start) - 1
            text = " ".join(
                home.tokens[token] for token in gap or range(start, end + 1)
            )
        # A document that the corpus does not have is a topic by itself.
        levels = (home.topic, home.subtopic) if home else (doc, doc)
        rows.append((*levels, sentence, text))
    facts = pd.DataFrame(rows, kinds.index, ["topic", "subtopic", "sentence", "text"])
    described = mentions.loc[kinds.index].drop(columns="sentence").join(facts)
    described = described.assign(kind=kinds.fillna("unknown"))
    log.report("mention-left-out", other.index, MENTION, f"{why}: twinless")
    log += of_dropped
    warn_of_unreviewed(corpus, log)
    return described


def leave_out(corpus: Corpus, mentions: pd.DataFrame, log: Log) -> list[str]:
    """Return the ids of the mentions of a response that are not scored; report them.

    The variant of the key, or a patch, leaves them out, or they are outside the region of the part.
    """
    ids = mentions.index
    of_kind = corpus.mentions.index
    if corpus.kind != ALL_KINDS:
        of_kind = of_kind[corpus.mentions["kind"] == corpus.kind]
    of_variant = ids[ids.isin(of_kind.difference(corpus.selected.index))]
    patched = ids[ids.isin(corpus.removed.index)]
    outside = ids[:0]
    region = corpus.region
    if region and region.listed:
        outside = ids[~ids.isin([*region.listed])]
    elif region:
        starts = mentions["start"].to_numpy(np.int64)
        outside = ids[~region.contains(corpus.documents, mentions["doc"], starts)]
    why = f"that the variant '{corpus.variant}' of the key leaves out: left out too"
    log.report("mention-left-out", of_variant, MENTION, why)
    log.report("mention-left-out", patched, MENTION, _PATCHED, warning=False)
    why = f"outside the annotated sentences or mentions of '{corpus.part}', left out"
    log.report("outside-region", outside, MENTION, why, warning=False)
    return [*of_variant, *patched, *outside]


def warn_of_unreviewed(corpus: Corpus, log: Log) -> None:
    """Warn of predicted mentions if many sentences were not reviewed.

    In a sentence that was not reviewed in full, mentions that are not in the key count as wrong,
    whether they are or not.
    """
    if corpus.region or not corpus.reviewed:
        return
    body = {
        (name, number)
        for name, document in corpus.documents.items()
        for number in range(document.text_start, len(document.sentences))
    }
    unseen = len(body - corpus.reviewed)
    if unseen < UNREVIEWED * len(body):
        return
    message = (
        f"{100 * unseen / len(body):.0f} % of the sentences of '{corpus.part}' were not reviewed "
        "in full: score predicted mentions with a split that has reviewed_only = true, as "
        f"{spelled('split', 'cybulska/test')} of ECB+"
    )
    log.append(Notice("result-limited", unseen, message))


# ---- missing and twinless mentions ----


def with_coverage(
    alignment: Alignment, key_name: str, log: Log, *, policy: FilePolicy, across: bool
) -> Alignment:
    """Return the alignment with notices on missing and twinless mentions and on a small overlap.

    Missing mentions are treated as ``policy`` says; the choices that matter, and the shares of key
    mentions and key links that do not count as not found, are in the signature. ``across``: whether
    chains can cross documents. Raises ScoringError if key and response have no mention in common,
    unless ``policy`` allows it.
    """
    table = alignment.mentions
    in_key, in_response = (table[side].notna().to_numpy() for side in SIDES)
    if NAME in table:  # a key mention in several chains counts once here
        in_key = in_key & ~again_in_key(table).to_numpy()
    absent = table.index[in_key & ~in_response]
    twinless = table.index[in_response & ~in_key]
    about = {"mentions": "predicted" if len(twinless) else "gold", **alignment.about}
    if any(notice.code == "mention-duplicate" for notice in log):
        about["repeated"] = "first"
        if again_in_key(table).any():
            about["repeated"] = policy.repeats
    for name, field in SIGNED.items():
        value = getattr(policy, name)
        if value not in (getattr(DEFAULT_POLICY, name), "count"):
            about[field] = value

    shared = int((in_key & in_response).sum())
    size = int(in_key.sum())
    if not shared and not policy.allow_empty:
        raise _disjoint(alignment, key_name, size, log)
    if (
        0 < 4 * shared < min(size, int(in_response.sum()))
    ):  # a mistake rather than a bad system
        why = _reasons(table) or "; check documents and token numbers"
        message = f"only {shared} of {size:,} key mentions are in the response{why}"
        log.append(Notice("little-in-common", shared, message))
    elif len(absent) and len(twinless):
        _report_moved_documents(table, in_key, in_response, log)
    if len(absent):
        treatment = policy.missing or "count"
        _report_missing(table, absent, treatment, log, across=across)
        if treatment != "count":
            about["missing_share"] = _shares(table, across)
            table = treated(table, treatment)
    if len(twinless):
        rest = "not in the key (twinless)"
        log.report("twinless", twinless.tolist(), MENTION, rest, warning=False)
    return replace(alignment, mentions=table, about=about, notices=tuple(log))


def _disjoint(alignment: Alignment, key_name: str, size: int, log: Log) -> ScoringError:
    """Return the error for a response without any of the ``size`` mentions of the key."""
    if not size:
        return ScoringError(
            "mentions-disjoint",
            "the key has no mentions",
            place=key_name,
            hint="check the file",
        )
    why = _reasons(alignment.mentions, log)
    message = (
        f"none of the {counted(size, 'mention')} of the key is in the response{why}"
    )
    return ScoringError(
        "mentions-disjoint",
        message,
        place=alignment.system,
        hint=f"check documents and token numbers, or say {spelled('allow_empty')}",
    )


def _report_missing(
    table: pd.DataFrame, absent: StrIndex, treatment: str, log: Log, *, across: bool
) -> None:
    """Report the key mentions that a response lacks, and what happens to them."""
    if treatment != "count":
        shares = _shares(table, across)
        parts = [
            f"{100 * share:.1f} % of the key {name}" for name, share in shares.items()
        ]
        effect = (
            f"missing from the response, {_TREATED[treatment]}: {' and '.join(parts)}; scores "
            f"cannot be compared with those of {spelled('missing', 'count')}"
        )
        # Such a policy raises the scores of a response that leaves out what is difficult.
        is_warning = max(shares.values()) >= WORTH_A_WARNING
        log.report("missing-mention", absent, _KEY_MENTION, effect, warning=is_warning)
        return
    effect = "missing from the response"
    log.report("missing-mention", absent.tolist(), _KEY_MENTION, effect, warning=False)
    sizes = table["response"].value_counts()
    share_alone = key_singletons(table)[absent].mean()
    if len(sizes) and sizes.min() > 1 and share_alone >= MOST:
        log.append(
            Notice(
                "singletons-left-out",
                len(absent),
                f"the response has no singletons, and {100 * share_alone:.0f} % of the missing "
                "mentions are singletons of the key: if it leaves its singletons out, use "
                f"{spelled('missing', 'singletons')}",
            )
        )


def treated(mentions: pd.DataFrame, treatment: str) -> pd.DataFrame:
    """Return the aligned mentions after the treatment: count, singletons or drop.

    If mentions leave the key, ``alone`` says which were its singletons.

    >>> chains = {"key": ["x", "x", "y"], "response": ["1", "1", None]}
    >>> table = pd.DataFrame(chains, index=["a", "b", "c"], dtype=object)
    >>> treated(table, "singletons")["response"].tolist()
    ['1', '1', 'missing:c']
    >>> int(treated(table, "drop")["key"].count())
    2
    """
    again = again_in_key(mentions)
    absent = mentions["key"].notna() & mentions["response"].isna() & ~again
    if treatment == "count" or not absent.any():
        return mentions
    if treatment == "drop":
        alone = key_singletons(mentions)
        if again.any():  # they leave with the mention that they are occurrences of
            absent |= again & mentions[NAME].isin(mentions.index[absent])
        return mentions.assign(**{ALONE: alone, "key": mentions["key"].mask(absent)})
    taken = {*mentions["response"].dropna()}
    response = mentions["response"].copy()
    labels = [f"missing:{id_}" for id_ in mentions.index[absent]]
    while not taken.isdisjoint(labels):
        labels = [f"{label}'" if label in taken else label for label in labels]
    response[absent] = labels
    return mentions.assign(response=response)


def _shares(table: pd.DataFrame, across: bool) -> dict[str, float]:
    """Return the shares of key mentions and key links that are missing from the response.

    A link is concerned if one of its mentions is missing.
    """
    key = table[table["key"].notna()]
    chain = ["key"] if across else ["doc", "key"]
    is_present = key["response"].notna()
    total = int(links(key[chain].value_counts()).sum())
    present = int(links(key.loc[is_present, chain].value_counts()).sum())
    share_of_links = 1 - present / total if total else 0.0
    share_of_mentions = 1 - float(is_present.mean())
    return {"mentions": round(share_of_mentions, 4), "links": round(share_of_links, 4)}


def _report_moved_documents(
    table: pd.DataFrame, in_key: Bools, in_response: Bools, log: Log
) -> None:
    """Warn of documents of which few mentions are in the key, and most are if moved."""
    sides = {"key": in_key, "response": in_response, "both": in_key & in_response}
    counts = pd.DataFrame(
        {name: table["doc"][on].value_counts() for name, on in sides.items()}
    )
    counts = counts.fillna(0)
    is_few = 4 * counts["both"] < counts[list(SIDES)].min(axis=1)
    in_few = table["doc"].isin(counts.index[is_few]).to_numpy()
    places = table.loc[in_few & in_response, _PLACE]
    places_of_key = pd.MultiIndex.from_frame(table.loc[in_few & in_key, _PLACE])
    sizes = places["doc"].value_counts()
    named: set[str] = set()
    for name, shift in _SHIFTS.items():
        matches = places["doc"][_matching(places, places_of_key, shift)].value_counts()
        is_most = (matches >= _SEVERAL_MATCHES) & (2 * matches > sizes[matches.index])
        moved = sorted({*matches.index[is_most]} - named)
        named.update(moved)
        if moved:
            documents = counted(len(moved), "document has", "documents have")
            mentions = counted(int(matches[moved].sum()), "mention")
            log.append(
                notice(
                    "little-in-common",
                    f"{documents} few mentions in common with the key: with {name} {mentions} "
                    "would match",
                    moved,
                )
            )


def _matching(
    places: pd.DataFrame, places_of_key: pd.MultiIndex, shift: tuple[int, int]
) -> Bools:
    """Return which places are in the key if a shift is subtracted from start and end."""
    start, end = shift
    moved = places.assign(start=places["start"] - start, end=places["end"] - end)
    is_in_key: Bools = pd.MultiIndex.from_frame(moved).isin(places_of_key)
    return is_in_key


def _reasons(table: pd.DataFrame, notices: Iterable[Notice] = ()) -> str:
    """Return possible reasons why few mentions of the response are in the key, or ''.

    ``notices`` include those on documents left out. Token numbers may be moved.
    """
    reasons = [str(item) for item in notices if item.code in _LOST]
    if not reasons and table["response"].isna().all():
        reasons = ["the response has no mentions"]
    places_of_key = pd.MultiIndex.from_frame(table.loc[table["key"].notna(), _PLACE])
    places = table.loc[table["response"].notna(), _PLACE]
    for name, shift in _SHIFTS.items():
        matches = int(_matching(places, places_of_key, shift).sum())
        if 2 * matches > len(places):
            reasons.append(f"with {name} {matches} would match")
    return "".join(f"; {reason}" for reason in reasons)
