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

from cdec.arrays import TALLIES
from cdec.corpus.model import Corpus
from cdec.errors import UnknownNameError, UsageError, counted, one_of
from cdec.errors.notices import Notice
from cdec.evaluation.response import FilePolicy, Response, runs_on
from cdec.evaluation.response_forms import check_distinct
from cdec.evaluation.results import HEAD, STANDING, VALUES, Results, frame_of, pooled
from cdec.evaluation.same_task import TOPICS
from cdec.evaluation.tables import AVERAGES, MACRO, MICRO
from cdec.files.jobs import mapped
from cdec.matching.alignment import Alignment
from cdec.metrics import (
    ALL,
    COUNT_COLUMNS,
    ON_MENTIONS,
    REGISTRY,
    Scores,
    by_chain,
    by_unit,
    macro,
    ordered,
    requested,
    required,
    score,
)
from cdec.settings import SETTINGS, Setting, signed
from cdec.settings.catalog import Settings, as_settings
from cdec.signature import Signature

_WORTH = 10**7  # mentions to score, over all results, from which other processes pay off
CHAIN = "chain"
UNITS = {CHAIN: "", "document": "doc"} | {
    name: name for name in ("subtopic", "topic", "kind", "group")
}


@dataclass(frozen=True)
class Task:
    """The shared part of all runs; ``about`` are the fields of the signature on corpus and key.

    ``metrics`` and ``is_named`` are those of ``cdec.metrics.scores.requested``.
    """

    corpus: str
    split: str
    about: Mapping[str, Any]
    metrics: tuple[str, ...] | None = None
    scorer: str = "cdec"
    is_named: bool = False


@dataclass(frozen=True)
class Experiment:
    """System runs on one task, and the settings to score them under.

    ``unit``: that of a breakdown or of resamples, for the signature. ``general`` are the notices
    that do not concern a response.
    """

    task: Task
    runs: tuple[Alignment, ...]
    settings: tuple[Setting, ...]
    unit: str | None = None
    general: tuple[Notice, ...] = ()

    @property
    def notices(self) -> tuple[Notice, ...]:
        """All notices; if there are several responses, messages on them start with the system."""
        if len(self.runs) == 1:
            return (*self.general, *self.runs[0].notices)
        each = (
            replace(notice, message=f"{run.name}: {notice.message}")
            for run in self.runs
            for notice in run.notices
        )
        return (*self.general, *each)

    @property
    def systems(self) -> dict[str, tuple[Alignment, ...]]:
        """The runs of each system; usually one."""
        systems: dict[str, tuple[Alignment, ...]] = {}
        for run in self.runs:
            systems[run.system] = (*systems.get(run.system, ()), run)
        return systems

    @cached_property
    def metrics(self) -> tuple[str, ...] | None:
        """The metrics to compute; None means all on chains.

        All, and the default, include those on mentions if key and response of a run have different
        mentions; those on words (TALLIES) only if the words of all mentions are known and there are
        any. Metrics named one by one are only these.
        """
        task = self.task
        if task.is_named or task.scorer != "cdec":
            return task.metrics
        if all(run.has_same_mentions for run in self.runs):
            return task.metrics
        if task.metrics is not None:
            added = (name for name, metric in ON_MENTIONS.items() if metric.by_default)
            return (*task.metrics, *added)
        tables = [run.counted for run in self.runs]
        unknown = {
            name
            for name in TALLIES
            if not all(f"{name}.p_num" in table for table in tables)
            or not any(table[[f"{name}.r_den", f"{name}.p_den"]].any(axis=None) for table in tables)
        }
        return (*ALL, *(name for name in ON_MENTIONS if name not in unknown))

    def scored(self, run: Alignment, setting: Setting) -> pd.DataFrame:
        """Return the mentions of a run that count under a setting, with the columns of metrics."""
        words = {*TALLIES} & {*required(self.metrics)}
        return setting.build(run.counted if words else run.mentions)

    def results(self, by: str | None = None) -> Results:
        """Score every system under every setting, ordered by setting and then by system.

        Scores of a system with several runs are means. With ``by`` (a key of UNITS) the results
        also have a breakdown, see ``_breakdown``. Raises UnknownNameError for an unknown unit,
        UsageError if the mentions have no such column.
        """
        if by is not None:
            try:
                one_of("unit", by, UNITS)
            except UnknownNameError as error:
                raise error.hinting("; strata: cdec.diagnose and cdec.compare") from None
            results = replace(self, unit=by).results()
            return replace(results, units=self._breakdown(results, by), by=by)
        pairs = list(product(self.settings, self.systems.items()))
        work = [(setting, run) for setting, (_, runs) in pairs for run in runs]
        # Made when a worker needs them: the meta-documents of all settings may not fit in memory.
        metas = (self.scored(run, setting) for setting, run in work)
        effort = sum(len(run.mentions) for _, run in work)
        shared = (self.metrics, self.task.scorer)
        scores = mapped(score, metas, shared, worth=effort >= _WORTH)
        single = iter([self._result(*one) for one in zip(work, scores, strict=True)])
        each = [(name, [next(single) for _ in runs]) for _, (name, runs) in pairs]
        means = (pooled(*one) for one in each)
        return replace(Results.joined(means, self.notices), standing=self.standing)

    @property
    def standing(self) -> pd.DataFrame:
        """The scores of other decisions on the candidates of each system (``Results.standing``).

        Of several runs, the means over those that have the decision.
        """
        rows = []
        for system, runs in self.systems.items():
            for name in dict.fromkeys(name for run in runs for name in run.standing):
                decided = tuple(
                    replace(run.having("response", run.standing[name]), standing={}, notices=())
                    for run in runs
                    if name in run.standing
                )
                frame = replace(self, runs=decided).results().frame
                rows += frame.assign(**{STANDING: name, "system": system}).to_dict("records")
        return frame_of(rows)

    def _breakdown(self, results: Results, unit: str) -> pd.DataFrame:
        """Return the scores of each unit and the two averages over units.

        ``unit`` is the name of a unit (see ``unit_label``), inside which links are counted and 0/0
        is None; ``macro``, the mean over the units in which a value is defined (see
        ``cdec.metrics.scores``); or ``micro``, the score of the setting, from ``results``.
        """
        tables = []
        cases = product(self.settings, self.systems.values())
        for result, (setting, runs) in zip(results, cases, strict=True):
            whole = result.runs if len(runs) > 1 else result.frame.assign(run=runs[0].name)
            own = (whole[whole["run"] == run.name].to_dict("records") for run in runs)
            rows = (self._unit_rows(setting, *one, unit) for one in zip(runs, own, strict=True))
            parts = [frame_of(each, "unit") for each in rows]
            tables.append(_means(parts) if len(runs) > 1 else parts[0])
        return pd.concat(tables, ignore_index=True)

    def _result(self, case: tuple[Setting, Alignment], scores: Scores) -> Results:
        (setting, run), task = case, self.task
        about = dict(task.about)
        if not {setting.scope, self.unit} & {"topic", "subtopic"}:
            about.pop(TOPICS, None)  # the scores do not depend on them
        signature = Signature.from_fields(
            **about,
            setting=signed(setting),
            system=run.name,
            **run.signed,
            metrics=",".join(task.metrics) if task.metrics else "all",
            scorer=task.scorer,
            plugins=plugins((run,), scores.values, (setting,)),
        )
        head = {"corpus": task.corpus, "split": task.split}
        head |= {"setting": setting.name, "system": run.name}
        return Results.of_scores(head, scores, signature)

    def _unit_rows(
        self, setting: Setting, run: Alignment, whole: Sequence[Mapping[Any, Any]], unit: str
    ) -> Iterator[Mapping[Any, Any]]:
        """Yield the rows of each unit of a run, of their mean, and of the ``whole``."""
        head: dict[Any, Any] = {name: whole[0][name] for name in HEAD}
        if unit == CHAIN:
            mentions = self.scored(run, setting)
            yield from (head | row for row in by_chain(mentions, self.metrics))
            yield from ({**row, "unit": MICRO} for row in whole)
            return
        if UNITS[unit] not in run.mentions:
            message = f"the mentions have no {unit} information"
            raise UsageError("level-missing", message, hint="choose by=document")
        mentions = self.scored(run, setting)
        parts = by_unit(mentions, mentions[UNITS[unit]], self.metrics, self.task.scorer)
        for name, scores in parts.items():
            for row in scores.rows():
                own = head | row | scores.defined[str(row["metric"])]._asdict()
                yield own | {"unit": unit_label(name, unit)}
        for metric, value in macro(parts.values()).items():
            yield head | {"unit": MACRO, "metric": metric} | value._asdict()
        yield from ({**row, "unit": MICRO} for row in whole)


def _means(tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return the means of breakdowns of several runs of a system, by unit, setting and metric.

    A row that one of the runs lacks is the mean of the others.
    """
    table = pd.concat(tables, ignore_index=True)
    groups = table.groupby(["unit", *HEAD, "metric"], sort=False, dropna=False)
    values = groups[list(VALUES)]
    means = values.mean()
    deviations = values.std().add_suffix("_sd")
    counts = groups.size().rename("runs")
    empty = dict.fromkeys(COUNT_COLUMNS)
    return pd.concat([means.assign(**empty), deviations, counts], axis=1).reset_index()


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
    runs: Iterable[Alignment], metrics: Iterable[str], settings: Iterable[Setting]
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
    # Arguments are checked before any system runs, which can take minutes.
    ids, is_named = requested(metrics, scorer)
    task = Task(corpus.name, corpus.part, corpus.about, ids, scorer, is_named)
    settings = as_settings(setting, corpus)
    check_distinct(responses)
    runs = tuple(run for r in responses for run in runs_on(corpus, r, policy, settings))
    general = (*(corpus.chosen or ()), *_general(corpus, setting, settings))
    return Experiment(task, runs, settings, general=general)


def _general(corpus: Corpus, setting: Settings, chosen: tuple[Setting, ...]) -> Iterator[Notice]:
    """Yield notices on documents in several languages, and on the settings left out of ``all``."""
    languages = sorted({document.language for document in corpus.documents.values()})
    if len(languages) > 1:
        message = f"the documents are in several languages ({', '.join(languages)})"
        message = f"{message}; scores mix them"
        yield Notice("corpus-languages", len(languages), message, warning=False)
    names = [each.name for each in as_settings(setting) if each not in chosen]
    if names:
        what = counted(len(names), "setting needs", "settings need")
        message = f"{what} a level that {corpus.name} lacks: {', '.join(names)} left out"
        yield Notice("settings-left-out", len(names), message, warning=False)


def check_corpus(value: object) -> None:
    """Raise UsageError unless ``value`` is a Corpus."""
    if not isinstance(value, Corpus):
        message = f"expected a Corpus, got {type(value).__name__}"
        raise UsageError("argument-type", message, hint='use cdec.load_corpus(split="test")')
