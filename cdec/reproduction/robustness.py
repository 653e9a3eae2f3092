"""The same systems on two versions of the same documents, mention by mention paired.

A version rewrites the text and keeps the events, as ECB+META does with ECB+. Both are scored
against the key of the first, on the mentions that both have, so that a difference is that of the
text alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from cdec.api import load_corpus
from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.corpus.splits import only
from cdec.diagnosis.bounds import ORACLE, YES
from cdec.diagnosis.candidates import Candidates
from cdec.errors import CorpusError, UsageError
from cdec.evaluation.experiment import Experiment
from cdec.evaluation.mention_pairs import MentionPairs
from cdec.evaluation.response_forms import Named
from cdec.evaluation.run import run
from cdec.evaluation.tables import with_labels
from cdec.metrics import REGISTRY
from cdec.render.numbers import bracket, percent, points
from cdec.render.page import Page
from cdec.render.table import Table
from cdec.signature import in_json
from cdec.statistics.comparison import compare
from cdec.statistics.confidence import interval_words
from cdec.statistics.draws import Plan
from cdec.statistics.page import probability
from cdec.system import System

_TABLE = Table(
    "",
    {
        **{"a": "System", "setting": "Setting"},
        "metric": ("Metric", lambda metric: REGISTRY[metric].label),
        **{"f1_a": ("{first}", percent), "f1_b": ("{second}", percent)},
        **{
            "difference": ("Drop", points),
            "interval": "{level} % interval",
            "p": ("p", probability),
        },
    },
    "F1 in percent, drop in points: on the {paired:,} mentions that both versions have ({by}), of "
    "{of:,} and {others:,}, against the key of {first}",
    heads=3,
)


@dataclass(frozen=True, eq=False)
class Versions:
    """Two versions of the same documents; ``pairs`` are as from ``paired``.

    A response is a ``Named`` with its chains on the paired mentions, under the ids of ``first``.
    """

    first: Corpus
    second: Corpus
    pairs: pd.DataFrame = field(repr=False)

    @property
    def key(self) -> Corpus:
        """The first version, with the paired mentions only."""
        return only(self.first, self.pairs["a"], self.second.name)

    def systems(self, systems: Iterable[System]) -> Iterator[Named]:
        """Yield the responses of each system to both versions."""
        for system in systems:
            yield self._named(system.name, run(system, self.first), "a")
            yield self._named(self._other(system.name), run(system, self.second), "b")

    def lists(self, texts: Iterable[str]) -> Iterator[Named]:
        """Yield yes to all, and the best decision, on the lists of each ``NAME=FILE,FILE``.

        Raises UsageError for another text or a file without pairs, and as ``MentionPairs.read``.
        """
        for text in texts:
            name, _, files = text.partition("=")
            paths = files.split(",") if name else []
            read = (MentionPairs.read(path, self.first) for path in paths if path)
            lists = [Candidates.from_pairs(pairs) for pairs in read if pairs is not None]
            if len(lists) != 2 or len(paths) != 2:
                message = f"'{text}' does not name two lists of mention pairs"
                hint = "write NAME=FILE,FILE: the list of each version, with columns a and b"
                raise UsageError("option-invalid", message, hint=hint)
            for what, chains in (YES, "yes"), (ORACLE, "oracle"):
                names = (f"{name}: {what}", self._other(f"{name}: {what}"))
                for system, one in zip(names, lists, strict=True):
                    named = self._named(system, getattr(one, chains), "a")
                    # What the list lacks is said once.
                    yield replace(named, notices=one.notices) if what == YES else named

    def _other(self, name: str) -> str:
        return f"{name} ({self.second.name})"

    def _named(self, name: str, chains: Clustering, ids: str) -> Named:
        labels = chains.labels.loc[self.pairs[ids]].set_axis(self.pairs["a"])
        return Named(name, Clustering(labels))

    def page(self, experiment: Experiment, plan: Plan) -> Page:
        """Return the page of the responses: each to ``first``, then to ``second``."""
        runs, by = experiment.runs, self.pairs["by"].value_counts()
        both = (replace(experiment, runs=runs[at : at + 2]) for at in range(0, len(runs), 2))
        compared = [compare(one, plan) for one in both]
        data = with_labels(pd.concat([one.table for one in compared], ignore_index=True))
        ends = zip(data["low"], data["high"], strict=True)
        values = {
            **{"first": self.first.name, "second": self.second.name, "paired": len(self.pairs)},
            **{"of": len(self.first.selected), "others": len(self.second.selected)},
            "by": ", ".join(f"{by[how]:,} by {how}" for how in by.index),
            "level": f"{100 * plan.level:g}",
        }
        return _TABLE.page(
            data.assign(interval=[bracket(*one, points) for one in ends]),
            f"{interval_words(plan, int(data['units'].min()))}; p: all or {plan.exchanges:,} "
            f"exchanges of both versions on whole {plan.unit}s, for each row by itself",
            about=in_json(*(signature for one in compared for signature in one.signatures)),
            data=data,
            **values,
        )


def versions(first: Corpus, other: str) -> Versions:
    """Return a part and its other version, in a corpus given by name or path.

    Of the key of that, the reading with most mentions is used. Raises CorpusError if no mention is
    in both.

    >>> from cdec import load_corpus
    >>> both = versions(load_corpus("sample", "test"), "sample")
    >>> len(both.pairs), both.key.gold
    (389, Clustering(389 mentions in 231 chains))
    """
    whole = load_corpus(other)
    there = whole.subset(first.documents.keys() & whole.documents.keys(), whole.part)
    readings = [there.select(first.kind, variant=name) for name in there.variants or [None]]
    second = max(readings, key=lambda one: len(one.selected))
    pairs = paired(first.selected, second.selected)
    if pairs.empty:
        message = f"{first.name} and {second.name} have no mention in common"
        hint = "give two versions of the same documents"
        raise CorpusError("part-too-small", message, hint=hint)
    return Versions(first, second, pairs)


def paired(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    """Return the mentions that two tables have: columns ``a``, ``b``, ``by``.

    Mentions of one chain in a document are paired in text order (``by`` chain), then those of one
    sentence whose chains the other document lacks (``by`` sentence). A group of which one side has
    more mentions is left out. The order in a group changes no score if the key has its mentions in
    one chain, or each in a chain of its own.

    >>> columns = ["doc", "chain", "sentence"]
    >>> old = pd.DataFrame([("d", "x", 0), ("d", "7", 0)], ["d/1", "d/2"], columns)
    >>> new = pd.DataFrame([("d", "9", 0), ("d", "x", 0)], ["d/3", "d/4"], columns)
    >>> paired(old, new).to_numpy().tolist()
    [['d/1', 'd/4', 'chain'], ['d/2', 'd/3', 'sentence']]
    """
    keys = ["doc", "by", "group", "at", "size"]
    both = _grouped(first, second), _grouped(second, first)
    return both[0].merge(both[1], on=keys, suffixes=("a", "b"))[["a", "b", "by"]]


def _grouped(own: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    chains, others = (pd.MultiIndex.from_frame(t[["doc", "chain"]]) for t in (own, other))
    shared = chains.isin(others)
    group = own["chain"].where(shared, own["sentence"].astype(str))
    by = np.where(shared, "chain", "sentence")
    table = pd.DataFrame({"": own.index, "doc": own["doc"].array, "by": by, "group": group.array})
    rows = table.groupby(["doc", "by", "group"], sort=False)[""]
    return table.assign(at=rows.cumcount(), size=rows.transform("size"))
