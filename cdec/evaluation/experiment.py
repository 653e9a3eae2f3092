"""Experiments: responses beside their key, settings, scores.

The main path: ``read_responses`` → ``covered_part`` (unless the part is chosen already) →
``runs_on`` (one ``Alignment`` a run) → ``Setting.build`` → ``metrics.score`` → ``Results``.
``prepare`` (with a corpus) and
``prepare_pair`` (without) make an experiment, ``Experiment.results`` scores it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import pandas as pd

from cdec.catalogue import added, imported
from cdec.corpus.model import Corpus
from cdec.errors import (
    Notice,
    Notices,
    ScoringError,
    UsageError,
    counted,
    one_of,
    spelled,
)
from cdec.evaluation.parts import check_corpus, covered_part
from cdec.evaluation.response import (
    AnyResponse,
    Response,
    Responses,
    Scheme,
    check_columns_of,
    check_lenient,
    only,
    read_response,
    read_responses,
)
from cdec.evaluation.results import TOPICS, Results, averaged, frame_of
from cdec.evaluation.systems import answer
from cdec.evaluation.view import AVERAGES, MACRO
from cdec.formats import FORMATS, Annotation
from cdec.formats.annotation import with_digest
from cdec.formats.folder import named_by_files
from cdec.matching.alignment import Alignment, again_in_key
from cdec.matching.match import match
from cdec.matching.policy import BY_HEAD, DEFAULT_POLICY, FilePolicy
from cdec.metrics import ALL, REGISTRY, by_chain, by_unit, macro, score
from cdec.metrics.mentions import MENTIONS
from cdec.metrics.metric import WORDS, Rules
from cdec.metrics.scores import requested, required
from cdec.records import Fields, Row
from cdec.settings import SETTINGS, Scope, Setting, Settings, as_settings, signed
from cdec.signature import Signature, merged

# Unit of a breakdown → the column of mentions that names it; a chain has none.
UNITS = {
    "chain": "",
    "document": "doc",
    "file": "file",
    "subtopic": "subtopic",
    "topic": "topic",
    "kind": "kind",
}
_SCOPES = ("document", "corpus")
_OF_FILES = ("singletons", "zeros")  # choices of a policy
Topics = Mapping[str, str | tuple[str, str]]


@dataclass(frozen=True)
class Experiment:
    """Runs of systems beside one key, and how they are scored.

    ``about`` are the fields of the signature on corpus and key; ``part`` is the corpus, if there is
    one. ``call_metrics`` are the metrics of the call, ``metrics`` those to compute; None means all
    on chains. ``unit``: that of a breakdown or of resamples. ``rules``: those of metrics, see
    ``cdec.metrics.scores.derive``.
    """

    runs: tuple[Alignment, ...]
    settings: tuple[Setting, ...]
    about: Fields = field(default_factory=dict)
    call_metrics: tuple[str, ...] | None = None
    metrics: tuple[str, ...] | None = None
    scorer: str = "cdec"
    unit: str | None = None
    notices: Notices = ()
    part: Any = None
    rules: Rules = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        runs: Sequence[Alignment],
        metrics: tuple[str, ...] | None,
        *,
        named: bool,
        **facts: Any,
    ) -> Experiment:
        """Return the experiment with the metrics to compute; ``facts`` are its other fields.

        Metrics that the call names one by one are only these. All, and the default, include the
        score of mentions if key and response of a run have different mentions.
        """
        to_compute = metrics
        if not named and not all(run.has_same_mentions for run in runs):
            to_compute = (*(metrics or ALL), MENTIONS.id)
        if any(WORDS in REGISTRY[name].intermediates for name in required(to_compute)):
            runs = [replace(run, mentions=run.counted) for run in runs]
        return cls(tuple(runs), call_metrics=metrics, metrics=to_compute, **facts)

    @property
    def systems(self) -> dict[str, tuple[Alignment, ...]]:
        """The runs of each system; usually one."""
        names = dict.fromkeys(run.system for run in self.runs)
        return {
            name: tuple(run for run in self.runs if run.system == name)
            for name in names
        }

    def results(self, by: str | None = None) -> Results:
        """Score every system under every setting, ordered by setting and then by system.

        Scores of a system with several runs are means. With ``by`` (a key of UNITS) the results
        also have the scores of each unit and their averages. Raises UnknownNameError for an unknown
        unit, UsageError if the mentions have no such column.
        """
        unit = self.unit
        if by is not None:
            unit = one_of("unit", by, UNITS)
        rows: list[Row] = []
        signature_of = {}
        for setting in self.settings:
            for system, runs in self.systems.items():
                head = {
                    "corpus": str(self.about.get("corpus", "")),
                    "split": str(self.about.get("split", "")),
                    "setting": setting.name,
                    "system": system,
                }
                case = tuple(head.values())
                rows_of_runs = []
                rows_of_units = []
                for run in runs:
                    if len(runs) > 1:
                        head["run"] = run.name
                    mentions = setting.build(run.mentions)
                    scores = score(
                        mentions,
                        self.metrics,
                        self.scorer,
                        rules=self.rules,
                    )
                    rows_of_runs += [head | row for row in scores.rows()]
                    if by is not None:
                        rows_of_units += [
                            head | row for row in self._units(mentions, by)
                        ]
                of_runs = [self._signature(setting, run, unit) for run in runs]
                if len(runs) == 1:
                    rows += [*rows_of_units, *rows_of_runs]
                    signature_of[case] = of_runs[0]
                else:  # the means first, then each run
                    rows += [
                        *averaged(rows_of_units),
                        *averaged(rows_of_runs),
                        *rows_of_runs,
                    ]
                    fields = {
                        **merged(of_runs).fields,
                        "system": system,
                        "runs": len(runs),
                    }
                    signature_of[case] = Signature(fields)
        return Results(
            frame_of(rows),
            signature_of,
            self.notices,
            by=by or "",
        )

    def _units(self, mentions: pd.DataFrame, unit: str) -> Iterator[Row]:
        """Yield the rows of each unit, inside which 0/0 is None, and of the mean over the units.

        The mean leaves out the units in which a value is undefined (see ``cdec.metrics.scores``).
        """
        column = UNITS[unit]
        if not column:
            yield from by_chain(mentions, self.metrics)
            return
        if column not in mentions:
            raise UsageError(
                "annotation-missing",
                f"the mentions have no {unit} information",
                hint=f"choose {spelled('by', 'document')}",
            )
        parts = by_unit(
            mentions,
            mentions[column],
            self.metrics,
            self.scorer,
            self.rules,
        )
        for name, scores in parts.items():
            # A unit has a name of no other and of no average, as ``document:micro``.
            is_ambiguous = re.fullmatch(rf"({unit}:)*({'|'.join(AVERAGES)})", name)
            label = f"{unit}:{name}" if is_ambiguous else name
            for row in scores.rows():
                yield {**row, "unit": label}
        for metric, value in macro(parts.values(), self.rules).items():
            yield {"unit": MACRO, "metric": metric, **value._asdict()}

    def _signature(
        self,
        setting: Setting,
        run: Alignment,
        unit: str | None,
    ) -> Signature:
        about = dict(self.about)
        if {setting.scope, unit}.isdisjoint(("topic", "subtopic")):
            about.pop(TOPICS, None)  # the scores do not depend on them
        return Signature.from_fields(
            **about,
            setting=signed(setting),
            system=run.name,
            **run.about,
            metrics=",".join(self.call_metrics) if self.call_metrics else "all",
            scorer=self.scorer,
            plugins=plugins((run,), self.metrics or ALL, (setting,)),
        )


def plugins(
    runs: Iterable[Alignment],
    metrics: Iterable[str],
    settings: Iterable[Setting],
) -> str | None:
    """Return the packages whose code took part, for the signature; None if only cdec did.

    Systems, settings and metrics are considered, and the parts of derived metrics.
    """
    origins = {origin for run in runs for origin in run.origins}
    foreign_metrics = [name for name in metrics if name not in REGISTRY.own]
    if foreign_metrics:
        origins.update(REGISTRY.origins([*foreign_metrics, *required(foreign_metrics)]))
    for setting in settings:
        # A setting of choices, as scope=topic, has no entry: plug-ins are not looked for.
        if setting.name in SETTINGS.own or "=" in setting.name:
            continue
        if setting.name in SETTINGS:
            origins.update(SETTINGS.origins([setting.name]))
    return ",".join(map(str, sorted(origins))) or None


def prepare(
    corpus: Corpus,
    responses: Responses,
    *,
    setting: Settings,
    metrics: str | Iterable[str] | None = None,
    scorer: str = "cdec",
    policy: FilePolicy = DEFAULT_POLICY,
) -> Experiment:
    """Return the experiment of ``cdec.evaluate``: files are read and systems run.

    The command line has read the files and chosen the part before, in ``PartOf.responses``.

    The ``part`` is the one that they cover.
    """
    # Arguments are checked before any system runs, which can take minutes.
    call_metrics, is_named = requested(metrics, scorer)
    for name in _OF_FILES:
        value = getattr(policy, name)
        if value != getattr(DEFAULT_POLICY, name):
            raise UsageError(
                "option-conflict",
                f"{spelled(name, value)} has no effect on a corpus",
                hint="drop it: it is a choice for two files, in `score`",
            )
    answers = read_responses(responses, policy)
    if policy.lenient:
        check_lenient(answers)
    if policy.labels is not None:
        check_label_names(policy, [response.name for response in answers])
    part = corpus
    if getattr(corpus, "undecided", False):
        part = covered_part(corpus, answers)
    check_corpus(part)
    settings = as_settings(setting, part)
    runs = [run for response in answers for run in runs_on(part, response, policy)]
    notices = [*part.notices]
    without_level = [each.name for each in as_settings(setting) if each not in settings]
    if without_level:
        number = counted(len(without_level), "setting needs", "settings need")
        notices.append(
            Notice(
                "result-limited",
                len(without_level),
                f"{number} a level that {part.name} lacks: {', '.join(without_level)} left out",
                warning=False,
            )
        )
    names_of_notice: dict[Notice, list[str]] = {}
    for run in runs:
        for notice in run.notices:
            names_of_notice.setdefault(notice, []).append(run.name)
    for notice, names in names_of_notice.items():
        start = ""
        if len(names) > 1:
            start = f"{len(names)} of {len(runs)} responses (such as {names[0]}): "
        elif len(runs) > 1:
            start = f"{names[0]}: "
        notices.append(replace(notice, message=start + notice.message))
    return Experiment.of(
        runs,
        call_metrics,
        named=is_named or scorer != "cdec",
        settings=settings,
        about=part.about,
        scorer=scorer,
        notices=tuple(notices),
        part=part,
        rules={"blanc": policy.blanc},
    )


def runs_on(
    corpus: Corpus,
    response: Response,
    policy: FilePolicy = DEFAULT_POLICY,
) -> tuple[Alignment, ...]:
    """Return the runs of ``response`` beside the key, one or several; systems are run.

    Raises FormatError, ScoringError and UsageError as ``match``, and CorpusError as
    ``check_corpus``.
    """
    if policy.labels is not None:
        policy = replace(policy, labels=policy.labels_of(response.name))
    # The name of each run, its mentions or system, and the response that has its facts.
    sources = []
    waiting = [(name, run, response) for name, run in response.runs.items()]
    while waiting:
        name, source, facts = waiting.pop(0)
        if isinstance(source, Scheme):
            inner = source.on(corpus, policy.unknown or "error")
            waiting[:0] = [
                (label or name, run, inner) for label, run in inner.runs.items()
            ]
        else:
            sources.append((name, source, facts))
    names = [name for name, _, _ in sources]
    if len({*names}) < len(names):
        names = [str(number) for number in range(1, len(names) + 1)]
    runs = []
    first_with_chains = dict[Any, str]()
    for name, (_, source, facts) in zip(names, sources, strict=True):
        if isinstance(source, Annotation):
            file = source
            if (
                file.format == "python"
            ):  # the digest of chains is that of the ids in the corpus
                file = replace(file, digest="")
            run = match(file, corpus, policy)
            if file.declared or file.format not in FORMATS.own:
                run = _declared(run, file)
        else:
            file, parameters, origins = answer(source, corpus)
            run = match(file, corpus, policy)
            about = {"mentions": run.about["mentions"], **parameters, **run.about}
            about.pop("response_digest", None)  # of what is no file
            run = replace(run, about=about, origins=origins)
        run = replace(
            run,
            system=response.name,
            name=response.name,
            about={**run.about, **facts.about},
            notices=tuple(dict.fromkeys((*facts.notices, *run.notices))),
        )
        if len(sources) > 1:
            run = replace(run, name=f"{response.name}/{name}")
            first = first_with_chains.setdefault(run.response, run.name)
            if first != run.name:
                notice = Notice(
                    "name-duplicate",
                    1,
                    f"the runs {first} and {run.name} have the same chains; is one a copy?",
                )
                run = replace(run, notices=(*run.notices, notice))
        runs.append(run)
    return tuple(runs)


def check_label_names(policy: FilePolicy, responses: Sequence[str]) -> None:
    """Raise UnknownNameError if the policy says where labels of another response hold."""
    if isinstance(policy.labels, Mapping):
        for name in policy.labels:
            if name:
                one_of("response", name, responses)


def run_on(
    corpus: Corpus,
    response: AnyResponse,
    policy: FilePolicy = DEFAULT_POLICY,
) -> Alignment:
    """Return the only run of a response. Raises as ``runs_on``, and UsageError for several."""
    answers = read_response(response, policy)
    check_columns_of([answers], policy.columns)
    runs = runs_on(corpus, answers, policy)
    if len(runs) > 1:
        raise UsageError(
            "argument-invalid",
            f"expected one response, got {len(runs)} runs",
            hint="name one file",
        )
    return runs[0]


def _declared(run: Alignment, file: Annotation) -> Alignment:
    """Return the run with what its file declares, which is checked, and the format's origin."""
    if file.declared:
        for text in added("declared").values():
            check = imported(text)
            check(file.declared, run, file.name)
        run = replace(run, about={**run.about, "declared": dict(file.declared)})
    if file.format not in FORMATS.own and file.format in FORMATS:
        run = replace(run, origins=FORMATS.origins([file.format]))
    return run


# ---- two files or two clusterings, without a corpus ----


def match_pair(
    key: AnyResponse,
    response: AnyResponse,
    policy: FilePolicy = DEFAULT_POLICY,
    *,
    across: bool | None = True,
    same_labels: bool = False,
) -> tuple[Alignment, Mapping[str, str]]:
    """Return key and response side by side, and the fields of the signature on the key.

    ``across``: whether chains can cross documents; None: nobody says it. ``same_labels``: the same
    label is the same chain. The mentions have no documents unless all name theirs. Raises
    UsageError for a label in several documents if nobody says what that means.
    """
    of_key = read_response(key, replace(policy, lenient=None), "key")
    of_response = read_response(response, policy)
    if policy.lenient:
        check_lenient([of_response])
    if policy.columns:
        check_columns_of([of_key, of_response], policy.columns)
    if policy.labels is not None:
        check_label_names(policy, [of_response.name])
        policy = replace(policy, labels=policy.labels_of(of_response.name))
    key_file = with_digest(only(of_key))
    response_file = with_digest(only(of_response))
    files = key_file.as_key().files
    if files and response_file.files:
        key_file, response_file = named_by_files(key_file.as_key(), response_file)
        files = key_file.files
    run = match(
        response_file,
        key_file,
        policy,
        across=bool(across),
        same_labels=same_labels,
    )
    notices = dict.fromkeys((*of_key.notices, *of_response.notices, *run.notices))
    recurring = [
        notice
        for notice in notices
        if notice.code == "scope-ambiguous" and not notice.warning
    ]
    mentions = run.mentions
    if (mentions["doc"] == "").any():
        mentions = mentions.drop(columns="doc")
    elif files:
        mentions = mentions.assign(file=mentions["doc"].map(files).fillna(""))
    if recurring and across is None and "doc" in mentions:
        raise UsageError(
            "scope-ambiguous",
            recurring[0].message.partition(";")[0],
            hint=f"say {spelled('scope', 'corpus')} (the same label is the same chain) or "
            f"{spelled('scope', 'document')} (labels are local to a document, as in the CoNLL "
            "reference scorer)",
        )
    about = dict(run.about)
    if policy.alignment in BY_HEAD:
        about["heads"] = "file"
    run = replace(
        run,
        mentions=mentions,
        notices=tuple(notice for notice in notices if notice not in recurring),
        system=of_response.name,
        name=of_response.name,
        about=about,
    )
    about_key = {"key_digest": key_file.digest}
    if isinstance(key, str | Path):
        about_key = {"key": Path(key).name, **about_key}
    if response_file.declared or response_file.format not in FORMATS.own:
        run = _declared(run, response_file)
    return run, about_key


def prepare_pair(
    key: AnyResponse,
    response: AnyResponse,
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

    Raises UsageError for a scope and a setting together, and as ``match_pair``.
    """
    if scope is not None and setting is not None:
        raise UsageError(
            "option-conflict",
            "a setting cannot be combined with a scope",
            hint=f"the setting has a scope: drop {spelled('scope', scope)}, or the setting",
        )
    if scope is not None:
        one_of("scope", scope, _SCOPES)
    call_metrics, is_named = requested(metrics, scorer)
    across: bool | None = scope != "document"
    if scope is None and setting is None:
        across = None
    run, about = match_pair(
        key,
        response,
        policy,
        across=across,
        same_labels=scope == "corpus",
    )
    mentions = run.mentions
    if scorer != "cdec" and again_in_key(mentions).any():
        raise UsageError(
            "option-conflict",
            f"the scorer '{scorer}' has no counts of key mentions in several chains",
            hint=f"{spelled('repeats', 'first')} counts the first occurrence",
        )
    if topics is not None:
        mentions = _with_topics(mentions, topics)
        levels = (
            mentions[["doc", "topic", "subtopic"]].drop_duplicates().sort_values("doc")
        )
        digest = sha256(levels.to_json(orient="values").encode()).hexdigest()
        about = {**about, TOPICS: digest}
    if setting is not None:
        settings = as_settings(setting)
    else:
        if scope is None:
            scope = "document" if "doc" in mentions else "corpus"
        settings = (Setting(f"scope={scope}", f"scope={scope}", cast("Scope", scope)),)
    return Experiment.of(
        [replace(run, mentions=mentions)],
        call_metrics,
        named=is_named or scorer != "cdec",
        settings=settings,
        about=about,
        scorer=scorer,
        notices=run.notices,
        rules={"blanc": policy.blanc},
    )


def _with_topics(mentions: pd.DataFrame, topics: Topics | str | Path) -> pd.DataFrame:
    """Return the mentions with the columns ``topic`` and ``subtopic``; one level is both.

    Raises ScoringError for a document without a topic, UsageError for a topic that is not text.
    """
    if "doc" not in mentions:
        raise UsageError(
            "annotation-missing",
            "topics have no effect: the mentions have no documents",
            hint="name mentions (doc, start, end) or doc/mention",
        )
    if isinstance(topics, str | Path):
        from cdec.corpus.topics import read_topics  # noqa: PLC0415

        table = read_topics(Path(topics))
        topics = {
            doc: cast("tuple[str, str]", (*row.values(),)) for doc, row in table.items()
        }
    checked: object = topics
    if not isinstance(checked, Mapping):
        raise UsageError(
            "argument-invalid",
            f"expected a table of topics or a dict, got {type(checked).__name__}",
            hint="such as {document: topic}, or a file with the columns document and topic",
        )
    levels = {}
    for doc in mentions["doc"].unique():
        if doc not in topics:
            raise ScoringError(
                "corpus-invalid",
                f"the document '{doc}' has no topic",
                hint="add a line for it",
            )
        value: Any = topics[doc]
        names = (value,) if isinstance(value, str) else value
        if (
            not isinstance(names, tuple)
            or {*map(type, names)} != {str}
            or len(names) > 2
        ):
            raise UsageError(
                "argument-invalid",
                f"the topic of the document '{doc}' is {value!r:.60}",
                hint="give text, or (topic, sub-topic)",
            )
        levels[doc] = names[0], f"{names[0]}/{names[-1]}"
    of_mentions = mentions["doc"].map(levels)
    return mentions.assign(topic=of_mentions.str[0], subtopic=of_mentions.str[1])
