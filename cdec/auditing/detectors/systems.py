"""Systems that contradict the key: chains that most of them link, members that most take out.

A pair of chains without a common word is compared by no other detector. If at least half of the
systems link it, it is a row like the others, whose other columns are missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from cdec.auditing.readers import SYSTEMS
from cdec.auditing.suspect import LINKS, MEMBERS, Flag, detector

if TYPE_CHECKING:
    from cdec.auditing.key import Key

_MOST = 0.5  # share of the systems: at least for a link, above it for a member


def of_links(key: Key, rows: pd.DataFrame) -> pd.DataFrame:
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


def of_members(key: Key, rows: pd.DataFrame) -> pd.DataFrame:
    """Return ``Key.memberships`` with what the systems say."""
    return rows if key.readers is None else rows.join(key.readers.members(key.chain), on="mention")


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
