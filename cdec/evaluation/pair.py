"""The experiment of two files or two clusterings, without a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from cdec.errors import UsageError, one_of
from cdec.evaluation.chosen_settings import Settings, as_settings
from cdec.evaluation.experiment import Experiment, Task, chosen_metrics
from cdec.evaluation.response import Chains, FilePolicy, SystemRun, pair_of_chains, pair_of_files
from cdec.evaluation.same_task import TOPICS
from cdec.evaluation.units import (
    Topics,
    digest_of,
    read_groups,
    read_topics,
    with_groups,
    with_topics,
)
from cdec.settings import Scope, Setting

_SCOPES: dict[str, Scope] = {"document": "document", "corpus": "corpus"}


def prepare_pair(
    key: Chains | str | Path,
    response: Chains | str | Path,
    *,
    scope: str | None,
    metrics: str | Iterable[str] | None,
    scorer: str,
    policy: FilePolicy,
    groups: Path | None = None,
    setting: Settings | None = None,
    topics: Topics | str | Path | None = None,
) -> Experiment:
    """Return the experiment of ``cdec.score``.

    ``groups``: a file of document and group, for a breakdown; see ``read_groups``. ``topics``:
    document → topic, or topic and sub-topic, or a file of them, for a ``setting`` that needs them.
    With a setting, a label is one chain inside the scope of the setting.

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
    of_documents = read_topics(Path(topics)) if isinstance(topics, str | Path) else topics
    table = with_groups(run.mentions, read_groups(groups) if groups else None)
    table = with_topics(table, of_documents)
    if topics is not None:
        about = {**about, TOPICS: digest_of(table)}
    chosen = scope or ("document" if "doc" in table else "corpus")
    own = Setting(f"scope={chosen}", f"scope={chosen}", _SCOPES[chosen])
    settings = (own,) if setting is None else as_settings(setting)
    task = Task("", "", about, chosen_metrics(metrics), scorer)
    return Experiment(task, (replace(run, mentions=table),), settings)


def _pair(
    key: Chains | str | Path, response: Chains | str | Path, policy: FilePolicy, across: bool
) -> tuple[SystemRun, Mapping[str, str]]:
    are_files = [isinstance(side, str | Path) for side in (key, response)]
    if are_files[0] != are_files[1]:
        raise UsageError("argument-type", "key and response must be two files or two clusterings")
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
