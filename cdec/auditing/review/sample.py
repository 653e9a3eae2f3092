"""A random sample of a short-list, and of the pairs that it does not have, to be reviewed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from cdec.auditing.case import Case, CaseSide, missing
from cdec.auditing.detector import scopes
from cdec.auditing.fit import TYPICAL
from cdec.auditing.fixes import Target, none_of_these, one_chain, two_chains
from cdec.auditing.review.decisions import ERROR, Review, settled
from cdec.auditing.shortlist import DEPTHS, ShortList
from cdec.corpus.model import Corpus
from cdec.errors import UsageError
from cdec.io.integers import integer

UNLISTED = "pairs not in the list"


def number_of(text: str, shortlist: ShortList) -> int:
    """Return the number of cases that ``--n`` asks for: a number, or "all".

    Raises UsageError for anything else.

    >>> number_of("20", ShortList((), {}))
    20
    """
    if text == "all":
        return len(shortlist.cases)
    if (number := integer(text)) < 0:
        message, hint = f"--n is '{text:.40}'", "give a number, or all"
        raise UsageError("parameter-invalid", message, hint=hint)
    return number


def sampled(
    shortlist: ShortList,
    corpus: Corpus,
    count: int,
    pairs: int,
    seed: int,
    *,
    reviewed: str = "all",
) -> ShortList:
    """Return ``count`` cases, a random share of each range of ranks, and ``pairs`` other pairs.

    The other pairs are random pairs of chains of one topic, or of one unit of
    ``corpus.linked_within``, that no case of the list would merge. ``reviewed``: draw cases of this
    scope of ``select``, and with ``only`` pairs of mentions in reviewed sentences. The header of
    the list has, for each stratum, the number of its cases and the ids drawn. Cases are in random
    order. Raises UsageError as ``select`` does, for a number that is not possible, and for pairs
    with the scope ``outside``.
    """
    if pairs and reviewed == "outside":
        message = "--pairs has no effect with --reviewed outside"
        raise UsageError("option-conflict", message, hint="use --reviewed only, or leave it out")
    every, shortlist = shortlist, shortlist.select(reviewed=reviewed)
    if not 1 <= count <= len(shortlist.cases) or pairs < 0:
        message = f"--n must be from 1 to {len(shortlist.cases):,}, --pairs 0 or more"
        raise UsageError("parameter-invalid", message, hint="give numbers in this range")
    if seed < 0:
        raise UsageError("parameter-invalid", f"--seed is {seed}", hint="use 0 or more")
    if "decoys" in shortlist.about.get("sample", {}):
        message = "the list has decoys, which a sample would hide"
        raise UsageError("input-mismatch", message, hint="sample the list of the run")
    rng = np.random.default_rng(seed)
    strata: list[dict[str, Any]] = []
    drawn: list[Case] = []
    total = len(shortlist.cases)
    limits = [0, *(depth for depth in DEPTHS if depth < total), total]
    for (start, end), size in zip(pairwise(limits), _sizes(limits, count), strict=True):
        places = rng.choice(np.arange(start, end), size, replace=False)
        chosen = [shortlist.cases[int(place)] for place in sorted(places)]
        strata.append(_stratum(f"ranks {start + 1}–{end}", end - start, chosen))
        drawn += chosen
    if pairs:
        others, number = _unlisted(every, corpus, pairs, reviewed == "only", rng)
        strata.append(_stratum(UNLISTED, number, others))
        drawn += others
    order = rng.permutation(len(drawn))
    about = {**shortlist.about, "sample": {"seed": seed, "strata": strata}}
    return replace(shortlist, cases=tuple(drawn[at] for at in order), about=about, expected=())


def _stratum(name: str, total: int, chosen: list[Case]) -> dict[str, Any]:
    return {"name": name, "cases": total, "drawn": [case.id for case in chosen]}


def _sizes(limits: list[int], count: int) -> list[int]:
    """Return the size of the sample of each range: equal shares, as far as there are cases."""
    lengths = [end - start for start, end in pairwise(limits)]
    turns = sorted((turn, at) for at, length in enumerate(lengths) for turn in range(length))
    sizes = Counter(at for _, at in turns[:count])
    return [sizes[at] for at in range(len(lengths))]


def _unlisted(
    shortlist: ShortList, corpus: Corpus, count: int, inside: bool, rng: np.random.Generator
) -> tuple[list[Case], int]:
    """Return random pairs of chains that no case links, as cases, and the number of all such.

    ``inside``: only of chains with a mention in a reviewed sentence, which is shown.
    """
    events = corpus.selected
    shown = events[events["reviewed"].astype(bool)] if inside else events
    first = shown.drop_duplicates("chain")
    if corpus.linked_within:
        first = first.assign(topic=first["doc"].map(scopes(corpus)))
    topics = dict(zip(first["chain"], first["topic"], strict=True))
    listed = {
        frozenset((one.chain, two.chain))
        for case in shortlist.cases
        for one, two in combinations(case.questioned, 2)
        if one.chain != two.chain and one.chain in topics
        if topics[one.chain] == topics.get(two.chain)
    }
    sizes = first.groupby("topic").size()
    chances = (sizes * (sizes - 1) / 2).to_numpy()
    number = int(chances.sum()) - len(listed)
    groups = [part.index.to_numpy() for _, part in first.groupby("topic")]
    cases: dict[str, Case] = {}
    while len(cases) < min(count, number):
        group = groups[int(rng.choice(len(groups), p=chances / chances.sum()))]
        one, two = rng.choice(group, 2, replace=False)
        if frozenset(first.loc[[one, two], "chain"]) not in listed:
            case = _pair(corpus, str(one), str(two), inside or None)
            cases[case.id] = case
    return list(cases.values()), number


def _pair(corpus: Corpus, one: str, two: str, reviewed: bool | None) -> Case:
    """Return the case of a random pair; of two chains, no correction is suggested."""
    events = corpus.selected
    sides = tuple(_side(events, id_) for id_ in (one, two))
    texts = [events["text"][[*side.mentions, *side.members]] for side in sides]
    chains = zip(sides, texts, strict=True)
    targets = [Target.of(side.mentions[0], side.descriptor, own) for side, own in chains]
    if all(side.members for side in sides):
        fixes = two_chains((one, two), targets, (0.0, 0.0), 0.0)
    else:
        fixes = one_chain((one, two), targets, TYPICAL)
    return Case(
        kind=missing(sides),
        score=None,
        topic=str(events["topic"][one]),
        reviewed=reviewed,
        detectors={},
        reasons=("a random pair",),
        sides=sides,
        fixes=(*fixes, none_of_these()),
    )


def _side(events: pd.DataFrame, id_: str) -> CaseSide:
    chain = events["chain"][id_]
    members = tuple(str(m) for m in events.index[events["chain"] == chain] if m != id_)
    name = str(events["descriptor"][id_])
    return CaseSide(mentions=(id_,), chain=str(chain), descriptor=name, members=members)


@dataclass(frozen=True)
class Estimate:
    """Errors in a stratum: ``errors`` of ``judged`` sampled cases, out of ``cases``."""

    name: str
    cases: int
    judged: int
    errors: int

    @property
    def share(self) -> tuple[float, float, float]:
        """The share of errors with its 95 % Wilson interval; (0, 0, 1) without verdicts."""
        if not self.judged:
            return 0.0, 0.0, 1.0
        found = binomtest(self.errors, self.judged).proportion_ci(method="wilson")
        return self.errors / self.judged, float(found.low), float(found.high)


def estimated(reviews: Sequence[Review]) -> tuple[Estimate, ...]:
    """Return the estimate of each stratum of the sample; empty if the list was not a sample.

    The majority decides; cases that are unsure or tied count as not judged. Raises UsageError for
    decisions on different samples.
    """
    sample = _sample(reviews)
    if sample is None:
        return ()
    verdicts = {decision.case: decision.verdict for decision in settled(reviews)[0]}
    rows = []
    for stratum in sample["strata"]:
        judged = [verdicts[case] for case in stratum["drawn"] if case in verdicts]
        counts = (int(stratum["cases"]), len(judged), judged.count(ERROR))
        rows.append(Estimate(str(stratum["name"]), *counts))
    return tuple(rows)


def _sample(reviews: Sequence[Review]) -> dict[str, Any] | None:
    """Return the sample that reviewers judged; None if nobody judged one."""
    found = (review.about.get("sample") for review in reviews)
    samples = [one for one in found if isinstance(one, dict) and "strata" in one]
    if any(sample != samples[0] for sample in samples):
        raise UsageError(
            "input-mismatch",
            "the decisions files are about different samples of a list",
            hint="report the decisions on each sample separately",
        )
    return samples[0] if samples else None


def estimate_notes(rows: Sequence[Estimate]) -> Iterator[str]:
    """Yield sentences: the estimate of each stratum, of the list, and of what it misses."""
    numbers = {row.name: np.multiply(row.share, row.cases) for row in rows}
    for row in rows:
        p, low, high = numbers[row.name]
        yield (
            f"{row.name}: {row.errors} errors of {row.judged} judged; of {row.cases:,} cases "
            f"{p:,.0f} (95 % interval {low:,.0f}–{high:,.0f})"
        )
    missed = numbers.pop(UNLISTED, None)
    if each := [*numbers.values()]:
        p, low, high = np.transpose(each)
        # Half-widths of independent strata add in squares.
        lower, upper = (np.linalg.norm(p - end) for end in (low, high))
        interval = f"{p.sum() - lower:,.0f}–{p.sum() + upper:,.0f}"
        yield f"errors in the list: {p.sum():,.0f} (95 % interval {interval})"
    if missed is not None:
        p, low, high = missed
        yield f"missing links that the list does not have: {p:,.0f} ({low:,.0f}–{high:,.0f})"
