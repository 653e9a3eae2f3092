"""Candidate links: mention pairs in a file, or the links of a response.

A system that decides on candidate pairs links no other pair. ``yes`` links all candidates;
``oracle`` links the candidates that are gold links. Links are completed to chains (connected
components). If ``yes`` scores high, the candidates were filtered by gold, or are easy.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from cdec.arrays import Bools, Ints
from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.errors import FormatError, ScoringError
from cdec.errors.notices import Notice
from cdec.evaluation.response import SystemRun
from cdec.formats import Annotation, mention_table
from cdec.formats.fields import pair_names
from cdec.io.inputfile import FileKind
from cdec.io.strict_json import parse
from cdec.matching.corpus import ids_in_corpus

_NEEDED = "write a table with the columns a and b, two mentions a row, or JSON lines with a and b"
_KIND = FileKind("a list of mention pairs", FormatError, "table-invalid", _NEEDED, 2**30)


@dataclass(frozen=True, eq=False)
class Candidates:
    """Candidate links: ``yes`` and ``oracle`` are the chains of both bounds.

    ``pairs`` is the number of candidate pairs, ``gold`` that of gold links among them, ``notices``
    what was inferred about the mentions in the file.
    """

    name: str
    yes: Clustering
    oracle: Clustering
    pairs: int
    gold: int
    notices: tuple[Notice, ...] = ()

    @classmethod
    def from_pairs(cls, name: str, corpus: Corpus, first: Ints, second: Ints) -> Candidates:
        """Return the candidates of pairs of positions in ``corpus.selected``."""
        chains = pd.factorize(corpus.gold.labels)[0]
        gold: Bools = chains[first] == chains[second]
        yes = _components(corpus, first, second)
        oracle = _components(corpus, first[gold], second[gold])
        return cls(name, yes, oracle, len(first), int(gold.sum()))

    @classmethod
    def from_run(cls, run: SystemRun) -> Candidates:
        """Return the links of a response as candidates; the key mentions that it lacks are alone.

        The best decision divides each response chain by the key chains of its mentions.
        """
        ids = run.key.labels.index
        known = pd.factorize(run.response.labels.reindex(ids))[0]
        alone = np.arange(len(ids)) + known.max(initial=-1) + 1
        response = np.where(known >= 0, known, alone)
        key = pd.factorize(run.key.labels)[0]
        both = np.unique(np.stack([response, key]), axis=1, return_inverse=True)[1].reshape(-1)
        sizes = (_links(response), _links(both))
        yes, oracle = (Clustering(pd.Series(codes, index=ids)) for codes in (response, both))
        return cls(run.system, yes, oracle, *sizes)


def _components(corpus: Corpus, first: Ints, second: Ints) -> Clustering:
    ids = corpus.selected.index
    links = coo_array((np.ones(len(first)), (first, second)), shape=(len(ids), len(ids)))
    return Clustering(pd.Series(connected_components(links, directed=False)[1], index=ids))


def _links(chains: Ints) -> int:
    sizes = np.unique(chains, return_counts=True)[1]
    return int((sizes * (sizes - 1) // 2).sum())


def read_pairs(path: str, corpus: Corpus) -> Candidates | None:
    """Return the candidates in a file of pairs; None if its first line names no two mentions.

    A mention is ``doc/start-end`` or an id of any form that a response may have. Raises FormatError
    with ``file:line`` for an invalid line, ScoringError for a mention that is not in the corpus.
    """
    lines = _KIND.read_text(Path(path)).splitlines()
    filled = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    if not filled:
        return None
    rows = _json_rows(filled, path) if filled[0][1].lstrip().startswith("{") else _rows(filled)
    if rows is None:
        return None
    positions, notices = _positions(corpus, rows, path)
    first, second = positions.reshape(-1, 2).T
    ordered = np.unique(np.sort(np.stack([first, second]), axis=0), axis=1)
    different = ordered[:, ordered[0] != ordered[1]]
    candidates = Candidates.from_pairs(path, corpus, different[0], different[1])
    return replace(candidates, notices=tuple(notices))


Numbered = list[tuple[int, str]]
Pairs = list[tuple[int, tuple[str, str]]]


def _rows(lines: Numbered) -> Pairs | None:
    separator = next((sign for sign in "\t,;" if sign in lines[0][1]), ",")
    header = [name.strip(' "') for name in lines[0][1].split(separator)]
    names = pair_names(header)
    if names is None:
        return None
    at = [header.index(name) for name in names]
    cells = ((n, [cell.strip(' "') for cell in line.split(separator)]) for n, line in lines[1:])
    return [(n, (row[at[0]], row[at[1]]) if len(row) > max(at) else ("", "")) for n, row in cells]


def _json_rows(lines: Numbered, path: str) -> Pairs | None:
    rows: Pairs = []
    for number, line in lines:
        try:
            record = parse(line)
        except ValueError as error:
            raise _KIND.refuse(f"{path}:{number}", f"invalid JSON: {error}") from None
        pair = _pair(record) if isinstance(record, dict) else None
        if pair is None:
            if not rows:
                return None
            raise _KIND.refuse(f"{path}:{number}", "the line has no two mentions")
        rows.append((number, pair))
    return rows


def _pair(record: Mapping[Hashable, object]) -> tuple[str, str] | None:
    names = pair_names(map(str, record))
    return (str(record[names[0]]), str(record[names[1]])) if names else None


def _positions(corpus: Corpus, rows: Pairs, path: str) -> tuple[Ints, list[Notice]]:
    """Return the positions in ``corpus.selected`` of the mentions in the file, and notices."""
    known = _known(corpus)
    names = [(name, line) for line, pair in rows for name in pair]
    others = list(dict.fromkeys((name, line) for name, line in names if name not in known))
    given, lines = zip(*others, strict=True) if others else ((), ())
    blank, nowhere = [""] * len(others), [-1] * len(others)
    table = mention_table(blank, nowhere, nowhere, given, mention=given, line=lines)
    ids, notices = ids_in_corpus(Annotation(path, "pairs", table, {"": None}), corpus)
    for row, (name, line) in enumerate(others):
        if (id_ := ids.get(row, name)) not in known:
            raise _unknown(name, f"{path}:{line}")
        known[name] = known[id_]
    return np.array([known[name] for name, _ in names], dtype=np.int64), notices


def _known(corpus: Corpus) -> dict[str, int]:
    """Return id and ``doc/start-end`` of each selected mention → its position."""
    table = corpus.selected
    columns = (table[name] for name in ("doc", "start", "end"))
    places = [f"{doc}/{start}-{end}" for doc, start, end in zip(*columns, strict=True)]
    positions = range(len(table))
    by_place = dict(zip(places, positions, strict=True))
    return by_place | dict(zip(table.index, positions, strict=True))


def _unknown(name: str, place: str) -> ScoringError:
    message = f"mention '{name}' is not a mention of the key"
    hint = "use mention ids of the corpus, or doc/start-end"
    return ScoringError("mention-unknown", message, place=place, hint=hint)
