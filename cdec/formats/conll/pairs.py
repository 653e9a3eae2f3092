"""The brackets of a whole file, paired with arrays: the same mentions as ``brackets.parse_column``.

The brackets of a chain in a block are a sequence of steps, +1 for an opening and −1 for a closing
bracket. Their sum so far is the depth. A closing bracket ends the innermost open mention: the last
opening bracket before it that leads to the depth from which it steps down.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from cdec.arrays import Ints
from cdec.formats.conll.brackets import Brackets, Cell
from cdec.io.text_columns import Irregular


class _Labels(NamedTuple):
    """The labels of all rows, in the order one-token, opening, closing brackets in a row.

    ``step`` is 0, +1 or −1 for these three.
    """

    row: Ints
    chain: Ints
    step: Ints


def paired(
    cells: list[Cell], codes: Ints, rows: Ints, block: Ints, discarded: Ints
) -> Brackets[Ints]:
    """Return the mentions of the ``rows`` with brackets; raises Irregular if one is unbalanced.

    Row ``rows[k]``, which is in block number ``block[k]``, has the cell ``cells[codes[k]]``.
    ``discarded`` are the rows with a discarded label.
    """
    names: dict[str, int] = {}
    flat = [
        (names.setdefault(label, len(names)), step)
        for cell in cells
        for step, labels in ((0, cell.single), (1, cell.opening), (-1, cell.closing))
        for label in labels
    ]
    label, step = np.array(flat, dtype=np.int64).reshape(-1, 2).T
    sizes = np.array([sum(map(len, cell[:3])) for cell in cells], dtype=np.int64)
    count = sizes[codes]
    # Position in ``flat`` of each label of each row.
    offset = np.repeat((np.cumsum(sizes) - sizes)[codes] - (np.cumsum(count) - count), count)
    at = offset + np.arange(len(offset))
    row = np.repeat(rows, count)
    chains, distinct = pd.factorize(np.repeat(block, count) * max(len(names), 1) + label[at])
    events = _Labels(row, chains.astype(np.int64), step[at])
    starts, ends = _partners(events)
    start = row.copy()
    start[ends] = row[starts]
    ending = np.flatnonzero(events.step < 1)
    texts = list(names)
    return Brackets(
        start[ending],
        row[ending],
        events.chain[ending],
        [texts[name] for name in (distinct % max(len(names), 1)).tolist()],
        discarded.tolist(),
    )


def _partners(events: _Labels) -> tuple[Ints, Ints]:
    """Return the positions of the opening brackets, and of the closing bracket of each."""
    half = np.flatnonzero(events.step)
    half = half[np.argsort(events.chain[half], kind="stable")]
    step, group = events.step[half], events.chain[half]
    depth = np.cumsum(step)
    # All chains are balanced if none ends deeper than it began.
    last = np.flatnonzero(np.diff(group, append=-1))
    if depth[last].any() or depth.min(initial=0) < 0:
        raise Irregular
    level = np.where(step > 0, depth, depth + 1)
    if level.max(initial=1) > 1:
        half = half[np.lexsort((level, group))]
    return half[0::2], half[1::2]
