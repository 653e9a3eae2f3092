"""Experiments: runs × settings → results with signatures.

``prepare`` (with a corpus) and ``pair.prepare_pair`` (without) build an experiment from the user's
arguments; ``Experiment.results`` scores it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Any

import pandas as pd

from cdec.arrays import TALLIES
from cdec.corpus.model import Corpus
from cdec.errors import Notice, UnknownNameError, UsageError, counted, one_of
from cdec.evaluation.aligned import runs_on
from cdec.evaluation.response import FilePolicy, read_responses
from cdec.evaluation.results import (
    HEAD,
    TOPICS,
    Results,
    averaged,
    concatenated,
    frame_of,
)
from cdec.evaluation.view import AVERAGES, MACRO
from cdec.files.jobs import mapped
from cdec.matching.alignment import Alignment
from cdec.metrics import (
    ALL,
    ON_MENTIONS,
    REGISTRY,
    by_chain,
    by_unit,
    macro,
    ordered,
    requested,
    required,
    score,
)
from cdec.settings import SETTINGS, Setting, Settings, as_settings, signed
from cdec.signature import Signature, merged

_WORTH = 10**7  # mentions to score, over all results, from which other processes pay off
CHAIN = "chain"
UNITS = {CHAIN: "", "document": "doc"} | {
    name: name for name in ("subtopic", "topic", "kind", "group")
}


@dataclass(frozen=True)
class Experiment:
    """Runs of systems on one task, and the settings to score them under.

    ``about`` are the fields of the signature on corpus and key. ``asked`` are the metrics of the
    call, and ``is_named`` whether it names each, as in ``cdec.metrics.scores.requested``. ``unit``:
    that of a breakdown or of resamples, for the signature. ``general`` are the notices that do not
    concern a response.
    """

    runs: tuple[Alignment, ...]
    settings: tuple[Setting, ...]
    about: Mapping[str, Any] = field(default_factory=dict)
    corpus: str = ""
    split: str = ""
    asked: tuple[str, ...] | None = None
    is_named: bool = False
    scorer: str = "cdec"
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
        names = dict.fromkeys(run.system for run in self.runs)
        return {name: tuple(run for run in self.runs if run.system == name) for name in names}

    @cached_property
    def metrics(self) -> tuple[str, ...] | None:
        """The metrics to compute; None means all on chains.

        All, and the default, include those on mentions if key and response of a run have different
        mentions; those on words (TALLIES) only if the words of all mentions are known and there are
        any. Metrics named one by one are only these.
        """
        if self.is_named or self.scorer != "cdec":
            return self.asked
        if all(run.has_same_mentions for run in self.runs):
            return self.asked
        if self.asked is not None:
            added = (name for name, metric in ON_MENTIONS.items() if metric.by_default)
            return (*self.asked, *added)
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
        also have the scores of each unit and their averages. Raises UnknownNameError for an unknown
        unit, UsageError if the mentions have no such column.
        """
        if by is not None:
            try:
                one_of("unit", by, UNITS)
            except UnknownNameError as error:
                raise error.hinting("; strata: cdec.diagnose and cdec.compare") from None
            return replace(self, unit=by)._results(by)
        return self._results()

    def _results(self, by: str = "") -> Results:
        pairs = list(product(self.settings, self.systems.items()))
        work = [(setting, run) for setting, (_, runs) in pairs for run in runs]
        # Made when a worker needs them: the mentions under all settings may not fit in memory.
        tables = (self.scored(run, setting) for setting, run in work)
        effort = sum(len(run.mentions) for _, run in work)
        shared = (self.metrics, self.scorer)
        scores = iter([*mapped(score, tables, shared, worth=effort >= _WORTH)])
        parts, signatures = [], []
        for setting, (system, runs) in pairs:
            head = dict(zip(HEAD, (self.corpus, self.split, setting.name, system), strict=True))
            each = [next(scores) for _ in runs]
            signs = [
                self._signature(setting, run, own.values)
                for run, own in zip(runs, each, strict=True)
            ]
            overall = frame_of(
                {**head, "run": run.run, **row}
                for run, own in zip(runs, each, strict=True)
                for row in own.rows()
            )
            units = [self._units(setting, runs, head, by)] if by else []
            several = len(runs) > 1
            parts += [averaged(table) for table in units] if several else units
            parts += [averaged(overall), overall] if several else [overall]
            parts += [self._standing(setting, runs, name) for name in _decisions(runs)]
            more = {"system": system, "runs": len(runs)}
            signatures += [Signature({**merged(signs).fields, **more})] if several else signs
        return Results(concatenated(parts), tuple(signatures), self.notices, by=by)

    @property
    def standing(self) -> pd.DataFrame:
        """The scores of other decisions on the candidates of each system (``Results.standing``)."""
        parts = [
            self._standing(setting, runs, name)
            for runs in self.systems.values()
            for name in _decisions(runs)
            for setting in self.settings
        ]
        return Results(concatenated(parts), ()).standing

    def _standing(self, setting: Setting, runs: tuple[Alignment, ...], name: str) -> pd.DataFrame:
        """Return the rows of a decision; of several runs, the means over those that have it."""
        decided = tuple(
            replace(run.having("response", run.standing[name]), standing={}, notices=())
            for run in runs
            if name in run.standing
        )
        rows = replace(self, runs=decided, settings=(setting,)).results().rows
        return rows[rows["run"] == ""].assign(standing=name)

    def _signature(self, setting: Setting, run: Alignment, metrics: Iterable[str]) -> Signature:
        about = dict(self.about)
        if not {setting.scope, self.unit} & {"topic", "subtopic"}:
            about.pop(TOPICS, None)  # the scores do not depend on them
        return Signature.from_fields(
            **about,
            setting=signed(setting),
            system=run.name,
            **run.signed,
            metrics=",".join(self.asked) if self.asked else "all",
            scorer=self.scorer,
            plugins=plugins((run,), metrics, (setting,)),
        )

    def _units(
        self, setting: Setting, runs: Iterable[Alignment], head: Mapping[str, Any], unit: str
    ) -> pd.DataFrame:
        """Return the rows of each unit of each run, and of the mean over the units."""
        return frame_of(
            {**head, "run": run.run, **row}
            for run in runs
            for row in self._unit_rows(setting, run, unit)
        )

    def _unit_rows(self, setting: Setting, run: Alignment, unit: str) -> Iterator[dict[str, Any]]:
        """Yield the rows of each unit, inside which 0/0 is None, and of the mean over the units.

        The mean leaves out the units in which a value is undefined (see ``cdec.metrics.scores``).
        """
        mentions = self.scored(run, setting)
        if unit == CHAIN:
            yield from by_chain(mentions, self.metrics)
            return
        if UNITS[unit] not in run.mentions:
            message = f"the mentions have no {unit} information"
            raise UsageError("annotation-missing", message, hint="choose by=document")
        parts = by_unit(mentions, mentions[UNITS[unit]], self.metrics, self.scorer)
        for name, scores in parts.items():
            for row in scores.rows():
                own = scores.defined[str(row["metric"])]._asdict()
                yield {**row, **own, "unit": unit_label(name, unit)}
        for metric, value in macro(parts.values()).items():
            yield {"unit": MACRO, "metric": metric, **value._asdict()}


def _decisions(runs: Iterable[Alignment]) -> list[str]:
    return list(dict.fromkeys(name for run in runs for name in run.standing))


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
    response: Any,
    *,
    setting: Settings,
    metrics: str | Iterable[str] | None,
    scorer: str,
    policy: FilePolicy,
) -> Experiment:
    """Return the experiment of ``cdec.evaluate``: files are read and systems run."""
    check_corpus(corpus)
    # Arguments are checked before any system runs, which can take minutes.
    responses = read_responses(response)
    ids, is_named = requested(metrics, scorer)
    settings = as_settings(setting, corpus)
    return Experiment(
        tuple(run for one in responses for run in runs_on(corpus, one, policy, settings)),
        settings,
        corpus.about,
        corpus.name,
        corpus.part,
        ids,
        is_named,
        scorer,
        general=(*(corpus.chosen or ()), *_general(corpus, setting, settings)),
    )


def _general(corpus: Corpus, setting: Settings, chosen: tuple[Setting, ...]) -> Iterator[Notice]:
    """Yield notices on documents in several languages, and on the settings left out of ``all``."""
    languages = sorted({document.language for document in corpus.documents.values()})
    if len(languages) > 1:
        message = f"the documents are in several languages ({', '.join(languages)})"
        message = f"{message}; scores mix them"
        yield Notice("result-limited", len(languages), message, warning=False)
    names = [each.name for each in as_settings(setting) if each not in chosen]
    if names:
        what = counted(len(names), "setting needs", "settings need")
        message = f"{what} a level that {corpus.name} lacks: {', '.join(names)} left out"
        yield Notice("result-limited", len(names), message, warning=False)


def check_corpus(value: object) -> None:
    """Raise UsageError unless ``value`` is a Corpus."""
    if not isinstance(value, Corpus):
        message = f"expected a Corpus, got {type(value).__name__}"
        raise UsageError("argument-invalid", message, hint='use cdec.load_corpus(split="test")')
