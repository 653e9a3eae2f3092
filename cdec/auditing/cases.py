"""The audit of a key: what the detectors find, as cases in order. The verb ``cdec.audit``.

The order is by the probability of an error, fitted to judged cases of ECB+ (``ecbplus.json``).
Flagged links and members have a logistic regression each, on the columns of ``_of_links`` and
``_of_members``. Other suspects have one probability for each group: (k + ½) / (n + 1) for k errors
among n judged cases (Jeffreys).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from functools import cache
from hashlib import sha256
from importlib.resources import files
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import DisjointSet
from scipy.special import expit

from cdec.api import system_of
from cdec.arrays import Floats, Ints
from cdec.auditing.case import MISSING, SPURIOUS, TWO_EVENTS, Case, CaseSide, Flag
from cdec.auditing.detectors import DETECTORS, USUAL
from cdec.auditing.detectors.copies import DUPLICATE
from cdec.auditing.detectors.pairs import COMPANIONS, HELD_OUT, LINKS, SVM, SYSTEMS
from cdec.auditing.detectors.rules import RULE
from cdec.auditing.key import DIGITS, FEATURES, Key
from cdec.auditing.page import cases_page, pairs_page
from cdec.auditing.readers import systems_of
from cdec.auditing.shortlist import ShortList
from cdec.corpus.model import Corpus
from cdec.errors import CorpusError, Notice, UsageError, check_number, one_of, warn_of
from cdec.evaluation.parts import check_corpus
from cdec.evaluation.response import AnyResponse, read_responses
from cdec.files.progress import notebook
from cdec.language.pipeline import identity
from cdec.language.stems import stemmer_identity
from cdec.plugins import errors_of_plugin
from cdec.records import Fields, Row
from cdec.render.analysis import Analysis
from cdec.signature import Signature

DELTA = 0.95  # smallest |anchor| of a flagged pair, in Upadhyay et al. (2016)
# The least score of every pair of a case of several links. One correction was wrong, or not surely
# right, for 2 of 20 groups of train and dev with .7, for 1 of 24 with .8, and for nearly half of
# those with a pair below .5.
_PROBABLE = 0.8
# The fields of a signature that identify the content of a corpus and the key audited.
_KEY = ("digest", "kind", "key_variant", "key_patch_digest")
# Of the strongest pair: words around the mentions, of their sentences and documents, rarity of a
# common lemma, spelling of the heads.
_CONTEXTS = (
    "window",
    "sentence",
    "lemma_idf",
    "document_cosine",
    "events",
    "letter_cosine",
)


def audit(
    corpus: Corpus,
    *,
    detectors: str | Iterable[str] | None = None,
    delta: float = DELTA,
    nlp: str = "hanta",
    responses: AnyResponse | Sequence[AnyResponse] | Mapping[str, AnyResponse] = (),
) -> Analysis[ShortList]:
    """List suspected errors in the key of ``corpus``, as ``cdec audit run --all`` does.

    ``value.cases`` are the cases, the most certain first; ``value.to_read()`` are those to start
    on, and the page shows the first of them. ``delta`` is the smallest anchor |a| that the SVM
    flags. ``responses`` are chains of systems or of other annotators, as for ``evaluate``.

    The order is by the probability of an error; where links inside one unit only were annotated,
    and no probabilities are known, wrong members are before missing links. Cases have a score only
    if it was fitted to this corpus and key: the order of one corpus is useful for another, its
    probabilities are not.

    Raises UnknownNameError for a detector, UsageError and ScoringError for responses, LanguageError
    if words cannot be tagged, PluginError if a plug-in fails, and CorpusError if the corpus is too
    small or no detector applies to it.

    >>> from cdec import load_corpus
    >>> len(audit(load_corpus("sample"), detectors="companions").value.cases) > 0
    True
    """
    check_corpus(corpus)
    check_number("delta", delta, 0, 2, whole=False)
    given = (
        (detectors,)
        if isinstance(detectors, str)
        else USUAL
        if detectors is None
        else detectors
    )
    named = {one_of("detector", name, DETECTORS) for name in given}
    none = isinstance(responses, list | tuple) and not responses
    others = systems_of(
        [] if none else read_responses(responses, system=system_of), corpus
    )
    if SYSTEMS in named and not others:
        raise UsageError(
            "option-conflict",
            f"the detector '{SYSTEMS}' needs responses of systems",
            hint="give a response",
        )
    chosen = [
        name for name in DETECTORS if name in named or (others and name == SYSTEMS)
    ]
    key = Key(corpus, chosen, delta, nlp, progress=notebook(), readers=others)
    key.pairs  # noqa: B018  a corpus without candidate pairs is too small
    cases, left_out = _found(key)
    known, fitted, calibration = _fitted_to(corpus.about)
    listed = [_joined(key, one) for one in _questions(cases, key)]
    if (
        corpus.linked_within and not known
    ):  # where annotators had no links, members are wrong
        listed.sort(key=lambda case: case.kind not in (TWO_EVENTS, SPURIOUS))
    ranked = [
        case.model_copy(update={"rank": rank, **({} if known else {"score": None})})
        for rank, case in enumerate(listed, 1)
    ]
    fields = {
        "nlp": identity(nlp, corpus),
        "stemmer": stemmer_identity(),
        "detectors": chosen,
        "delta": delta,
        "calibration": calibration,
        "calibration_corpus": None if known else fitted,
        "plugins": ",".join(map(str, DETECTORS.origins(chosen))) or None,
        "left_out": ",".join(left_out) or None,
        SYSTEMS: others.digest if others else None,
        "linked_within": corpus.levels[corpus.linked_within]
        if corpus.linked_within
        else None,
    }
    said = [f"the detector {name} is left out: {why}" for name, why in left_out.items()]
    if level := fields["linked_within"]:
        said.append(
            f"mentions of two {level}s are not compared: the corpus has links inside one"
        )
    if not known:
        order = f"fitted to judged cases of '{fitted}', not of this corpus and key"
        said.append(f"cases have ranks but no probabilities: their order was {order}")
    limits = [Notice("result-limited", 0, text, warning=False) for text in said]
    notices = (*(others.notices if others else ()), *limits)
    warn_of(notices)
    about = dict(Signature.from_fields(**corpus.about, **fields).fields)
    pairs = _short_list(key) if chosen == [SVM] else None
    found = ShortList(_grouped(ranked, key), about, pairs)
    if pairs is not None:
        return Analysis(found, pairs_page(found, corpus, delta), notices)
    return Analysis(
        found, cases_page(found.to_read(), corpus, len(found.cases)), notices
    )


def _short_list(key: Key) -> pd.DataFrame:
    """Return the candidate pairs with an anchor, the largest first, see ``ShortList.pairs``."""
    ids = np.array(key.ids, dtype=object)
    topics = key.corpus.selected["topic"].to_numpy()
    left = key.pairs.left
    right = key.pairs.right
    anchors, _ = key.measured
    table = pd.DataFrame({"anchor": anchors, "above": anchors > key.delta})
    table = table.assign(
        linked=key.linked, topic=topics[left], a=ids[left], b=ids[right]
    )
    order = table[table["anchor"] > 0].sort_values(
        "anchor", ascending=False, kind="stable"
    )
    return order.reset_index(drop=True)


# ---- what is found ----


def _found(key: Key) -> tuple[list[Case], dict[str, str]]:
    """Return the case of each suspect, the most probable first; detectors left out, and why."""
    flags: dict[str, dict[int, dict[str, Flag]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    found = []  # in order of -score, detector or table, number
    left_out: dict[str, str] = {}
    for name in key.chosen:
        one = DETECTORS[name]
        foreign = errors_of_plugin(
            f"the detector '{name}' failed", "report it to its authors"
        )
        try:
            with nullcontext() if name in DETECTORS.own else foreign:
                suspects = list(one.find(key))
        except CorpusError as error:
            fits = error.code not in ("part-too-small", "annotation-missing")
            if fits or len(left_out) + 1 == len(key.chosen):
                raise
            left_out[name] = error.message
            continue
        for number, suspect in enumerate(suspects):
            if isinstance(suspect, Flag):
                flags[suspect.table][suspect.row][name] = suspect
                continue
            sides = [
                m if isinstance(m, CaseSide) else key.side(m) for m in suspect.sides
            ]
            p = _rate(suspect.group or name)
            why = [suspect.reason]
            flag = {name: suspect.score}
            case = key.case(
                one.kind, sides, suspect.fixes, reasons=why, flags=flag, p=p
            )
            found.append((-p, name, number, case))
    cases = [case for *_, case in found]
    linked = {
        two
        for case in cases
        if case.kind.startswith(MISSING)
        for two in combinations(_chains(case), 2)
    }
    for table, flagged in flags.items():
        rows = key.tables[table].loc[sorted(flagged)]
        numbers = zip(
            _by_model(key, table, rows),
            rows.index,
            rows.to_dict("records"),
            strict=True,
        )
        for p, number, row in numbers:
            case = _flagged(key, table, row, flagged[number], p)
            if table != LINKS or _chains(case) not in linked:
                found.append((-p, table, number, case))
    return [case for *_, case in sorted(found, key=lambda one: one[:3])], left_out


def _chains(case: Case) -> tuple[str, ...]:
    return tuple(sorted({side.chain for side in case.questioned}))


def _flagged(
    key: Key, table: str, row: Mapping[Any, Any], flags: Mapping[str, Flag], p: float
) -> Case:
    """Return the case of a row of a table."""
    reasons = [flag.reason for flag in flags.values()]
    left = row["left"]
    right = row["right"]
    scores = {name: flag.score for name, flag in flags.items()}
    if table == LINKS:
        sides = [key.side(key.ids[at]) for at in (left, right)]
        fixes = key.fixes.link((left, right))
        return key.case(MISSING, sides, fixes, reasons=reasons, flags=scores, p=p)
    mention = row["mention"]
    nearest = row["rival-pair"]
    rival = key.fixes.rival(mention, None if pd.isna(nearest) else int(nearest))
    one = key.ids[mention]
    beside = key.ids[left + right - mention]
    rest = [member for member in key.side(one).members if member != beside]
    sides = [key.part([one]), key.part([beside], rest)]
    sides += [] if rival is None else [key.side(key.ids[rival])]
    fixes = key.fixes.member(mention, rival)
    return key.case(SPURIOUS, sides, fixes, reasons=reasons, flags=scores, p=p)


# ---- their probability ----


@cache
def _calibration() -> Fields:
    text = files("cdec.auditing").joinpath("ecbplus.json").read_text("utf-8")
    content: Fields = json.loads(text)
    return content


def _fitted_to(about: Fields) -> tuple[bool, str, str]:
    """Return whether the judged cases are of this corpus and key, their corpus, and a digest.

    ``about`` are the fields of a signature.
    """
    numbers = dict(_calibration())
    own = numbers.pop("about")
    digest = sha256(json.dumps(numbers, sort_keys=True).encode()).hexdigest()
    return (
        all(own.get(name) == about.get(name) for name in _KEY),
        own["corpus"],
        digest[:12],
    )


def _rate(group: str) -> float:
    errors, judged = _calibration()["rates"].get(group, (0, 0))
    return 1.0 if group == RULE else round((errors + 0.5) / (judged + 1), DIGITS)


def _by_model(key: Key, table: str, rows: pd.DataFrame) -> list[float]:
    """Return P(error) of rows of a table; a missing value of a column is the mean."""
    one = {name: np.array(value) for name, value in _calibration()[table].items()}
    columns = pd.DataFrame((_of_links if table == LINKS else _of_members)(key, rows))
    z = (columns[one["names"].tolist()].to_numpy(np.float64) - one["mean"]) / one[
        "scale"
    ]
    z = np.column_stack([np.nan_to_num(z), np.ones(len(z))])
    p: list[float] = np.round(expit(z @ one["weights"]), DIGITS).tolist()
    return p


def _of_links(key: Key, rows: pd.DataFrame) -> Row:
    """Return the columns of links.

    ``pairs`` (mention pairs between the chains) is a logarithm of 1 + a count; ``clusters``:
    whether both chains have several mentions, and ``dense`` their ``pairs``; ``smaller`` and
    ``larger`` the logarithms of their sizes; ``crossing``: whether the pair is of two sub-topics;
    ``outside`` the share of its mentions outside the reviewed sentences; ``inside``: whether it is
    in one document.
    """
    ends = rows[["left", "right"]].to_numpy(np.int64).T
    events = key.corpus.selected
    pair = rows["pair"].to_numpy(np.int64)
    values = key.features[pair]
    alone = pair < 0
    if alone.any():
        values[alone] = key.describe(*np.sort(ends[:, alone], axis=0))
    smaller, larger = np.sort(
        np.log([key.sizes[rows["one"]], key.sizes[rows["two"]]]), axis=0
    )
    pairs = np.log1p(rows["count"].to_numpy())
    docs, subtopics = (events[name].to_numpy()[ends] for name in ("doc", "subtopic"))
    return {
        COMPANIONS: np.log1p(rows[COMPANIONS].to_numpy()),
        SYSTEMS: rows.get("share", np.nan),
        **{name: values[:, FEATURES.index(name)] for name in _CONTEXTS},
        "clusters": smaller > 0,
        "crossing": subtopics[0] != subtopics[1],
        "pairs": pairs,
        "dense": (smaller > 0) * pairs,
        "smaller": smaller,
        "larger": larger,
        "outside": _outside(key, ends),
        "inside": docs[0] == docs[1],
    }


def _of_members(key: Key, rows: pd.DataFrame) -> Row:
    """Return the columns of members.

    ``rival``: the highest margin to a mention of another chain; ``size``: the logarithm of the
    number of links; ``copy``: whether a copy of the mention is in the same chain; ``outside`` as
    for links.
    """
    mention = rows["mention"].to_numpy(np.int64)
    rivals = [f"rival-{name}" for name in key.measured[1]]
    copies = key.alike[["left", "right"]].to_numpy()
    together = np.equal(*key.chain[copies].T)
    return {
        HELD_OUT: rows.get(HELD_OUT, np.nan),
        SYSTEMS: rows.get("share", np.nan),
        "rival": rows[rivals].mean(axis=1).fillna(-3.0).to_numpy(),
        "size": np.log(rows["count"].to_numpy()),
        "copy": np.isin(mention, copies[together]),
        "outside": _outside(key, mention[None]),
    }


def _outside(key: Key, ends: Ints) -> Floats | float:
    unread = ~key.corpus.selected["reviewed"].to_numpy(bool)
    return np.nan if key.unread is None else np.asarray(unread[ends].mean(axis=0))


# ---- several links, one question ----


def _questions(cases: Sequence[Case], key: Key) -> list[list[Case]]:
    """Return the cases that are one question, in order.

    Several links can be one question: four pages on one quake, each with a mention of its own
    chain, are six missing links. Singletons, and at most one chain of several mentions, are one
    question if each of their pairs is a probable link. Links inside the reviewed sentences are not
    connected with others; no question has two mentions of one sentence.
    """
    chain = key.corpus.selected["chain"].astype(str)
    sizes = chain.value_counts().to_dict()
    sentences = pd.Series(key.sentence, chain).groupby(level=0).agg(frozenset).to_dict()
    probable = [
        (case.reviewed is True, _chains(case))
        if case.kind.startswith(MISSING) and (case.score or 0) >= _PROBABLE
        else (False, ())
        for case in cases
    ]
    allowed = {
        (inside, one, two)
        for inside, chains in probable
        for one, two in combinations(chains, 2)
        if min(sizes[one], sizes[two]) == 1
        and sentences[one].isdisjoint(sentences[two])
    }
    groups: dict[tuple[bool, str], frozenset[str]] = {}
    for inside, chains in probable:  # the most probable links are connected first
        union = frozenset(chains).union(
            *(groups.get((inside, one), ()) for one in chains)
        )
        if all((inside, *two) in allowed for two in combinations(sorted(union), 2)):
            groups |= dict.fromkeys(((inside, one) for one in union), union)
    questions: dict[object, list[Case]] = {}
    for number, (case, (inside, chains)) in enumerate(
        zip(cases, probable, strict=True)
    ):
        group = groups.get((inside, chains[0])) if chains else None
        one = bool(group and group.issuperset(chains))
        questions.setdefault((inside, group) if one else number, []).append(case)
    return list(questions.values())


def _joined(key: Key, cases: Sequence[Case]) -> Case:
    """Return the case of a question, with the score of its first case, which is the strongest."""
    case = cases[0]
    if len(cases) == 1:
        return case
    sides: dict[str, CaseSide] = {}
    for side in (side for one in cases for side in one.questioned):
        sides.setdefault(side.chain, side)
    every = tuple(sides.values())
    p = case.score or 0.0
    of_all = f"each pair of the {len(every)} chains may be linked; this is about the strongest"
    fixes = key.fixes.link([key.rows[s.mentions[0]] for s in every])
    return key.case(
        MISSING,
        every,
        fixes,
        reasons=(*case.reasons, of_all),
        flags=case.detectors,
        p=p,
    )


def _grouped(cases: Sequence[Case], key: Key) -> tuple[Case, ...]:
    """Return the cases, those about copies of the same sentences with one group, and together.

    Only duplicates are: a card says that two sentences are copies, and lists their missing links.
    """
    copied = [case for case in cases if DUPLICATE in case.detectors]
    sentences = {
        case.id: [key.sentence[key.rows[id_]] for id_ in case.asked] for case in copied
    }
    sets = DisjointSet(key.sentence.tolist())
    for first, *rest in sentences.values():
        for other in rest:
            sets.merge(first, other)
    cards: dict[object, list[Case]] = {}
    for case in cases:
        id_ = case.id
        card = (sets[sentences[id_][0]], case.reviewed) if id_ in sentences else id_
        cards.setdefault(card, []).append(case)
    return tuple(
        case.model_copy(update={"group": card[0].id if len(card) > 1 else ""})
        for card in cards.values()
        for case in card
    )
