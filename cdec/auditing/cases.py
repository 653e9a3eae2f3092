"""The audit of a key: its cases in order, with the evidence for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import DisjointSet

from cdec.arrays import Bools
from cdec.auditing.case import MISSING, SPURIOUS, TWO_EVENTS, Case, CaseSide, Evidence
from cdec.auditing.config import AuditConfig
from cdec.auditing.detectors import DETECTORS, needs_of
from cdec.auditing.detectors.svm import SLACK, SVM
from cdec.auditing.detectors.systems import with_systems
from cdec.auditing.key import COLUMNS, Key
from cdec.auditing.rank import (
    Calibration,
    Pairwise,
    Part,
    by_model,
    by_rate,
    expected,
    links,
    members,
    ordered,
)
from cdec.auditing.readers import SYSTEMS, systems_of, with_readers
from cdec.auditing.shortlist import DEPTHS, ELSEWHERE, LEFT_OUT, WITHIN, Expected, ShortList
from cdec.auditing.suspect import Detector, Suspect
from cdec.corpus.model import Corpus
from cdec.errors import CorpusError
from cdec.evaluation.response import Response
from cdec.files.progress import Progress, silent
from cdec.language.pipeline import identity
from cdec.plugins import errors_of_plugin
from cdec.signature import Signature

_DIGITS = 4  # of a contribution and of the value of a feature
_SHOWN = 4  # features shown for the link, and as many against it
# The least score of every pair of a case of several links. One correction was wrong, or not surely
# right, for 2 of 20 groups of train and dev with .7, for 1 of 24 with .8, and for nearly half of
# those with a pair below .5.
_PROBABLE = 0.8
COPIED = "duplicate"  # the detector whose cases are read together
Place = tuple[str, int]  # table and row


def audit(
    corpus: Corpus,
    config: AuditConfig,
    progress: Progress = silent,
    *,
    responses: Sequence[Response] = (),
) -> ShortList:
    """Return all cases that the detectors of ``config`` find in the key of ``corpus``, in order.

    The order is by the probability of an error; where links inside one unit only were annotated,
    and no probabilities are known, wrong members are before missing links. Cases have a score, and
    the list expected errors, only if the calibration is of this corpus and key: the order of one
    corpus is useful for another, its probabilities are not. ``responses`` are further evidence, see
    ``cdec.auditing.readers``. Raises UsageError and ScoringError as ``systems_of`` does,
    LanguageError as ``heads`` does, PluginError if a plug-in fails, and CorpusError if no detector
    can be applied to the corpus.
    """
    config, others = with_systems(config, responses), systems_of(responses, corpus)
    nlp, calibration = identity(config.pipeline, corpus), Calibration()
    known = calibration.holds_for(corpus.about)
    key = Key(corpus, config, progress, others)
    found = Found(key, calibration)
    listed = with_evidence(list(found.cases(known)), key)
    if corpus.linked_within and not known:  # where annotators had no links, members are wrong
        listed.sort(key=lambda case: case.kind not in (TWO_EVENTS, SPURIOUS))
        listed = [one.model_copy(update={"rank": at}) for at, one in enumerate(listed, 1)]
    cases = tuple(listed)
    errors = _expected(found, cases) if known else ()
    cases = with_readers(cases, key, others) if others else cases
    order = {"calibration": calibration.digest[:12]}
    order |= {} if known else {ELSEWHERE: str(calibration.about.get("corpus", "unknown"))}
    plugins = ",".join(map(str, DETECTORS.origins(config.detectors)))
    order |= {"plugins": plugins} if plugins else {}
    order |= {LEFT_OUT: ",".join(key.left_out)} if key.left_out else {}
    order |= {SYSTEMS: others.digest} if others else {}
    order |= {WITHIN: corpus.levels[corpus.linked_within]} if corpus.linked_within else {}
    signature = Signature.from_fields(**corpus.about, nlp=nlp, **config.about, **order)
    told = others.notices if others else ()
    pairs = short_list(key) if config.detectors == (SVM.id,) else None
    return ShortList(grouped(cases, key), signature.to_dict(), errors, told, pairs)


def short_list(key: Key) -> pd.DataFrame:
    """Return the candidate pairs with an anchor, the largest first, see ``ShortList.pairs``."""
    anchors, _ = key.measure(SVM).columns[SLACK]
    ids, topics = np.array(key.ids, dtype=object), key.corpus.selected["topic"].to_numpy()
    left, right = key.pairs.left, key.pairs.right
    table = pd.DataFrame({"anchor": anchors, "above": anchors > key.config.delta})
    table = table.assign(linked=key.linked, topic=topics[left], a=ids[left], b=ids[right])
    order = table[anchors > 0].sort_values("anchor", ascending=False, kind="stable")
    return order.reset_index(drop=True)


def grouped(cases: Sequence[Case], key: Key) -> tuple[Case, ...]:
    """Return the cases, those about copies of the same sentences with one group, and together.

    Only duplicates are: a card says that two sentences are copies, and lists their missing links.
    """
    columns = (key.corpus.mentions[name] for name in ("doc", "sentence"))
    sentence = dict(zip(key.corpus.mentions.index, zip(*columns, strict=True), strict=True))
    copied = [case for case in cases if COPIED in case.detectors]
    sets = DisjointSet([*(case.id for case in copied), *sentence.values()])
    for case in copied:
        for id_ in case.asked:
            sets.merge(sentence[id_], case.id)
    groups: dict[object, list[str]] = {}
    for case in copied:
        groups.setdefault((sets[case.id], case.reviewed), []).append(case.id)
    of = {id_: ids[0] for ids in groups.values() if len(ids) > 1 for id_ in ids}
    every: dict[str, list[Case]] = {}
    for case in cases:
        every.setdefault(of.get(case.id, case.id), []).append(case)
    return tuple(
        case.model_copy(update={"group": of.get(case.id, "")})
        for card in every.values()
        for case in card
    )


class Found:
    """What the chosen detectors find in a key, in order.

    ``table`` has the suspects, the most probable first, with the ``rank`` of their case. Several
    links can be one case: four pages on one quake, each with a mention of its own chain, are six
    missing links, but one question. Singletons, and at most one chain of several mentions, are one
    case if each of their pairs is a probable link. Links inside the reviewed sentences are not
    connected with others; no case has two mentions of one sentence. Raises CorpusError if no
    detector applies.
    """

    def __init__(self, key: Key, calibration: Calibration) -> None:
        self.key, _ = key, key.pairs  # a corpus without candidate pairs is too small
        if set(key.config.detectors) <= set(key.left_out):
            needs = "; ".join(f"{n} needs {what}" for n, what in needs_of(key.left_out).items())
            message = f"no chosen detector applies to the corpus: {needs}"
            hint = "choose another detector"
            raise CorpusError("annotation-missing", message, place=key.corpus.name, hint=hint)
        self.suspects = {one.id: _suspects(one, key) for one in key.whole}
        self.of = {
            one.id: [_case(one, key, suspect) for suspect in self.suspects[one.id]]
            for one in key.whole
        }
        self._merging = {one.id for one in key.whole if one.kind == MISSING}
        self.pairwise: dict[str, Pairwise] = {}
        if any(one.learned for one in key.measured):
            proposed = (self._codes(case) for name in self._merging for case in self.of[name])
            merged = {pair for codes in proposed for pair in combinations(codes, 2)}
            tables = links(key, merged), members(key)
            self.pairwise = {table.name: table for table in tables}
        self.parts = list(self._parts(calibration))
        self.table = ordered(self.parts)
        self.table["rank"] = self._ranks()

    def _codes(self, case: Case) -> tuple[int, ...]:
        """Return the chains of the sides in question."""
        ids = ((*side.mentions, *side.members)[0] for side in case.questioned)
        return tuple(sorted({int(self.key.chain[self.key.rows[id_]]) for id_ in ids}))

    def _parts(self, calibration: Calibration) -> Iterator[Part]:
        every = [by_model(table, calibration) for table in self.pairwise.values()]
        for name, suspects in self.suspects.items():
            groups = [one.group or name for one in suspects]
            every += by_rate(name, groups, [one.score for one in suspects], calibration)
        yield from (part for part in every if len(part.rows))

    def cases(self, known: bool) -> Iterator[Case]:
        """Yield the cases in order, with rank and detectors, and scores if these are ``known``."""
        numbered = ("score", "table", "row", "part", "at", "rank")
        names = [name for name in self.table if name not in numbered]
        places = zip(self.table["table"], self.table["row"], strict=True)
        rows: dict[int, list[Place]] = {}
        for rank, (table, row) in zip(self.table["rank"], places, strict=True):
            rows.setdefault(int(rank), []).append((str(table), int(row)))
        first = self.table.drop_duplicates("rank").to_dict("records")
        for (rank, of_case), record in zip(sorted(rows.items()), first, strict=True):
            flags = {str(n): float(record[n]) for n in names if not pd.isna(record[n])}
            score = float(record["score"]) if known else None
            placed = {"rank": rank, "score": score, "detectors": flags}
            yield self._joined(of_case).model_copy(update=placed)

    def _one(self, place: Place) -> Case:
        table, row = place
        return self.pairwise[table].case(row) if table in self.pairwise else self.of[table][row]

    def _joined(self, places: Sequence[Place]) -> Case:
        """Return the case of one suspect, or of several links, the most probable first."""
        cases = [self._one(place) for place in places]
        if len(cases) == 1:
            return cases[0]
        sides: dict[str, CaseSide] = {}
        for side in (side for case in cases for side in case.questioned):
            sides.setdefault(side.chain, side)
        every = tuple(sides.values())
        table, row = places[0]
        inner = self.pairwise.get(table)
        reasons = inner.reasons(row) if inner else [self.suspects[table][row].reason]
        of_all = f"each pair of the {len(every)} chains may be linked; this is about the strongest"
        fixes = self.key.fixes.link([self.key.rows[side.mentions[0]] for side in every])
        return self.key.case(MISSING, every, fixes, (*reasons, of_all), every)

    def _ranks(self) -> list[int]:
        """Return the rank of the case of each suspect."""
        places = list(zip(self.table["table"], self.table["row"], strict=True))
        probable = places[: int((self.table["score"] >= _PROBABLE).sum())]
        linked: dict[Place, tuple[bool, tuple[int, ...]]] = {}
        for table, row in probable:
            if table in self._merging:
                case = self.of[table][row]
                linked[table, row] = case.reviewed is True, self._codes(case)
            elif table == "links":
                ends = self.pairwise["links"].rows.loc[row, ["one", "two"]]
                codes = tuple(int(code) for code in ends)
                linked[table, row] = all(self._reviewed[list(codes)]), codes
        groups = {scope: self._groups(scope, linked) for scope in (False, True)}
        ranks: dict[object, int] = {}

        def case_of(place: Place) -> object:
            scope, codes = linked.get(place, (False, ()))
            group = groups[scope].get(codes[0]) if codes else None
            return (scope, group) if group and group.issuperset(codes) else place

        return [ranks.setdefault(case_of(place), len(ranks) + 1) for place in places]

    @property
    def _reviewed(self) -> Bools:
        """Whether each chain has a mention in the reviewed sentences."""
        reviewed = self.key.corpus.selected["reviewed"].to_numpy(bool)
        return np.asarray(np.bincount(self.key.chain, reviewed) > 0)

    def _groups(
        self, scope: bool, linked: dict[Place, tuple[bool, tuple[int, ...]]]
    ) -> dict[int, frozenset[int]]:
        """Return the group of each chain; the most probable links are connected first."""
        mentions, events = self.key.members, self.key.corpus.selected
        sentence = events.groupby(["doc", "sentence"]).ngroup().to_numpy()

        def may_join(one: int, two: int) -> bool:
            ends = mentions[one], mentions[two]
            places = [set(sentence[rows]) for rows in ends]
            return min(map(len, ends)) == 1 and places[0].isdisjoint(places[1])

        rows = [codes for inside, codes in linked.values() if inside == scope]
        pairs = {pair for codes in rows for pair in combinations(sorted(codes), 2)}
        allowed = {pair for pair in pairs if may_join(*pair)}
        groups: dict[int, frozenset[int]] = {}
        for codes in rows:
            union = frozenset(codes).union(*(groups.get(code, ()) for code in codes))
            if allowed.issuperset(combinations(sorted(union), 2)):
                groups |= dict.fromkeys(union, union)
        return groups


def _suspects(detector: Detector, key: Key) -> list[Suspect]:
    hint = "report it to the authors of that package"
    foreign = errors_of_plugin(f"the detector '{detector.id}' failed", hint)
    with nullcontext() if detector.id in DETECTORS.own else foreign:
        return list(detector.find(key))


def _case(detector: Detector, key: Key, suspect: Suspect) -> Case:
    sides = tuple(m if isinstance(m, CaseSide) else key.side(m) for m in suspect.sides)
    asked = sides if sides[0].mentions else ()  # a missing mention is in an annotated sentence
    if not detector.by_chain:
        asked = tuple(side.model_copy(update={"members": ()}) for side in sides)
    return key.case(detector.kind, sides, suspect.fixes, [suspect.reason], asked)


def _expected(found: Found, cases: Sequence[Case]) -> tuple[Expected, ...]:
    """Return the expected errors among the first cases, of all and by review."""
    reviewed = np.array([case.reviewed is True for case in cases], dtype=bool)
    scopes = {"all": np.ones(len(cases), dtype=bool)}
    if any(case.reviewed is not None for case in cases):
        scopes |= {"only": reviewed, "outside": ~reviewed}
    first = found.table.drop_duplicates("rank")
    rows = []
    for scope, mask in scopes.items():
        total = int(mask.sum())
        for depth in (*(depth for depth in DEPTHS if depth < total), total):
            numbers = expected(first[mask].iloc[:depth], found.parts)
            errors, low, high = (round(number, 1) for number in numbers)
            rows.append(Expected(scope=scope, first=depth, errors=errors, low=low, high=high))
    return tuple(rows)


def with_evidence(cases: list[Case], key: Key) -> list[Case]:
    """Return the cases with the strongest features for and against their link."""
    weights = next((m.weights for m in key.measured.values() if m.weights is not None), None)
    explained = [place for place, case in enumerate(cases) if case.by_pair]
    if weights is None or not explained:
        return cases
    ends = [[key.rows[side.mentions[0]] for side in cases[at].sides[:2]] for at in explained]
    rows = np.sort(ends, axis=1)
    features = key.describe(rows[:, 0], rows[:, 1])
    for place, plain, row in zip(explained, features, key.design.apply(features), strict=True):
        adds = key.design.contributions(row, weights).round(_DIGITS)
        order = np.argsort(-adds, kind="stable")
        evidence = tuple(
            Evidence(feature=COLUMNS[at], adds=adds[at], value=round(float(plain[at]), _DIGITS))
            for at in (*order[:_SHOWN], *order[-_SHOWN:])
        )
        cases[place] = cases[place].model_copy(update={"evidence": evidence})
    return cases
