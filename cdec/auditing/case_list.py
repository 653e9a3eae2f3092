"""From the suspects of detectors to the list of cases: each case once, those of copies together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import combinations
from typing import Any, TypeAlias

import pandas as pd
from scipy.cluster.hierarchy import DisjointSet

from cdec.auditing import probability
from cdec.auditing.case import (
    KINDS,
    MISSING,
    NO_EVENT,
    SPURIOUS,
    UNMARKED,
    Case,
    CaseSide,
    Fix,
)
from cdec.auditing.detectors import DETECTORS
from cdec.auditing.detectors.copies import DUPLICATE
from cdec.auditing.evidence import LINKS, Evidence
from cdec.auditing.fixes import none_of_these
from cdec.auditing.key import Key
from cdec.auditing.suspects import Flag, Suspect
from cdec.errors import CorpusError
from cdec.plugins import errors_of_plugin

# The least score of every pair of a case of several links. One correction was wrong, or not surely
# right, for 2 of 20 groups of train and dev with .7, for 1 of 24 with .8, and for nearly half of
# those with a pair below .5.
_PROBABLE = 0.8
# Of a table: row → detector → its flag.
Flags: TypeAlias = dict[str, dict[int, dict[str, Flag]]]
# A case with its place in the list: by probability, then detector or table, then number.
Ranked: TypeAlias = tuple[float, str, int, Case]


# ---- a case of each suspect ----


def case_of(
    key: Key,
    kind: str,
    sides: Sequence[CaseSide],
    fixes: Sequence[Fix],
    *,
    reasons: Iterable[str],
    flags: Mapping[str, float],
    p: float,
) -> Case:
    """Return a case without a rank; ``flags`` are its detectors, ``p`` is its probability.

    Its last correction is none. A chain that only a correction names is a side too.
    """
    large_chains = [side for side in sides if side.members]
    first_mention = next(mention for side in sides for mention in side.mentions)
    return Case(
        kind=KINDS[min(2, len(large_chains))] if kind == MISSING else kind,
        rank=0,
        score=p,
        topic=key.topic(first_mention),
        reviewed=_is_reviewed(key, kind, sides),
        detectors={
            name: round(float(score), probability.DIGITS)
            for name, score in flags.items()
        },
        reasons=tuple(reasons),
        sides=(*sides, *_sides_of_targets(key, sides, fixes)),
        fixes=(*fixes, none_of_these()),
    )


def _sides_of_targets(
    key: Key, sides: Sequence[CaseSide], fixes: Sequence[Fix]
) -> Iterator[CaseSide]:
    """Yield the chains that corrections name and that are on no side, as evidence."""
    on_sides: set[str] = set()
    for side in sides:
        on_sides.update(side.mentions, side.members)
    targets = {}
    for fix in fixes:
        for claim in fix.claims:
            for mention in claim.mentions:
                if mention in key.rows and mention not in on_sides:
                    targets[key.label(mention)] = key.side(mention)
    for side in targets.values():
        yield side.model_copy(update={"evidence": True})


def _is_reviewed(key: Key, kind: str, sides: Sequence[CaseSide]) -> bool | None:
    """Return whether a case is inside the reviewed sentences; None if the corpus lists none.

    It is if each mention in question is, or one of the members shown with it: the link of two
    chains may be judged by any of their mentions, but not whether a mention is an event.
    """
    if key.unread is None:
        return None
    if kind == UNMARKED:  # a missing mention is in an annotated sentence
        return True
    if kind == SPURIOUS:  # the chain of a rival is not in question
        sides = sides[:2]
    for side in sides:
        for mention in side.mentions:
            judged_by = {mention}
            if kind != NO_EVENT:
                judged_by.update(side.members)
            if judged_by <= key.unread:
                return False
    return True


def suspected_cases(evidence: Evidence) -> tuple[list[Case], dict[str, str]]:
    """Return the case of each suspect, the most probable first; detectors left out, and why."""
    flags: Flags = defaultdict(lambda: defaultdict(dict))
    ranked = []
    left_out: dict[str, str] = {}
    for name in evidence.detectors:
        try:
            suspects = _suspects_of(evidence, name)
        except CorpusError as error:
            is_unfit = error.code in ("part-too-small", "annotation-missing")
            is_last = len(left_out) + 1 == len(evidence.detectors)
            if not is_unfit or is_last:
                raise
            left_out[name] = error.message
            continue
        for number, suspect in enumerate(suspects):
            if isinstance(suspect, Flag):
                flags[suspect.table][suspect.row][name] = suspect
            else:
                case = _case_of_suspect(evidence, name, suspect)
                ranked.append((-(case.score or 0.0), name, number, case))
    ranked += _flagged_cases(evidence, flags, _linked_chains(ranked))
    ranked.sort(key=lambda place: place[:3])
    return [case for *_, case in ranked], left_out


def _suspects_of(evidence: Evidence, name: str) -> list[Suspect | Flag]:
    """Return what a detector yields. Raises PluginError if a plug-in fails."""
    context: AbstractContextManager[None] = nullcontext()
    if name not in DETECTORS.own:
        context = errors_of_plugin(
            f"the detector '{name}' failed", "report it to its authors"
        )
    with context:
        return list(DETECTORS[name].find(evidence))


def _case_of_suspect(key: Key, name: str, suspect: Suspect) -> Case:
    sides = [
        side if isinstance(side, CaseSide) else key.side(side) for side in suspect.sides
    ]
    return case_of(
        key,
        DETECTORS[name].kind,
        sides,
        suspect.fixes,
        reasons=[suspect.reason],
        flags={name: suspect.score},
        p=probability.of_group(suspect.group or name),
    )


def _linked_chains(ranked: Sequence[Ranked]) -> set[tuple[str, str]]:
    """Return the pairs of chains that cases link."""
    pairs: set[tuple[str, str]] = set()
    for *_, case in ranked:
        if case.kind.startswith(MISSING):
            pairs.update(combinations(_chains(case), 2))
    return pairs


def _flagged_cases(
    evidence: Evidence, flags: Flags, linked: set[tuple[str, str]]
) -> Iterator[Ranked]:
    """Yield the case of each flagged row of a table, but of links that are cases already."""
    for table, flags_of_row in flags.items():
        rows = evidence.tables[table].loc[sorted(flags_of_row)]
        probabilities = probability.of_rows(evidence, table, rows)
        records = rows.to_dict("records")
        for number, row, p in zip(rows.index, records, probabilities, strict=True):
            row_flags = flags_of_row[number]
            if table == LINKS:
                case = _case_of_link(evidence, row, row_flags, p)
                if _chains(case) in linked:
                    continue
            else:
                case = _case_of_member(evidence, row, row_flags, p)
            yield -p, table, number, case


def _chains(case: Case) -> tuple[str, ...]:
    return tuple(sorted({side.chain for side in case.sides_in_question}))


def _case_of_link(
    evidence: Evidence, row: Mapping[Any, Any], flags: Mapping[str, Flag], p: float
) -> Case:
    """Return the case of a row of the table of links."""
    mentions = (row["left"], row["right"])
    return case_of(
        evidence,
        MISSING,
        [evidence.side(evidence.ids[mention]) for mention in mentions],
        evidence.fixes.link(mentions),
        reasons=[flag.reason for flag in flags.values()],
        flags={name: flag.score for name, flag in flags.items()},
        p=p,
    )


def _case_of_member(
    evidence: Evidence, row: Mapping[Any, Any], flags: Mapping[str, Flag], p: float
) -> Case:
    """Return the case of a row of the table of members.

    Its sides are the mention, the most similar member of its chain, and a mention of the chain that
    it fits better.
    """
    mention = row["mention"]
    nearest = None if pd.isna(row["rival-pair"]) else int(row["rival-pair"])
    rival = evidence.fixes.rival(mention, nearest)
    id_ = evidence.ids[mention]
    similar_member = evidence.ids[row["left"] + row["right"] - mention]
    members = [
        member for member in evidence.side(id_).members if member != similar_member
    ]
    sides = [evidence.part([id_]), evidence.part([similar_member], members)]
    if rival is not None:
        sides.append(evidence.side(evidence.ids[rival]))
    return case_of(
        evidence,
        SPURIOUS,
        sides,
        evidence.fixes.member(mention, rival),
        reasons=[flag.reason for flag in flags.values()],
        flags={name: flag.score for name, flag in flags.items()},
        p=p,
    )


# ---- several links, one case ----


def joined_cases(cases: Sequence[Case], evidence: Evidence) -> list[Case]:
    """Return the cases, links of one connected error as one case.

    Several links can be one error: four pages on one quake, each with a mention of its own chain,
    are six missing links. Singletons, and at most one chain of several mentions, are one case if
    each of their pairs is a probable link. Links inside the reviewed sentences are not connected
    with others; no case has two mentions of one sentence.
    """
    links = [_probable_link(case) for case in cases]
    groups = _connected_chains(links, _joinable_pairs(links, evidence))
    cases_of: dict[object, list[Case]] = defaultdict(list)
    for number, (case, link) in enumerate(zip(cases, links, strict=True)):
        group = None
        if link is not None:
            inside, chains = link
            group = groups.get((inside, chains[0]))
        if link is not None and group is not None and group.issuperset(link[1]):
            cases_of[link[0], group].append(case)
        else:
            cases_of[number].append(case)
    return [_joined_case(evidence, group) for group in cases_of.values()]


# Whether a link is inside the reviewed sentences, and its chains.
Link: TypeAlias = tuple[bool, tuple[str, ...]]


def _probable_link(case: Case) -> Link | None:
    """Return the chains of a probable missing link; None of another case."""
    is_probable = case.kind.startswith(MISSING) and (case.score or 0) >= _PROBABLE
    if not is_probable:
        return None
    return case.reviewed is True, _chains(case)


def _joinable_pairs(
    links: Sequence[Link | None], evidence: Evidence
) -> set[tuple[bool, str, str]]:
    """Return the pairs of linked chains that one case may have."""
    chain = evidence.corpus.selected["chain"].astype(str)
    sizes = chain.value_counts().to_dict()
    sentence = pd.Series(evidence.sentence, chain)
    sentences = sentence.groupby(level=0).agg(frozenset).to_dict()
    pairs = set()
    for link in links:
        if link is None:
            continue
        inside, chains = link
        for first, second in combinations(chains, 2):
            has_singleton = min(sizes[first], sizes[second]) == 1
            if has_singleton and sentences[first].isdisjoint(sentences[second]):
                pairs.add((inside, first, second))
    return pairs


def _connected_chains(
    links: Sequence[Link | None], joinable: set[tuple[bool, str, str]]
) -> dict[tuple[bool, str], frozenset[str]]:
    """Return the chains that are connected with each, the most probable links first."""
    groups: dict[tuple[bool, str], frozenset[str]] = {}
    for link in links:
        if link is None:
            continue
        inside, chains = link
        union = frozenset(chains)
        for chain in chains:
            union |= groups.get((inside, chain), frozenset())
        pairs = combinations(sorted(union), 2)
        if all((inside, first, second) in joinable for first, second in pairs):
            for chain in union:
                groups[inside, chain] = union
    return groups


def _joined_case(evidence: Evidence, cases: Sequence[Case]) -> Case:
    """Return the case of several links, with the score of the first, which is the strongest."""
    strongest = cases[0]
    if len(cases) == 1:
        return strongest
    side_of_chain: dict[str, CaseSide] = {}
    for case in cases:
        for side in case.sides_in_question:
            side_of_chain.setdefault(side.chain, side)
    sides = list(side_of_chain.values())
    rows = [evidence.rows[side.mentions[0]] for side in sides]
    return case_of(
        evidence,
        MISSING,
        sides,
        evidence.fixes.link(rows),
        reasons=(
            *strongest.reasons,
            f"each pair of the {len(sides)} chains may be linked; this is about the strongest",
        ),
        flags=strongest.detectors,
        p=strongest.score or 0.0,
    )


# ---- copies of sentences ----


def grouped_cases(cases: Sequence[Case], key: Key) -> tuple[Case, ...]:
    """Return the cases, those about copies of the same sentences with one group, and together.

    Only duplicates are: one question says that two sentences are copies, and lists their missing
    links.
    """
    sentences_of = {}
    sentences = DisjointSet(key.sentence.tolist())
    for case in cases:
        if DUPLICATE in case.detectors:
            numbers = [
                int(key.sentence[key.rows[id_]]) for id_ in case.mentions_in_question
            ]
            sentences_of[case.id] = numbers
            for number in numbers[1:]:
                sentences.merge(numbers[0], number)
    groups: dict[object, list[Case]] = defaultdict(list)
    for case in cases:
        if case.id in sentences_of:
            copies = sentences[sentences_of[case.id][0]]
            groups[copies, case.reviewed].append(case)
        else:
            groups[case.id].append(case)
    listed = []
    for group in groups.values():
        name = group[0].id if len(group) > 1 else ""
        listed += [case.model_copy(update={"group": name}) for case in group]
    return tuple(listed)
