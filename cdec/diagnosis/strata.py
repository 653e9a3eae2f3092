"""Strata: recall and precision of links by a property of links, mentions or chains.

A stratum belongs to pairs of mentions, or to mentions. The property of a chain, such as its size,
is one of its mentions: of the key chain for recall, of the response chain for precision. A link of
two mentions with different values belongs to the higher of both, or to the level ``mixed``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from cdec.clustering import SIDES, Side
from cdec.corpus.model import Corpus
from cdec.diagnosis.chains import SIZES, size_class
from cdec.diagnosis.links import (
    ALL,
    KINDS,
    LEMMAS,
    by_distance,
    facts_of,
    pairs_in,
    present,
    scored,
)
from cdec.diagnosis.seen import Train, TrainPairs, train_part
from cdec.errors import UsageError, one_of
from cdec.evaluation.experiment import Experiment, plugins
from cdec.files.progress import Progress, silent
from cdec.language.heads import heads
from cdec.matching.alignment import Alignment
from cdec.metrics import COUNT_COLUMNS
from cdec.render.charts import heat_map
from cdec.render.numbers import percent
from cdec.render.page import Chart, Page, Section, anchor
from cdec.render.table import Table
from cdec.settings import Setting, signed
from cdec.signature import Signature, in_json

LEAST = 20
"""Fewer links give no percentage."""
MIXED = "mixed"
_RATES = ["precision", "recall", "f1"]
_UNSEEN = ("different/compared", "different/never")  # different lemmas, never coreferent in train


@dataclass(frozen=True)
class Stratum:
    """A stratum: ``pairs`` counts the pairs of the chains of sides by level, or ``level`` says it.

    ``levels`` maps level → label; those of ``class`` are the classes of the corpus. ``level`` is
    the number of the level of each mention, for the chains of a side. ``needs`` are the facts that
    it needs: lemmas, classes, train. ``about`` says which level a pair, a mention or a chain has.
    """

    title: str
    about: str
    levels: Mapping[str, str]
    pairs: Callable[[pd.DataFrame, list[str], Any], Any] | None = None
    level: Callable[[pd.DataFrame, Side], Any] | None = None
    needs: tuple[str, ...] = ()


def _lemma(rows: pd.DataFrame, sides: list[str], train: Any) -> Any:
    same = pairs_in(rows, [*sides, "lemma"])
    return [same, pairs_in(rows, sides) - same]


def _lemmas_per_chain(facts: pd.DataFrame, side: Side) -> Any:
    chains = present(facts, side).groupby(side)
    lemmas = chains["lemma"].nunique().clip(upper=3).mask(chains.size() == 1, 0)
    return facts[side].map(lemmas).fillna(0)


def _chains_per_lemma(facts: pd.DataFrame, side: Side) -> Any:
    chains = present(facts, "key").groupby("lemma")["key"].nunique()
    return np.searchsorted((1, 4), facts["lemma"].map(chains).fillna(0))


def _size(facts: pd.DataFrame, side: Side) -> Any:
    return size_class(facts[side].map(present(facts, side)[side].value_counts()).fillna(0))


_SEEN = {
    "coreferent": "coreferent in train",
    "compared": "compared in train only",
    "never": "not compared in train",
}
STRATA = {
    "seen": Stratum(
        "Head lemmas in train",
        "Coreferent: mentions with these two head lemmas share a chain of train. Compared: such "
        "mentions are in one topic of train, in no chain together. Never: in no topic together.",
        _SEEN,
        pairs=lambda rows, sides, train: train.pairs(rows, sides).reshape(2, -1).sum(axis=0),
        needs=("lemmas", "train"),
    ),
    "lemma": Stratum(
        "Head lemmas",
        "Whether the heads of the two mentions have the same lemma.",
        LEMMAS,
        pairs=_lemma,
        needs=("lemmas",),
    ),
    "seen-lemma": Stratum(
        "Head lemmas, and in train",
        "Whether the heads of the two mentions have the same lemma, and whether mentions with "
        "these lemmas share a chain of train (coreferent), a topic only (compared), or neither.",
        {f"{a}/{b}": f"{one}, {two}" for a, one in LEMMAS.items() for b, two in _SEEN.items()},
        pairs=lambda rows, sides, train: train.pairs(rows, sides),
        needs=("lemmas", "train"),
    ),
    "lemmas-per-chain": Stratum(
        "Lemmas in the chain",
        "The number of head lemmas in the chain: of the key for recall, of the response for "
        "precision.",
        {"singleton": "singleton", "1": "1 lemma", "2": "2 lemmas", "3+": "3 and more"},
        level=_lemmas_per_chain,
        needs=("lemmas",),
    ),
    "chains-per-lemma": Stratum(
        "Key chains of the lemma",
        "The number of key chains that have a mention with the head lemma; of a link the higher "
        "number of its two lemmas.",
        {"1": "1 chain", "2–4": "2–4 chains", "5+": "5 and more"},
        level=_chains_per_lemma,
        needs=("lemmas",),
    ),
    "class": Stratum(
        "Class",
        "The class of the mention in the corpus (ECB+: the tag of its action); of a link that of "
        "both mentions, or mixed.",
        {},
        level=lambda facts, side: facts["class"],
        needs=("classes",),
    ),
    "size": Stratum(
        "Mentions in the chain",
        "The size of the chain: of the key for recall, of the response for precision.",
        {size: size for size in SIZES},
        level=_size,
    ),
    "distance": Stratum(
        "Distance",
        "The smallest unit (document, sub-topic, topic) that has both mentions.",
        KINDS,
        pairs=lambda rows, sides, train: by_distance(rows, *sides),
    ),
}


@dataclass(frozen=True, eq=False)
class Strata:
    """A stratum and the facts of a corpus that it needs; ``signed`` are fields of a signature.

    ``levels`` maps level → label. ``lemmas`` and ``classes`` are by mention id.

    >>> from cdec import load_corpus
    >>> corpus = load_corpus("sample", "test")
    >>> Strata.of("size", corpus).levels["2"]
    '2'
    """

    name: str
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
        levels, pairs, signed = stratum.levels, None, dict[str, Any](by=name)
        lemmas = classes = pd.Series(dtype=object)
        if "lemmas" in stratum.needs:
            lemmas, signed["heads"] = heads(corpus, nlp, progress)["lemma"], nlp
        if "classes" in stratum.needs:
            classes, levels = _classes(corpus)
        if "train" in stratum.needs:
            part = train_part(name, corpus, train)
            pairs = TrainPairs.of(part, heads(part, nlp, progress)["lemma"], lemmas)
            signed["train"] = dict(sorted(part.about.items() - corpus.about.items()))
        elif isinstance(train, Corpus):
            message = f"train has no effect on the stratum '{name}'"
            raise UsageError("option-conflict", message, hint="drop train, or choose by=seen")
        return cls(name, stratum, levels, lemmas, classes, pairs, signed)

    def counts(self, run: Alignment, setting: Setting) -> pd.DataFrame:
        """Return the links by level: COUNT_COLUMNS, whose sums are those of all links."""
        facts = facts_of(scored(run, setting), self.lemmas)
        facts["class"] = self.classes.reindex(facts.index, fill_value=0)
        found: list[Any] = []
        for side in ("response", "key"):
            if self.stratum.level:
                facts["level"] = np.asarray(self.stratum.level(facts, side), dtype=np.int64)
            found += [self._pairs(facts, list(SIDES)), self._pairs(facts, [side])]
        index = pd.Index([*self.levels], name="level")
        return pd.DataFrame(dict(zip(COUNT_COLUMNS, found, strict=True)), index, dtype=float)

    def _pairs(self, facts: pd.DataFrame, sides: list[str]) -> Any:
        rows = present(facts, *sides)
        if self.stratum.pairs:
            return self.stratum.pairs(rows, sides, self.train)
        last = len(self.levels) - 1
        if MIXED in self.levels:
            same = [pairs_in(rows[rows["level"] == level], sides) for level in range(last)]
            return [*same, pairs_in(rows, sides) - sum(same)]
        upto = [pairs_in(rows[rows["level"] <= level], sides) for level in range(last + 1)]
        return np.diff(upto, prepend=0)  # a link has the higher level


def _classes(corpus: Corpus) -> tuple[pd.Series[Any], dict[str, str]]:
    """Return the code of the class of each mention, and its levels; code 0 is no class."""
    classes = corpus.selected["tag"].astype(str)
    if not classes.str.strip().any():
        message = f"the mentions of {corpus.name} have no class"
        hint = f"divide by {', '.join(name for name in STRATA if name != 'class')}"
        raise UsageError("annotation-missing", message, hint=hint)
    names = ["", *sorted({*classes} - {""})]
    levels = {}
    for name in names:
        # A class does not have the name of a level of all classes.
        level = f"class:{name}" if name.rpartition(":")[2] in (ALL, MIXED) else name
        levels[level] = name.lower().replace("action_", "").replace("_", " ") or "no class"
    codes = pd.Series(pd.Index(names).get_indexer(pd.Index(classes)), classes.index)
    return codes, {**levels, MIXED: "of two classes"}


# ---- the page ----


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"


_TABLE = Table(
    "Recall and precision of links",
    {
        "system": "System",
        "label": "{title}",
        "r_den": ("Key links", _number),
        "share": ("%", percent),
        "recall": ("R", percent),
        "p_den": ("Response links", _number),
        "precision": ("P", percent),
        "f1": ("F", percent),
    },
    "{about}\n"
    "R: found of the key links; P: right of the response links; –: of fewer than {least}. %: share "
    "of all key links.",
    heads=2,
)


def strata_table(experiment: Experiment, strata: Strata) -> pd.DataFrame:
    """Return the links of each setting, system and level, and of all levels.

    Counts of a system with several runs are means. Precision, recall and F1 are of these counts,
    NaN for fewer than LEAST links. Raises UsageError without a corpus.
    """
    tables = []
    for setting, (system, runs) in product(experiment.settings, experiment.systems.items()):
        each = pd.concat([strata.counts(run, setting) for run in runs])
        counts = each.groupby(level="level", sort=False).mean()
        counts.loc[ALL] = counts.sum()
        rows = _rated(counts).rename_axis("level").reset_index()
        tables.append(rows.assign(setting=setting.name, system=system, stratum=strata.name))
    return pd.concat(tables, ignore_index=True)


def _rated(counts: pd.DataFrame) -> pd.DataFrame:
    precision, recall = (
        counts[f"{side}_num"] / counts[f"{side}_den"].where(counts[f"{side}_den"] >= LEAST)
        for side in "pr"
    )
    total = precision + recall
    f1 = (2 * precision * recall / total).mask(total == 0, 0.0)
    return counts.assign(precision=precision, recall=recall, f1=f1)


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
    title = f"Links by stratum: {strata.stratum.title}"
    return Page(title, sections, foot=(str(about),), about=in_json(about))


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
    whole = table["r_den"].where(table["level"] == ALL)
    of_all = whole.groupby([table["setting"], table["system"]]).transform("max")
    label = table["level"].map({**strata.levels, ALL: "all"})
    share = table["r_den"].where(table["r_den"] >= LEAST) / of_all
    # Levels that no system and not the key has are left out.
    known = table.groupby(["setting", "level"])[["p_den", "r_den"]].transform("sum").sum(axis=1) > 0
    shown = table.assign(label=label, share=share)[known | (table["level"] == ALL)]
    columns = ["system", "setting", "stratum", "level", *_RATES, *COUNT_COLUMNS]
    for setting in experiment.settings:
        rows = shown[shown["setting"] == setting.name]
        grid = _TABLE.grid(rows, title=stratum.title, about=stratum.about, least=LEAST)
        title = f"{stratum.title} ({setting.label})"
        yield Section(
            id=anchor("strata", strata.name, setting.name),
            title=title,
            blocks=(replace(grid, below=(*grid.below, *_unseen(rows))), *_chart(rows, title)),
            data=table.loc[table["setting"] == setting.name, columns],
        )


def _unseen(rows: pd.DataFrame) -> Iterator[str]:
    """Yield, by lemma and train, the links of each system that neither explains."""
    every = rows[rows["level"] == ALL].set_index("system")["r_den"].to_dict()
    hard = rows[rows["level"].isin(_UNSEEN)].groupby("system", sort=False)[list(COUNT_COLUMNS)]
    for system, row in _rated(hard.sum()).to_dict("index").items():
        share = row["r_den"] / every[system] if every[system] else None
        yield (
            f"{system}: {_number(row['r_den'])} of {_number(every[system])} key links "
            f"({percent(share)} %) join different lemmas that are never coreferent in train; "
            f"recall {percent(row['recall'])}, precision {percent(row['precision'])}"
        )


def _chart(rows: pd.DataFrame, title: str) -> Iterator[Chart]:
    """Yield the picture of the recall of links, by system and level with enough of them."""
    in_key = rows[rows["level"].isin(rows["level"][rows["recall"].notna()])]
    if in_key.empty:
        return
    labels = in_key.drop_duplicates("level")["label"].tolist()  # some can be equal
    systems = {
        str(name): own.tolist() for name, own in in_key.groupby("system", sort=False)["recall"]
    }
    described = "; ".join(
        f"{name}: {', '.join(f'{x} {percent(v)}' for x, v in zip(labels, row, strict=True))}"
        for name, row in systems.items()
    )
    shares = pd.DataFrame.from_dict(systems, orient="index", columns=labels)
    title = f"Recall of links, {title}"
    yield Chart(
        partial(heat_map, title, described, shares),
        f"{title}: in percent; –: fewer than {LEAST} links.",
    )
