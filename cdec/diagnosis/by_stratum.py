"""Scores by stratum: the counts of each level, their table, and a picture of all systems.

Every count is a sum over ordered pairs (m, m′) of mentions of a chain of n mentions:

==========  ===============================  =====================================================
metric      term of a pair, if it is right   its terms in the denominator
==========  ===============================  =====================================================
links       1/2, m ≠ m′                      the same, of all pairs of the chain
B³          1/n                              the same; a pair (m, m) has one too
LEA         1/(n − 1), m ≠ m′                the same; 1 for the pair (m, m) of a singleton
==========  ===============================  =====================================================

A pair is right if it shares a chain of the other side, for LEA and (m, m) if that is a singleton,
too. So B³ and LEA divide by any stratum, exactly: a stratum of pairs has the pairs m ≠ m′, and the
level ``self`` the pairs (m, m); in a stratum of mentions a pair (m, m′) has the level of m.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from cdec.arrays import Bools, Ints
from cdec.clustering import SIDES
from cdec.corpus.model import Corpus
from cdec.diagnosis.facts import groups, mention_facts, present, scored
from cdec.diagnosis.links import ALL
from cdec.diagnosis.seen import Train, TrainPairs, train_part
from cdec.diagnosis.stratum import MIXED, STRATA, UNSEEN, Stratum, classes_of
from cdec.errors import UsageError, one_of
from cdec.evaluation.experiment import Experiment, plugins
from cdec.files.progress import Progress, silent
from cdec.language.heads import heads
from cdec.matching.alignment import Alignment
from cdec.metrics import COUNT_COLUMNS, REGISTRY, exact_sum, links
from cdec.render.charts.heat import heat_map
from cdec.render.numbers import percent
from cdec.render.page import Chart, Page, Section, anchor
from cdec.render.table import Table
from cdec.settings import Setting, signed
from cdec.signature import Signature, in_json

METRICS = _LINKS, *_OTHERS = ("blanc_coref", "b3", "lea")
LEAST = 20
"""A smaller denominator (links, or mentions) gives no percentage."""
RATES = ("precision", "recall", "f1")


@dataclass(frozen=True, eq=False)
class Strata:
    """A stratum and the facts of a corpus that it needs; ``signed`` are fields of a signature.

    ``levels`` maps level → label. ``lemmas`` and ``classes`` are by mention id.

    >>> from cdec import load_corpus
    >>> corpus = load_corpus("sample", "test")
    >>> Strata.of("size", corpus).levels["2"]
    '2'
    """

    stratum: Stratum
    levels: Mapping[str, str]
    lemmas: pd.Series[Any] = field(repr=False)
    classes: pd.Series[Any] = field(repr=False)
    train: TrainPairs | None = field(repr=False)
    signed: Mapping[str, Any]

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
        levels = {**stratum.levels, **({} if stratum.level else {"self": "a mention and itself"})}
        lemmas = classes = pd.Series(dtype=object)
        pairs, signed = None, dict[str, Any](by=name)
        if "lemmas" in stratum.needs:
            lemmas, signed["heads"] = heads(corpus, nlp, progress)["lemma"], nlp
        if "classes" in stratum.needs:
            classes, levels = classes_of(corpus)
        if "train" in stratum.needs:
            part = train_part(name, corpus, train)
            pairs = TrainPairs.of(part, heads(part, nlp, progress)["lemma"], lemmas)
            signed["train"] = dict(sorted(part.about.items() - corpus.about.items()))
        elif isinstance(train, Corpus):
            message = f"train has no effect on the stratum '{name}'"
            raise UsageError("option-conflict", message, hint="drop train, or choose by=seen")
        return cls(stratum, levels, lemmas, classes, pairs, signed)

    def counts(self, run: Alignment, setting: Setting) -> pd.DataFrame:
        """Return the counts of each metric and level: their sums are those of the metrics."""
        facts = mention_facts(scored(run, setting), self.lemmas)
        facts["class"] = self.classes.reindex(facts.index, fill_value=0)
        sizes = {side: np.bincount(present(facts, side)[side]) for side in SIDES}
        found: list[Any] = []
        for side in ("response", "key"):
            if self.stratum.level:
                facts["level"] = np.asarray(self.stratum.level(facts, side), dtype=np.int64)
            both, chains = present(facts, *SIDES), present(facts, side)
            cell = groups(both, *SIDES)
            # The sizes of the key chain and the response chain of each overlap.
            ends = both.drop_duplicates(list(SIDES))
            size = {one: sizes[one][ends[one]] for one in SIDES}
            alone = (size["key"] == 1) & (size["response"] == 1)
            found.append(self._sums(both, cell, size[side], alone))
            found.append(
                self._sums(
                    chains, np.asarray(chains[side], np.int64), sizes[side], sizes[side] == 1
                )
            )
        index = pd.MultiIndex.from_product([METRICS, self.levels], names=["metric", "level"])
        return pd.DataFrame(dict(zip(COUNT_COLUMNS, found, strict=True)), index=index)

    def _sums(self, rows: pd.DataFrame, group: Ints, size: Ints, alone: Bools) -> list[float]:
        """Return the sums of METRICS by level, over groups in chains of these sizes."""
        unordered, ordered, own = self._pairs(rows, group)
        of_b3, of_lea = ordered + own, ordered + own * alone[:, None]
        return [
            *unordered.sum(axis=0).astype(float).tolist(),
            *(exact_sum(level, size) for level in of_b3.T),
            *(exact_sum(level, np.maximum(size - 1, 1)) for level in of_lea.T),
        ]

    def _pairs(self, rows: pd.DataFrame, group: Ints) -> tuple[Ints, Ints, Ints]:
        """Return the links of each group by level, its pairs (m, m′), and its pairs (m, m)."""
        number, levels = int(group.max(initial=-1)) + 1, len(self.levels)
        if self.stratum.pairs:
            unordered = np.pad(self.stratum.pairs(rows, group, self.train), ((0, 0), (0, 1)))
            own = np.zeros_like(unordered)
            own[:, -1] = np.bincount(group, minlength=number)
            return unordered, 2 * unordered, own
        level = group * levels + rows["level"].to_numpy()
        own = np.bincount(level, minlength=number * levels).reshape(number, levels)
        ordered = own * (own.sum(axis=1, keepdims=True) - 1)
        if MIXED not in self.levels:  # a link has the higher level
            return np.diff(links(own.cumsum(axis=1)), axis=1, prepend=0), ordered, own
        unordered = links(own)
        unordered[:, -1] = links(own.sum(axis=1)) - unordered.sum(axis=1)
        return unordered, ordered, own


def strata_table(experiment: Experiment, strata: Strata) -> pd.DataFrame:
    """Return the counts of each setting, system, metric and level, and those of all levels.

    Counts of a system with several runs are means. Precision, recall and F1 are of these counts,
    NaN for fewer than LEAST links or mentions. Raises UsageError without a corpus.
    """
    tables = []
    for setting, (system, runs) in product(experiment.settings, experiment.systems.items()):
        each = pd.concat([strata.counts(run, setting) for run in runs])
        counts = each.groupby(["metric", "level"], sort=False).mean()
        whole = counts.groupby("metric", sort=False).sum().assign(level=ALL)
        parts = pd.concat([counts.reset_index(), whole.reset_index()], ignore_index=True)
        tables.append(_rated(parts).assign(setting=setting.name, system=system))
    return pd.concat(tables, ignore_index=True)


def _rated(table: pd.DataFrame) -> pd.DataFrame:
    precision, recall = (
        table[f"{side}_num"] / table[f"{side}_den"].where(table[f"{side}_den"] >= LEAST)
        for side in "pr"
    )
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


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"


_SIDES = {"r": "R", "p": "P"}
_TABLE = Table(
    "Links, B³ and LEA by stratum",
    {
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
        **{
            f"{m}_{side}": f"{REGISTRY[m].label} {x}" for m in _OTHERS for side, x in _SIDES.items()
        },
    },
    "{about}\n"
    "R: found of the key links; P: right of the response links; –: of fewer than {least}. %: share "
    "of all key links. B³ and LEA: points that the stratum adds to the score, of the points that "
    "it would add if all were right; they sum to the score.",
    heads=2,
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
    rows = tables[_LINKS]
    for metric, side in product(_OTHERS, _SIDES):
        table = tables[metric]
        whole = table["system"].map(_whole(table, f"{side}_den"))
        shares = (table[f"{side}_{end}"] / whole for end in ("num", "den"))
        texts = [f"{percent(part)} of {percent(most)}" for part, most in zip(*shares, strict=True)]
        rows = rows.assign(**{f"{metric}_{side}": texts})
    share = rows["r_den"].where(rows["r_den"] >= LEAST) / rows["system"].map(_whole(rows, "r_den"))
    rows = rows.assign(label=rows["level"].map(labels), share=share)
    present = data.groupby("level")[["p_den", "r_den"]].sum().sum(axis=1) > 0
    return rows[rows["level"].map(present) | (rows["level"] == ALL)]


def _whole(rows: pd.DataFrame, column: str) -> pd.Series[float]:
    """Return the count of all levels, by system."""
    return rows[rows["level"] == ALL].set_index("system")[column]


def _unseen(rows: pd.DataFrame) -> Iterator[str]:
    """Yield, by lemma and train, the links of each system that neither explains."""
    every = _whole(rows, "r_den").to_dict()
    hard = rows[rows["level"].isin(UNSEEN)].groupby("system", sort=False)[list(COUNT_COLUMNS)].sum()
    for system, row in _rated(hard).to_dict("index").items():
        part = row["r_den"] / every[system] if every[system] else None
        yield (
            f"{system}: {_number(row['r_den'])} of {_number(every[system])} key links "
            f"({percent(part)} %) join different lemmas that are never coreferent in train; "
            f"recall {percent(row['recall'])}, precision {percent(row['precision'])}"
        )


def _charts(rows: pd.DataFrame, title: str) -> Iterator[Chart]:
    """Yield the picture of the recall of links, by system and level with enough of them."""
    in_key = rows[rows["level"].isin(rows["level"][rows["recall"].notna()])]
    if in_key.empty:
        return
    labels = in_key.drop_duplicates("level")["label"].tolist()  # some can be equal
    systems = {
        str(name): [None if pd.isna(value) else value for value in recall]
        for name, recall in in_key.groupby("system", sort=False)["recall"]
    }
    described = "; ".join(
        f"{name}: {', '.join(f'{x} {percent(v)}' for x, v in zip(labels, row, strict=True))}"
        for name, row in systems.items()
    )
    title = f"Recall of links, {title}"
    svg = heat_map(title, described, [*systems], labels, [*systems.values()])
    yield Chart(svg, f"{title}: in percent; –: fewer than {LEAST} links.")
