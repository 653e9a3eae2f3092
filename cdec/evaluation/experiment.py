"""Experiments: runs × settings → results with signatures.

``prepare`` (with a corpus) and ``prepare_pair`` (without) build an experiment from the user's
arguments; ``Experiment.results`` scores it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd

from cdec.arrays import TALLIES
from cdec.corpus.model import Corpus
from cdec.corpus.topics import read_topics
from cdec.errors import Notice, ScoringError, UnknownNameError, UsageError, counted, one_of
from cdec.evaluation.response import DEFAULT_POLICY, Chains, FilePolicy, Named
from cdec.evaluation.results import HEAD, TOPICS, Results, averaged, concatenated, frame_of
from cdec.evaluation.run import match_pair, runs_on
from cdec.evaluation.view import AVERAGES, MACRO, STANDING
from cdec.files.jobs import mapped
from cdec.matching.alignment import Alignment
from cdec.metrics import (
    ALL,
    ON_MENTIONS,
    REGISTRY,
    by_chain,
    by_unit,
    macro,
    requested,
    required,
    score,
)
from cdec.settings import SETTINGS, Scope, Setting, Settings, as_settings, signed
from cdec.signature import Signature, merged

_WORTH = 10**7  # mentions to score, over all results, from which other processes pay off
CHAIN = "chain"
UNITS = {CHAIN: "", "document": "doc"} | {
    name: name for name in ("subtopic", "topic", "kind", "group")
}
Topics = Mapping[str, str | tuple[str, str]]
_SCOPES: dict[str, Scope] = {"document": "document", "corpus": "corpus"}


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
        is_fixed = self.is_named or self.scorer != "cdec"
        if is_fixed or all(run.has_same_mentions for run in self.runs):
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
            self = replace(self, unit=by)  # noqa: PLW0642  # the signature names it
        cases = [(s, *group) for s in self.settings for group in self._groups()]
        parts, signatures = [], []
        for (setting, system, decision, runs), scores in self._scores(cases, by or ""):
            parts += scores
            if decision:
                continue
            signs = [self._signature(setting, run) for run in runs]
            more = {"system": system, "runs": len(runs)}
            several = len(runs) > 1
            signatures += [Signature({**merged(signs).fields, **more})] if several else signs
        return Results(concatenated(parts), tuple(signatures), self.notices, by=by or "")

    def _groups(self) -> Iterator[tuple[str, str, tuple[Alignment, ...]]]:
        """Yield each system, '' or a decision on its candidates that is no system, and its runs."""
        for system, runs in self.systems.items():
            yield system, "", runs
            for name in dict.fromkeys(name for run in runs for name in run.standing):
                decided = (run for run in runs if name in run.standing)
                yield (
                    system,
                    name,
                    tuple(run.having("response", run.standing[name]) for run in decided),
                )

    def _scores(self, cases: list[Any], by: str = "") -> Iterator[tuple[Any, list[pd.DataFrame]]]:
        """Yield each case (setting, system, decision, runs) with its rows.

        They are those of units, means over several runs, and of each run.
        """
        work = [(setting, run) for setting, *_, runs in cases for run in runs]
        # Made when a worker needs them: the mentions under all settings may not fit in memory.
        tables = (self.scored(run, setting) for setting, run in work)
        effort = sum(len(run.mentions) for _, run in work)
        scores = mapped(score, tables, (self.metrics, self.scorer), worth=effort >= _WORTH)
        for case in cases:
            setting, system, decision, runs = case
            head = dict(zip(HEAD, (self.corpus, self.split, setting.name, system), strict=True))
            rows, units = [], []
            for run in runs:
                own = {**head, STANDING: decision, "run": run.run if len(runs) > 1 else ""}
                rows += [own | row for row in next(scores).rows()]
                if by and not decision:
                    units += [own | row for row in self._unit_rows(setting, run, by)]
            each, divided = frame_of(rows), frame_of(units)
            if len(runs) > 1:
                means = [averaged(divided), averaged(each)]
                yield case, means if decision else [*means, each]
            else:
                yield case, [divided, each]

    def _signature(self, setting: Setting, run: Alignment) -> Signature:
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
            plugins=plugins((run,), self.metrics or ALL, (setting,)),
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
    names = [*metrics]
    origins = {*REGISTRY.origins([*names, *required(names)])}
    origins.update(SETTINGS.origins(s.name for s in settings if s.name in SETTINGS))
    origins.update(origin for run in runs for origin in run.origins)
    return ",".join(map(str, sorted(origins))) or None


def prepare(
    corpus: Corpus,
    responses: Iterable[Named],
    *,
    setting: Settings,
    metrics: str | Iterable[str] | None = None,
    scorer: str = "cdec",
    policy: FilePolicy = DEFAULT_POLICY,
) -> Experiment:
    """Return the experiment of ``cdec.evaluate``: files are read and systems run."""
    # Arguments are checked before any system runs, which can take minutes.
    asked, is_named = requested(metrics, scorer)
    settings = as_settings(setting, corpus)
    return Experiment(
        tuple(run for one in responses for run in runs_on(corpus, one, policy, settings)),
        settings,
        corpus.about,
        corpus.name,
        corpus.part,
        asked,
        is_named,
        scorer,
        general=(*corpus.notices, *_general(corpus, setting, settings)),
    )


def _general(corpus: Corpus, setting: Settings, chosen: tuple[Setting, ...]) -> Iterator[Notice]:
    """Yield notices on documents in several languages, and on the settings left out of ``all``."""
    languages = sorted({document.language for document in corpus.documents.values()})
    if len(languages) > 1:
        message = f"scores mix documents in several languages ({', '.join(languages)})"
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


# ---- two files or two clusterings, without a corpus ----


def prepare_pair(
    key: Chains | str | Path,
    response: Chains | str | Path,
    *,
    scope: str | None,
    metrics: str | Iterable[str] | None,
    scorer: str,
    policy: FilePolicy,
    setting: Settings | None = None,
    topics: Topics | str | Path | None = None,
) -> Experiment:
    """Return the experiment of ``cdec.score``.

    ``topics``: document → topic, or topic and sub-topic, or a file of them, for a ``setting`` that
    needs them. With a setting, a label is one chain inside the scope of the setting.

    Raises UsageError for a label that recurs in several documents if neither ``scope`` nor
    ``setting`` says what that means, and for both together.
    """
    if scope is not None and setting is not None:
        message = "a setting cannot be combined with a scope"
        raise UsageError("option-conflict", message, hint="the setting has a scope; drop one")
    if scope is not None:
        one_of("scope", scope, _SCOPES)
    run, about = match_pair(key, response, policy, across=scope == "corpus" or setting is not None)
    recurring = [notice for notice in run.notices if notice.code == "scope-ambiguous"]
    if recurring and scope is None and setting is None:
        hint = (
            "give a scope. corpus: the same label is the same chain; document: labels are local to "
            "a document, as in the CoNLL reference scorer"
        )
        message = recurring[0].message.partition(";")[0]
        raise UsageError("scope-ambiguous", message, hint=hint)
    mentions = run.mentions
    if "doc" in mentions and mentions["doc"].str.contains("/", regex=False).any():
        # Of a path such as (bc/cctv/00/cctv_0001) of OntoNotes: the genre.
        mentions = mentions.assign(group=mentions["doc"].str.lstrip("(").str.split("/").str[0])
    if topics is not None:
        mentions = _with_topics(mentions, topics)
        levels = mentions[["doc", "topic", "subtopic"]].drop_duplicates().sort_values("doc")
        about = {**about, TOPICS: sha256(levels.to_json(orient="values").encode()).hexdigest()}
    chosen = _SCOPES[scope or ("document" if "doc" in mentions else "corpus")]
    own = (Setting(f"scope={chosen}", f"scope={chosen}", chosen),)
    asked, is_named = requested(metrics, scorer)
    notices = tuple(notice for notice in run.notices if notice not in recurring)
    return Experiment(
        (replace(run, mentions=mentions, notices=notices),),
        own if setting is None else as_settings(setting),
        about,
        asked=asked,
        is_named=is_named,
        scorer=scorer,
    )


def _with_topics(mentions: pd.DataFrame, topics: Topics | str | Path) -> pd.DataFrame:
    """Return the mentions with the columns ``topic`` and ``subtopic``; one level is both.

    Raises ScoringError for a document without a topic, UsageError for a topic that is not text.
    """
    if "doc" not in mentions:
        message = "topics have no effect: the mentions have no documents"
        hint = "name mentions (doc, start, end) or doc/mention"
        raise UsageError("annotation-missing", message, hint=hint)
    if isinstance(topics, str | Path):
        given = {doc: [*own.values()] for doc, own in read_topics(Path(topics)).items()}
        topics = {doc: (own[0], own[-1]) for doc, own in given.items()}
    levels = {}
    for doc in mentions["doc"].unique():
        if doc not in topics:
            message, hint = f"the document '{doc}' has no topic", "add a line for it"
            raise ScoringError("corpus-invalid", message, hint=hint)
        topic: Any = topics[doc]
        both = (topic, topic) if isinstance(topic, str) else topic
        if not (isinstance(both, tuple) and [*map(type, both)] == [str, str]):
            message = f"the topic of the document '{doc}' is {topic!r:.60}"
            hint = "give text, or (topic, sub-topic)"
            raise UsageError("argument-invalid", message, hint=hint)
        levels[doc] = both
    pairs = [levels[doc] for doc in mentions["doc"]]
    subtopics = [f"{topic}/{subtopic}" for topic, subtopic in pairs]
    return mentions.assign(topic=[topic for topic, _ in pairs], subtopic=subtopics)
