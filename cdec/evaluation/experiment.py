"""Systems × settings → results, each with the signature that says how to get it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from cdec.errors import UnknownNameError, UsageError
from cdec.evaluation.response import SystemRun
from cdec.metrics.scores import COUNT_COLUMNS, Scores, by_unit, macro, score
from cdec.settings import Setting, signed
from cdec.signature import Signature

COLUMNS = (
    *("corpus", "split", "setting", "system", "metric"),
    *("precision", "recall", "f1", *COUNT_COLUMNS),
)
UNITS = {"document": "doc", "subtopic": "subtopic", "topic": "topic"}


@dataclass(frozen=True)
class Task:
    """What all answers of one run share; ``about`` are the signature's fields on corpus and key."""

    corpus: str
    split: str
    about: Mapping[str, Any]
    metrics: tuple[str, ...] | None = None
    scorer: str = "cdec"


@dataclass(frozen=True)
class Result:
    """One system under one setting."""

    corpus: str
    split: str
    setting: Setting
    system: str
    scores: Scores
    signature: Signature

    def rows(self) -> list[dict[str, object]]:
        """Return one record a metric, with the columns of ``COLUMNS``."""
        return [self.head() | row for row in self.scores.rows()]

    def head(self) -> dict[str, object]:
        """Return the columns that say which result this is."""
        names = ("corpus", "split", "system")
        return {name: getattr(self, name) for name in names} | {"setting": self.setting.name}


@dataclass(frozen=True)
class Experiment:
    """Some answers to one task, under some settings."""

    task: Task
    answers: tuple[SystemRun, ...]
    settings: tuple[Setting, ...]

    def results(self) -> tuple[Result, ...]:
        """Score every answer under every setting, ordered by setting and then by system."""
        pairs = ((answer, setting) for setting in self.settings for answer in self.answers)
        return tuple(self._result(answer, setting) for answer, setting in pairs)

    def breakdown(self, unit: str) -> pd.DataFrame:
        """Return the scores inside each ``unit`` (a key of UNITS), and two averages.

        The columns are those of ``COLUMNS`` and ``unit``: the unit's name, where only links
        inside the unit count; ``macro``, the unweighted mean of these; or ``micro``, the
        setting's own number, over everything. Raises UnknownNameError for an unknown unit,
        UsageError where the mentions do not tell theirs.
        """
        if unit not in UNITS:
            raise UnknownNameError("unit", unit, UNITS)
        pairs = ((answer, setting) for setting in self.settings for answer in self.answers)
        rows = [row for pair in pairs for row in self._unit_rows(*pair, unit)]
        return pd.DataFrame(rows, columns=["unit", *COLUMNS])

    def _result(self, answer: SystemRun, setting: Setting) -> Result:
        task = self.task
        scores = score(answer.meta_documents(setting), task.metrics, task.scorer)
        signature = Signature.from_fields(
            **task.about,
            setting=signed(setting),
            system=answer.system,
            **answer.about,
            metrics=",".join(task.metrics) if task.metrics else "all",
            scorer=task.scorer,
        )
        return Result(task.corpus, task.split, setting, answer.system, scores, signature)

    def _unit_rows(self, answer: SystemRun, setting: Setting, unit: str) -> list[dict[str, object]]:
        if UNITS[unit] not in answer.mentions:
            raise UsageError(f"the mentions do not tell their {unit}", cure="use --by document")
        whole = self._result(answer, setting)
        units = answer.mentions[UNITS[unit]]
        parts = by_unit(answer.meta_documents(setting), units, self.task.metrics, self.task.scorer)
        named = [(name, row) for name, scores in parts.items() for row in scores.rows()]
        named += [("macro", {"metric": m, **v._asdict()}) for m, v in macro(parts.values()).items()]
        named += [("micro", row) for row in whole.scores.rows()]
        return [whole.head() | row | {"unit": name} for name, row in named]
