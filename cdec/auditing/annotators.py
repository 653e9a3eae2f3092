"""Outside evidence on a key: other annotators of its mentions.

Two mentions that all of them link and the key separates suggest a missing link. This is evidence of
people who followed other guidelines: it is a reason of a case, and does not change its probability.
A pair of chains without a case gets one, at the end of the list and without a probability.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import pandas as pd

from cdec.auditing.case import MISSING, Case
from cdec.auditing.key import Key
from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.errors import counted

ANNOTATORS = "annotators"


def separated(corpus: Corpus, annotators: Sequence[Clustering]) -> pd.DataFrame:
    """Return the mention pairs that all annotators link and the key separates.

    Only mentions that all of them annotated count. Columns: ``a`` and ``b`` (mention ids, in text
    order), and ``chains`` (the two chains of the key, as a set).

    >>> from cdec import load_corpus
    >>> corpus = load_corpus("sample", "test")
    >>> len(separated(corpus, [corpus.gold])), len(separated(corpus, [Clustering(
    ...     dict.fromkeys(corpus.gold.labels.index[:4], "one"))]))
    (0, 6)
    """
    sides = [one.labels for one in annotators]
    table = pd.concat(
        [corpus.gold.labels, *sides], axis=1, join="inner", keys=range(len(sides) + 1)
    )
    groups = table.groupby(list(table.columns[1:]), sort=False)[0]
    rows = [
        (a, b, frozenset((one, two)))
        for _, part in groups
        for (a, one), (b, two) in combinations(part.items(), 2)
        if one != two
    ]
    return pd.DataFrame(rows, columns=["a", "b", "chains"])


def with_annotators(
    cases: Iterable[Case], key: Key, annotators: Sequence[Clustering]
) -> list[Case]:
    """Return the cases with what the annotators say, and further cases of what only they say."""
    links = separated(key.corpus, annotators)
    counts, ends = links["chains"].value_counts(sort=False), links.groupby("chains").first()
    covered: set[frozenset[str]] = set()
    listed = []
    for case in cases:
        between = map(frozenset, combinations([side.chain for side in case.sides], 2))
        pairs = [pair for pair in between if case.kind.startswith(MISSING) and pair in counts.index]
        covered.update(pairs)
        listed.append(_flagged(case, int(counts[pairs].sum()), len(annotators)) if pairs else case)
    for pair, count in counts.drop(list(covered)).items():
        rows = [key.rows[str(id_)] for id_ in ends.loc[[pair]].iloc[0]]
        sides = tuple(key.side(key.ids[row]) for row in rows)
        bare = key.case(MISSING, sides, key.fixes.link(rows), (), sides)
        case = _flagged(bare, int(count), len(annotators))
        listed.append(case.model_copy(update={"rank": len(listed) + 1}))
    return listed


def _flagged(case: Case, links: int, annotators: int) -> Case:
    who = counted(annotators, "other annotator")
    reason = f"{who} linked {counted(links, 'mention pair')} of these chains"
    flags = {**case.detectors, ANNOTATORS: 1.0}
    return case.model_copy(update={"reasons": (*case.reasons, reason), "detectors": flags})
