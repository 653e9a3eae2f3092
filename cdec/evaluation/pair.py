"""The experiment of two files or two clusterings, without a corpus."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd

from cdec.errors import FormatError, ScoringError, UsageError, one_of
from cdec.evaluation.chosen_settings import Settings, as_settings
from cdec.evaluation.experiment import Experiment, Task, chosen_metrics
from cdec.evaluation.groups import with_groups
from cdec.evaluation.response import Chains, FilePolicy, SystemRun, pair_of_chains, pair_of_files
from cdec.evaluation.same_task import TOPICS
from cdec.io.inputfile import FileKind
from cdec.settings import Scope, Setting

_SCOPES: dict[str, Scope] = {"document": "document", "corpus": "corpus"}
_TOPICS = FileKind(
    "a file of topics",
    FormatError,
    "topics-invalid",
    "one line per document: document,topic or document,topic,sub-topic",
)
Topics = Mapping[str, str | tuple[str, str]]


def prepare_pair(
    key: Chains | str | Path,
    response: Chains | str | Path,
    *,
    scope: str | None,
    metrics: str | Iterable[str] | None,
    scorer: str,
    policy: FilePolicy,
    groups: Mapping[str, str] | None = None,
    setting: Settings | None = None,
    topics: Topics | None = None,
) -> Experiment:
    """Return the experiment of ``cdec.score``.

    ``groups``: document → group, for a breakdown; see ``with_groups``. ``topics``: document →
    topic, or topic and sub-topic, for a ``setting`` that needs them. With a setting, a label is one
    chain inside the scope of the setting.

    Raises UsageError for a label that recurs in several documents if neither ``scope`` nor
    ``setting`` says what that means, and for both together.
    """
    if scope is not None and setting is not None:
        message = "a setting cannot be combined with a scope"
        raise UsageError("option-conflict", message, hint="the setting has a scope; drop one")
    if scope is not None:
        one_of("scope", scope, _SCOPES)
    across = scope == "corpus" or setting is not None
    run, about = _pair(key, response, policy, across)
    run = _without_recurring(run, known=scope is not None or setting is not None)
    table = with_topics(with_groups(run.mentions, groups), topics)
    if topics is not None:
        about = {**about, TOPICS: _digest(table)}
    chosen = scope or ("document" if "doc" in table else "corpus")
    own = Setting(f"scope={chosen}", f"scope={chosen}", _SCOPES[chosen])
    settings = (own,) if setting is None else as_settings(setting)
    task = Task("", "", about, chosen_metrics(metrics), scorer)
    return Experiment(task, (replace(run, mentions=table),), settings)


def read_topics(path: Path) -> Topics:
    """Return document → topic and sub-topic from a CSV or TSV file without header.

    Without a third column the sub-topic is the topic. Raises FormatError.
    """
    text = _TOPICS.read_text(path)
    rows = list(csv.reader(text.splitlines(), delimiter="\t" if "\t" in text else ","))
    topics: dict[str, tuple[str, str]] = {}
    for number, row in enumerate(rows, start=1):
        if not row:
            continue
        if len(row) not in (2, 3):
            raise _TOPICS.refuse(f"{path}:{number}", f"{len(row)} columns instead of 2 or 3")
        document, levels = row[0].strip(), (row[1].strip(), row[-1].strip())
        if topics.setdefault(document, levels) != levels:
            raise _TOPICS.refuse(f"{path}:{number}", f"another topic of the document '{document}'")
    return topics


def with_topics(mentions: pd.DataFrame, topics: Topics | None) -> pd.DataFrame:
    """Return the mentions with the columns ``topic`` and ``subtopic``, if ``topics`` are given.

    Raises ScoringError for a document without a topic, UsageError for a topic that is not text.
    """
    if topics is None:
        return mentions
    if "doc" not in mentions:
        message = "topics have no effect: the mentions have no documents"
        hint = "name mentions (doc, start, end) or doc/mention"
        raise UsageError("unit-missing", message, hint=hint)
    missing = [doc for doc in mentions["doc"].unique() if doc not in topics]
    if missing:
        message, hint = f"the document '{missing[0]}' has no topic", "add a line for it"
        raise ScoringError("topic-unassigned", message, hint=hint)
    levels_of = {doc: _levels(doc, topics[doc]) for doc in mentions["doc"].unique()}
    pairs = [levels_of[doc] for doc in mentions["doc"]]
    levels = {"topic": [t for t, _ in pairs], "subtopic": [f"{t}/{s}" for t, s in pairs]}
    return mentions.assign(**{name: pd.Series(v, mentions.index) for name, v in levels.items()})


def _levels(document: str, topic: object) -> tuple[str, str]:
    """Return topic and sub-topic; text alone is both, as in a file of two columns."""
    if isinstance(topic, str):
        return topic, topic
    if isinstance(topic, tuple | list) and [type(level) for level in topic] == [str, str]:
        return topic[0], topic[1]
    message = f"the topic of the document '{document}' is {topic!r:.60}"
    raise UsageError("argument-type", message, hint="give text, or (topic, sub-topic)")


def _digest(mentions: pd.DataFrame) -> str:
    levels = mentions[["doc", "topic", "subtopic"]].drop_duplicates().sort_values("doc")
    return sha256(levels.to_json(orient="values").encode()).hexdigest()


def _pair(
    key: Chains | str | Path, response: Chains | str | Path, policy: FilePolicy, across: bool
) -> tuple[SystemRun, Mapping[str, str]]:
    are_files = [isinstance(side, str | Path) for side in (key, response)]
    if are_files[0] != are_files[1]:
        raise UsageError("input-mixed", "key and response must be two files or two clusterings")
    if isinstance(key, str | Path) and isinstance(response, str | Path):
        return pair_of_files(key, response, policy, across=across)
    left: Any = key
    right: Any = response
    return pair_of_chains(left, right, policy, across=across)


def _without_recurring(run: SystemRun, known: bool) -> SystemRun:
    """Return the run without the notice on recurring labels; raise UsageError unless ``known``."""
    recurring = [notice for notice in run.notices if notice.code == "labels-recur"]
    if recurring and not known:
        hint = (
            "give a scope. corpus: the same label is the same chain; document: labels are local to "
            "a document, as in the CoNLL reference scorer"
        )
        message = recurring[0].message.partition(";")[0]
        raise UsageError("scope-ambiguous", message, hint=hint)
    return replace(run, notices=tuple(n for n in run.notices if n.code != "labels-recur"))
