"""Match two files with trees: mentions are sets of nodes, empty nodes (zeros) among them.

The order of the shared tasks on multilingual coreference (CRAC): equal mentions of an entity count
once; each side may drop its own singletons; then mentions are aligned; then chains are compared.
"""

from __future__ import annotations

from functools import partial
from itertools import compress, zip_longest

import numpy as np
import pandas as pd

from cdec.arrays import TALLY_COLUMNS, Ints
from cdec.corefud.nodes import WIDTH, Nodes
from cdec.corefud.spans import Spans, identities, paired, same_code, shared_words
from cdec.corefud.zeros import by_parents, zero_anaphors
from cdec.errors import Notice, ScoringError
from cdec.formats.annotation import Annotation, object_array
from cdec.matching.alignment import Alignment
from cdec.matching.coverage import with_coverage
from cdec.matching.files import exchanged, recurring_labels
from cdec.matching.match import SPAN, across_documents
from cdec.matching.notices import MENTION, said
from cdec.matching.policy import FilePolicy
from cdec.matching.repeats import distinct


def match_trees(
    key: Annotation, response: Annotation, policy: FilePolicy, *, across: bool = False
) -> Alignment:
    """Match two files with trees; raises ScoringError if their sentences or words differ.

    Of a mention in two entities of a file, the first counts.
    ``across``: whether chains can cross documents.
    """
    banks = key.trees, response.trees
    _check_same_text(response, *(bank.nodes for bank in banks))
    # Places are the same in both files.
    places = [
        Spans(spans.bounds, nodes.place[spans.places], nodes.place[spans.head])
        for nodes, spans in ((bank.nodes, bank.spans) for bank in banks)
    ]
    same = ["words", "head"] if policy.rule.kind == "head" else ["words"]
    ours, whole = (
        _mentions(*side, same, policy, across=across)
        for side in zip((key, response), places, identities(*places), strict=True)
    )
    ours, of_key = _without_repeats(ours, key, same, "key mention")
    kept, of_response = _without_repeats(whole, response, same, MENTION)
    notices = [*of_key, *of_response]

    # 1. zeros by their parents, if the policy says so; 2. equal mentions; 3. by the rule.
    spans = places[0].take(ours.index.to_numpy()), places[1].take(kept.index.to_numpy())
    partner = np.full(len(kept), -1)
    if policy.zeros == "dependent":
        zeros = ours["zero"].to_numpy(), kept["zero"].to_numpy()
        partner = by_parents((banks[0].nodes, banks[1].nodes), spans, zeros)
    equal = pd.MultiIndex.from_frame(ours[same]).get_indexer(pd.MultiIndex.from_frame(kept[same]))
    free = (partner < 0) & ~np.isin(equal, partner[partner >= 0])
    partner = paired(*spans, policy.rule, np.where(free, equal, partner))

    ours = ours.assign(id=distinct(banks[0].ids(ours.index.to_numpy()), set()))
    own, twinless = object_array(banks[1].ids(kept.index.to_numpy())), partner < 0
    names = np.append(ours["id"], "")[partner]
    names[twinless] = distinct(own[twinless], {*ours["id"]})
    kept = kept.assign(id=names)
    # The words of a repeat that is left out count with those of the mention it repeats.
    first = kept.drop_duplicates("words").set_index("words")["id"]
    whole = whole.assign(id=kept["id"].reindex(whole.index).fillna(whole["words"].map(first)))
    sides = pd.concat([ours.assign(key=ours["chain"]), kept[twinless]]).set_index("id")
    table = sides.iloc[np.lexsort((sides["last"], sides["first"]))][[*SPAN, "key"]]
    table = table.assign(response=kept.set_index("id")["chain"]).rename_axis(None)
    whole_spans = spans[0], places[1].take(whole.index.to_numpy())
    aligned = Alignment(
        table,
        notices=(
            *key.notices,
            *response.notices,
            *notices,
            *exchanged(key, response),
            *recurring_labels(across_documents(key).mentions, across_documents(response).mentions),
        ),
        about={"response_digest": response.digest},
        system=response.name,
        name=response.name,
        words=partial(_counts, table.index, (ours, kept, whole), whole_spans, partner),
    )
    return with_coverage(aligned, key.name, policy=policy, across=across)


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
    bank = file.trees
    label = file.mentions["chain"].to_numpy()
    document = bank.nodes.document[bank.spans.first]
    zero = spans.head % WIDTH > 0  # an empty node
    entity = pd.MultiIndex.from_arrays([label, document * (not across)])
    side = file.mentions[[*SPAN, "line"]].assign(
        chain=label,
        entity=pd.factorize(entity)[0],
        words=words,
        head=spans.head,
        first=spans.first,
        last=spans.last,
        zero=zero if bank.changed is None else zero & ~bank.changed,
    )
    side = side.iloc[spans.text_order]
    side = side[~side.duplicated(["entity", *same])]
    if policy.singletons == "drop":
        side = side[side.groupby("entity")["entity"].transform("size") > 1]
    longest_first = side.iloc[np.lexsort((-side["last"], side["first"]))]
    rank = pd.Index(longest_first["entity"].unique()).get_indexer(side["entity"])
    return side.iloc[np.argsort(rank, kind="stable")]


def _without_repeats(
    side: pd.DataFrame, file: Annotation, same: list[str], noun: str
) -> tuple[pd.DataFrame, list[Notice]]:
    """Return the mentions, each in one entity, and a notice on the others."""
    again = side.duplicated(same)
    if not again.any():
        return side, []
    where = file.trees.places(side.index[again].to_numpy())
    lines = map(file.place, side["line"][again].tolist())
    cases = [f"{place} at {line}" for place, line in zip(where, lines, strict=True)]
    rest = "in a second entity: the first occurrence counts"
    return side[~again], said("mention-duplicate", cases, noun, rest)


def _counts(
    index: pd.Index[str],
    sides: tuple[pd.DataFrame, ...],
    spans: tuple[Spans, Spans],
    partner: Ints,
) -> pd.DataFrame:
    """Return TALLY_COLUMNS by mention id: words that are shared, and zeros.

    ``sides`` are the key mentions, the response mentions, and all response mentions with repeats;
    ``spans`` are those of the first and the last; ``partner`` has the key mention of the second.
    """
    ours, kept, whole = sides
    equal = same_code(ours["words"].to_numpy(), whole["words"].to_numpy())
    in_key, in_response = shared_words(*spans, equal)
    zeros = zero_anaphors(ours, kept, partner)
    of_mor = (whole, in_response), (whole, spans[1].sizes), (ours, in_key), (ours, spans[0].sizes)
    values = (*of_mor, *zip((kept, kept, ours, ours), zeros, strict=True))
    columns = (
        pd.Series(numbers).groupby(side["id"].to_numpy()).sum().reindex(index, fill_value=0)
        for side, numbers in values
    )
    return pd.DataFrame(dict(zip(TALLY_COLUMNS, columns, strict=True)), index=index)


def _check_same_text(response: Annotation, ours: Nodes, theirs: Nodes) -> None:
    """Raise ScoringError with the line of the first sentence or word that differs.

    Ids of sentences are compared if both files have one for each sentence.
    """
    sides = []
    have_ids = all(len(side.sent_ids) == int(side.sentence[-1]) + 1 for side in (ours, theirs))
    for side in (ours, theirs):
        document, sentence = object_array(side.names)[side.document], side.sentence
        ids = object_array(side.sent_ids)[sentence] if have_ids else np.zeros(len(side))
        columns = (column[side.is_word].tolist() for column in (document, ids, side.number))
        sides.append([*zip(*columns, compress(side.forms, side.is_word), strict=True)])
    if sides[0] == sides[1]:
        return
    pairs = enumerate(zip_longest(*sides))
    at = next(at for at, (known, found) in pairs if known != found)
    line = int(theirs.line[theirs.is_word][min(at, len(sides[1]) - 1)])
    has = "{3!r:.40}, word {2} in its sentence, of '{0:.60}'"
    of_key, of_response = (
        has.format(*side[at]) if at < len(side) else f"{len(side):,} words" for side in sides
    )
    message = f"a sentence or word differs from the key: {of_response}; the key has {of_key}"
    hint = "the response must have the sentences and words of the key; empty nodes may differ"
    raise ScoringError("text-mismatch", message, place=response.place(line), hint=hint)
