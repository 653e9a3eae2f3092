"""Scores by stratum: the counts of each level, their table, and a picture of all systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Ints, numbered
from cdec.clustering import SIDES, Side
from cdec.corpus.model import Corpus
from cdec.diagnosis.mentions import Mentions, lemmas_of
from cdec.diagnosis.seen import Train, TrainPairs, train_part
from cdec.diagnosis.stratum import ALL, MIXED, SELF, STRATA, UNSEEN, Facts, Stratum, classes_of
from cdec.errors import UsageError, one_of
from cdec.evaluation.experiment import Experiment, plugins
from cdec.files.progress import Progress, silent
from cdec.metrics import COUNT_COLUMNS, REGISTRY, exact_sum, links
from cdec.render.charts.heat import heat_map
from cdec.render.numbers import percent
from cdec.render.page import Chart, Page, Section, anchor
from cdec.render.table import Columns, Table
from cdec.settings import signed
from cdec.signature import Signature, in_json

METRICS = ("blanc_coref", "b3", "lea")
LEAST = 20
"""A smaller denominator (links, or mentions) gives no percentage."""
RATES = ("precision", "recall", "f1")


@dataclass(frozen=True, eq=False)
class Strata:
    """A stratum and the facts of a corpus that it needs; ``signed`` are fields of a signature.

    >>> from cdec import load_corpus
    >>> corpus = load_corpus("sample", "test")
    >>> Strata.of("size", corpus).levels["2"]
    '2'
    """

    stratum: Stratum
    facts: Facts = field(default_factory=Facts, repr=False)
    signed: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        name: str,
        corpus: Corpus,
        train: Train = None,
        nlp: str = "hanta",
        progress: Progress = silent,
    ) -> Strata:
        """Return a stratum for a corpus; ``train``: the part whose key says what was seen.

        ``nlp`` is the pipeline of the lemmas. Raises UnknownNameError, and UsageError for a corpus
        without classes, without train, or with a document of train.
        """
        stratum = STRATA[one_of("stratum", name, STRATA)]
        signed: dict[str, Any] = {"by": name}
        facts: dict[str, Any] = {}
        if "lemmas" in stratum.needs:
            facts["lemmas"], signed["heads"] = lemmas_of(corpus, nlp, progress), nlp
        if "classes" in stratum.needs:
            facts["classes"] = classes_of(corpus)
        if "train" in stratum.needs:
            part = train_part(name, corpus, train)
            facts["train"] = TrainPairs.of(part, lemmas_of(part, nlp, progress), facts["lemmas"])
            signed["train"] = dict(sorted(part.about.items() - corpus.about.items()))
        elif isinstance(train, Corpus):
            message = f"train has no effect on the stratum '{name}'"
            raise UsageError("option-conflict", message, hint="drop train, or choose by=seen")
        return cls(stratum, Facts(**facts), signed)

    @property
    def levels(self) -> dict[str, str]:
        """The levels and their labels, with ``self`` or ``mixed`` if there are such pairs."""
        levels = dict(self.stratum.levels)
        if "classes" in self.stratum.needs:
            return {**self.facts.class_levels, MIXED: "of two classes"}
        return levels if self.stratum.level else {**levels, SELF: "a mention and itself"}

    def counts(self, m: Mentions) -> pd.DataFrame:
        """Return the counts of each level and metric: columns level, metric, and COUNT_COLUMNS.

        They sum to those of the metrics.
        """
        both = np.flatnonzero(m.both)
        cell = numbered(m.key[both], m.response[both])
        first = np.unique(cell, return_index=True)[1]
        sizes = {side: sizes_of(getattr(m, side)) for side in SIDES}
        # The sizes of the key chain and the response chain of each overlap.
        ends = {side: sizes[side][getattr(m, side)[both][first]] for side in SIDES}
        alone = (ends["key"] == 1) & (ends["response"] == 1)
        found: list[Any] = []
        for side in ("response", "key"):
            chains = getattr(m, side)
            at = np.flatnonzero(chains >= 0)
            found.append(self._sums(m, side, (both, cell), ends[side], alone))
            found.append(self._sums(m, side, (at, chains[at]), sizes[side], sizes[side] == 1))
        index = pd.MultiIndex.from_product([METRICS, self.levels], names=["metric", "level"])
        table = pd.DataFrame(dict(zip(COUNT_COLUMNS, found, strict=True)), index=index)
        return table.reset_index()

    def _sums(
        self, m: Mentions, side: Side, grouped: tuple[Ints, Ints], size: Ints, alone: Bools
    ) -> list[float]:
        """Return the sums of METRICS by level, over groups in chains of these sizes."""
        unordered, ordered, own = self._pairs(m, side, *grouped)
        of_b3, of_lea = ordered + own, ordered + own * alone[:, None]
        return [
            *unordered.sum(axis=0).astype(float).tolist(),
            *(exact_sum(level, size) for level in of_b3.T),
            *(exact_sum(level, np.maximum(size - 1, 1)) for level in of_lea.T),
        ]

    def _pairs(self, m: Mentions, side: Side, at: Ints, group: Ints) -> tuple[Ints, Ints, Ints]:
        """Return the links of each group by level, its pairs (m, m′), and its pairs (m, m)."""
        groups, levels = int(group.max(initial=-1)) + 1, len(self.levels)
        if self.stratum.level is None:
            counted = self.stratum.pairs(m, self.facts, at, group)  # type: ignore[misc]
            unordered = np.pad(counted, ((0, 0), (0, 1)))
            own = np.zeros_like(unordered)
            own[:, -1] = np.bincount(group, minlength=groups)
            return unordered, 2 * unordered, own
        level = self.stratum.level(m, self.facts, side)[at]
        own = np.bincount(group * levels + level, minlength=groups * levels).reshape(groups, levels)
        ordered = own * (own.sum(axis=1, keepdims=True) - 1)
        if MIXED not in self.levels:  # a link has the higher level
            return np.diff(links(own.cumsum(axis=1)), axis=1, prepend=0), ordered, own
        unordered = links(own)
        unordered[:, -1] = links(own.sum(axis=1)) - unordered.sum(axis=1)
        return unordered, ordered, own


def sizes_of(chains: Ints) -> Ints:
    """Return the number of mentions of each chain; −1 is no chain."""
    return np.bincount(chains[chains >= 0])


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"


_LINKS, *_OTHERS = METRICS
_SIDES = {"r": "R", "p": "P"}
_SHOWN: Columns = {
    "system": "System",
    "label": "{title}",
    "r_den": ("Key links", _number),
    "share": ("%", percent),
    "r_num": ("found", _number),
    "recall": ("R", percent),
    "p_den": ("Response links", _number),
    "p_num": ("right", _number),
    "precision": ("P", percent),
    "f1": ("F", percent),
    **{f"{m}_{side}": f"{REGISTRY[m].label} {x}" for m in _OTHERS for side, x in _SIDES.items()},
}
_TABLE = Table(
    "Links, B³ and LEA by stratum",
    _SHOWN,
    "{about}\n"
    "R: found of the key links; P: right of the response links; –: of fewer than {least}. %: share "
    "of all key links. B³ and LEA: points that the stratum adds to the score, of the points that "
    "it would add if all were right; they sum to the score.",
    heads=2,
)


def strata_table(experiment: Experiment, strata: Strata) -> pd.DataFrame:
    """Return the counts of each setting, system, metric and level, and those of all levels.

    Counts of a system with several runs are means. Precision, recall and F1 are of these counts,
    NaN for fewer than LEAST links or mentions. Raises UsageError without a corpus.
    """
    tables, fields = [], list(COUNT_COLUMNS)
    for setting, (system, runs) in product(experiment.settings, experiment.systems.items()):
        each = [strata.counts(Mentions.from_run(r, setting, strata.facts.lemmas)) for r in runs]
        counts = pd.concat(each).groupby(["metric", "level"], sort=False)[fields].mean()
        whole = counts.groupby("metric", sort=False).sum().assign(level=ALL)
        parts = pd.concat([counts.reset_index(), whole.reset_index()], ignore_index=True)
        tables.append(_rated(parts).assign(setting=setting.name, system=system))
    return pd.concat(tables, ignore_index=True)


def _rated(table: pd.DataFrame) -> pd.DataFrame:
    rates = [
        table[f"{side}_num"] / table[f"{side}_den"].where(table[f"{side}_den"] >= LEAST)
        for side in ("p", "r")
    ]
    precision, recall = rates
    total = precision + recall
    f1 = (2 * precision * recall / total).mask(total == 0, 0.0)
    return table.assign(precision=precision, recall=recall, f1=f1)


def with_strata(page: Page, experiment: Experiment, strata: Strata) -> Page:
    """Return a page with the sections of a stratum behind its own. Raises as ``strata_table``."""
    own = (replace(o, id=o.id or "scores", title=o.title or "Scores") for o in page.sections)
    sections = (*own, *strata_sections(experiment, strata))
    about = {**page.about, "strata": strata.signed}
    return replace(page, title=page.title or "Scores", sections=sections, about=about)


def strata_page(experiment: Experiment, strata: Strata) -> Page:
    """Return the page of all systems and settings by a stratum. Raises as ``strata_table``."""
    about = signature_of(experiment, strata.signed)
    sections = tuple(strata_sections(experiment, strata))
    return Page(strata.stratum.title, sections, (str(about),), in_json(about))


def signature_of(experiment: Experiment, more: Mapping[str, Any]) -> Signature:
    """Return the signature of what is neither scored by metrics nor resampled."""
    return Signature.from_fields(
        **experiment.about,
        setting=tuple(signed(setting) for setting in experiment.settings),
        system={run.name: run.signed for run in experiment.runs},
        plugins=plugins(experiment.runs, (), experiment.settings),
        **more,
    )


def strata_sections(experiment: Experiment, strata: Strata) -> Iterator[Section]:
    """Yield a section for each setting: a table, and a picture of all systems and levels."""
    table, stratum = strata_table(experiment, strata), strata.stratum
    for setting in experiment.settings:
        data = table[table["setting"] == setting.name].assign(stratum=stratum.name)
        rows = _rows(data, {**strata.levels, ALL: "all"})
        grid = _TABLE.grid(rows, title=stratum.title, about=stratum.about, least=LEAST)
        title = f"{stratum.title} ({setting.label})"
        yield Section(
            id=anchor("strata", stratum.name, setting.name),
            title=title,
            blocks=(replace(grid, below=(*grid.below, *_unseen(rows))), *_charts(rows, title)),
            data=data[["system", "setting", "stratum", "level", "metric", *RATES, *COUNT_COLUMNS]],
        )


def _rows(data: pd.DataFrame, labels: Mapping[str, str]) -> pd.DataFrame:
    """Return the row of each system and level: the links, and the parts of the other metrics.

    Levels that no system and not the key has are left out.
    """
    tables = {m: data[data["metric"] == m].reset_index(drop=True) for m in METRICS}
    parts = {"label": tables[_LINKS]["level"].map(labels)}
    for (metric, table), side in product(tables.items(), _SIDES):
        whole = table[table["level"] == ALL].set_index("system")[f"{side}_den"]
        shares = (table[f"{side}_{end}"] / table["system"].map(whole) for end in ("num", "den"))
        texts = [f"{percent(part)} of {percent(most)}" for part, most in zip(*shares, strict=True)]
        parts[f"{metric}_{side}"] = pd.Series(texts, dtype=object)
    links = tables[_LINKS]
    every = links["system"].map(links[links["level"] == ALL].set_index("system")["r_den"])
    present = data.groupby("level")[["p_den", "r_den"]].sum().sum(axis=1) > 0
    rows = links.assign(**parts, share=links["r_den"].where(links["r_den"] >= LEAST) / every)
    return rows[rows["level"].map(present) | (rows["level"] == ALL)]


def _unseen(rows: pd.DataFrame) -> Iterator[str]:
    """Yield, by lemma and train, the links of each system that neither explains."""
    hard = rows[rows["level"].isin(UNSEEN)].groupby("system", sort=False)[list(COUNT_COLUMNS)].sum()
    every = rows[rows["level"] == ALL]["r_den"].tolist()
    for (system, row), links_ in zip(_rated(hard).to_dict("index").items(), every, strict=False):
        yield (
            f"{system}: {_number(row['r_den'])} of {_number(links_)} key links "
            f"({percent(row['r_den'] / links_ if links_ else None)} %) join different lemmas that "
            f"are never coreferent in train; recall {percent(row['recall'])}, "
            f"precision {percent(row['precision'])}"
        )


def _charts(rows: pd.DataFrame, title: str) -> Iterator[Chart]:
    """Yield the picture of the recall of links, by system and level with enough of them."""
    in_key = rows[rows["level"].isin(rows["level"][rows["recall"].notna()])]
    names = list(dict.fromkeys(in_key["system"]))
    labels = in_key["label"].tolist()[: len(in_key) // max(len(names), 1)]  # some can be equal
    recall = in_key["recall"].astype(object).where(in_key["recall"].notna(), None)
    cells = recall.to_numpy().reshape(len(names), len(labels)).tolist()
    described = "; ".join(
        f"{name}: {', '.join(f'{x} {percent(v)}' for x, v in zip(labels, row, strict=True))}"
        for name, row in zip(names, cells, strict=True)
    )
    title = f"Recall of links, {title}"
    caption = f"{title}: in percent; –: fewer than {LEAST} links."
    if names:
        yield Chart(heat_map(title, described, names, labels, cells), caption)
