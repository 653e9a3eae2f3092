"""Match two files with trees: mentions are sets of nodes, empty nodes (zeros) among them.

The order of the shared tasks on multilingual coreference (CRAC): equal mentions of an entity count
once; each side may drop its own singletons; then mentions are aligned; then chains are compared.
"""

from __future__ import annotations

from functools import partial
from itertools import zip_longest

import numpy as np
import pandas as pd

from cdec.arrays import Ints, IntSeries, StrIndex
from cdec.corefud.nodes import WIDTH, Nodes
from cdec.corefud.spans import Spans, identities, paired, same_code, shared_words
from cdec.corefud.treebank import Treebank
from cdec.corefud.zeros import by_parents, zero_anaphors
from cdec.errors import Log, ScoringError
from cdec.formats.annotation import Annotation, object_array
from cdec.matching.alignment import Alignment
from cdec.matching.documents import report_exchange
from cdec.matching.home import MENTION, SPAN
from cdec.matching.identify import report_recurring_labels
from cdec.matching.match import across_documents
from cdec.matching.policy import FilePolicy
from cdec.matching.repeats import distinct
from cdec.matching.sides import with_coverage


def match_trees(
    key: Annotation,
    response: Annotation,
    policy: FilePolicy,
    log: Log,
    *,
    across: bool = False,
) -> Alignment:
    """Match two files with trees; raises ScoringError if their sentences or words differ.

    Of a mention in two entities of a file, the first counts.
    ``across``: whether chains can cross documents.
    """
    key_bank: Treebank = key.trees
    response_bank: Treebank = response.trees
    _check_same_text(response, key_bank.nodes, response_bank.nodes)
    key_places = _places(key_bank)
    response_places = _places(response_bank)
    same = ["words"]  # mentions that are equal in these columns are one mention
    if policy.rule.kind == "head":
        same = ["words", "head"]
    key_words, response_words = identities(key_places, response_places)
    key_mentions = _mentions(key, key_places, key_words, same, policy, across=across)
    all_mentions = _mentions(
        response, response_places, response_words, same, policy, across=across
    )
    log += key.notices
    log += response.notices
    key_mentions = _without_repeats(key_mentions, key, same, "key mention", log)
    mentions = _without_repeats(all_mentions, response, same, MENTION, log)
    report_exchange(key, response, log)
    report_recurring_labels(
        across_documents(key).mentions, across_documents(response).mentions, log
    )

    key_rows = key_mentions.index.to_numpy()
    rows = mentions.index.to_numpy()
    key_spans = key_places.take(key_rows)
    partner = np.full(len(mentions), -1)
    if policy.zeros == "dependent":
        partner = by_parents(
            (key_bank.nodes, response_bank.nodes),
            (key_spans, response_places.take(rows)),
            (key_mentions["zero"].to_numpy(), mentions["zero"].to_numpy()),
        )
    index_of_key = pd.MultiIndex.from_frame(key_mentions[same])
    equal = index_of_key.get_indexer(pd.MultiIndex.from_frame(mentions[same]))
    is_free = (partner < 0) & ~np.isin(equal, partner[partner >= 0])
    partner = np.where(is_free, equal, partner)
    partner = paired(key_spans, response_places.take(rows), policy.rule, partner)

    key_ids = distinct(key_bank.ids(key_rows), set())
    key_mentions = key_mentions.assign(id=key_ids, key=key_mentions["chain"])
    is_twinless = partner < 0
    ids = object_array([*key_ids, ""])[partner]
    new_ids = object_array(response_bank.ids(rows))
    ids[is_twinless] = distinct(new_ids[is_twinless], {*key_ids})
    mentions = mentions.assign(id=ids)
    # The words of a repeat that is left out count with those of the mention it repeats.
    id_of_words = mentions.drop_duplicates("words").set_index("words")["id"]
    ids_of_all = mentions["id"].reindex(all_mentions.index)
    all_mentions = all_mentions.assign(
        id=ids_of_all.fillna(all_mentions["words"].map(id_of_words)),
    )

    table = pd.concat([key_mentions, mentions[is_twinless]]).set_index("id")
    table = table.iloc[np.lexsort((table["last"], table["first"]))][[*SPAN, "key"]]
    table = table.assign(response=mentions.set_index("id")["chain"]).rename_axis(None)
    alignment = Alignment(
        table,
        about={"response_digest": response.digest},
        system=response.name,
        name=response.name,
        words=partial(
            _counts,
            table.index,
            key=key_mentions,
            response=mentions,
            with_repeats=all_mentions,
            key_spans=key_spans,
            spans=response_places.take(all_mentions.index.to_numpy()),
            partner=partner,
        ),
    )
    return with_coverage(alignment, key.name, log, policy=policy, across=across)


def _places(bank: Treebank) -> Spans:
    place = bank.nodes.place
    spans = bank.spans
    return Spans(spans.bounds, place[spans.places], place[spans.head])


def _mentions(
    file: Annotation,
    spans: Spans,
    words: Ints,
    same: list[str],
    policy: FilePolicy,
    *,
    across: bool,
) -> pd.DataFrame:
    """Return the mentions of a file, without repeats in an entity and, if so, without singletons.

    They are indexed by their rows in the file, in order of the first mentions of their entities
    (the longer first), those of an entity in text order. Mentions of both files with the same
    ``words`` have the same words. ``across``: whether a label in two documents is one chain;
    otherwise an entity ends with its document.
    """
    bank: Treebank = file.trees
    label = file.mentions["chain"].to_numpy()
    entity = [label]
    if not across:
        entity.append(bank.nodes.document[bank.spans.first])
    is_zero = spans.head % WIDTH > 0  # the head is an empty node
    if bank.changed is not None:
        is_zero &= ~bank.changed
    side = file.mentions[[*SPAN, "line"]].assign(
        chain=label,
        entity=pd.factorize(pd.MultiIndex.from_arrays(entity))[0],
        words=words,
        head=spans.head,
        first=spans.first,
        last=spans.last,
        zero=is_zero,
    )
    side = side.iloc[spans.text_order]
    side = side[~side.duplicated(["entity", *same])]
    if policy.singletons == "drop":
        side = side[side.groupby("entity")["entity"].transform("size") > 1]
    longest_first = side.iloc[np.lexsort((-side["last"], side["first"]))]
    rank = pd.Index(longest_first["entity"].unique()).get_indexer(side["entity"])
    return side.iloc[np.argsort(rank, kind="stable")]


def _without_repeats(
    side: pd.DataFrame, file: Annotation, same: list[str], noun: str, log: Log
) -> pd.DataFrame:
    """Return the mentions, each in one entity; report the others."""
    is_repeat = side.duplicated(same)
    repeats = side[is_repeat]
    places = file.trees.places(repeats.index.to_numpy())
    cases = [
        f"{place} at {file.place(line)}"
        for place, line in zip(places, repeats["line"].tolist(), strict=True)
    ]
    rest = "in a second entity: the first occurrence counts"
    log.report("mention-duplicate", cases, noun, rest)
    return side[~is_repeat]


def _counts(
    index: StrIndex,
    *,
    key: pd.DataFrame,
    response: pd.DataFrame,
    with_repeats: pd.DataFrame,
    key_spans: Spans,
    spans: Spans,
    partner: Ints,
) -> pd.DataFrame:
    """Return the counts of MOR and zeros by mention id.

    ``with_repeats`` are all response mentions, and ``spans`` are theirs. ``partner`` has the key
    mention of each response mention.
    """

    def by_id(mentions: pd.DataFrame, numbers: Ints) -> IntSeries:
        sums = pd.Series(numbers).groupby(mentions["id"].to_numpy()).sum()
        return sums.reindex(index, fill_value=0)

    equal = same_code(key["words"].to_numpy(), with_repeats["words"].to_numpy())
    in_key, in_response = shared_words(key_spans, spans, equal)
    p_num, p_den, r_num, r_den = zero_anaphors(key, response, partner)
    return pd.DataFrame(
        {
            "mor.p_num": by_id(with_repeats, in_response),
            "mor.p_den": by_id(with_repeats, spans.sizes),
            "mor.r_num": by_id(key, in_key),
            "mor.r_den": by_id(key, key_spans.sizes),
            "zeros.p_num": by_id(response, p_num),
            "zeros.p_den": by_id(response, p_den),
            "zeros.r_num": by_id(key, r_num),
            "zeros.r_den": by_id(key, r_den),
        },
        index=index,
    )


def _check_same_text(response: Annotation, key_nodes: Nodes, nodes: Nodes) -> None:
    """Raise ScoringError with the line of the first sentence or word that differs.

    Ids of sentences are compared if both files have one for each sentence.
    """
    with_ids = _has_ids(key_nodes) and _has_ids(nodes)
    key_words = _words(key_nodes, with_ids=with_ids)
    words = _words(nodes, with_ids=with_ids)
    if key_words == words:
        return
    pairs = enumerate(zip_longest(key_words, words))
    position = next(
        position for position, (key_word, word) in pairs if key_word != word
    )
    last = min(position, len(words) - 1)
    line = int(nodes.line[nodes.is_word][last])
    raise ScoringError(
        "text-mismatch",
        f"a sentence or word differs from the key: {_word_at(words, position)}; "
        f"the key has {_word_at(key_words, position)}",
        place=response.place(line),
        hint="the response must have the sentences and words of the key; empty nodes may differ",
    )


def _has_ids(nodes: Nodes) -> bool:
    return len(nodes.sent_ids) == len(nodes.sizes)


def _words(nodes: Nodes, *, with_ids: bool) -> list[tuple[str, int, str, str]]:
    """Return document, number in the sentence, form and, if so, id of the sentence of each word."""
    words = np.flatnonzero(nodes.is_word)
    documents = object_array(nodes.names)[nodes.document[words]]
    forms = object_array(nodes.forms)[words]
    ids = np.full(len(words), "", object)
    if with_ids:
        ids = object_array(nodes.sent_ids)[nodes.sentence[words]]
    return list(zip(documents, nodes.number[words].tolist(), forms, ids, strict=True))


def _word_at(words: list[tuple[str, int, str, str]], position: int) -> str:
    if position >= len(words):
        return f"{len(words):,} words"
    document, number, form, _ = words[position]
    return f"{form!r:.40}, word {number} in its sentence, of '{document:.60}'"
