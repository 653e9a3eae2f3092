"""Outside evidence on a key: other annotators of its mentions.

Two mentions that all of them link and the key separates suggest a missing link. This is evidence of
people who followed other guidelines: it is a reason of a case, and does not change its probability.
A pair of chains without a case gets one, at the end of the list and without a probability.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import pandas as pd

from cdec.auditing.case import MISSING, Case
from cdec.auditing.key import Key
from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.errors import UsageError, counted
from cdec.evaluation.response import Response, keyed

ANNOTATORS = "annotators"
Links = dict[frozenset[str], list[tuple[str, str]]]


def keys_of(annotators: Sequence[Response], corpus: Corpus) -> list[Corpus]:
    """Return the corpus with the chains of each annotator as its key.

    Raises UsageError for a value that is not a list and for the same chains twice, and ScoringError
    as ``keyed`` does.
    """
    if not isinstance(annotators, list | tuple):
        hint = "write annotators=[first, second]"
        raise UsageError("argument-type", "expected a list of annotators", hint=hint)
    keys = [keyed(corpus, response) for response in annotators]
    if len({one.correction["key_from_digest"] for one in keys}) < len(keys):
        hint = "give the chains of each annotator once"
        raise UsageError("option-invalid", "two annotators have the same chains", hint=hint)
    return keys


def separated(corpus: Corpus, annotators: Sequence[Clustering]) -> Links:
    """Return two chains of the key → the mention pairs between them that all annotators link.

    Only mentions that all of them annotated count.

    >>> from cdec import load_corpus
    >>> corpus = load_corpus("sample", "test")
    >>> one = Clustering.from_labels(dict.fromkeys(corpus.gold.labels.index[:3], "one"))
    >>> len(separated(corpus, [corpus.gold])), len(separated(corpus, [one]))
    (0, 1)
    """
    sides = [corpus.gold.labels, *(one.labels for one in annotators)]
    table = pd.concat(sides, axis=1, join="inner", keys=range(len(sides)))
    links: Links = {}
    for _, part in table.groupby(list(range(1, len(sides))), sort=False):
        for (a, one), (b, two) in combinations(part[0].items(), 2):
            if one != two:
                links.setdefault(frozenset((one, two)), []).append((str(a), str(b)))
    return links


def with_annotators(
    cases: Sequence[Case], key: Key, annotators: Sequence[Clustering]
) -> Iterator[Case]:
    """Yield the cases with what the annotators say, then cases of what only they say."""
    links = separated(key.corpus, annotators)
    left = dict(links)
    for case in cases:
        between = map(frozenset, combinations([side.chain for side in case.questioned], 2))
        pairs = [pair for pair in between if case.kind.startswith(MISSING) and pair in links]
        number = sum(len(links[pair]) for pair in pairs)
        yield _flagged(case, number, len(annotators)) if pairs else case
        for pair in pairs:
            left.pop(pair, None)
    for rank, linked in enumerate(left.values(), start=len(cases) + 1):
        rows = [key.rows[id_] for id_ in linked[0]]
        sides = tuple(map(key.side, linked[0]))
        case = key.case(MISSING, sides, key.fixes.link(rows), (), sides)
        yield _flagged(case, len(linked), len(annotators)).model_copy(update={"rank": rank})


def _flagged(case: Case, links: int, annotators: int) -> Case:
    who = counted(annotators, "other annotator")
    reason = f"{who} linked {counted(links, 'mention pair')} of these chains"
    flags = {**case.detectors, ANNOTATORS: 1.0}
    return case.model_copy(update={"reasons": (*case.reasons, reason), "detectors": flags})
