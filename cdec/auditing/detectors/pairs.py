"""Mention pairs whose label the key has against the evidence: four detectors, and their tables.

``svm`` is the anchored SVM of Goldberg & Elhadad (2007), solved without its anchor columns. "SVM
Model Tampering and Anchored Learning: A Case Study in Hebrew NP Chunking", ACL 2007: each example
gets one additional feature, the anchor, which is 1 for this example only. So the data are
separable. A large anchor weight a_i means that the other features do not explain the label of
example i, which is then more likely to be wrong.

For weights w, labels y = ±1 and a cost C, the SVM of the extended data minimises
½‖w‖² + ½‖a‖² + C Σ max(0, 1 − y_i (w·x_i + a_i)). With ξ_i = max(0, 1 − y_i w·x_i) the best anchor
is y_i a_i = min(ξ_i, C). If C is above the largest ξ this is ½‖w‖² + ½‖ξ‖²: the squared-hinge SVM,
``LinearSVC`` of scikit-learn with C = ½. There are no class weights: they scale C, which has no
effect in a separable problem with a high C. A constant column replaces the intercept.

``held-out`` is based on confident learning (Northcutt, Jiang & Chuang 2021, JAIR 70): each pair is
classified by a logistic regression that was not trained on its topic, so that it cannot memorise
the label.

``companions``: pairs between the same two sentences support each other. In "A massive quake …
sparking a tsunami that killed" and "a huge earthquake … triggered a tsunami that killed" the links
between equal words are evidence for a link between "quake" and "earthquake".

``systems``: a pair of chains without a common word is compared by no other detector. If at least
half of the systems link it, it is a row like the others, whose other columns are missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.special import expit
from threadpoolctl import threadpool_limits

from cdec.arrays import Bools, Floats, Ints, Reals
from cdec.auditing.case import Flag, detector
from cdec.errors import counted
from cdec.files.jobs import mapped

if TYPE_CHECKING:
    from cdec.auditing.key import Key

# the tables of a key
LINKS = "links"
MEMBERS = "members"
SVM = "svm"
HELD_OUT = "held-out"
COMPANIONS = "companions"
SYSTEMS = "systems"
_FOLDS = 5  # of topics
_WORTH = 50_000  # pairs from which several threads pay off
_HELD_OUT = {
    LINKS: 0.3,
    MEMBERS: 0.5,
}  # smallest probabilities of a missing link, a wrong member
_SIGN = {LINKS: 2, MEMBERS: -2}  # a margin times this: the log-odds of an error
_NEARLY = 0.6  # smallest |a| of an unlinked pair that counts as a companion
_LEAST = 2  # smallest number of companions
_MOST = 0.5  # share of the systems: at least for a link, above it for a member
# The score of two chains is the soft maximum ln Σ exp(4 f) / 4 over their pairs: the largest f, and
# more if several pairs are strong. 4 was tuned on planted errors; 2 to 5 give similar results.
_SHARPNESS = 4.0
_DIGITS = 9


def rounded(values: Floats) -> Floats:
    """Return scores without the last digits, which depend on the processor.

    Equal pairs then have equal scores everywhere, and ties are broken in the same way.
    """
    return np.asarray(np.round(values, _DIGITS), dtype=np.float64)


def measured(key: Key) -> tuple[Floats, dict[str, tuple[Floats, Floats]]]:
    """Return the SVM's anchor |a| of each candidate pair: 0 if it needs none; and the margins.

    These are half the log-odds of a link for candidate pairs and pairs inside chains, by detector.
    """
    from sklearn.svm import LinearSVC  # noqa: PLC0415

    if len(np.unique(key.linked)) < 2:
        raise key.unfit("all pairs of mentions are linked, or none is")
    (x, inside) = key.columns
    model = LinearSVC(
        C=0.5, dual=False, fit_intercept=False, tol=1e-8, max_iter=100_000
    )
    # One thread: several threads would add in another order and change the last digit.
    with threadpool_limits(1):
        weights = model.fit(x, key.linked).coef_[0]
        margins = {SVM: (x @ weights, inside @ weights)}
        if HELD_OUT in key.chosen and (odds := log_odds(key)):
            margins[HELD_OUT] = odds
    anchors = np.maximum(0, 1 - np.where(key.linked, 1, -1) * margins[SVM][0])
    return rounded(anchors), {
        n: (rounded(own), rounded(two)) for n, (own, two) in margins.items()
    }


def log_odds(key: Key) -> tuple[Floats, Floats] | None:
    """Return half the log-odds of a link of candidate pairs and of pairs inside chains.

    Half, because they are then comparable to an SVM margin f, whose odds are exp(2 f). None if all
    pairs are of one document, or the training pairs of a fold all linked or all unlinked.
    """
    from sklearn.model_selection import GroupKFold  # noqa: PLC0415

    units = (
        pd.factorize(key.corpus.selected[n])[0] for n in ("topic", "subtopic", "doc")
    )
    several = (unit for unit in units if len(np.unique(unit[key.pairs.left])) > 1)
    if (unit := next(several, None)) is None:
        return None
    topics = unit[key.pairs.left]
    others = unit[key.inside[0]]
    count = min(_FOLDS, len(np.unique(topics)))
    x, inside_x = key.columns
    folds = [*GroupKFold(count).split(x, key.linked, topics)]
    if any(len(np.unique(key.linked[train])) < 2 for train, _ in folds):
        return None
    data = (x, key.linked, inside_x)
    made = mapped(_of_fold, folds, data, threads=True, worth=len(topics) >= _WORTH)
    results = key.progress(made, count, "training on the other topics")
    odds = np.empty(len(topics))
    inside = np.empty(len(others))
    for (_, test), (own, of_others) in zip(folds, results, strict=True):
        odds[test] = own
        # No model was trained on a topic without pairs: the last model is used.
        here = np.isin(others, topics[test]) | ~np.isin(others, topics)
        inside[here] = of_others[here]
    return odds / 2, inside / 2


def _of_fold(
    fold: tuple[Ints, Ints], x: Reals, linked: Bools, inside: Reals
) -> tuple[Floats, Floats]:
    """Train on the first rows of a fold; return the log-odds of the others, and of ``inside``."""
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

    train, test = fold
    # In single precision the result would depend on the processor from the sixth digit on.
    model = LogisticRegression(
        fit_intercept=False, max_iter=500, solver="newton-cholesky"
    )
    model.fit(x[train].astype(np.float64), linked[train])
    own, other = (
        model.decision_function(r.astype(np.float64)) for r in (x[test], inside)
    )
    return own, other


def _companions(key: Key) -> Ints:
    """Return for each candidate pair the number of other pairs between its two sentences.

    They are linked or nearly so by the SVM, and share no mention with the pair; among pairs that
    share a mention with each other, one counts. Pairs inside a sentence have no companions.
    """
    one = key.sentence[key.pairs.left]
    two = key.sentence[key.pairs.right]
    table = pd.DataFrame(
        {
            "left": key.pairs.left,
            "right": key.pairs.right,
            "place": np.where(one == two, -1, one * (key.sentence.max() + 1) + two),
        }
    )
    support = table[(key.linked | (key.measured[0] > _NEARLY)) & (one != two)]
    others = []
    for side in ("left", "right"):
        distinct = (
            table["place"].map(support.groupby("place")[side].nunique()).fillna(0)
        )
        own = pd.MultiIndex.from_frame(support[["place", side]])
        itself = pd.MultiIndex.from_frame(table[["place", side]]).isin(own)
        others.append(distinct.to_numpy() - itself)
    return np.asarray(np.minimum(*others), dtype=np.int64)


# ---- the tables ----


def _strongest(group: Ints, pair: Ints, scores: dict[str, Floats]) -> pd.DataFrame:
    """Return a row for each group of pairs, by ascending ``group``, which is the index.

    Columns: ``pair``, the one with the highest of the first of ``scores`` (the first of a tie);
    ``count`` of pairs; and the soft maximum of each score.
    """
    order = np.argsort(group, kind="stable")
    keys, counts = np.unique(group, return_counts=True)
    starts = np.cumsum(counts) - counts
    best = np.lexsort((-next(iter(scores.values()))[pair], group))[starts]
    table = pd.DataFrame({"pair": pair[best], "count": counts}, index=keys)
    for name, values in scores.items() if len(keys) else ():
        sums = np.logaddexp.reduceat(_SHARPNESS * values[pair][order], starts)
        table[name] = rounded(sums / _SHARPNESS)
    return table.reindex(columns=["pair", "count", *scores])


def suspicious(key: Key) -> dict[str, pd.DataFrame]:
    """Return both tables of a key."""
    return {LINKS: _links(key), MEMBERS: _memberships(key)}


def _links(key: Key) -> pd.DataFrame:
    """Return a row for each pair of chains with a candidate pair, or that systems link.

    Columns: ``one`` < ``two``, the chain codes; ``pair`` is the strongest of ``count``, and
    ``left`` and ``right`` its mentions (rows); each of ``margins``; of the strongest pair
    ``anchor`` and ``companions``; what the systems say. A row that only systems have has none of
    the others: ``pair`` is −1.
    """
    pairs = key.pairs
    readers = key.readers
    unlinked = np.flatnonzero(~key.linked)
    anchors, margins = key.measured
    ends = np.sort(
        [key.chain[pairs.left[unlinked]], key.chain[pairs.right[unlinked]]], axis=0
    )
    of_pairs = {name: own for name, (own, _) in margins.items()}
    rows = _strongest(ends[0] * len(key.sizes) + ends[1], unlinked, of_pairs)
    best = rows["pair"].to_numpy()
    rows["one"], rows["two"] = np.divmod(rows.index.to_numpy(), len(key.sizes))
    rows["left"] = pairs.left[best]
    rows["right"] = pairs.right[best]
    rows["anchor"] = anchors[best]
    rows[COMPANIONS] = _companions(key)[best]
    rows = rows.reset_index(drop=True)
    if readers is None:
        return rows
    said = readers.links(key.chain, rows[["one", "two"]].to_numpy())
    further = said[len(rows) :]
    further = further[further["share"] >= _MOST].assign(pair=-1, count=0)
    members = (
        [key.members[code] for code in two]
        for two in further[["one", "two"]].to_numpy()
    )
    strongest = [readers.strongest(*two) for two in members]
    further[["left", "right"]] = np.array(strongest, dtype=np.int64).reshape(-1, 2)
    return pd.concat([rows.merge(said, on=["one", "two"]), further], ignore_index=True)


def _memberships(key: Key) -> pd.DataFrame:
    """Return a row for each mention that is not a singleton; of a chain of two, the later one.

    Columns: ``mention`` (row); ``left`` and ``right`` of its strongest link in its chain, of
    ``count``, and the ``anchor`` that this link would have; each of ``margins``; for the most
    similar mention of another chain ``rival-pair`` (its row) and ``rival-`` with each margin; what
    the systems say.
    """
    pairs = key.pairs
    (left, right) = key.inside
    unlinked = np.flatnonzero(~key.linked)
    mention = np.concatenate([left, right])
    pair = np.tile(np.arange(len(left)), 2)
    _, margins = key.measured
    inside = {name: of_links for name, (_, of_links) in margins.items()}
    rows = _strongest(mention, pair, inside).rename_axis("mention").reset_index()
    link = rows["pair"].to_numpy()
    rows["left"] = left[link]
    rows["right"] = right[link]
    rows["anchor"] = 1 - inside[SVM][link]
    ends = pairs.left[unlinked], pairs.right[unlinked]
    own = np.concatenate(ends)
    other = np.concatenate(ends[::-1])
    values = {name: np.tile(one[unlinked], 2) for name, (one, _) in margins.items()}
    rivals = _strongest(own, np.arange(len(own)), values)
    best = rivals["pair"].to_numpy()
    nearest = {f"rival-{name}": one[best] for name, one in values.items()}
    nearest |= {"rival-pair": other[best]}
    rows = rows.join(pd.DataFrame(nearest, index=rivals.index), on="mention")
    if key.readers is not None:
        rows = rows.join(key.readers.members(key.chain), on="mention")
    return rows[(rows["count"] > 1) | (rows["mention"] == rows["right"])]


# ---- the detectors ----


@detector(SVM)
def svm(key: Key) -> Iterator[Flag]:
    """Flag a row if the anchor of its strongest pair exceeds δ (Goldberg & Elhadad 2007)."""
    link = "their features suggest a link (SVM anchor {:.2f})"
    none = "its features suggest no link to any member of its chain "
    why = {LINKS: link, MEMBERS: none + "(SVM anchor of the most similar one {:.2f})"}
    for table, rows in key.tables.items():
        flagged = rows.loc[rows["anchor"] > key.delta, ["anchor", SVM]]
        for row, anchor, margin in flagged.itertuples():
            yield Flag(
                table, row, expit(_SIGN[table] * margin), why[table].format(anchor)
            )


@detector(HELD_OUT)
def held_out(key: Key) -> Iterator[Flag]:
    """Flag a row if a classifier that was trained on the other topics contradicts the key."""
    if HELD_OUT not in key.measured[1]:
        raise key.unfit("there are too few topics or links to train the classifier")
    link = "a classifier trained on other topics gives a link a probability of {:.0%}"
    none = "a classifier trained on other topics links it to no member of its chain "
    why = {LINKS: link, MEMBERS: none + "(probability of a link {:.0%})"}
    for table, rows in key.tables.items():
        for row, margin in rows[[HELD_OUT]].itertuples():
            if (p := expit(_SIGN[table] * margin)) > _HELD_OUT[table]:
                yield Flag(table, row, p, why[table].format(expit(2 * margin)))


@detector(COMPANIONS)
def companions(key: Key) -> Iterator[Flag]:
    """Flag a link between two sentences with two other linked or almost linked pairs."""
    for row, count in key.tables[LINKS][[COMPANIONS]].dropna().astype(int).itertuples():
        if count >= _LEAST:
            yield Flag(
                LINKS,
                row,
                count / (count + 1),
                f"{count} other mention pairs of these two sentences are linked or almost linked",
            )


@detector(SYSTEMS)
def systems(key: Key) -> Iterator[Flag]:
    """Flag chains that half of the systems link, and members that most take out."""
    link = "at least half of the mention pairs of these chains"
    why = {LINKS: link, MEMBERS: "it to no member of its chain"}
    for table, rows in key.tables.items() if key.readers else ():
        for row, share, agree, of in rows[["share", "agree", "of"]].itertuples():
            if share > _MOST or (share == _MOST and table == LINKS):
                linked = f"{agree} of {counted(of, 'response')} linked"
                yield Flag(table, row, share, f"{linked} {why[table]}")
