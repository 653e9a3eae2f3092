"""Strata: recall and precision of links by a property of links, mentions or chains.

A stratum belongs to pairs of mentions, or to mentions. The property of a chain, such as its size,
is one of its mentions: of the key chain for recall, of the response chain for precision. A link of
two mentions with different values belongs to the higher of both, or to the level ``mixed``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from cdec.arrays import AnySeries, Ints, IntSeries
from cdec.clustering import SIDES, Side
from cdec.corpus.model import Corpus
from cdec.diagnosis.chains import SIZES, size_class
from cdec.diagnosis.links import (
    ALL,
    KINDS,
    LEMMAS,
    facts_of,
    kind_labels,
    links_of_chains,
    mentions_of,
    pairs_in,
    scored_mentions,
)
from cdec.diagnosis.seen import Train, TrainPairs, train_part
from cdec.errors import UsageError, one_of, spelled
from cdec.evaluation.experiment import Experiment, plugins
from cdec.files.progress import Progress, silent
from cdec.language.heads import heads
from cdec.matching.alignment import Alignment
from cdec.metrics import COUNT_COLUMNS
from cdec.records import Fields
from cdec.render.page import Page, Section, Table, anchor, percent
from cdec.settings import Setting, signed
from cdec.signature import Signature

LEAST = 20
"""Fewer links give no percentage."""
MIXED = "mixed"
_RATES = ["precision", "recall", "f1"]


# ---- of pairs: (mentions, sides, train) → the pairs of the chains of the sides by level ----


def _seen(rows: pd.DataFrame, sides: list[str], train: TrainPairs) -> Ints:
    by_lemma = train.pairs(rows, sides).reshape(2, -1)
    return np.asarray(by_lemma.sum(axis=0))


def _lemma(rows: pd.DataFrame, sides: list[str], train: TrainPairs | None) -> list[int]:
    same = pairs_in(rows, [*sides, "lemma"])
    return [same, pairs_in(rows, sides) - same]


def _seen_lemma(rows: pd.DataFrame, sides: list[str], train: TrainPairs) -> Ints:
    return train.pairs(rows, sides)


def _distance(
    rows: pd.DataFrame, sides: list[str], train: TrainPairs | None
) -> IntSeries:
    return links_of_chains(rows, *sides).sum()


# ---- of mentions: (facts, side) → the number of the level of each ----


def _lemmas_per_chain(facts: pd.DataFrame, side: Side) -> AnySeries:
    chains = mentions_of(facts, side).groupby(side)
    lemmas = chains["lemma"].nunique().clip(upper=3)
    level = lemmas.mask(chains.size() == 1, 0)
    return facts[side].map(level).fillna(0)


def _chains_per_lemma(facts: pd.DataFrame, side: Side) -> Ints:
    chains = mentions_of(facts, "key").groupby("lemma")["key"].nunique()
    return np.searchsorted((1, 4), facts["lemma"].map(chains).fillna(0))


def _size(facts: pd.DataFrame, side: Side) -> Ints:
    sizes = mentions_of(facts, side)[side].value_counts()
    return size_class(facts[side].map(sizes).fillna(0))


def _class(facts: pd.DataFrame, side: Side) -> AnySeries:
    return facts["class"]


_OF_TRAIN = {
    "coreferent": "coreferent in train",
    "compared": "compared in train only",
    "never": "not compared in train",
}
_LEMMA_AND_TRAIN = {
    f"{lemma}/{pair}": f"{lemma_label}, {pair_label}"
    for lemma, lemma_label in LEMMAS.items()
    for pair, pair_label in _OF_TRAIN.items()
}
_PER_CHAIN = {
    "singleton": "singleton",
    "1": "1 lemma",
    "2": "2 lemmas",
    "3+": "3 and more",
}
_PER_LEMMA = {"1": "1 chain", "2–4": "2–4 chains", "5+": "5 and more"}
_MET = (
    "Coreferent: mentions with these two head lemmas share a chain of train. Compared: such "
    "mentions are in one topic of train, in no chain together. Never: in no topic together."
)
_SIDES = "Of the key chain for recall, of the response chain for precision."
_HIGHER = "The number of key chains that have a mention with the head lemma; of a link the higher."
_TAGS = "The class of the mention in the corpus (ECB+: the tag of its action); of two, mixed."
_PLACES = "The smallest unit (document, sub-topic, topic) that has both mentions."
_HEADS = "Whether the heads of the two mentions have the same lemma."


class _Stratum(NamedTuple):
    """Title, the level of a pair or of a mention in words, level → label, and the function.

    ``of_pairs``: the function takes pairs, not mentions.
    """

    title: str
    about: str
    levels: Mapping[str, str]
    function: Callable[..., Any]
    of_pairs: bool


STRATA: dict[str, _Stratum] = {
    "seen": _Stratum("Head lemmas in train", _MET, _OF_TRAIN, _seen, True),
    "lemma": _Stratum("Head lemmas", _HEADS, LEMMAS, _lemma, True),
    "seen-lemma": _Stratum(
        "Head lemmas, and in train",
        f"{_HEADS} {_MET}",
        _LEMMA_AND_TRAIN,
        _seen_lemma,
        True,
    ),
    "lemmas-per-chain": _Stratum(
        "Lemmas in the chain", _SIDES, _PER_CHAIN, _lemmas_per_chain, False
    ),
    "chains-per-lemma": _Stratum(
        "Key chains of the lemma", _HIGHER, _PER_LEMMA, _chains_per_lemma, False
    ),
    "class": _Stratum("Class", _TAGS, {}, _class, False),
    "size": _Stratum(
        "Mentions in the chain", _SIDES, {size: size for size in SIZES}, _size, False
    ),
    "distance": _Stratum("Distance", _PLACES, KINDS, _distance, True),
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
    levels: Mapping[str, str]
    lemmas: AnySeries = field(repr=False)
    classes: AnySeries = field(repr=False)
    train: TrainPairs | None = field(repr=False)
    signed: Fields

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
        levels = STRATA[one_of("stratum", name, STRATA)].levels
        if name == "distance":
            levels = {**levels, **kind_labels(corpus.levels)}
        pairs = None
        signed = dict[str, Any](by=name)
        lemmas = classes = pd.Series(dtype=object)
        if "lemma" in name or name == "seen":
            lemmas = heads(corpus, nlp, progress)["lemma"]
            signed["heads"] = nlp
        if name == "class":
            classes, levels = _classes(corpus)
        if name.startswith("seen"):
            part = train_part(name, corpus, train)
            pairs = TrainPairs.of(part, heads(part, nlp, progress)["lemma"], lemmas)
            signed["train"] = dict(sorted(part.about.items() - corpus.about.items()))
        elif isinstance(train, Corpus):
            raise UsageError(
                "option-conflict",
                f"train has no effect on the stratum '{name}'",
                hint=f"drop train, or choose {spelled('by', 'seen')}",
            )
        return cls(name, levels, lemmas, classes, pairs, signed)

    def behind(self, page: Page, experiment: Experiment) -> Page:
        """Return a page with the sections of the stratum behind its own."""
        sections = [
            replace(section, id=section.id or "scores", title=section.title or "Scores")
            for section in page.sections
        ]
        sections += strata_sections(experiment, self)
        about = {**page.about, "strata": self.signed}
        return replace(
            page,
            title=page.title or "Scores",
            sections=tuple(sections),
            about=about,
        )

    def counts(self, run: Alignment, setting: Setting) -> pd.DataFrame:
        """Return the links by level: COUNT_COLUMNS, whose sums are those of all links."""
        facts = facts_of(scored_mentions(run, setting), self.lemmas)
        facts["class"] = self.classes.reindex(facts.index, fill_value=0)
        counts = {}
        for side, letter in (("response", "p"), ("key", "r")):
            counts[f"{letter}_num"] = self._pairs(facts, side, SIDES)
            counts[f"{letter}_den"] = self._pairs(facts, side, (side,))
        return pd.DataFrame(counts, pd.Index([*self.levels], name="level"), dtype=float)

    def _pairs(
        self,
        facts: pd.DataFrame,
        side: str,
        sides: Sequence[str],
    ) -> Any:
        """Return the pairs of the chains of ``sides`` by level; ``side`` has the chain's level."""
        stratum = STRATA[self.name]
        if stratum.of_pairs:
            return stratum.function(mentions_of(facts, *sides), [*sides], self.train)
        level = np.asarray(stratum.function(facts, side), dtype=np.int64)
        rows = mentions_of(facts.assign(level=level), *sides)
        last = len(self.levels) - 1
        if MIXED in self.levels:
            same = [
                pairs_in(rows[rows["level"] == number], sides) for number in range(last)
            ]
            return [*same, pairs_in(rows, sides) - sum(same)]
        # A link has the higher level of its two mentions.
        up_to = [
            pairs_in(rows[rows["level"] <= number], sides) for number in range(last + 1)
        ]
        return np.diff(up_to, prepend=0)


def _classes(corpus: Corpus) -> tuple[AnySeries, dict[str, str]]:
    """Return the code of the class of each mention, and its levels; code 0 is no class."""
    classes = corpus.selected["tag"].astype(str)
    if not classes.str.strip().any():
        others = ", ".join(name for name in STRATA if name not in ("class", "lemma"))
        raise UsageError(
            "annotation-missing",
            f"the mentions of {corpus.name} have no class",
            hint=f"choose {spelled('by', 'lemma')}, or {others}",
        )
    names = ["", *sorted({*classes} - {""})]
    levels = {}
    for name in names:
        # A class does not have the name of a level of all classes.
        level = f"class:{name}" if name.rpartition(":")[2] in (ALL, MIXED) else name
        levels[level] = (
            name.lower().replace("action_", "").replace("_", " ") or "no class"
        )
    codes = pd.Series(pd.Index(names).get_indexer(pd.Index(classes)), classes.index)
    return codes, {**levels, MIXED: "of two classes"}


# ---- the page ----


def _number(value: float) -> str:
    if value == round(value):
        return f"{value:,.0f}"
    return f"{value:,.1f}"


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


def _table(experiment: Experiment, strata: Strata, setting: Setting) -> pd.DataFrame:
    """Return the links of each system and level, and of all levels.

    Counts of a system with several runs are means. Precision, recall and F1 are of these counts,
    NaN for fewer than LEAST links; ``share`` is that of all key links.
    """
    tables = []
    for system, runs in experiment.systems.items():
        counts = pd.concat([strata.counts(run, setting) for run in runs])
        table = counts.groupby(level="level", sort=False).mean()
        table.loc[ALL] = table.sum()
        key_links = table["r_den"].where(table["r_den"] >= LEAST)
        response_links = table["p_den"].where(table["p_den"] >= LEAST)
        precision = table["p_num"] / response_links
        recall = table["r_num"] / key_links
        f1 = 2 * precision * recall / (precision + recall)
        table = table.assign(
            precision=precision,
            recall=recall,
            f1=f1.mask(precision + recall == 0, 0.0),
            share=key_links / table["r_den"][ALL],
            system=system,
        )
        tables.append(table)
    rows = pd.concat(tables).rename_axis("level").reset_index()
    return rows.assign(setting=setting.name, stratum=strata.name)


def strata_sections(experiment: Experiment, strata: Strata) -> Iterator[Section]:
    """Yield a section for each setting. Raises UsageError without a corpus."""
    stratum = STRATA[strata.name]
    columns = ["system", "setting", "stratum", "level", *_RATES, *COUNT_COLUMNS]
    for setting in experiment.settings:
        table = _table(experiment, strata, setting)
        # Levels that no system and not the key has are left out.
        links = table.groupby("level")[["p_den", "r_den"]].transform("sum").sum(axis=1)
        has_row = (links > 0) | (table["level"] == ALL)
        labels = table["level"].map({**strata.levels, ALL: "all"})
        rows = table.assign(label=labels)[has_row]
        grid = _TABLE.grid(
            rows,
            title=stratum.title,
            about=stratum.about,
            least=LEAST,
        )
        yield Section(
            anchor("strata", strata.name, setting.name),
            f"{stratum.title} ({setting.label})",
            (grid,),
            table[columns],
        )


def signature_of(experiment: Experiment, fields: Fields) -> Signature:
    """Return the signature of a page without scores and resamples; ``fields``: at its end."""
    return Signature.from_fields(
        **experiment.about,
        setting=tuple(signed(setting) for setting in experiment.settings),
        system={run.name: run.about for run in experiment.runs},
        plugins=plugins(experiment.runs, (), experiment.settings),
        **fields,
    )
