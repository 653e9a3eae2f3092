"""Experiments: system runs × settings → results with signatures.

``prepare`` (with a corpus) and ``pair.prepare_pair`` (without) build an experiment from the user's
arguments; ``Experiment.results`` scores it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import pandas as pd

from cdec.corpus.model import Corpus
from cdec.errors import UsageError, one_of
from cdec.evaluation.chosen_settings import Settings, as_settings, left_out
from cdec.evaluation.response import (
    FilePolicy,
    Response,
    SystemRun,
    check_distinct,
    runs_on,
)
from cdec.evaluation.several import MeanScores, mean_rows, systems_of
from cdec.evaluation.shown import default_metrics
from cdec.io.jobs import mapped
from cdec.metrics import REGISTRY, by_unit, macro, ordered, required, unit_values
from cdec.metrics.registry import metric_ids
from cdec.metrics.scores import COUNT_COLUMNS, Scores, check_names, score
from cdec.notices import Notice
from cdec.settings import SETTINGS, Setting, signed
from cdec.signature import Signature, merged

COLUMNS = (
    *("corpus", "split", "setting", "system", "metric"),
    *("precision", "recall", "f1", *COUNT_COLUMNS),
)
TOPICS = "topics_digest"  # the field of the signature for topics that come from the user
MACRO, MICRO = "macro", "micro"
AVERAGES = (MACRO, MICRO)
_WORTH = 10**7  # mentions to score, over all results, from which other processes pay off
UNITS = {
    "document": "doc",
    "subtopic": "subtopic",
    "topic": "topic",
    "kind": "kind",
    "group": "group",
}


@dataclass(frozen=True)
class Task:
    """The shared part of all runs; ``about`` are the fields of the signature on corpus and key."""

    corpus: str
    split: str
    about: Mapping[str, Any]
    metrics: tuple[str, ...] | None = None
    scorer: str = "cdec"


@dataclass(frozen=True)
class Result:
    """The scores of one system under one setting; ``runs`` are those behind mean scores."""

    corpus: str
    split: str
    setting: Setting
    system: str
    scores: Scores
    signature: Signature
    runs: tuple[Result, ...] = ()

    def rows(self) -> list[dict[str, object]]:
        """Return one record per metric, with the columns of ``COLUMNS``."""
        return [self.head() | row for row in self.scores.rows()]

    def head(self) -> dict[str, object]:
        """Return the columns that identify the result: corpus, split, system, setting."""
        names = ("corpus", "split", "system")
        return {name: getattr(self, name) for name in names} | {"setting": self.setting.name}


@dataclass(frozen=True)
class Experiment:
    """System runs on one task, and the settings to score them under.

    ``unit``: that of a breakdown or of resamples, for the signature. ``general`` are the notices
    that do not concern a response.
    """

    task: Task
    runs: tuple[SystemRun, ...]
    settings: tuple[Setting, ...]
    unit: str | None = None
    general: tuple[Notice, ...] = ()

    @property
    def notices(self) -> tuple[Notice, ...]:
        """All notices; if there are several responses, messages on them start with the system."""
        if len(self.runs) == 1:
            return (*self.general, *self.runs[0].notices)
        each = (
            replace(notice, message=f"{run.system}: {notice.message}")
            for run in self.runs
            for notice in run.notices
        )
        return (*self.general, *each)

    @property
    def systems(self) -> dict[str, tuple[SystemRun, ...]]:
        """The runs of each system; usually one."""
        return systems_of(self.runs)

    @cached_property
    def metrics(self) -> tuple[str, ...] | None:
        """The metrics to compute: those of the task, else the default; None means all on chains."""
        if self.task.metrics or self.task.scorer != "cdec":
            return self.task.metrics
        return default_metrics(self.runs)

    def results(self) -> tuple[Result, ...]:
        """Score every system under every setting, ordered by setting and then by system.

        The scores of a system with several runs are ``MeanScores``.
        """
        pairs = list(product(self.settings, self.systems.items()))
        work = [(setting, run) for setting, (_, runs) in pairs for run in runs]
        # Made when a worker needs them: the meta-documents of all settings may not fit in memory.
        metas = (run.meta_documents(setting) for setting, run in work)
        effort = sum(len(run.mentions) for _, run in work)
        shared = (self.metrics, self.task.scorer)
        scores = mapped(score, metas, shared, worth=effort >= _WORTH)
        each = iter([self._result(*one, made) for one, made in zip(work, scores, strict=True)])
        return tuple(pooled(name, [next(each) for _ in runs]) for _, (name, runs) in pairs)

    def breakdown(self, unit: str) -> pd.DataFrame:
        """Return the scores of each ``unit`` (a key of UNITS) and the two averages over units.

        The columns are ``unit`` and those of ``COLUMNS``. ``unit`` is the name of a unit (see
        ``unit_label``), inside which links are counted and 0/0 is None; ``macro``, the mean over
        the units in which a value is defined (see ``cdec.metrics.units``); or ``micro``, the score
        of the setting.
        Raises UnknownNameError for an unknown unit, UsageError if the mentions have no such
        column.
        """
        one_of("unit", unit, UNITS)
        columns = ["unit", *COLUMNS]
        tables = []
        for setting, (name, runs) in product(self.settings, self.systems.items()):
            parts = [pd.DataFrame(self._unit_rows(setting, r, unit), columns=columns) for r in runs]
            named = (part.assign(system=name) for part in parts)
            tables.append(mean_rows(named) if len(runs) > 1 else parts[0])
        return pd.concat(tables, ignore_index=True)

    def _result(self, setting: Setting, run: SystemRun, scores: Scores) -> Result:
        task = self.task
        signature = Signature.from_fields(
            **self._about(setting),
            setting=signed(setting),
            system=run.system,
            **run.signed,
            metrics=",".join(task.metrics) if task.metrics else "all",
            scorer=task.scorer,
            plugins=plugins((run,), scores.values, (setting,)),
        )
        return Result(task.corpus, task.split, setting, run.system, scores, signature)

    def _about(self, setting: Setting) -> dict[str, Any]:
        """Return the fields on the task; that of the topics only if the scores depend on them."""
        about = dict(self.task.about)
        if not {setting.scope, self.unit} & {"topic", "subtopic"}:
            about.pop(TOPICS, None)
        return about

    def _unit_rows(self, setting: Setting, run: SystemRun, unit: str) -> list[dict[str, object]]:
        if UNITS[unit] not in run.mentions:
            message = f"the mentions have no {unit} information"
            raise UsageError("unit-missing", message, hint="use --by document")
        metas = run.meta_documents(setting)
        whole = self._result(setting, run, score(metas, self.metrics, self.task.scorer))
        units = run.mentions[UNITS[unit]]
        parts = by_unit(metas, units, self.metrics, self.task.scorer)
        rows = [
            (unit_label(name, unit), row)
            for name, scores in parts.items()
            for row in _rows_of_unit(scores)
        ]
        rows += [(MACRO, {"metric": m, **v._asdict()}) for m, v in macro(parts.values()).items()]
        rows += [(MICRO, row) for row in whole.scores.rows()]
        return [whole.head() | row | {"unit": name} for name, row in rows]


def pooled(name: str, results: Sequence[Result]) -> Result:
    """Return the mean of the runs of a system under one setting; a single run is returned as is."""
    if len(results) == 1:
        return results[0]
    each = tuple(result.scores for result in results)
    fields = {**merged([result.signature for result in results]).fields, "system": name}
    fields = {**fields, "runs": len(results), "cdec": fields.pop("cdec")}
    mean = MeanScores(each[0].metrics, {}, each)
    signature = Signature(fields)
    return replace(results[0], system=name, scores=mean, signature=signature, runs=tuple(results))


def unit_label(name: str, unit: str) -> str:
    """Return the name of a unit in a breakdown; different for each unit, and no average's name.

    >>> unit_label("1_1ecb", "document"), unit_label("micro", "document")
    ('1_1ecb', 'document:micro')
    >>> unit_label("document:micro", "document")
    'document:document:micro'
    """
    taken = re.fullmatch(rf"({unit}:)*({'|'.join(AVERAGES)})", name)
    return f"{unit}:{name}" if taken else name


def _rows_of_unit(scores: Scores) -> Iterator[dict[str, object]]:
    values = unit_values(scores)
    for row in scores.rows():
        yield row | values[str(row["metric"])]._asdict()


def plugins(
    runs: Iterable[SystemRun], metrics: Iterable[str], settings: Iterable[Setting]
) -> str | None:
    """Return the packages whose code took part, for the signature; None if only cdec did.

    Systems, settings and metrics are considered, and the parts of derived metrics.
    """
    shown = ordered(metrics)
    origins = {*REGISTRY.origins((*shown, *required(shown)))}
    origins.update(SETTINGS.origins(s.name for s in settings if s.name in SETTINGS))
    origins.update(origin for run in runs for origin in run.origins)
    return ",".join(map(str, sorted(origins))) or None


def prepare(
    corpus: Corpus,
    response: Response | list[Response],
    *,
    setting: Settings,
    metrics: str | Iterable[str] | None,
    scorer: str,
    policy: FilePolicy,
) -> Experiment:
    """Return the experiment of ``cdec.evaluate``: files are read and systems run."""
    check_corpus(corpus)
    responses: Sequence[Response] = response if isinstance(response, list) else [response]
    if not responses:
        hint = "name a system or a file"
        raise UsageError("response-missing", "there is no response to score", hint=hint)
    task = Task(corpus.name, corpus.part, corpus.about, chosen_metrics(metrics), scorer)
    # Arguments are checked before any system runs, which can take minutes.
    settings = as_settings(setting, corpus)
    check_names(task.metrics, task.scorer)
    check_distinct(responses)
    runs = tuple(run for r in responses for run in runs_on(corpus, r, policy))
    general = (*_of_languages(corpus), *left_out(setting, corpus))
    return Experiment(task, runs, settings, general=general)


def _of_languages(corpus: Corpus) -> tuple[Notice, ...]:
    """Return a notice if the documents are in several languages."""
    languages = sorted({document.language for document in corpus.documents.values()})
    if len(languages) == 1:
        return ()
    message = f"the documents are in several languages ({', '.join(languages)}); scores mix them"
    return (Notice("corpus-languages", len(languages), message, warning=False),)


def check_corpus(value: object) -> None:
    """Raise UsageError unless ``value`` is a Corpus."""
    if not isinstance(value, Corpus):
        message = f"expected a Corpus, got {type(value).__name__}"
        raise UsageError("argument-type", message, hint='use cdec.load_corpus(split="test")')


def chosen_metrics(metrics: str | Iterable[str] | None) -> tuple[str, ...] | None:
    """Return the ids of metrics; None: all. Raises as ``metric_ids`` does."""
    return None if metrics is None else metric_ids(metrics) or None
