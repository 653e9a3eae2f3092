"""From the suspects of detectors to the list of cases: each case once, those of copies together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
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
from cdec.auditing.key import Key
from cdec.auditing.suspects import Flag, Suspect
from cdec.errors import CorpusError
from cdec.plugins import errors_of_plugin

# The least score of every pair of a case of several links. One correction was wrong, or not surely
# right, for 2 of 20 groups of train and dev with .7, for 1 of 24 with .8, and for nearly half of
# those with a pair below .5.
_PROBABLE = 0.8
# The last option of every case.
_NONE_OF_THESE = Fix(
    fix="none", text="an error, but none of these corrections", claims=()
)
# Of a table: row → detector → its flag.
Flags: TypeAlias = dict[str, dict[int, dict[str, Flag]]]
# A case after its place in the list: by probability, then detector or table, then number.
Ranked: TypeAlias = tuple[float, str, int, Case]


# ---- a case of each suspect ----


def _case_of(
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
    on_sides = {id_ for side in sides for id_ in (*side.mentions, *side.members)}
    claims = (claim for fix in fixes for claim in fix.claims)
    targets = {}
    for id_ in (mention for claim in claims for mention in claim.mentions):
        if id_ in key.rows and id_ not in on_sides:
            side = key.side(id_)
            targets[side.chain] = side.model_copy(update={"evidence": True})
    large = sum(bool(side.members) for side in sides)
    return Case(
        kind=KINDS[min(2, large)] if kind == MISSING else kind,
        rank=0,
        score=p,
        topic=next(key.topic[id_] for side in sides for id_ in side.mentions),
        reviewed=_is_reviewed(key, kind, sides),
        detectors={
            name: round(float(score), probability.DIGITS)
            for name, score in flags.items()
        },
        reasons=tuple(reasons),
        sides=(*sides, *targets.values()),
        fixes=(*fixes, _NONE_OF_THESE),
    )


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
        members = () if kind == NO_EVENT else side.members
        if any(key.unread.issuperset((id_, *members)) for id_ in side.mentions):
            return False
    return True


def suspected_cases(evidence: Evidence) -> tuple[list[Case], dict[str, str]]:
    """Return the case of each suspect, the most probable first; detectors left out, and why.

    Raises PluginError if a plug-in fails.
    """
    flags: Flags = defaultdict(lambda: defaultdict(dict))
    ranked: list[Ranked] = []
    left_out: dict[str, str] = {}
    for name in evidence.detectors:
        foreign = errors_of_plugin(
            f"the detector '{name}' failed", "report it to its authors"
        )
        try:
            with nullcontext() if name in DETECTORS.own else foreign:
                suspects = list(DETECTORS[name].find(evidence))
        except CorpusError as error:
            fits = error.code not in ("part-too-small", "annotation-missing")
            if fits or len(left_out) + 1 == len(evidence.detectors):
                raise
            left_out[name] = error.message
            continue
        for number, suspect in enumerate(suspects):
            if isinstance(suspect, Flag):
                flags[suspect.table][suspect.row][name] = suspect
            else:
                p = probability.of_group(suspect.group or name)
                case = _case_of_suspect(evidence, name, suspect, p)
                ranked.append((-p, name, number, case))
    linked = {
        chains
        for *_, case in ranked
        if case.kind.startswith(MISSING)
        for chains in combinations(_chains(case), 2)
    }
    ranked += _flagged_cases(evidence, flags, linked)
    ranked.sort(key=lambda place: place[:3])
    return [case for *_, case in ranked], left_out


def _case_of_suspect(key: Key, name: str, suspect: Suspect, p: float) -> Case:
    sides = [
        side if isinstance(side, CaseSide) else key.side(side) for side in suspect.sides
    ]
    return _case_of(
        key,
        DETECTORS[name].kind,
        sides,
        suspect.fixes,
        reasons=[suspect.reason],
        flags={name: suspect.score},
        p=p,
    )


def _flagged_cases(
    evidence: Evidence, flags: Flags, linked: Collection[tuple[str, ...]]
) -> Iterator[Ranked]:
    """Yield the case of each flagged row of a table, but of links that are cases already."""
    for table, flags_of_table in flags.items():
        rows = evidence.tables[table].loc[sorted(flags_of_table)]
        probabilities = probability.of_rows(evidence, table, rows)
        records = rows.to_dict("records")
        for number, row, p in zip(rows.index, records, probabilities, strict=True):
            case = _flagged(evidence, table, row, flags_of_table[number], p)
            if table != LINKS or _chains(case) not in linked:
                yield -p, table, number, case


def _flagged(
    evidence: Evidence,
    table: str,
    row: Mapping[Any, Any],
    flags: Mapping[str, Flag],
    p: float,
) -> Case:
    """Return the case of a row of a table."""
    left = row["left"]
    right = row["right"]
    if table == LINKS:
        kind = MISSING
        sides = [evidence.side(evidence.ids[end]) for end in (left, right)]
        fixes = evidence.fixes.link((left, right))
    else:
        kind = SPURIOUS
        mention = row["mention"]
        nearest = row["rival-pair"]
        rival = evidence.fixes.rival(
            mention, None if pd.isna(nearest) else int(nearest)
        )
        fixes = evidence.fixes.member(mention, rival)
        id_ = evidence.ids[mention]
        similar = evidence.ids[left + right - mention]
        members = [other for other in evidence.side(id_).members if other != similar]
        sides = [evidence.part([id_]), evidence.part([similar], members)]
        if rival is not None:
            sides.append(evidence.side(evidence.ids[rival]))
    reasons = [flag.reason for flag in flags.values()]
    scores = {name: flag.score for name, flag in flags.items()}
    return _case_of(evidence, kind, sides, fixes, reasons=reasons, flags=scores, p=p)


def _chains(case: Case) -> tuple[str, ...]:
    return tuple(sorted({side.chain for side in case.questioned}))


# ---- several links, one case ----


def joined_cases(cases: Sequence[Case], evidence: Evidence) -> list[Case]:
    """Return the cases in order, links of one connected error as one case.

    Several links can be one error: four pages on one quake, each with a mention of its own chain,
    are six missing links. Singletons, and at most one chain of several mentions, are one case if
    each of their pairs is a probable link. Links inside the reviewed sentences are not connected
    with others; no case has two mentions of one sentence.
    """
    links = [_probable_link(case) for case in cases]
    groups = _connected(links, evidence)
    joined: dict[object, list[Case]] = defaultdict(list)
    for number, (case, (inside, chains)) in enumerate(zip(cases, links, strict=True)):
        group = groups.get((inside, chains[0]), frozenset()) if chains else frozenset()
        is_joined = chains and group.issuperset(chains)
        joined[(inside, group) if is_joined else number].append(case)
    return [_joined(evidence, group) for group in joined.values()]


# Whether a probable link is inside the reviewed sentences, and its chains; none of another case.
Link: TypeAlias = tuple[bool, tuple[str, ...]]


def _probable_link(case: Case) -> Link:
    if case.kind.startswith(MISSING) and (case.score or 0) >= _PROBABLE:
        return case.reviewed is True, _chains(case)
    return False, ()


def _connected(
    links: Sequence[Link], evidence: Evidence
) -> dict[tuple[bool, str], frozenset[str]]:
    """Return the chains that are connected with each chain of a link."""
    chain = evidence.corpus.selected["chain"].astype(str)
    sizes = chain.value_counts().to_dict()
    sentence = pd.Series(evidence.sentence, chain)
    sentences = sentence.groupby(level=0).agg(frozenset).to_dict()
    allowed = {
        (inside, first, second)
        for inside, chains in links
        for first, second in combinations(chains, 2)
        if min(sizes[first], sizes[second]) == 1
        and sentences[first].isdisjoint(sentences[second])
    }
    groups: dict[tuple[bool, str], frozenset[str]] = {}
    for inside, chains in links:  # the most probable links are connected first
        ends = [(inside, end) for end in chains]
        union = frozenset(chains).union(*(groups.get(end, ()) for end in ends))
        if all((inside, *pair) in allowed for pair in combinations(sorted(union), 2)):
            groups |= dict.fromkeys(((inside, end) for end in union), union)
    return groups


def _joined(evidence: Evidence, cases: Sequence[Case]) -> Case:
    """Return the case of several links, with the score of the first, which is the strongest."""
    strongest = cases[0]
    if len(cases) == 1:
        return strongest
    side_of_chain: dict[str, CaseSide] = {}
    for case in cases:
        for side in case.questioned:
            side_of_chain.setdefault(side.chain, side)
    sides = list(side_of_chain.values())
    of_all = f"each pair of the {len(sides)} chains may be linked; this is about the strongest"
    return _case_of(
        evidence,
        MISSING,
        sides,
        evidence.fixes.link([evidence.rows[side.mentions[0]] for side in sides]),
        reasons=(*strongest.reasons, of_all),
        flags=strongest.detectors,
        p=strongest.score or 0.0,
    )


# ---- copies of sentences ----


def grouped_cases(cases: Sequence[Case], key: Key) -> tuple[Case, ...]:
    """Return the cases, those about copies of the same sentences with one group, and together.

    Only duplicates are: one group says that two sentences are copies, and lists their missing
    links.
    """
    sentences = {
        case.id: [key.sentence[key.rows[id_]] for id_ in case.asked]
        for case in cases
        if DUPLICATE in case.detectors
    }
    copies = DisjointSet(key.sentence.tolist())
    for numbers in sentences.values():
        for number in numbers[1:]:
            copies.merge(numbers[0], number)
    groups: dict[object, list[Case]] = defaultdict(list)
    for case in cases:
        name: object = case.id
        if case.id in sentences:
            name = (copies[sentences[case.id][0]], case.reviewed)
        groups[name].append(case)
    return tuple(
        case.model_copy(update={"group": group[0].id if len(group) > 1 else ""})
        for group in groups.values()
        for case in group
    )
