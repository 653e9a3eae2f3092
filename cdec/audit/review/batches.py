"""Cases about copies of the same sentences, to be reviewed together."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from cdec.audit.case import Case
from cdec.audit.detector import Detector
from cdec.audit.detectors import DETECTORS
from cdec.corpus.model import Corpus


def in_batches(
    cases: Iterable[Case], corpus: Corpus
) -> tuple[list[Case], dict[str, list[str]], dict[str, str]]:
    """Return the cases with those of one batch together, the batches, and the batch of each case.

    A batch are cases whose sentences are connected by such cases, if their detector asks for that.
    It is at the place of its first case. Batches map name → case ids in order.
    """
    listed = list(cases)
    together = [case for case in listed if any(map(_batched, case.detectors))]
    numbers = _components(together, corpus)
    groups: dict[str, list[Case]] = {}
    for case in together:
        groups.setdefault(numbers[case.id], []).append(case)
    ordered: list[Case] = []
    done: set[str] = set()
    for case in listed:
        name = numbers.get(case.id)
        if name is None:
            ordered.append(case)
        elif name not in done:
            done.add(name)
            ordered += groups[name]
    large = {name: [case.id for case in part] for name, part in groups.items() if len(part) > 1}
    return ordered, large, {id_: name for id_, name in numbers.items() if name in large}


def _batched(name: str) -> bool:
    detector = DETECTORS.get(name)  # a short-list may be of a package that is not installed here
    return isinstance(detector, Detector) and detector.batched


def _components(cases: list[Case], corpus: Corpus) -> dict[str, str]:
    places = corpus.mentions["doc"].astype(str) + "#" + corpus.mentions["sentence"].astype(str)
    ends = [
        (number, places[side.mentions[0]])
        for number, case in enumerate(cases)
        for side in case.sides
        if side.mentions
    ]
    if not ends:
        return {}
    sentence = pd.factorize(pd.Series([place for _, place in ends]))[0] + len(cases)
    case = np.array([number for number, _ in ends])
    size = int(sentence.max()) + 1
    graph = coo_array((np.ones(len(ends), dtype=np.int8), (case, sentence)), (size, size))
    component = connected_components(graph, directed=False)[1]
    return {c.id: f"g{component[number]}" for number, c in enumerate(cases)}
