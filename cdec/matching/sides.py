"""The fourth step of matching: lay key and response side by side, in one frame."""

from __future__ import annotations

from bisect import bisect_right
from functools import partial

import numpy as np
import pandas as pd

from cdec.arrays import NAME, StrIndex, StrSeries, found
from cdec.clustering import chains_digest
from cdec.corpus.model import ALL_KINDS, Corpus
from cdec.errors import Log, Notice, ScoringError, counted, spelled
from cdec.formats import reading
from cdec.formats.annotation import Annotation
from cdec.matching.alignment import Alignment
from cdec.matching.home import MENTION, SPAN, Home, annotated
from cdec.matching.identify import is_invented
from cdec.matching.policy import BY_HEAD, FilePolicy
from cdec.matching.repeats import distinct, without_repeats
from cdec.matching.trees import of_trees, word_counts
from cdec.records import Row

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


def side_by_side(
    response: Annotation, home: Home, policy: FilePolicy, log: Log
) -> Alignment:
    """Return key and response, whose mentions are indexed by id, as an ``Alignment``.

    The id of a mention is that of the equal key mention, or of the one with which the rule aligns
    it; any other has its own. Raises ScoringError for many mentions of another kind.
    """
    corpus = home.corpus
    key = _key_of(home)
    table = response.mentions
    digest = response.digest or chains_digest(table["chain"])
    key_once = key[key[NAME] == key.index] if NAME in key else key
    if policy.alignment != "exact" and len(key) and len(table):
        table = _with_partners(key_once, table, policy, corpus)
    if not table.index.is_unique:
        table = without_repeats(table, response, key, log)
    if not table.index.is_unique:  # only twinless mentions
        ids = distinct(table.index, {*key.index.difference(table.index)})
        table = table.assign(**{NAME: table.index}).set_axis(
            pd.Index(ids, dtype=object)
        )

    # The rows of both sides in text order.
    both = key.drop(columns=["chain", NAME], errors="ignore")
    is_twinless = ~found(table.index, key.index)
    if is_twinless.any():
        twinless = table[is_twinless]
        if corpus is not None:
            ids_of_twinless = twinless.index
            twinless = _twinless(corpus, twinless, len(table), response.name, log)
            table = table.drop(index=ids_of_twinless.difference(twinless.index))
        both = pd.concat([both, twinless[both.columns]])
    documents = [*{**home.source.documents, **response.documents}]
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
    if corpus is None:
        for name, value in reading.signed(home.file.reading).items():
            choices[f"key_{name}"] = value
    if choices:
        about["reading"] = choices
    if corpus is not None:
        _warn_of_key_chains(mentions, response.name, log)
        if policy.alignment in BY_HEAD:
            about["heads"] = policy.nlp
    return Alignment(
        mentions,
        about=about,
        system=response.name,
        name=response.name,
        words=partial(word_counts, key_once[SPAN], table[SPAN]),
    )


def _key_of(home: Home) -> pd.DataFrame:
    """Return the mentions of the key."""
    if home.corpus is not None:
        return home.corpus.selected[[*_COLUMNS, "chain"]]
    return home.mentions.filter([*SPAN, "chain", NAME])


def _warn_of_key_chains(mentions: pd.DataFrame, response: str, log: Log) -> None:
    """Warn of a response that has the chains of the key, unless these are trivial."""
    chains_of_key = pd.factorize(mentions["key"])[0]
    chains = pd.factorize(mentions["response"])[0]
    is_one_chain = chains_of_key.max(initial=0) == 0
    are_singletons = chains_of_key.max(initial=0) == len(mentions) - 1
    is_plain = is_one_chain or are_singletons
    if not is_plain and np.array_equal(chains_of_key, chains):
        message = f"the response '{response}' has the chains of the key; is it the key?"
        log.append(Notice("swapped", 1, message, (response,)))


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
