"""Find the key mention of each response mention, and resolve duplicate mentions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import TypeAlias

import numpy as np
import pandas as pd

from cdec.arrays import NAME, Bools, Ints, found
from cdec.corpus.model import Corpus
from cdec.errors import ScoringError, counted
from cdec.errors.notices import Notice, notice
from cdec.formats.annotation import gaps, object_array
from cdec.matching.pairing import paired
from cdec.matching.policy import REPEATED, FilePolicy, Rule
from cdec.matching.spans import Spans
from cdec.matching.view import View, annotated, mention_ids

# The codes of notices on repeated mentions.
REPEATED_CODES = ("repeated-mention", "mention-in-two-chains")
_EVERY = (
    "every occurrence counts, except in mentions and BLANC, which count one (as in the reference "
    "scorer)"
)
# A table with doc, start, end and tokens → the number of each head in its document, −1 if unknown.
Heads: TypeAlias = Callable[[pd.DataFrame], Ints]


def head_column(mentions: pd.DataFrame) -> Ints:
    """Return the column ``head`` of a table; −1 for each mention without such a column.

    >>> head_column(pd.DataFrame({"start": [3]})).tolist()
    [-1]
    """
    if "head" not in mentions:
        return np.full(len(mentions), -1)
    return mentions["head"].to_numpy(np.int64)


def key_ids(corpus: Corpus, *, with_gaps: bool) -> dict[str, str]:
    """Return document and tokens, in the form of ``mention_ids`` → mention of a corpus.

    In order of priority: 1. the selected mention with these tokens; 2. unless the response names
    its tokens (``with_gaps``), the selected mention with a gap and this first and last token, if
    there is only one; 3. another mention with these tokens.
    """
    table = annotated(corpus)
    table = table.assign(tokens=object_array(gaps(table)), mention="")
    selected = found(table.index, corpus.selected.index)
    ids, names = table.index.to_numpy(), object_array(mention_ids(table))
    # Of several mentions with the same tokens the first counts.
    ours, others = (
        dict(zip(names[side][::-1], ids[side][::-1], strict=True)) for side in (selected, ~selected)
    )
    ends: dict[str, str] = {}
    if not with_gaps:
        gapped = table[selected & (table["tokens"].map(len) > 0).to_numpy()]
        alone = gapped[~gapped.duplicated(["doc", "start", "end"], keep=False)]
        columns = (alone[name] for name in ("doc", "start", "end"))
        places = [f"{doc}/{start}-{end}" for doc, start, end in zip(*columns, strict=True)]
        ends = dict(zip(places, alone.index, strict=True))
    return {**others, **ends, **ours}


def aligned_mentions(
    gold: pd.DataFrame, response: View, policy: FilePolicy, heads: Heads = head_column
) -> tuple[pd.DataFrame, list[Notice]]:
    """Return the mentions of the response with the ids of their key mentions, and notices.

    The mentions of ``gold`` are indexed by id, so are those of ``response``: a mention that equals
    one of the key has its id, any other the id of its place, which the result has as the column
    ``place``. Raises ScoringError as ``_by_rule`` and ``_without_repeats`` do.
    """
    table = response.mentions.assign(place=response.mentions.index)
    if policy.rule.kind != "exact" and len(gold) and len(table):
        table = _by_rule(gold, table, policy.rule, heads)
    if table.index.is_unique:
        return table, []
    return _without_repeats(response, table, gold.index, policy.repeated)


def _by_rule(gold: pd.DataFrame, table: pd.DataFrame, rule: Rule, heads: Heads) -> pd.DataFrame:
    """Return the table with the ids of the key mentions that it is aligned with by ``rule``.

    All occurrences of a repeated mention get the same id. Raises ScoringError if the rule needs
    heads and the key has none.
    """
    of_key = heads(gold) if rule.needs_heads else None
    if of_key is not None and (of_key < 0).all():
        raise ScoringError(
            "heads-missing",
            f"the mentions of the key have no heads, which the alignment {rule.kind} needs",
            hint="align by overlap:0.5, or use a CoNLL-U key",
        )
    first = np.flatnonzero(~table.index.duplicated())
    once = table.iloc[first]
    of_response = heads(once) if rule.kind == "head" else None
    key, response = Spans.of_tables((gold, once), (of_key, of_response))
    partner = paired(key, response, rule, gold.index.get_indexer(once.index))
    ids = dict(zip(once.index[partner >= 0], gold.index[partner[partner >= 0]], strict=True))
    return table.set_axis(pd.Index([ids.get(i, i) for i in table.index], dtype=object))


def duplicate_in_key(key: View, ids: Sequence[str], may_be_swapped: bool) -> ScoringError:
    """Return the error for a duplicate mention in the key."""
    row = int(np.flatnonzero(pd.Series(ids, dtype=object).duplicated())[0])
    first = key.place(int(key.mentions["line"].iloc[list(ids).index(ids[row])]))
    place = key.place(int(key.mentions["line"].iloc[row]))
    message = f"duplicate mention '{ids[row]}' in the key, first at {first}"
    hint = "keep one" + ("; are key and response swapped?" if may_be_swapped else "")
    return ScoringError("mention-duplicate", message, place=place, hint=hint)


def _without_repeats(
    response: View, table: pd.DataFrame, key: pd.Index[str], policy: str
) -> tuple[pd.DataFrame, list[Notice]]:
    """Return the aligned mentions of the response without duplicates, and notices.

    Policy ``first`` gives the numbers of the reference scorer (v8.01), which stops after ten
    duplicates: the occurrence in the chain that opens first in the document counts. A duplicate
    twinless mention is kept each time (as ``id#2``, …), because the reference scorer looks for
    duplicates among the key mentions only; ``cdec.metrics.repeats`` says which metrics count once.
    Policy ``error`` raises ScoringError with ``file:line``; ``drop`` removes all occurrences.
    """
    order = np.argsort(pd.factorize(table["doc"] + "\0" + table["chain"])[0], kind="stable")
    table = table.iloc[order]
    known = table.index.isin(key)
    if policy == "error":
        row = int(np.flatnonzero(table.index.duplicated())[0])
        message = f"duplicate mention '{table.index[row]}' in the response"
        place = response.place(int(table["line"].iloc[row]))
        hint = "keep one, or use repeated=first or repeated=drop"
        raise ScoringError("mention-duplicate", message, place=place, hint=hint)
    notices = list(_notices(response, table, known, policy))
    if policy == "drop":
        return table[~table.index.duplicated(keep=False)], notices
    return _as_copies(table[~table.index.duplicated() | ~known], key), notices


def _as_copies(table: pd.DataFrame, key: pd.Index[str]) -> pd.DataFrame:
    """Return the table with distinct ids: duplicates are numbered, with numbers not in use.

    If there are any, NAME has the id before.
    """
    taken = {*table.index, *key}
    ids = []
    for id_, number in zip(table.index, table.groupby(table.index).cumcount(), strict=True):
        numbered = (f"{id_}#{n}" for n in count(number + 1))
        ids.append(next(name for name in numbered if name not in taken) if number else id_)
        taken.add(ids[-1])
    names = {NAME: table.index} if table.index.has_duplicates else {}
    return table.assign(**names).set_axis(pd.Index(ids, dtype=object))


def _notices(response: View, table: pd.DataFrame, known: Bools, policy: str) -> Iterator[Notice]:
    frame = pd.DataFrame({"id": table.index, "chain": table["chain"].to_numpy()})
    again = frame.duplicated("id").to_numpy()
    same = frame.duplicated(["id", "chain"]).to_numpy()
    second = again & ~same
    repeated = counted(int(same.sum()), "mention is", "mentions are")
    in_two = counted(int(second.sum()), "response mention is", "response mentions are")
    lines = table["line"].to_numpy()
    for code, mask, message in (
        ("repeated-mention", same, f"{repeated} repeated in the same chain of the response"),
        ("mention-in-two-chains", second, f"{in_two} in a second chain"),
    ):
        rows = np.flatnonzero(mask).tolist()
        if rows:
            cases = [f"{table.index[r]} at {response.place(int(lines[r]))}" for r in rows]
            yield notice(code, f"{message}; {_effect(policy, known[mask])}", cases)


def _effect(policy: str, known: Bools) -> str:
    """Return how repeated mentions count; ``known``: which of them are in the key."""
    twinless = int((~known).sum())
    if policy == "drop" or not twinless:
        return REPEATED[policy]
    if twinless == len(known):
        return f"not in the key: {_EVERY}"
    return f"{REPEATED[policy]}; of mentions not in the key ({twinless:,}) {_EVERY}"


def corpus_heads(corpus: Corpus, nlp: str, mentions: pd.DataFrame) -> Ints:
    """Return the heads of mentions in the documents of ``corpus``, found by a pipeline."""
    from cdec.language.heads import heads  # noqa: PLC0415  # only some rules need heads

    columns = (mentions[name] for name in ("start", "end", "tokens"))
    tokens = [t or tuple(range(s, e + 1)) for s, e, t in zip(*columns, strict=True)]
    known = mentions["start"].to_numpy() >= 0
    spans = mentions[["doc"]].assign(tokens=pd.Series(tokens, index=mentions.index))[known]
    numbers = np.full(len(mentions), -1)
    numbers[known] = heads(replace(corpus, mentions=spans), nlp)["head"].to_numpy()
    return numbers
