"""Sections of `cdec diagnose`: loss by mentions and by links, bounds within candidates."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from cdec.corpus.model import Corpus
from cdec.diagnosis.candidates import Candidates
from cdec.diagnosis.loss import METRICS, loss_table, mentions_differ
from cdec.diagnosis.within import YES, bounds_table
from cdec.errors import counted
from cdec.evaluation.experiment import Experiment
from cdec.evaluation.system_run import SystemRun
from cdec.metrics import REGISTRY
from cdec.render.numbers import percent, shown
from cdec.render.page import Grid, Section, anchor
from cdec.settings import Setting

_MAIN = "conll"
_TITLES = {name: REGISTRY[name].label for name in METRICS}


def loss_section(run: SystemRun, setting: Setting) -> Iterator[Section]:
    """Yield the section on the loss by mentions and by links, if the mention sets differ."""
    if not mentions_differ(run):
        return
    table = loss_table(run, setting)
    losses = 1 - table.set_index("response")[_MAIN]
    as_is, mentions, links = (percent(loss) for loss in losses)
    below = [
        "Perfect mentions: mentions that are not in the key are removed, missing ones added as "
        "singletons. Perfect links: each mention of the key gets its key chain, the others are "
        "singletons.",
        f"{_TITLES[_MAIN]} F is {as_is} points below 100; {mentions} with perfect mentions, "
        f"{links} with perfect links.",
    ]
    yield Section(
        id=anchor("loss", setting.name, run.system),
        title=f"{run.system}: loss by mentions and by links ({setting.label})",
        blocks=(_grid("F1 with perfect mentions or perfect links", table, below),),
        data=table.assign(system=run.system, setting=setting.name, table="loss"),
    )


def bounds_sections(
    experiment: Experiment, candidates: Candidates, corpus: Corpus
) -> Iterator[Section]:
    """Yield a section for each setting: the bounds within the candidates, and each system."""
    for setting in experiment.settings:
        table = bounds_table(candidates, experiment.runs, setting, corpus)
        pairs = counted(candidates.pairs, "candidate pair")
        below = [
            f"{pairs}, {candidates.gold:,} of them gold links. Linked candidates are completed to "
            "chains. The best decision bounds what a system can score that decides on these "
            "candidates only; mentions are those of the key.",
            *_verdicts(table),
        ]
        yield Section(
            id=anchor("within", setting.name, candidates.name),
            title=f"Bounds within {candidates.name} ({setting.label})",
            blocks=(_grid("F1 within the candidates", table, below),),
            data=table.assign(setting=setting.name, table="within", candidates=candidates.name),
        )


def _grid(caption: str, table: pd.DataFrame, below: list[str]) -> Grid:
    titles = {"response": "Response", **_TITLES}
    return Grid.from_frame(caption, shown(table, titles, list(METRICS)), 1, below)


def _verdicts(table: pd.DataFrame) -> Iterator[str]:
    """Yield a sentence for each system that scores no better than ``yes``."""
    f1 = table.set_index("response")[_MAIN]
    yes = float(f1[YES])
    for name, value in zip(table["response"][2:], table[_MAIN][2:], strict=True):
        if value <= yes:
            yield (
                f"{name} ({_TITLES[_MAIN]} F {percent(value)}) does no better than linking every "
                f"candidate ({percent(yes)})"
            )
