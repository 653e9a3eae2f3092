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
from cdec.evaluation.results import HEAD, Results, frame_of
from cdec.evaluation.same_task import TOPICS
from cdec.evaluation.several import mean_rows, pooled, systems_of
from cdec.evaluation.system_run import default_metrics
from cdec.evaluation.tables import AVERAGES, MACRO, MICRO
from cdec.io.jobs import mapped
from cdec.metrics import REGISTRY, by_unit, macro, ordered, required, unit_values
from cdec.metrics.registry import metric_ids
from cdec.metrics.scores import Scores, check_names, score
from cdec.notices import Notice
from cdec.settings import SETTINGS, Setting, signed
from cdec.signature import Signature

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

    def results(self, by: str | None = None) -> Results:
        """Score every system under every setting, ordered by setting and then by system.

        Scores of a system with several runs are means. With ``by`` (a key of UNITS) the results
        also have a breakdown, see ``_breakdown``. Raises UnknownNameError for an unknown unit,
        UsageError if the mentions have no such column.
        """
        if by is not None:
            one_of("unit", by, UNITS)
            results = replace(self, unit=by).results()
            return replace(results, units=self._breakdown(results, by), by=by)
        pairs = list(product(self.settings, self.systems.items()))
        work = [(setting, run) for setting, (_, runs) in pairs for run in runs]
        # Made when a worker needs them: the meta-documents of all settings may not fit in memory.
        metas = (run.meta_documents(setting) for setting, run in work)
        effort = sum(len(run.mentions) for _, run in work)
        shared = (self.metrics, self.task.scorer)
        scores = mapped(score, metas, shared, worth=effort >= _WORTH)
        each = iter([self._result(*one, made) for one, made in zip(work, scores, strict=True)])
        means = (pooled(name, [next(each) for _ in runs]) for _, (name, runs) in pairs)
        return Results.joined(means, self.notices)

    def _breakdown(self, results: Results, unit: str) -> pd.DataFrame:
        """Return the scores of each unit and the two averages over units.

        ``unit`` is the name of a unit (see ``unit_label``), inside which links are counted and 0/0
        is None; ``macro``, the mean over the units in which a value is defined (see
        ``cdec.metrics.scores``); or ``micro``, the score of the setting, from ``results``.
        """
        tables = []
        cases = product(self.settings, self.systems.values())
        for result, (setting, runs) in zip(results, cases, strict=True):
            whole = result.runs if len(runs) > 1 else result.frame.assign(run=runs[0].system)
            own = (whole[whole["run"] == run.system].to_dict("records") for run in runs)
            rows = (self._unit_rows(setting, *one, unit) for one in zip(runs, own, strict=True))
            parts = [frame_of(each, "unit") for each in rows]
            tables.append(mean_rows(parts) if len(runs) > 1 else parts[0])
        return pd.concat(tables, ignore_index=True)

    def _result(self, setting: Setting, run: SystemRun, scores: Scores) -> Results:
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
        head = {"corpus": task.corpus, "split": task.split}
        head |= {"setting": setting.name, "system": run.system}
        return Results.of_scores(head, scores, signature)

    def _about(self, setting: Setting) -> dict[str, Any]:
        """Return the fields on the task; that of the topics only if the scores depend on them."""
        about = dict(self.task.about)
        if not {setting.scope, self.unit} & {"topic", "subtopic"}:
            about.pop(TOPICS, None)
        return about

    def _unit_rows(
        self, setting: Setting, run: SystemRun, whole: Sequence[Mapping[Any, Any]], unit: str
    ) -> Iterator[Mapping[Any, Any]]:
        """Yield the rows of each unit of a run, of their mean, and of the ``whole``."""
        if UNITS[unit] not in run.mentions:
            message = f"the mentions have no {unit} information"
            raise UsageError("level-missing", message, hint="use --by document")
        units = run.mentions[UNITS[unit]]
        head: dict[Any, Any] = {name: whole[0][name] for name in HEAD}
        parts = by_unit(run.meta_documents(setting), units, self.metrics, self.task.scorer)
        for name, scores in parts.items():
            values = unit_values(scores)
            for row in scores.rows():
                own = head | row | values[str(row["metric"])]._asdict()
                yield own | {"unit": unit_label(name, unit)}
        for metric, value in macro(parts.values()).items():
            yield head | {"unit": MACRO, "metric": metric} | value._asdict()
        yield from ({**row, "unit": MICRO} for row in whole)


def unit_label(name: str, unit: str) -> str:
    """Return the name of a unit in a breakdown; different for each unit, and no average's name.

    >>> unit_label("1_1ecb", "document"), unit_label("micro", "document")
    ('1_1ecb', 'document:micro')
    >>> unit_label("document:micro", "document")
    'document:document:micro'
    """
    taken = re.fullmatch(rf"({unit}:)*({'|'.join(AVERAGES)})", name)
    return f"{unit}:{name}" if taken else name


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
