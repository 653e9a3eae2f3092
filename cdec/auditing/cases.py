"""The audit of a key: what the detectors find, as cases in order. The verb ``cdec.audit``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import DisjointSet

from cdec.api import responses_of
from cdec.arrays import Ints
from cdec.auditing.case import MISSING, SPURIOUS, TWO_EVENTS, Case, CaseSide
from cdec.auditing.detectors import DETECTORS, USUAL
from cdec.auditing.detectors.copies import DUPLICATE
from cdec.auditing.detectors.pairs import SVM
from cdec.auditing.key import Key
from cdec.auditing.page import cases_page, pairs_page
from cdec.auditing.rank import Probable, by_model, by_rate, fitted_to
from cdec.auditing.readers import SYSTEMS, systems_of
from cdec.auditing.shortlist import Expected, ShortList
from cdec.auditing.suspect import LINKS, MEMBERS, Detector, Flag, Suspect
from cdec.corpus.model import Corpus
from cdec.errors import (
    CorpusError,
    Notice,
    UsageError,
    check_number,
    counted,
    notice,
    one_of,
    warn_of,
)
from cdec.evaluation.experiment import check_corpus
from cdec.evaluation.response import Response, read_responses
from cdec.files.progress import notebook
from cdec.language.pipeline import identity
from cdec.plugins import errors_of_plugin
from cdec.render.analysis import Analysis
from cdec.signature import Signature

DELTA = 0.95  # smallest |anchor| of a flagged pair, in Upadhyay et al. (2016)
DEPTHS = (300, 1000, 3000)  # of the table of expected errors
_DIGITS = 6  # of scores and probabilities, so that the order is the same on every processor
# The least score of every pair of a case of several links. One correction was wrong, or not surely
# right, for 2 of 20 groups of train and dev with .7, for 1 of 24 with .8, and for nearly half of
# those with a pair below .5.
_PROBABLE = 0.8


def audit(
    corpus: Corpus,
    *,
    detectors: str | Iterable[str] | None = None,
    delta: float = DELTA,
    nlp: str = "hanta",
    responses: Response | Sequence[Response] | Mapping[str, Response] = (),
) -> Analysis[ShortList]:
    """List suspected errors in the key of ``corpus``, as ``cdec audit run --all`` does.

    ``value.cases`` are the cases, the most certain first; ``value.to_read()`` are those to start
    on, and the page shows the first of them. ``delta`` is the smallest anchor |a| that the SVM
    flags. ``responses`` are chains of systems or of other annotators, as for ``evaluate``.

    The order is by the probability of an error; where links inside one unit only were annotated,
    and no probabilities are known, wrong members are before missing links. Cases have a score, and
    the list expected errors, only if these were fitted to this corpus and key: the order of one
    corpus is useful for another, its probabilities are not.

    Raises UnknownNameError for a detector, UsageError and ScoringError for responses, LanguageError
    if words cannot be tagged, PluginError if a plug-in fails, and CorpusError if the corpus is too
    small or no detector applies to it.

    >>> from cdec import load_corpus
    >>> len(audit(load_corpus("sample"), detectors="companions").value.cases) > 0
    True
    """
    check_corpus(corpus)
    check_number("argument-invalid", "delta", delta, 0, 2, whole=False)
    given = (
        USUAL if detectors is None else (detectors,) if isinstance(detectors, str) else detectors
    )
    named = [one_of("detector", name, DETECTORS) for name in given]
    none = isinstance(responses, list | tuple) and not responses
    others = systems_of([] if none else read_responses(responses_of(responses)), corpus)
    if others:
        named.append(SYSTEMS)
    elif SYSTEMS in named:
        message = f"the detector '{SYSTEMS}' needs responses of systems"
        raise UsageError("option-conflict", message, hint="give a response")
    chosen = [name for name in DETECTORS if name in named]
    key = Key(corpus, chosen, delta, nlp, notebook(), others)
    key.pairs  # noqa: B018  a corpus without candidate pairs is too small
    cases, probable = _found(key)
    known, fitted, calibration = fitted_to(corpus.about)
    questions = _questions(cases, key)
    firsts = np.array([rows[0] for rows in questions], dtype=np.int64)
    listed = [_joined(key, [cases[row] for row in rows]) for rows in questions]
    if corpus.linked_within and not known:  # where annotators had no links, members are wrong
        listed.sort(key=lambda case: case.kind not in (TWO_EVENTS, SPURIOUS))
    listed = [
        case.model_copy(update={"rank": rank, **({} if known else {"score": None})})
        for rank, case in enumerate(listed, 1)
    ]
    expected = tuple(_expected(listed, firsts, probable)) if known else ()
    fields = {
        "nlp": identity(nlp, corpus),
        "detectors": chosen,
        "delta": delta,
        "calibration": calibration,
        "calibration_corpus": None if known else fitted,
        "plugins": ",".join(map(str, DETECTORS.origins(chosen))) or None,
        "left_out": ",".join(key.left_out) or None,
        SYSTEMS: others.digest if others else None,
        "linked_within": corpus.levels[corpus.linked_within] if corpus.linked_within else None,
    }
    about = Signature.from_fields(**corpus.about, **fields).to_dict()
    notices = (*(others.notices if others else ()), *_limits(key, "" if known else fitted))
    pairs = short_list(key) if chosen == [SVM] else None
    found = ShortList(_grouped(listed, key), about, expected, pairs)
    warn_of(notices)
    if pairs is not None:
        return Analysis(found, pairs_page(found, corpus, delta), notices)
    return Analysis(found, cases_page(found.to_read(), corpus, len(found.cases)), notices)


def _limits(key: Key, fitted: str) -> Iterator[Notice]:
    """Yield what the audit leaves out; ``fitted``: the other corpus that the order is of."""
    said = []
    if level := key.corpus.linked_within:
        unit = f"mentions of two {key.corpus.levels[level]}s are not compared"
        said.append(f"{unit}: the corpus has links inside one only")
    for name in key.left_out:
        need = DETECTORS[name].needs
        why = f"the corpus lacks {need.words}" if need else "there are too few pairs to train it"
        said.append(f"the detector {name} is left out: {why}")
    if fitted:
        order = f"their order was fitted to judged cases of '{fitted}', not of this corpus and key"
        said.append(f"cases have ranks but no probabilities: {order}")
    yield from (notice("result-limited", text, (), warning=False) for text in said)


def short_list(key: Key) -> pd.DataFrame:
    """Return the candidate pairs with an anchor, the largest first, see ``ShortList.pairs``."""
    ids, topics = np.array(key.ids, dtype=object), key.corpus.selected["topic"].to_numpy()
    left, right = key.pairs.left, key.pairs.right
    table = pd.DataFrame({"anchor": key.anchors, "above": key.anchors > key.delta})
    table = table.assign(linked=key.linked, topic=topics[left], a=ids[left], b=ids[right])
    order = table[table["anchor"] > 0].sort_values("anchor", ascending=False, kind="stable")
    return order.reset_index(drop=True)


# ---- what is found ----


def _found(key: Key) -> tuple[list[Case], Probable]:
    """Return the case of each suspect, with its score, the most probable first."""
    flags: dict[str, dict[int, dict[str, Flag]]] = {LINKS: {}, MEMBERS: {}}
    places, cases, parts = list[tuple[str, int]](), list[Case](), list[Probable]()
    for one in _applied(key):
        foreign = errors_of_plugin(f"the detector '{one.id}' failed", "report it to its authors")
        try:
            with nullcontext() if one.id in DETECTORS.own else foreign:
                found = list(one.find(key))
        except CorpusError as error:
            if error.code != "part-too-small" or len(key.left_out) + 1 == len(key.chosen):
                raise
            key.left_out.append(one.id)
            continue
        for flag in found:
            if isinstance(flag, Flag):
                flags[flag.table].setdefault(flag.row, {})[one.id] = flag
        if suspects := [suspect for suspect in found if isinstance(suspect, Suspect)]:
            parts.append(by_rate([suspect.group or one.id for suspect in suspects]))
            places += [(one.id, row) for row in range(len(suspects))]
            cases += [_case(one, key, suspect) for suspect in suspects]
    merging = [case for case in cases if case.kind.startswith(MISSING)]
    merged = {frozenset(two) for case in merging for two in combinations(_chains(case), 2)}
    for table, flagged in flags.items():
        if not flagged:
            continue
        rows = (key.links if table == LINKS else key.memberships).loc[sorted(flagged)]
        kept = {
            row: case
            for row, one in zip(rows.index.tolist(), rows.to_dict("records"), strict=True)
            for case in [_flagged(key, table, one, flagged[row])]
            if table == MEMBERS or frozenset(_chains(case)) not in merged
        }
        parts.append(by_model(key, table, list(kept)))
        places += [(table, row) for row in kept]
        cases += kept.values()
    every = Probable.joined(parts)
    p = np.round(every.p, _DIGITS)
    order = sorted(range(len(cases)), key=lambda at: (-p[at], places[at]))
    scored = [cases[at].model_copy(update={"score": float(p[at])}) for at in order]
    return scored, Probable(p[order], every.derivatives[order], every.covariance)


def _applied(key: Key) -> list[Detector]:
    """Return the chosen detectors that have what they need; the others are left out."""
    chosen = [DETECTORS[name] for name in key.chosen]
    lacking = {one.id: one.needs for one in chosen if one.needs and not one.needs.met(key.corpus)}
    key.left_out.extend(lacking)
    if len(lacking) == len(chosen):
        said = "; ".join(f"{name} needs {need.words}" for name, need in lacking.items())
        message = f"no chosen detector applies to the corpus: {said}"
        hint = "choose another detector"
        raise CorpusError("annotation-missing", message, place=key.corpus.name, hint=hint)
    return [one for one in chosen if one.id not in lacking]


def _chains(case: Case) -> set[str]:
    return {side.chain for side in case.questioned}


def _case(detector: Detector, key: Key, suspect: Suspect) -> Case:
    sides = tuple(m if isinstance(m, CaseSide) else key.side(m) for m in suspect.sides)
    case = key.case(detector.kind, sides, suspect.fixes, [suspect.reason])
    return case.model_copy(
        update={"detectors": {detector.id: round(float(suspect.score), _DIGITS)}}
    )


def _flagged(key: Key, table: str, row: Mapping[Any, Any], flags: Mapping[str, Flag]) -> Case:
    """Return the case of a row of a table."""
    reasons, (left, right) = [flag.reason for flag in flags.values()], (row["left"], row["right"])
    if table == LINKS:
        sides = [key.side(key.ids[at]) for at in (left, right)]
        case = key.case(MISSING, sides, key.fixes.link((left, right)), reasons)
    else:
        mention, nearest = row["mention"], row["rival-pair"]
        rival = key.fixes.rival(mention, None if pd.isna(nearest) else int(nearest))
        one, beside = key.ids[mention], key.ids[left + right - mention]
        rest = [member for member in key.side(one).members if member != beside]
        sides = [key.part([one]), key.part([beside], rest)]
        sides += [] if rival is None else [key.side(key.ids[rival])]
        case = key.case(SPURIOUS, sides, key.fixes.member(mention, rival), reasons)
    scores = {name: round(float(flag.score), _DIGITS) for name, flag in flags.items()}
    return case.model_copy(update={"detectors": scores})


# ---- several links, one question ----


def _questions(cases: Sequence[Case], key: Key) -> list[list[int]]:
    """Return the cases that are one question, as places, in order.

    Several links can be one question: four pages on one quake, each with a mention of its own
    chain, are six missing links. Singletons, and at most one chain of several mentions, are one
    question if each of their pairs is a probable link. Links inside the reviewed sentences are not
    connected with others; no question has two mentions of one sentence.
    """
    places = defaultdict(list)
    for chain, *place in key.corpus.selected[["chain", "doc", "sentence"]].itertuples(index=False):
        places[chain].append(tuple(place))

    def may_join(one: str, two: str) -> bool:
        lone = min(len(places[one]), len(places[two])) == 1
        return lone and {*places[one]}.isdisjoint(places[two])

    question: dict[int, object] = {}
    for reviewed in (True, False):
        links = {
            at: sorted(_chains(case))
            for at, case in enumerate(cases)
            if case.kind.startswith(MISSING) and (case.score or 0) >= _PROBABLE
            if (case.reviewed is True) == reviewed
        }
        pairs = {pair for chains in links.values() for pair in combinations(chains, 2)}
        allowed = {pair for pair in pairs if may_join(*pair)}
        groups: dict[str, frozenset[str]] = {}
        for chains in links.values():  # the most probable links are connected first
            union = frozenset(chains).union(*(groups.get(chain, ()) for chain in chains))
            if allowed.issuperset(combinations(sorted(union), 2)):
                groups |= dict.fromkeys(union, union)
        for at, chains in links.items():
            if (group := groups.get(chains[0])) and group.issuperset(chains):
                question[at] = (reviewed, group)
    every: dict[object, list[int]] = {}
    for at in range(len(cases)):
        every.setdefault(question.get(at, at), []).append(at)
    return list(every.values())


def _joined(key: Key, cases: Sequence[Case]) -> Case:
    """Return the case of a question, with what reviewers did not read; the first is strongest."""
    case = cases[0]
    if len(cases) > 1:
        sides: dict[str, CaseSide] = {}
        for side in (side for one in cases for side in one.questioned):
            sides.setdefault(side.chain, side)
        every = tuple(sides.values())
        of_all = f"each pair of the {len(every)} chains may be linked; this is about the strongest"
        fixes = key.fixes.link([key.rows[side.mentions[0]] for side in every])
        joined = key.case(MISSING, every, fixes, (*case.reasons, of_all))
        case = joined.model_copy(update={"score": case.score, "detectors": case.detectors})
    unread = [id_ in (key.unread or ()) for id_ in case.asked]
    if not any(unread):
        return case
    outside = f"{unread.count(True)} of {counted(len(unread), 'mention')}"
    why = f"not in a sentence that the annotators reviewed: {outside}"
    return case.model_copy(update={"reasons": (*case.reasons, why)})


def _expected(cases: Sequence[Case], firsts: Ints, probable: Probable) -> Iterator[Expected]:
    """Yield the expected errors among the first cases, of all and by review."""
    reviewed = np.array([case.reviewed is True for case in cases], dtype=bool)
    scopes = {"all": np.ones(len(cases), dtype=bool)}
    if any(case.reviewed is not None for case in cases):
        scopes |= {"only": reviewed, "outside": ~reviewed}
    for scope, mask in scopes.items():
        total = int(mask.sum())
        for depth in (*(depth for depth in DEPTHS if depth < total), total):
            numbers = probable.expected(firsts[mask][:depth])
            errors, low, high = (round(number, 1) for number in numbers)
            yield Expected(scope=scope, first=depth, errors=errors, low=low, high=high)


def _grouped(cases: Sequence[Case], key: Key) -> tuple[Case, ...]:
    """Return the cases, those about copies of the same sentences with one group, and together.

    Only duplicates are: a card says that two sentences are copies, and lists their missing links.
    """
    columns = (key.corpus.mentions[name] for name in ("doc", "sentence"))
    sentence = dict(zip(key.corpus.mentions.index, zip(*columns, strict=True), strict=True))
    copied = [case for case in cases if DUPLICATE in case.detectors]
    sets = DisjointSet([*(case.id for case in copied), *sentence.values()])
    for case in copied:
        for id_ in case.asked:
            sets.merge(sentence[id_], case.id)
    cards: dict[object, list[Case]] = {}
    for case in cases:
        card = (sets[case.id], case.reviewed) if DUPLICATE in case.detectors else case.id
        cards.setdefault(card, []).append(case)
    return tuple(
        case.model_copy(update={"group": card[0].id if len(card) > 1 else ""})
        for card in cards.values()
        for case in card
    )
