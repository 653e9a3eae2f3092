"""Decoys: cases that are certainly no errors, mixed with a list to measure its readers.

A link is a decoy if both mentions are verbs with the same lemma in two sub-topics of a topic, that
is in the news of two events, neither chain is in both, and their sentences have no name and no
number in common. (A noun may be no event at all: that is an error, too.) A member is one if its
chain has it in an identical sentence of another document, and most members have its head lemma.

Scores and reasons of a decoy are those of a case of the list. All cases of a list with decoys are
without ranks and evidence, which decoys cannot have.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from cdec.arrays import Ints
from cdec.auditing.case import Case
from cdec.auditing.detectors import pair_detectors
from cdec.auditing.key import Key
from cdec.auditing.review.decisions import ERROR, Review, decoys_of, refuse_decoys
from cdec.auditing.review.sample import Estimate
from cdec.auditing.shortlist import ShortList
from cdec.errors import FormatError, UsageError, counted
from cdec.io.inputfile import FileKind
from cdec.io.schema import FileModel, Schema, Texts

FORMAT = "cdec-audit-decoys/1"
# Their reasons name no word of the mentions.
_LEARNED = {one.id for one in pair_detectors(()) if one.learned}
_MOST = 0.5  # share of the members with the head lemma of a decoy


class DecoyKey(FileModel):
    """The ids of the decoys of a list."""

    decoys: Annotated[Texts, Field(min_length=1)]

    @property
    def digest(self) -> str:
        """The digest that the list has of its decoys."""
        return sha256(" ".join(sorted(self.decoys)).encode()).hexdigest()

    def to_json(self) -> str:
        """Return the file."""
        return json.dumps({"format": FORMAT, "decoys": list(self.decoys)}, indent=1) + "\n"


_KIND = FileKind(
    "a key of decoys", FormatError, "file-invalid", "give the --decoy-key of `cdec audit sample`"
)
_SCHEMA = Schema(_KIND, DecoyKey, FORMAT)


def share_of(text: str) -> float:
    """Return the share of "10%". Raises UsageError unless it is above 0 and at most 100.

    >>> share_of("10%")
    0.1
    """
    given = re.fullmatch(r"(\d{1,3}(?:\.\d+)?)%", text, re.ASCII)
    if given is None or not 0 < float(given[1]) <= 100:
        message, hint = f"--decoys is '{text}'", "give a share above 0 and at most 100%, as in 10%"
        raise UsageError("parameter-invalid", message, hint=hint)
    return float(given[1]) / 100


def with_decoys(
    drawn: ShortList, shortlist: ShortList, key: Key, share: float, seed: int
) -> tuple[ShortList, DecoyKey]:
    """Return a sample with decoys among its cases, and the ids of these.

    ``share``: the number of decoys as a share of the cases of ``drawn``, which is a sample of
    ``shortlist``. Each is of the topics of ``drawn``, and of kind and review of a random case in
    it, whose stratum it is in. Raises UsageError for a share that gives no decoy, or more than the
    key has.
    """
    rng = np.random.default_rng(seed)
    count = round(share * len(drawn.cases))
    ids, topics = {case.id for case in drawn.cases}, {case.topic for case in drawn.cases}
    listed = ids | {case.id for case in shortlist.cases}
    known = (one for one in _cases(key, rng) if one.id not in listed and one.topic in topics)
    usual = [case for case in drawn.cases if set(case.detectors) <= _LEARNED]
    pairs = _matched(known, [usual[at] for at in rng.permutation(len(usual))], count)
    if not 0 < len(pairs) == count:
        message = f"--decoys {share:.0%} is {counted(count, 'decoy')}, possible: {len(pairs)}"
        raise UsageError("parameter-invalid", message, hint="choose another share")
    near = [one for one in shortlist.cases if set(one.detectors) <= _LEARNED]
    near = [one for one in near if one.id not in ids] or near
    cases = [*drawn.cases, *(_disguised(case, donor, near) for case, donor in pairs)]
    plain = [case.model_copy(update={"rank": 0, "evidence": ()}) for case in cases]
    found = DecoyKey(decoys=tuple(sorted(case.id for case, _ in pairs)))
    beside = {donor.id: case.id for case, donor in pairs}
    strata = [
        one | {"drawn": sorted({*one["drawn"], *map(beside.get, beside.keys() & {*one["drawn"]})})}
        for one in drawn.about["sample"]["strata"]
    ]
    mark = {"cases": count, "digest": found.digest}
    sample = {**drawn.about["sample"], "strata": strata, "decoys": mark}
    mixed = tuple(plain[at] for at in rng.permutation(len(plain)))
    return replace(drawn, cases=mixed, about={**drawn.about, "sample": sample}), found


def _matched(known: Iterator[Case], donors: Iterable[Case], count: int) -> list[tuple[Case, Case]]:
    """Return ``count`` cases, each with one of the donors that is of its kind and review."""
    waiting: dict[tuple[str, bool | None], list[Case]] = defaultdict(list)
    found: list[tuple[Case, Case]] = []
    for donor in donors:
        if len(found) == count:
            break
        same = waiting[donor.kind, donor.reviewed]
        while not same and (case := next(known, None)):
            waiting[case.kind, case.reviewed].append(case)
        if same:
            found.append((same.pop(), donor))
    return found


def _disguised(case: Case, donor: Case, listed: Sequence[Case]) -> Case:
    """Return a decoy with score and reasons of a listed case that is next to ``donor``."""
    same = [other for other in listed if other.kind == donor.kind] or [donor]
    near = min(same, key=lambda other: (abs(other.rank - donor.rank), other.rank))
    # The reasons of detectors come first, one each.
    reasons = (*near.reasons[: len(near.detectors)], *case.reasons)
    found = {"score": near.score, "detectors": near.detectors, "reasons": reasons}
    return case.model_copy(update=found)


def _cases(key: Key, rng: np.random.Generator) -> Iterator[Case]:
    """Yield decoys in random order, one for each kind, topic and head lemma; mentions are rows."""
    events = key.corpus.selected
    lemma, topic = key.prepared.pool.mentions.codes["lemma"], events["topic"].to_numpy()
    links = [*_links(key, lemma)]
    pairs = [*links, *_members(key, lemma)]
    seen: set[object] = set()
    for at in rng.permutation(len(pairs)):
        one, two = pairs[at]
        if at < len(links):
            case = key.link((one, two))
        else:
            same = (lemma == lemma[one]) & (topic == topic[one]) & (key.chain != key.chain[one])
            rivals = np.flatnonzero(same)
            case = key.member(one, two, int(rng.choice(rivals)) if len(rivals) else None)
        # Two lemmas can be of the same two chains: one case.
        same_as = {(case.kind, case.topic, lemma[one]), case.id}
        if seen.isdisjoint(same_as):
            yield case
        seen |= same_as


def _links(key: Key, lemma: Ints) -> Iterator[tuple[int, int]]:
    """Yield pairs of verbs of two sub-topics with one lemma and no common name."""
    pool, events = key.prepared.pool, key.corpus.selected
    subtopic = pd.Series(pd.factorize(events["subtopic"])[0])
    local = subtopic.groupby(key.chain).transform("nunique") == 1
    spots = zip(events["doc"], events["sentence"], strict=True)
    names = [_names(key.corpus.documents[doc].sentences[number]) for doc, number in spots]
    verb = pool.mentions.codes["pos"] == pool.mentions.kinds["V"]
    kept = verb & local.to_numpy() & np.array(list(map(bool, names)))
    rows = np.column_stack([pool.pairs.left, pool.pairs.right])
    rows = rows[kept[rows].all(axis=1) & np.equal(*lemma[rows].T)]
    apart = np.not_equal(*key.chain[rows].T) & np.not_equal(*subtopic.to_numpy()[rows].T)
    yield from ((one, two) for one, two in rows[apart].tolist() if not names[one] & names[two])


def _names(words: Sequence[str]) -> frozenset[str]:
    """Return the capitalised words and the numbers of a sentence, but not its first word."""
    named = (word for word in words[1:] if word[0].isupper() or word[0].isdigit())
    return frozenset(word.lower() for word in named)


def _members(key: Key, lemma: Ints) -> Iterator[tuple[int, int]]:
    """Yield mentions with a copy in their chain, and another member with their head lemma.

    The other one is not a copy; of the other members, at least half have this lemma.
    """
    alike = key.prepared.alike
    same = alike[alike["identity"] == 1][["left", "right"]].to_numpy()
    copies: dict[int, list[int]] = defaultdict(list)
    for one, two in same[np.equal(*key.chain[same].T)].tolist():
        copies[one].append(two)
        copies[two].append(one)
    for row, equal in copies.items():
        members = key.members[int(key.chain[row])]
        near = members[(members != row) & (lemma[members] == lemma[row])]
        others = np.setdiff1d(near, equal)
        if len(others) and len(near) >= _MOST * (len(members) - 1):
            yield row, int(others[0])


def without_decoys(
    reviews: Sequence[Review], path: Path | None
) -> tuple[tuple[Review, ...], tuple[Estimate, ...]]:
    """Return the reviews without decisions on decoys, and the decoys that each called an error.

    Errors whose correction is that a mention is no event do not count. ``path``: the key of the
    decoys. Raises FormatError if it is of another list, UsageError if it is missing.
    """
    marked = [decoys_of(review) for review in reviews]
    if path is None:
        refuse_decoys(reviews)
        return tuple(reviews), ()
    key = _SCHEMA.read_json(path)
    if any(mark.get("digest") != key.digest for mark in marked):
        raise FormatError(
            "input-mismatch",
            "the decoys are not those of the list that was judged",
            place=path,
            hint="give the --decoy-key of this list",
        )
    ids, plain, accepted = set(key.decoys), [], []
    for review in reviews:
        about = dict(review.about)
        sample = {name: v for name, v in about.pop("sample").items() if name != "decoys"}
        about |= {"sample": sample} if sample else {}
        rest = tuple(one for one in review.decisions if one.case not in ids)
        plain.append(review.model_copy(update={"decisions": rest, "about": about}))
        judged = [one for one in review.decisions if one.case in ids]
        # Whether a mention is an event at all is another question.
        errors = [one for one in judged if one.verdict == ERROR and not one.operation.remove]
        accepted.append(Estimate(review.reviewer, len(ids), len(judged), len(errors)))
    return tuple(plain), tuple(accepted)
