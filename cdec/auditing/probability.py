"""The probability that a suspect is an error, fitted to judged cases of ECB+ (``ecbplus.json``).

Flagged links and members have a logistic regression each, on the columns of ``_of_links`` and
``_of_members``. Other suspects have one probability for each group: (k + ½) / (n + 1) for k errors
among n judged cases (Jeffreys).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from cdec.arrays import Floats, Ints, Singles
from cdec.auditing.detectors.pairs import SYSTEMS
from cdec.auditing.detectors.rules import RULE
from cdec.auditing.evidence import COMPANIONS, FEATURES, HELD_OUT, LINKS, Evidence

DIGITS = (
    6  # of scores and probabilities, so that the order is the same on every processor
)
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
_NO_RIVAL = -3.0  # margin to a mention of another chain if none is compared


@cache
def _calibration() -> Mapping[str, Any]:
    text = files("cdec.auditing").joinpath("ecbplus.json").read_text("utf-8")
    content: Mapping[str, Any] = json.loads(text)
    return content


def is_fitted_to(about: Mapping[str, Any]) -> bool:
    """Return whether the judged cases are of this corpus and key (the fields of a signature)."""
    judged = _calibration()["about"]
    return all(judged.get(name) == about.get(name) for name in _KEY)


def judged_corpus() -> str:
    """Return the name of the corpus of the judged cases."""
    name: str = _calibration()["about"]["corpus"]
    return name


def calibration_digest() -> str:
    """Return the digest of all that probabilities depend on."""
    numbers = dict(_calibration())
    del numbers["about"]
    return sha256(json.dumps(numbers, sort_keys=True).encode()).hexdigest()[:12]


def of_group(group: str) -> float:
    """Return P(error) of suspects of a group; without judged cases it is ½."""
    if group == RULE:
        return 1.0
    errors, judged = _calibration()["rates"].get(group, (0, 0))
    rate: float = (errors + 0.5) / (judged + 1)
    return round(rate, DIGITS)


def of_rows(evidence: Evidence, table: str, rows: pd.DataFrame) -> list[float]:
    """Return P(error) of rows of a table; a missing value of a column is the mean."""
    model = _calibration()[table]
    columns_of = _of_links if table == LINKS else _of_members
    columns = pd.DataFrame(columns_of(evidence, rows))
    values = columns[model["names"]].to_numpy(np.float64)
    standardised = (values - np.array(model["mean"])) / np.array(model["scale"])
    constant = np.ones(len(standardised))
    design = np.column_stack([np.nan_to_num(standardised), constant])
    probability = expit(design @ np.array(model["weights"]))
    rounded: list[float] = np.round(probability, DIGITS).tolist()
    return rounded


def _of_links(evidence: Evidence, rows: pd.DataFrame) -> dict[str, Any]:
    """Return the columns of links.

    ``pairs`` (mention pairs between the chains) is a logarithm of 1 + a count; ``clusters``:
    whether both chains have several mentions, and ``dense`` their ``pairs``; ``smaller`` and
    ``larger`` the logarithms of their sizes; ``crossing``: whether the pair is of two sub-topics;
    ``outside`` the share of its mentions outside the reviewed sentences; ``inside``: whether it is
    in one document.
    """
    events = evidence.corpus.selected
    mentions: Ints = rows[["left", "right"]].to_numpy(np.int64).T
    first_size = evidence.sizes[rows["one"]]
    second_size = evidence.sizes[rows["two"]]
    smaller, larger = np.sort(np.log([first_size, second_size]), axis=0)
    pairs = np.log1p(rows["count"].to_numpy())
    first_document, second_document = events["doc"].to_numpy()[mentions]
    first_subtopic, second_subtopic = events["subtopic"].to_numpy()[mentions]
    columns = {
        COMPANIONS: np.log1p(rows[COMPANIONS].to_numpy()),
        SYSTEMS: rows.get("share", np.nan),
        "clusters": smaller > 0,
        "crossing": first_subtopic != second_subtopic,
        "pairs": pairs,
        "dense": (smaller > 0) * pairs,
        "smaller": smaller,
        "larger": larger,
        "outside": _outside(evidence, mentions),
        "inside": first_document == second_document,
    }
    features = _features_of_links(evidence, rows["pair"].to_numpy(np.int64), mentions)
    for name in _CONTEXTS:
        columns[name] = features[:, FEATURES.index(name)]
    return columns


def _features_of_links(evidence: Evidence, pair: Ints, mentions: Ints) -> Singles:
    """Return the features of the strongest pair of each link; −1 is a pair that is no candidate."""
    features = evidence.features[pair]
    is_no_candidate = pair < 0
    if is_no_candidate.any():
        left, right = np.sort(mentions[:, is_no_candidate], axis=0)
        features[is_no_candidate] = evidence.describe(left, right)
    return features


def _of_members(evidence: Evidence, rows: pd.DataFrame) -> dict[str, Any]:
    """Return the columns of members.

    ``rival``: the highest margin to a mention of another chain; ``size``: the logarithm of the
    number of links; ``copy``: whether a copy of the mention is in the same chain; ``outside`` as
    for links.
    """
    mention = rows["mention"].to_numpy(np.int64)
    rivals = [f"rival-{name}" for name in evidence.margins]
    left = evidence.duplicates["left"].to_numpy()
    right = evidence.duplicates["right"].to_numpy()
    linked = evidence.chain[left] == evidence.chain[right]
    copies = np.concatenate([left[linked], right[linked]])
    return {
        HELD_OUT: rows.get(HELD_OUT, np.nan),
        SYSTEMS: rows.get("share", np.nan),
        "rival": rows[rivals].mean(axis=1).fillna(_NO_RIVAL).to_numpy(),
        "size": np.log(rows["count"].to_numpy()),
        "copy": np.isin(mention, copies),
        "outside": _outside(evidence, mention[None]),
    }


def _outside(evidence: Evidence, mentions: Ints) -> Floats | float:
    """Return the share of mentions outside the reviewed sentences; NaN if unknown."""
    if evidence.unread is None:
        return np.nan
    is_unread = ~evidence.corpus.selected["reviewed"].to_numpy(bool)
    return np.asarray(is_unread[mentions].mean(axis=0))
