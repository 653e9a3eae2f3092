"""Match a response file with the gold annotation of a corpus, for all settings."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from cdec.arrays import found
from cdec.clustering import chains_digest
from cdec.corpus.model import Corpus
from cdec.errors import ScoringError, counted
from cdec.errors.notices import Notice, notice
from cdec.formats.annotation import Annotation
from cdec.matching.align import Heads, aligned_mentions, head_column, key_ids
from cdec.matching.alignment import Alignment
from cdec.matching.coverage import in_text_order, with_coverage
from cdec.matching.documents import left_out, missing_and_renamed, pair_documents
from cdec.matching.mention_names import read_names
from cdec.matching.pairing import SPAN, word_counts
from cdec.matching.policy import DEFAULT_POLICY, FilePolicy
from cdec.matching.region import extent, inside_region, other_split, unreviewed
from cdec.matching.token_numbers import in_corpus
from cdec.matching.view import View, annotated, by_document, labelled, mention_ids

# Mentions of another kind that a system of this kind does not have: their share, and number. Of the
# mentions that published systems detect as events on ECB+, up to 20 % are gold entities; in a
# response of all kinds they are 54 %.
_MANY, _SEVERAL = 1 / 3, 10
_COLUMNS = ["doc", "topic", "subtopic", "sentence", "start", "end", "tokens", "text", "kind"]
PATCHED = "removed from the key by its patch: left out here too"
_UNKNOWN = "unknown"  # the kind of a mention that is not in the corpus


def match_corpus(
    response: Annotation,
    corpus: Corpus,
    policy: FilePolicy = DEFAULT_POLICY,
    *,
    heads: Heads = head_column,
) -> Alignment:
    """Match a response with the selected mentions of ``corpus``, the part under evaluation.

    Documents are matched by name, mentions by their tokens. A span without a gap also matches a
    mention with a gap and the same first and last token, unless the response names tokens. A
    response mention of another kind is twinless and keeps its id; one that the key leaves out, by
    its variant or a patch, is left out, and so are mentions in documents outside this part.
    ``heads`` finds the heads of mentions for a rule of alignment that needs them. Raises
    ScoringError as ``match_files`` does, for mention ids and tokens that are not in the corpus, and
    if many mentions are of another kind.

    >>> from cdec import load_corpus
    >>> corpus = load_corpus("sample", "test")
    >>> from cdec.formats import from_corpus
    >>> match_corpus(from_corpus(corpus, corpus.gold), corpus).notices[0].message
    "the response 'sample' is identical to the gold annotation; is it the key?"
    """
    response = labelled(response, "response", policy.noise)
    view, pairs = read_names(by_document(response), corpus)
    placed, irregular = in_corpus(view, pairs, corpus)
    whole = replace(placed, mentions=_indexed(placed, corpus))
    inside, cut = inside_region(whole, corpus)
    irregular += cut
    key = corpus.selected
    mentions, repeated = aligned_mentions(key, inside, policy, heads)
    twinless = mentions[~found(mentions.index, key.index)]
    if len(twinless):
        mentions, of_others = _of_kind(corpus, mentions, twinless.index, response.name)
        repeated += of_others
        twinless = _described(corpus, mentions[~found(mentions.index, key.index)])
    table = in_text_order(key[_COLUMNS], key["chain"], mentions, corpus.documents, twinless)
    aligned = Alignment(
        table,
        notices=(
            *response.notices,
            *_document_notices(corpus, view, pairs),
            *irregular,
            *repeated,
            *_identical(corpus, mentions, response.name),
            *unreviewed(corpus, twinless),
        ),
        about={"response_digest": response.digest or chains_digest(whole.mentions["chain"])},
        system=response.name,
        words=partial(word_counts, key[SPAN], mentions[SPAN], table[SPAN]),
    )
    return with_coverage(aligned, corpus.name, response.name, policy=policy)


def _indexed(placed: View, corpus: Corpus) -> pd.DataFrame:
    """Return the mentions indexed by their ids in the corpus, others by document and tokens."""
    table, known = placed.mentions, key_ids(corpus, with_gaps=placed.source.names_tokens)
    rows = zip(mention_ids(table), (table["start"] >= 0).tolist(), strict=True)
    ids = [known.get(name, name) if has_tokens else name for name, has_tokens in rows]
    return table.set_index(pd.Index(ids, dtype=object))


def ids_in_corpus(response: Annotation, corpus: Corpus) -> tuple[dict[int, str], list[Notice]]:
    """Return row → id in ``corpus`` of mentions that are given by ids of any form, and notices.

    A mention in a document of another part has the id '', and of all of them there is a notice.
    Rows of unknown documents are left out. Raises ScoringError for an id that is not in the corpus.
    """
    view, pairs = read_names(by_document(response), corpus)
    unpaired = [doc for doc in view.texts if doc not in pairs]
    beyond = pair_documents(unpaired, set(corpus.elsewhere), view.source.name)
    elsewhere = view.mentions.index[view.mentions["doc"].isin(list(beyond))].tolist()
    placed, notices = in_corpus(view, pairs, corpus)
    if beyond:
        where = f"in '{corpus.part}'"
        notices = [*notices, left_out("outside-split", list(beyond), len(elsewhere), where)]
    ids = _indexed(placed, corpus).index.tolist()
    return dict.fromkeys(elsewhere, "") | dict(
        zip(placed.mentions.index.tolist(), ids, strict=True)
    ), notices


def _document_notices(corpus: Corpus, view: View, pairs: Mapping[str, str]) -> Iterator[Notice]:
    unpaired, beyond = [doc for doc in view.texts if doc not in pairs], dict[str, str]()
    if unpaired:
        beyond = pair_documents(unpaired, set(corpus.elsewhere), view.source.name)
        for code, docs, where in (
            ("outside-split", list(beyond), f"in '{corpus.part}'"),
            ("unknown-document", [doc for doc in unpaired if doc not in beyond], "in the corpus"),
        ):
            if docs:
                mentions = int(view.mentions["doc"].isin(docs).sum())
                yield left_out(code, docs, mentions, where)
    yield from missing_and_renamed(dict.fromkeys(corpus.selected["doc"]), pairs)
    known = {**pairs, **beyond}
    covered = {known[doc] for doc in view.mentions["doc"].unique() if doc in known}
    if corpus.elsewhere and covered != corpus.documents.keys():
        yield from other_split(corpus, covered)


def _described(corpus: Corpus, twinless: pd.DataFrame) -> pd.DataFrame:
    """Return twinless mentions with topic, sub-topic, sentence, text and kind."""
    if twinless.empty:
        return twinless
    known = annotated(corpus).reindex(twinless.index)
    by_id = twinless["start"].to_numpy() < 0
    for name in ("start", "end", "tokens"):
        twinless = twinless.assign(**{name: twinless[name].where(~by_id, known[name])})
    homes = [corpus.documents[doc] for doc in twinless["doc"]]
    columns = [twinless[name] for name in ("start", "end", "tokens")]
    spans = list(zip(homes, *columns, strict=True))
    sentence = [bisect_right(d.sentence_starts, s) - 1 for d, s, _, _ in spans]
    text = [" ".join(d.tokens[k] for k in t or range(int(s), int(e) + 1)) for d, s, e, t in spans]
    return twinless.assign(
        topic=[d.topic for d in homes],
        subtopic=[d.subtopic for d in homes],
        sentence=sentence,
        text=text,
        kind=known["kind"].fillna(_UNKNOWN),
    )[[*_COLUMNS, "line"]]


def _of_kind(
    corpus: Corpus, mentions: pd.DataFrame, twinless: pd.Index[str], name: str
) -> tuple[pd.DataFrame, list[Notice]]:
    """Return the mentions without those that the key leaves out, and notices.

    Raises ScoringError if many mentions are of another kind than the selected.
    """
    kinds = corpus.mentions["kind"].reindex(sorted(twinless))
    other = kinds[kinds.notna() & (kinds != corpus.kind)].index.tolist()
    dropped, left = left_out_of_key(corpus, kinds.index)
    notices = []
    if other:
        what = counted(len(other), "response mention is", "response mentions are")
        message = f"{what} {kinds[other].iloc[0]} mentions in the corpus"
        if len(other) >= max(_SEVERAL, _MANY * len(mentions)):
            alone = mentions.index.intersection(corpus.selected.index).empty
            fit = kinds[other].iloc[0] if alone and len({*kinds[other]}) == 1 else "all"
            hint = f"use mentions={fit}, or remove them; mentions={corpus.kind} is in use"
            raise ScoringError("mention-kind-mismatch", message, place=name, hint=hint)
        notices.append(notice("mention-of-other-kind", f"{message}: twinless", other))
    return mentions.drop(index=dropped), [*notices, *left]


def left_out_of_key(corpus: Corpus, ids: pd.Index[str]) -> tuple[list[str], list[Notice]]:
    """Return which mentions the variant of the key, or a patch, leaves out of it, and notices."""
    same = corpus.mentions.index[corpus.mentions["kind"] == corpus.kind]
    by_variant = _among(ids, corpus.mentions.loc[same.difference(corpus.selected.index)])
    by_patch = _among(ids, corpus.removed)
    variant = f"left out of the key by its variant '{corpus.variant}': left out here too"
    reasons = (variant, by_variant), (PATCHED, by_patch)
    notices = [one for why, left in reasons for one in left_out_notice(left, why)]
    return [*by_variant, *by_patch], notices


def left_out_notice(ids: Sequence[str], why: str = PATCHED) -> Iterator[Notice]:
    """Yield the notice on response mentions, if any, that the key leaves out."""
    if ids:
        what = counted(len(ids), "response mention is", "response mentions are")
        yield notice("mention-left-out", f"{what} {why}", ids, warning=why != PATCHED)


def left_out_by_region(corpus: Corpus, ids: pd.Index[str]) -> tuple[list[str], list[Notice]]:
    """Return which mentions of the corpus are outside the region of the part, and the notice."""
    if corpus.region is None or not (outside := _among(ids, corpus.region.outside)):
        return [], []
    what = counted(len(outside), "response mention is", "response mentions are")
    message = f"{what} outside the {extent(corpus.region)} of '{corpus.part}' and left out"
    return outside, [notice("outside-region", message, outside, warning=False)]


def _among(ids: pd.Index[str], mentions: pd.DataFrame) -> list[str]:
    return [str(id_) for id_ in ids[ids.isin(mentions.index)]]


def _identical(corpus: Corpus, mentions: pd.DataFrame, name: str) -> Iterator[Notice]:
    """Yield a notice on a response that is the gold annotation."""
    gold = corpus.gold.labels
    if len(mentions) == len(gold) and found(mentions.index, gold.index).all():
        ours = pd.factorize(gold)[0]
        theirs = pd.factorize(mentions["chain"].reindex(gold.index))[0]
        if 1 < ours.max() + 1 < len(gold) and np.array_equal(ours, theirs):
            message = f"the response '{name}' is identical to the gold annotation; is it the key?"
            yield Notice("swapped", 1, message, (name,))
