"""Systems that contradict the key: chains that most of them link, members that most take out.

A pair of chains without a common word is compared by no other detector. If at least half of the
systems link it, it is a row like the others, whose other columns are missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from cdec.arrays import Floats
from cdec.auditing import readers
from cdec.auditing.detectors.svm import SVM
from cdec.auditing.suspect import Measured, PairDetector
from cdec.errors import UsageError
from cdec.evaluation.response import Response

if TYPE_CHECKING:
    from cdec.auditing.config import AuditConfig
    from cdec.auditing.key import Key
    from cdec.auditing.readers import Readers

_MOST = 0.5  # share of the systems: at least for a link, above it for a member
_SAID = f"{readers.SYSTEMS}-said"


def _measure(key: Key) -> Measured:
    """Return the share of systems by pair of chains and by mention; nothing without systems."""
    key.measure(SVM)  # the rows are those of a detector with margins
    others, chain, pool = key.readers, key.chain, key.pairs
    if others is None:
        return Measured(None)
    ends = np.sort(chain[np.column_stack([pool.left, pool.right])], axis=1)
    compared = np.unique(ends[ends[:, 0] < ends[:, 1]], axis=0)
    pairs = np.unique(np.concatenate([compared, others.linked(chain)]), axis=0)
    said = others.between(chain, pairs)
    codes = pairs @ [len(chain), 1]
    known = np.isin(codes, compared @ [len(chain), 1])
    further = np.flatnonzero(~known & (said["share"] >= _MOST))
    members = [[key.members[code] for code in pair] for pair in pairs[further].tolist()]
    strongest = [others.strongest(left, right) for left, right in members]
    links = _columns(others, said, link=True).assign(one=pairs[:, 0], two=pairs[:, 1])
    rows = pd.DataFrame(strongest, index=further, columns=["left", "right"], dtype=np.int64)
    alone = _columns(others, others.members(chain), link=False)
    return Measured(None, links=(links[known], links.loc[further].join(rows)), members=alone)


def _columns(others: Readers, said: pd.DataFrame, link: bool) -> pd.DataFrame:
    """Return the share of each row, and the sentence on those that may be cases."""
    reasons = pd.Series("", index=said.index)
    for at, row in zip(said.index, said.to_dict("records"), strict=True):
        if row["share"] >= _MOST:
            reasons[at] = others.sentence(row, link)
    return pd.DataFrame({SYSTEMS.id: said["share"], _SAID: reasons})


def _flags(rows: pd.DataFrame, config: AuditConfig, link: bool) -> Floats:
    share = rows[SYSTEMS.id].to_numpy(dtype=float)
    return np.where((share >= _MOST) if link else (share > _MOST), share, np.nan)


def _reason(record: Mapping[Any, Any], link: bool) -> str:
    return str(record[_SAID])


SYSTEMS = PairDetector(
    id=readers.SYSTEMS,
    words="chains that half of the systems link, members that most take out (needs responses)",
    measure=_measure,
    flags=_flags,
    reason=_reason,
    learned=False,
    requires=(SVM,),
)


def with_systems(config: AuditConfig, responses: Sequence[Response]) -> AuditConfig:
    """Return the parameters with this detector if there are responses.

    Raises UsageError if it was chosen without any.
    """
    if responses:
        names = dict.fromkeys((*config.detectors, SYSTEMS.id))
        return replace(config, detectors=tuple(names))
    if SYSTEMS.id in config.detectors:
        message = f"the detector '{SYSTEMS.id}' needs responses of systems"
        raise UsageError("option-conflict", message, hint="give a response")
    return config
