"""The experiment of two files or two clusterings, without a corpus.

Topics of their documents are from a file or a dict.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pandas as pd

from cdec.corpus.topics import read_topics
from cdec.errors import ScoringError, UsageError, one_of
from cdec.evaluation.aligned import match_pair
from cdec.evaluation.experiment import Experiment
from cdec.evaluation.response import Chains
from cdec.evaluation.results import TOPICS
from cdec.matching.policy import FilePolicy
from cdec.metrics import requested
from cdec.settings import Scope, Setting, Settings, as_settings

Topics = Mapping[str, str | tuple[str, str]]
_SCOPES: dict[str, Scope] = {"document": "document", "corpus": "corpus"}


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
    mentions = _with_groups(run.mentions)
    if topics is not None:
        levels = _of_file(Path(topics)) if isinstance(topics, str | Path) else topics
        mentions = _with_topics(mentions, levels)
        about = {**about, TOPICS: _digest_of(mentions)}
    chosen = scope or ("document" if "doc" in mentions else "corpus")
    own = Setting(f"scope={chosen}", f"scope={chosen}", _SCOPES[chosen])
    ids, is_named = requested(metrics, scorer)
    notices = tuple(notice for notice in run.notices if notice not in recurring)
    return Experiment(
        (replace(run, mentions=mentions, notices=notices),),
        (own,) if setting is None else as_settings(setting),
        about,
        asked=ids,
        is_named=is_named,
        scorer=scorer,
    )


def _of_file(path: Path) -> Topics:
    """Return the topics of a file; of topic and sub-topic, one alone is both."""
    levels = {doc: list(fields.values()) for doc, fields in read_topics(path).items()}
    return {doc: (given[0], given[-1]) for doc, given in levels.items()}


def _with_topics(mentions: pd.DataFrame, topics: Topics) -> pd.DataFrame:
    """Return the mentions with the columns ``topic`` and ``subtopic``.

    Raises ScoringError for a document without a topic, UsageError for a topic that is not text.
    """
    if "doc" not in mentions:
        message = "topics have no effect: the mentions have no documents"
        hint = "name mentions (doc, start, end) or doc/mention"
        raise UsageError("annotation-missing", message, hint=hint)
    documents = mentions["doc"].unique()
    missing = [doc for doc in documents if doc not in topics]
    if missing:
        message, hint = f"the document '{missing[0]}' has no topic", "add a line for it"
        raise ScoringError("corpus-invalid", message, hint=hint)
    levels = {doc: _levels(doc, topics[doc]) for doc in documents}
    pairs = [levels[doc] for doc in mentions["doc"]]
    subtopics = [f"{topic}/{subtopic}" for topic, subtopic in pairs]
    return mentions.assign(topic=[topic for topic, _ in pairs], subtopic=subtopics)


def _levels(document: str, topic: object) -> tuple[str, str]:
    """Return topic and sub-topic; text alone is both, as in a file of two columns."""
    match topic:
        case str():
            return topic, topic
        case (str() as first, str() as second):
            return first, second
    message = f"the topic of the document '{document}' is {topic!r:.60}"
    raise UsageError("argument-invalid", message, hint="give text, or (topic, sub-topic)")


def _digest_of(mentions: pd.DataFrame) -> str:
    """Return a digest of the topic and sub-topic of each document."""
    levels = mentions[["doc", "topic", "subtopic"]].drop_duplicates().sort_values("doc")
    return sha256(levels.to_json(orient="values").encode()).hexdigest()


def _with_groups(mentions: pd.DataFrame) -> pd.DataFrame:
    """Return the mentions with a column ``group``, such as the genre of a document of OntoNotes.

    It is the first part of a path such as ``bc/cctv/00/cctv_0001``; the column is left out if no
    document has a path.

    >>> _with_groups(pd.DataFrame({"doc": ["(bc/cctv/00/cctv_0001); part 000"]}))["group"][0]
    'bc'
    """
    if "doc" not in mentions or not mentions["doc"].str.contains("/", regex=False).any():
        return mentions
    return mentions.assign(group=mentions["doc"].str.lstrip("(").str.split("/").str[0])
