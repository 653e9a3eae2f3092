"""The probability that a suspect is an error, fitted to judged cases of ECB+ (``ecbplus.json``).

Flagged links and members have a logistic regression each, on the columns of ``_of_links`` and
``_of_members``. Other suspects have one probability for each group: (k + ½) / (n + 1) for k errors
among n judged cases (Jeffreys).
"""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256
from importlib.resources import files

import numpy as np
import pandas as pd
from scipy.special import expit

from cdec.arrays import Floats, Ints
from cdec.auditing.detectors.pairs import SYSTEMS
from cdec.auditing.detectors.rules import RULE
from cdec.auditing.evidence import COMPANIONS, FEATURES, HELD_OUT, LINKS, Evidence
from cdec.records import Fields, Row

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
def _calibration() -> Fields:
    text = files("cdec.auditing").joinpath("ecbplus.json").read_text("utf-8")
    content: Fields = json.loads(text)
    return content


def calibration_digest() -> str:
    """Return the digest of all that probabilities depend on."""
    numbers = dict(_calibration())
    del numbers["about"]
    return sha256(json.dumps(numbers, sort_keys=True).encode()).hexdigest()[:12]


def foreign_calibration(about: Fields) -> str | None:
    """Return the corpus of the judged cases; None if they are of this corpus and key.

    ``about`` are the fields of a signature. Where it is another corpus or key, the order of the
    cases is useful, their probabilities are not.
    """
    judged = _calibration()["about"]
    if all(judged.get(name) == about.get(name) for name in _KEY):
        return None
    corpus: str = judged["corpus"]
    return corpus


def of_group(group: str) -> float:
    """Return P(error) of suspects of a group; without judged cases it is ½."""
    if group == RULE:
        return 1.0
    errors, judged = _calibration()["rates"].get(group, (0, 0))
    return float(round((errors + 0.5) / (judged + 1), DIGITS))


def of_rows(evidence: Evidence, table: str, rows: pd.DataFrame) -> list[float]:
    """Return P(error) of rows of a table; a missing value of a column is the mean."""
    model = _calibration()[table]
    columns_of = _of_links if table == LINKS else _of_members
    columns = pd.DataFrame(columns_of(evidence, rows))
    values = columns[model["names"]].to_numpy(np.float64)
    z = np.nan_to_num((values - np.array(model["mean"])) / np.array(model["scale"]))
    design = np.column_stack([z, np.ones(len(z))])
    p: list[float] = np.round(expit(design @ model["weights"]), DIGITS).tolist()
    return p


def _of_links(evidence: Evidence, rows: pd.DataFrame) -> Row:
    """Return the columns of links.

    ``pairs`` (mention pairs between the chains) is a logarithm of 1 + a count; ``clusters``:
    whether both chains have several mentions, and ``dense`` their ``pairs``; ``smaller`` and
    ``larger`` the logarithms of their sizes; ``crossing``: whether the pair is of two sub-topics;
    ``outside`` the share of its mentions outside the reviewed sentences; ``inside``: whether it is
    in one document.
    """
    ends = rows[["left", "right"]].to_numpy(np.int64).T
    events = evidence.corpus.selected
    pair = rows["pair"].to_numpy(np.int64)
    values = evidence.features[pair]
    uncompared = pair < 0
    if uncompared.any():
        values[uncompared] = evidence.describe(*np.sort(ends[:, uncompared], axis=0))
    sizes = evidence.sizes[rows[["one", "two"]].to_numpy().T]
    smaller, larger = np.sort(np.log(sizes), axis=0)
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
        "outside": _outside(evidence, ends),
        "inside": docs[0] == docs[1],
    }


def _of_members(evidence: Evidence, rows: pd.DataFrame) -> Row:
    """Return the columns of members.

    ``rival``: the highest margin to a mention of another chain; ``size``: the logarithm of the
    number of links; ``copy``: whether a copy of the mention is in the same chain; ``outside`` as
    for links.
    """
    mention = rows["mention"].to_numpy(np.int64)
    rivals = [f"rival-{name}" for name in evidence.margins]
    copies = evidence.duplicates[["left", "right"]].to_numpy()
    together = np.equal(*evidence.chain[copies].T)
    return {
        HELD_OUT: rows.get(HELD_OUT, np.nan),
        SYSTEMS: rows.get("share", np.nan),
        "rival": rows[rivals].mean(axis=1).fillna(_NO_RIVAL).to_numpy(),
        "size": np.log(rows["count"].to_numpy()),
        "copy": np.isin(mention, copies[together]),
        "outside": _outside(evidence, mention[None]),
    }


def _outside(evidence: Evidence, ends: Ints) -> Floats | float:
    if evidence.unread is None:
        return np.nan
    unread = ~evidence.corpus.selected["reviewed"].to_numpy(bool)
    return np.asarray(unread[ends].mean(axis=0))
