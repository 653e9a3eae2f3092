"""Experiments: responses beside their key, settings, scores.

The main path: ``read_responses`` → ``covered_part`` → ``runs_on`` (one ``Alignment`` a run) →
``Setting.build`` → ``metrics.score`` → ``Results``. ``prepare`` (with a corpus) and
``prepare_pair`` (without) make an experiment, ``Experiment.results`` scores it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import pandas as pd

from cdec.arrays import TALLIES
from cdec.corpus.model import Corpus
from cdec.corpus.topics import read_topics
from cdec.errors import Notice, ScoringError, UsageError, counted, one_of
from cdec.evaluation.parts import covered_part
from cdec.evaluation.response import Chains, Response, Source, only, read_response, read_responses
from cdec.evaluation.results import HEAD, TOPICS, Results, averaged, concatenated, frame_of
from cdec.evaluation.systems import check_events, prediction
from cdec.evaluation.view import AVERAGES, MACRO, STANDING
from cdec.formats import FORMATS, Annotation, from_corpus
from cdec.matching.alignment import Alignment
from cdec.matching.match import match_corpus, match_files
from cdec.matching.policy import BY_HEAD, DEFAULT_POLICY, FilePolicy
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
from cdec.plugins import origin_of
from cdec.rooms import added, imported
from cdec.settings import SETTINGS, Scope, Setting, Settings, as_settings, signed
from cdec.signature import Signature, merged

UNITS = {"chain": "", "document": "doc"} | {n: n for n in ("subtopic", "topic", "kind", "group")}
_SCOPES = ("document", "corpus")
Topics = Mapping[str, str | tuple[str, str]]


@dataclass(frozen=True)
class Experiment:
    """Runs of systems beside one key, and how they are scored.

    ``about`` are the fields of the signature on corpus and key; ``part`` is the corpus, if there is
    one. ``asked`` are the metrics of the call, and ``is_named`` whether it names each, as in
    ``cdec.metrics.scores.requested``. ``unit``: that of a breakdown or of resamples.
    """

    runs: tuple[Alignment, ...]
    settings: tuple[Setting, ...]
    about: Mapping[str, Any] = field(default_factory=dict)
    asked: tuple[str, ...] | None = None
    is_named: bool = False
    scorer: str = "cdec"
    unit: str | None = None
    notices: tuple[Notice, ...] = ()
    part: Any = None

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
            self = replace(self, unit=one_of("unit", by, UNITS))  # noqa: PLW0642  # it is signed
        place = (str(self.about.get("corpus", "")), str(self.about.get("split", "")))
        rows, signatures = [], []
        for setting in self.settings:
            for system, runs in self.systems.items():
                head = dict(zip(HEAD, (*place, setting.name, system), strict=True))
                rows += self._rows(head, setting, runs, by)
                # Decisions on the candidates of a system, which are no system.
                for name in dict.fromkeys(name for run in runs for name in run.standing):
                    decided = [r.having("response", r.standing[name]) for r in runs if r.standing]
                    rows += self._rows({**head, STANDING: name}, setting, decided)[:2]
                signs = [self._signature(setting, run) for run in runs]
                if len(runs) > 1:
                    more = {"system": system, "runs": len(runs)}
                    signs = [Signature({**merged(signs).fields, **more})]
                signatures += signs
        return Results(concatenated(rows), tuple(signatures), self.notices, by=by or "")

    def _rows(
        self,
        head: Mapping[str, str],
        setting: Setting,
        runs: Sequence[Alignment],
        by: str | None = None,
    ) -> list[pd.DataFrame]:
        """Return the rows of units, and of all; of several runs the means first, then each."""
        rows, units = list[dict[str, Any]](), list[dict[str, Any]]()
        for run in runs:
            own = {**head, "run": run.run if len(runs) > 1 else ""}
            mentions = self.scored(run, setting)
            rows += [own | row for row in score(mentions, self.metrics, self.scorer).rows()]
            units += [own | row for row in self._units(mentions, by)] if by else []
        each, divided = frame_of(rows), frame_of(units)
        return [averaged(divided), averaged(each), each] if len(runs) > 1 else [divided, each]

    def _units(self, mentions: pd.DataFrame, unit: str) -> Iterator[dict[str, Any]]:
        """Yield the rows of each unit, inside which 0/0 is None, and of the mean over the units.

        The mean leaves out the units in which a value is undefined (see ``cdec.metrics.scores``).
        """
        if not UNITS[unit]:
            yield from by_chain(mentions, self.metrics)
            return
        if UNITS[unit] not in mentions:
            message = f"the mentions have no {unit} information"
            raise UsageError("annotation-missing", message, hint="choose the unit document")
        parts = by_unit(mentions, mentions[UNITS[unit]], self.metrics, self.scorer)
        for name, scores in parts.items():
            # A unit has a name of no other and of no average, as ``document:micro``.
            taken = re.fullmatch(rf"({unit}:)*({'|'.join(AVERAGES)})", name)
            label = f"{unit}:{name}" if taken else name
            for row in scores.rows():
                yield {**row, **scores.defined[str(row["metric"])]._asdict(), "unit": label}
        for metric, value in macro(parts.values()).items():
            yield {"unit": MACRO, "metric": metric, **value._asdict()}

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
    responses: Any,
    *,
    setting: Settings,
    metrics: str | Iterable[str] | None = None,
    scorer: str = "cdec",
    policy: FilePolicy = DEFAULT_POLICY,
) -> Experiment:
    """Return the experiment of ``cdec.evaluate``: files are read and systems run.

    ``responses`` as there, but for names of systems. The ``part`` is the one that they cover.
    """
    check_corpus(corpus)
    # Arguments are checked before any system runs, which can take minutes.
    asked, is_named = requested(metrics, scorer)
    given = read_responses(responses, policy.noise)
    part = covered_part(corpus, given, "all") if corpus.undecided else corpus
    settings = as_settings(setting, part)
    runs = [run for one in given for run in runs_on(part, one, policy)]
    notices = [*part.notices]
    languages = sorted({document.language for document in part.documents.values()})
    if len(languages) > 1:
        message = f"scores mix documents in several languages ({', '.join(languages)})"
        notices.append(Notice("result-limited", len(languages), message, warning=False))
    if names := [each.name for each in as_settings(setting) if each not in settings]:
        what = counted(len(names), "setting needs", "settings need")
        message = f"{what} a level that {part.name} lacks: {', '.join(names)} left out"
        notices.append(Notice("result-limited", len(names), message, warning=False))
    for run in runs:  # of several, messages start with the system
        start = f"{run.name}: " if len(runs) > 1 else ""
        notices += [replace(one, message=start + one.message) for one in run.notices]
    about, said = part.about, tuple(notices)
    return Experiment(
        tuple(runs), settings, about, asked, is_named, scorer, notices=said, part=part
    )


def check_corpus(value: object) -> None:
    """Raise UsageError unless ``value`` is a Corpus."""
    if not isinstance(value, Corpus):
        message = f"expected a Corpus, got {type(value).__name__}"
        raise UsageError("argument-invalid", message, hint='use cdec.load_corpus(split="test")')


def runs_on(
    corpus: Corpus, response: Response, policy: FilePolicy = DEFAULT_POLICY
) -> tuple[Alignment, ...]:
    """Return the runs of ``response`` beside the key, one or several; systems are run.

    Raises FormatError, ScoringError and UsageError as ``match_corpus``, and CorpusError as
    ``check_events``.
    """
    check_events(corpus)
    given = list(_each(response, corpus))
    names = [name for name, *_ in given]
    if len({*names}) < len(names):
        names = [str(number) for number in range(1, len(names) + 1)]
    runs, first = list[Alignment](), dict[Any, str]()
    for name, (_, value, facts) in zip(names, given, strict=True):
        run = _beside_key(corpus, value, policy)
        own = replace(
            run,
            system=response.name,
            run=f"{response.name}/{name}" if len(given) > 1 else "",
            about={**run.about, **facts.about},
            notices=tuple(dict.fromkeys((*facts.notices, *run.notices))),
            standing=facts.standing,
        )
        other = first.setdefault(own.response, own.name) if len(given) > 1 else own.name
        if other != own.name:
            message = f"the runs {other} and {own.name} have the same chains; is one a copy?"
            copied = Notice("name-duplicate", 1, message)
            own = replace(own, notices=(*own.notices, copied))
        runs.append(own)
    return tuple(runs)


def run_on(corpus: Corpus, response: Any, policy: FilePolicy = DEFAULT_POLICY) -> Alignment:
    """Return the only run of a response. Raises as ``runs_on``, and UsageError for several."""
    runs = runs_on(corpus, read_response(response, policy.noise), policy)
    if len(runs) > 1:
        message, hint = f"expected one response, got {len(runs)} runs", "name one file"
        raise UsageError("argument-invalid", message, hint=hint)
    return runs[0]


def _each(response: Response, corpus: Corpus) -> Iterator[tuple[str, Any, Response]]:
    """Yield each run: its name, its mentions or system, and the response that has its facts."""
    for name, run in response.runs.items():
        if isinstance(run, Source):
            for inner, one, facts in _each(run.on(corpus), corpus):
                yield inner or name, one, facts
        else:
            yield name, run, response


def _beside_key(corpus: Corpus, run: Any, policy: FilePolicy) -> Alignment:
    """Return mentions, or those that a system answers, beside the key of a corpus."""
    if isinstance(run, Annotation):
        # The digest of chains is that of the ids in the corpus.
        given = replace(run, digest="") if run.format == "python" else run
        return _declared(match_corpus(given, corpus, policy), given)
    predicted, origin = prediction(run, corpus), origin_of(run)  # in this order
    about = dict(run.parameters)
    if "nlp" in about:  # the default pipeline depends on the documents
        from cdec.language.pipeline import identity, pipeline  # noqa: PLC0415  # not for scoring

        is_default = about["nlp"] == pipeline("hanta").identity
        about["nlp"] = identity("hanta", corpus) if is_default else about["nlp"]
    if not isinstance(predicted, Annotation):
        predicted = from_corpus(corpus, predicted, run.name)
    matched = match_corpus(predicted, corpus, policy)
    about |= {name: value for name, value in matched.about.items() if name != "response_digest"}
    return replace(matched, about=about, origins=(origin,) if origin else ())


def _declared(run: Alignment, file: Annotation) -> Alignment:
    """Return the run with what its file declares, which is checked, and the format's origin."""
    for check in map(imported, added("declared").values() if file.declared else ()):
        check(file.declared, run, file.name)
    about = {**run.about, **({"declared": dict(file.declared)} if file.declared else {})}
    origins = FORMATS.origins([file.format]) if file.format in FORMATS else ()
    return replace(run, about=about, origins=origins)


# ---- two files or two clusterings, without a corpus ----


def match_pair(
    key: Chains | str | Path,
    response: Chains | str | Path,
    policy: FilePolicy = DEFAULT_POLICY,
    *,
    across: bool = True,
) -> tuple[Alignment, Mapping[str, str]]:
    """Return key and response side by side, and the fields of the signature on the key.

    ``across``: whether chains can cross documents. The mentions have no documents unless all name
    theirs.
    """
    left = read_response(key, policy.noise, "key")
    right = read_response(response, policy.noise)
    ours, theirs = only(left), only(right)
    about = {"key": Path(key).name} if isinstance(key, str | Path) else {}
    run = match_files(ours, theirs, policy, across=across)
    notices = (*left.notices, *right.notices, *run.notices)
    mentions = run.mentions
    if (mentions["doc"] == "").any():
        mentions = mentions.drop(columns="doc")
        notices = tuple(one for one in notices if one.code != "scope-ambiguous")
    named = replace(
        run, mentions=mentions, notices=tuple(dict.fromkeys(notices)), system=right.name
    )
    if policy.alignment in BY_HEAD:
        named = replace(named, about={**named.about, "heads": "file"})
    return _declared(named, theirs), {**about, "key_digest": ours.digest}


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
    asked, is_named = requested(metrics, scorer)
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
    chosen = cast("Scope", scope or ("document" if "doc" in mentions else "corpus"))
    own = (Setting(f"scope={chosen}", f"scope={chosen}", chosen),)
    notices = tuple(notice for notice in run.notices if notice not in recurring)
    return Experiment(
        (replace(run, mentions=mentions, notices=notices),),
        own if setting is None else as_settings(setting),
        about,
        asked,
        is_named,
        scorer,
        notices=notices,
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
        levels[doc] = (topic, topic) if isinstance(topic, str) else topic
        if not isinstance(levels[doc], tuple) or [*map(type, levels[doc])] != [str, str]:
            message = f"the topic of the document '{doc}' is {topic!r:.60}"
            hint = "give text, or (topic, sub-topic)"
            raise UsageError("argument-invalid", message, hint=hint)
    pairs = [levels[doc] for doc in mentions["doc"]]
    subtopics = [f"{topic}/{subtopic}" for topic, subtopic in pairs]
    return mentions.assign(topic=[topic for topic, _ in pairs], subtopic=subtopics)
