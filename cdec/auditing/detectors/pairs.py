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

from cdec.arrays import Bools, Floats, Ints, Reals
from cdec.auditing.readers import SYSTEMS
from cdec.auditing.suspect import LINKS, MEMBERS, Flag, detector
from cdec.files.jobs import mapped

if TYPE_CHECKING:
    from cdec.auditing.key import Key

SVM, HELD_OUT, COMPANIONS = "svm", "held-out", "companions"
_FOLDS = 5  # of topics
_WORTH = 50_000  # pairs from which several threads pay off
_LINKED, _UNLINKED = 0.3, 0.5  # smallest held-out probabilities of a missing link, a wrong member
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


def anchored(x: Reals, linked: Bools) -> tuple[Floats, Floats]:
    """Return the weights w, and the anchor |a| of each example: 0 if it needs none.

    ``x`` is examples × features and includes the constant column.
    """
    from sklearn.svm import LinearSVC  # noqa: PLC0415

    model = LinearSVC(C=0.5, dual=False, fit_intercept=False, tol=1e-8, max_iter=100_000)
    weights = model.fit(x, linked).coef_[0]
    return weights, np.maximum(0, 1 - np.where(linked, 1, -1) * (x @ weights))


def log_odds(key: Key) -> tuple[Floats, Floats] | None:
    """Return half the log-odds of a link of candidate pairs and of pairs inside chains.

    Half, because they are then comparable to an SVM margin f, whose odds are exp(2 f). None if all
    pairs are of one document, or the training pairs of a fold all linked or all unlinked.
    """
    from sklearn.model_selection import GroupKFold  # noqa: PLC0415

    for name in ("topic", "subtopic", "doc"):  # the folds are of topics; of documents if one
        units = pd.factorize(key.corpus.selected[name])[0]
        topics, other_topics = units[key.pairs.left], units[key.inside[0]]
        count = min(_FOLDS, len(np.unique(topics)))
        if count > 1:
            break
    else:
        return None
    odds, others = np.empty(len(topics)), np.empty(len(other_topics))
    folds = list(GroupKFold(count).split(key.x, key.linked, topics))
    if any(len(np.unique(key.linked[train])) < 2 for train, _ in folds):
        return None
    data = (key.x, key.linked, key.inside_x)
    made = mapped(_of_fold, folds, data, threads=True, worth=len(topics) >= _WORTH)
    results = key.progress(made, count, "training on the other topics")
    for (_, test), (own, inside) in zip(folds, results, strict=True):
        odds[test] = own
        # No model was trained on a topic without pairs: the last model is used.
        here = np.isin(other_topics, topics[test]) | ~np.isin(other_topics, topics)
        others[here] = inside[here]
    return odds / 2, others / 2


def _of_fold(
    fold: tuple[Ints, Ints], x: Reals, linked: Bools, inside: Reals
) -> tuple[Floats, Floats]:
    """Train on the first rows of a fold; return the log-odds of the others, and of ``inside``."""
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

    train, test = fold
    # In single precision the result would depend on the processor from the sixth digit on.
    model = LogisticRegression(fit_intercept=False, max_iter=500, solver="newton-cholesky")
    model.fit(x[train].astype(np.float64), linked[train])
    own, other = (model.decision_function(r.astype(np.float64)) for r in (x[test], inside))
    return own, other


def _companions(key: Key) -> Ints:
    """Return for each candidate pair the number of other pairs between its two sentences.

    They are linked or nearly so by the SVM, and share no mention with the pair; among pairs that
    share a mention with each other, one counts. Pairs inside a sentence have no companions.
    """
    sentence = key.corpus.selected.groupby(["doc", "sentence"], sort=False).ngroup().to_numpy()
    table = pd.DataFrame({"left": key.pairs.left, "right": key.pairs.right})
    one, two = sentence[table["left"]], sentence[table["right"]]
    table["place"] = np.where(one == two, -1, one * (sentence.max() + 1) + two)
    support = table[(key.linked | (key.anchors > _NEARLY)) & (one != two)]
    others = []
    for side in ("left", "right"):
        distinct = table["place"].map(support.groupby("place")[side].nunique()).fillna(0)
        own = support.groupby(["place", side]).size()
        itself = pd.MultiIndex.from_frame(table[["place", side]]).isin(own.index)
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


def links(key: Key) -> pd.DataFrame:
    """Return a row for each pair of chains with a candidate pair, or that systems link.

    Columns: ``one`` < ``two``, the chain codes; ``pair`` is the strongest of ``count``, and
    ``left`` and ``right`` its mentions (rows); each of ``margins``; of the strongest pair
    ``anchor`` and ``companions``. A row that only systems have has none of these: ``pair`` is −1.
    """
    pairs, chain = key.pairs, key.chain
    margins = {name: of_pairs for name, (of_pairs, _) in key.margins.items()}
    unlinked = np.flatnonzero(~key.linked)
    ends = np.sort([chain[pairs.left[unlinked]], chain[pairs.right[unlinked]]], axis=0)
    table = _strongest(ends[0] * len(key.sizes) + ends[1], unlinked, margins)
    one, two = np.divmod(table.index.to_numpy(), len(key.sizes))
    best = table["pair"].to_numpy()
    rows = table.assign(one=one, two=two, left=pairs.left[best], right=pairs.right[best])
    rows["anchor"], rows[COMPANIONS] = key.anchors[best], _companions(key)[best]
    return _with_systems(key, rows.reset_index(drop=True))


def memberships(key: Key) -> pd.DataFrame:
    """Return a row for each mention that is not a singleton; of a chain of two, the later one.

    Columns: ``mention`` (row); ``left`` and ``right`` of its strongest link in its chain, of
    ``count``, and the ``anchor`` that this link would have; each of ``margins``; for the most
    similar mention of another chain ``rival-pair`` (its row) and ``rival-`` with each margin.
    """
    pairs, (left, right) = key.pairs, key.inside
    mention, pair = np.concatenate([left, right]), np.tile(np.arange(len(left)), 2)
    inside = {name: of_links for name, (_, of_links) in key.margins.items()}
    table = _strongest(mention, pair, inside).rename_axis("mention").reset_index()
    link = table["pair"].to_numpy()
    table = table.assign(left=left[link], right=right[link])
    table["anchor"] = 1 - next(iter(inside.values()))[link]
    unlinked = np.flatnonzero(~key.linked)
    ends = pairs.left[unlinked], pairs.right[unlinked]
    own, other = np.concatenate(ends), np.concatenate(ends[::-1])
    values = {name: np.tile(one[unlinked], 2) for name, (one, _) in key.margins.items()}
    rivals = _strongest(own, np.arange(len(own)), values)
    best = rivals["pair"].to_numpy()
    nearest = pd.DataFrame({name: one[best] for name, one in values.items()}, index=rivals.index)
    nearest = nearest.assign(pair=other[best]).add_prefix("rival-")
    rows = table.join(nearest, on="mention")
    if key.readers is not None:
        rows = rows.join(key.readers.members(key.chain), on="mention")
    return rows[(rows["count"] > 1) | (rows["mention"] == rows["right"])]


def _with_systems(key: Key, rows: pd.DataFrame) -> pd.DataFrame:
    """Return ``Key.links`` with what the systems say, and the further links of half of them."""
    if key.readers is None:
        return rows
    both = ["one", "two"]
    linked = pd.DataFrame(key.readers.linked(key.chain), columns=both)
    pairs = pd.concat([rows[both], linked]).drop_duplicates(ignore_index=True)
    said = pd.concat([pairs, key.readers.between(key.chain, pairs.to_numpy())], axis=1)
    further = said[len(rows) :]
    further = further[further["share"] >= _MOST].assign(pair=-1, count=0)
    strongest = [
        key.readers.strongest(key.members[one], key.members[two])
        for one, two in further[both].to_numpy().tolist()
    ]
    further[["left", "right"]] = np.array(strongest, dtype=np.int64).reshape(-1, 2)
    return pd.concat([rows.merge(said, on=both), further], ignore_index=True)


# ---- the detectors ----


@detector(SVM, "pairs with a large weight of their anchor in an SVM (Goldberg & Elhadad 2007)")
def svm(key: Key) -> Iterator[Flag]:
    """Flag a row if the anchor of its strongest pair exceeds δ."""
    of = ("anchor", SVM)
    for row, anchor, margin in key.links.loc[key.links["anchor"] > key.delta, of].itertuples():
        reason = f"their features suggest a link (SVM anchor {anchor:.2f})"
        yield Flag(LINKS, row, expit(2 * margin), reason)
    rows = key.memberships
    for row, anchor, margin in rows.loc[rows["anchor"] > key.delta, of].itertuples():
        reason = "its features suggest no link to any member of its chain "
        reason += f"(SVM anchor of the most similar one {anchor:.2f})"
        yield Flag(MEMBERS, row, expit(-2 * margin), reason)


@detector(HELD_OUT, "pairs for which a classifier trained on the other topics contradicts the key")
def held_out(key: Key) -> Iterator[Flag]:
    """Flag a row whose combined probability of a link contradicts the key."""
    if HELD_OUT not in key.margins:
        raise key.too_small("there are too few topics or links to train the classifier")
    classifier = "a classifier trained on other topics"
    for row, margin in zip(key.links.index.tolist(), key.links[HELD_OUT], strict=True):
        if (p := expit(2 * margin)) > _LINKED:
            reason = f"{classifier} gives a link a probability of {p:.0%}"
            yield Flag(LINKS, row, p, reason)
    rows = key.memberships
    for row, margin in zip(rows.index.tolist(), rows[HELD_OUT], strict=True):
        if (wrong := expit(-2 * margin)) > _UNLINKED:
            reason = f"{classifier} links it to no member of its chain "
            reason += f"(probability of a link {expit(2 * margin):.0%})"
            yield Flag(MEMBERS, row, wrong, reason)


@detector(COMPANIONS, "pairs between two sentences with two other linked or almost linked pairs")
def companions(key: Key) -> Iterator[Flag]:
    """Flag a link whose strongest pair has two companions."""
    rows = key.links[key.links[COMPANIONS] >= _LEAST]
    for row, count in zip(rows.index.tolist(), rows[COMPANIONS].astype(int), strict=True):
        reason = f"{count} other mention pairs of these two sentences are linked or almost linked"
        yield Flag(LINKS, row, count / (count + 1), reason)


@detector(
    SYSTEMS, "chains that half of the systems link, members that most take out (needs responses)"
)
def systems(key: Key) -> Iterator[Flag]:
    """Flag a row if most of the systems contradict the key."""
    if key.readers is None:
        return
    for table, rows in ((LINKS, key.links), (MEMBERS, key.memberships)):
        link = table == LINKS
        most = rows[rows["share"] >= _MOST if link else rows["share"] > _MOST]
        for row, said in zip(most.index.tolist(), most.to_dict("records"), strict=True):
            yield Flag(table, row, said["share"], key.readers.sentence(said, link))
