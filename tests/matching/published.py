"""The response files of published systems: unpacked archives, and the authors' own scores."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

import cdec

FEATURE, BARHOM, HYPER = "feature-based", "ba2019", "hypercoref_conll"
ARCHIVES = (FEATURE, BARHOM, HYPER)
CORPORA = ("ecbp", "gvc", "fcct")
# The authors' metrics → ours.
_LINE = re.compile(r"(\w+) +Recall: ([0-9.]+) +Precision: ([0-9.]+) +F1: ([0-9.]+)")
_GVC = re.compile(r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])")
_FCC = re.compile(r"football|(?<![0-9a-f])d[0-9a-f]{8}_")
METRICS = {"muc": "muc", "bcub": "b3", "ceafe": "ceafe", "lea": "lea", "conll": "conll"}
SIDES = {"F1": "f1", "P": "precision", "R": "recall"}
# Of the mentions that are predicted: the files hold other spans than those of the key.
_DETECTED = "sys_mentiondetection"


@dataclass(frozen=True)
class Scored:
    """A response and its key, and the authors' scores: (our metric, column) → value."""

    key: Path
    response: Path
    scores: dict[tuple[str, str], float]

    def differences(self, tolerance: float) -> list[tuple[Any, ...]]:
        """Return (response, metric, column, authors' value, our value) of values that differ."""
        metrics = [*METRICS.values()]
        ours = cdec.score(self.key, self.response, scope="document", metrics=metrics).to_frame()
        table = ours.set_index("metric")
        pairs = ((at, value, float(table[at[1]][at[0]])) for at, value in self.scores.items())
        return [
            (self.response, *at, value, own)
            for at, value, own in pairs
            if not abs(value - own) <= tolerance
        ]


def responses(folder: Path, corpus: str) -> Iterator[Path]:
    """Yield the keys and responses of a corpus with gold mentions."""
    for path in sorted(p for p in folder.rglob("*conll") if p.is_file()):
        if _DETECTED not in path.parts and _corpus_of(path) == corpus:
            yield path


def detected(folder: Path) -> list[Path]:
    """Return the responses with predicted mentions, all of ECB+."""
    return sorted((folder / HYPER / _DETECTED).rglob("*.conll"))


def _corpus_of(path: Path) -> str:
    with path.open() as file:
        text = "".join(file.readline() for _ in range(9))
    return "gvc" if _GVC.search(text) else "fcct" if _FCC.search(text) else "ecbp"


def hyper_scores(folder: Path, table: Path) -> Iterator[Scored]:
    """Yield the files of Bugert and Gurevych (2021), with F1, P and R of four metrics."""
    index = list(range(6))
    scores = pd.read_csv(table, header=[0, 1], index_col=index, keep_default_na=False)
    for at, row in scores.iterrows():
        scenario, experiment, dev, test, topics, seed = map(str, at)  # type: ignore[call-overload]
        run = test if scenario == "ss" or experiment == "lemma" else f"{dev}_on_{test}"
        group = {"baselines": "sg" if "delta" in experiment else "ss"}.get(scenario, scenario)
        home = folder / HYPER / "sys_cdcr" / group / experiment / "events" / run / topics / seed
        (response,) = home.glob("*.conll")
        values = {
            (METRICS[metric], column): float(row[metric, side])
            for metric in ("muc", "bcub", "ceafe", "lea")
            for side, column in SIDES.items()
        }
        yield Scored(_key(folder, test, experiment), response, values)


def _key(folder: Path, corpus: str, experiment: str) -> Path:
    """Return the key with the mention ids of the response: as spans, or m_ids of the baselines."""
    if experiment.startswith("lemma"):
        home = folder / FEATURE / FEATURE / f"{corpus.removesuffix('t')}_lemma_baselines"
        return home / "lemma" / "cross_doc" / "gold.conll"
    (key,) = (folder / HYPER / "key" / corpus).glob("*.conll")
    return key


def feature_scores(folder: Path) -> Iterator[Scored]:
    """Yield the files of Bugert et al. (2021) with scores of every run, within and across."""
    for table in sorted(folder.rglob("metrics_unaggregated.csv")):
        scores = pd.read_csv(table)
        if "meta-doc" not in scores:
            continue
        for (across, model), rows in scores.groupby(["meta-doc", "model"]):
            home = table.parent / str(model) / ("cross_doc" if across else "within_doc")
            values = {
                (METRICS[row["metric"]], column): row[column]
                for _, row in rows.iterrows()
                for column in SIDES.values()
                if pd.notna(row[column])
            }
            yield Scored(home / "gold.conll", home / "system.conll", values)


def barhom_scores(folder: Path) -> Iterator[Scored]:
    """Yield the files of Barhom et al. (2019), with scores in percent, two digits each."""
    for table in sorted(folder.rglob("scores.txt")):
        key = f"{table.parent.name.partition('_')[0]}_CD_test_event_mention_based.key_conll"
        values = {
            (METRICS[name], column): float(value) / 100
            for name, *sides in _LINE.findall(table.read_text())
            if name in METRICS
            for column, value in zip(("recall", "precision", "f1"), sides, strict=True)
        }
        (response,) = table.parent.glob("*.response_conll")
        yield Scored(table.parents[1] / key, response, values)
