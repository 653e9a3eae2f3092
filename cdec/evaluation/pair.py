"""The experiment of two files or two clusterings, without a corpus.

Topics of their documents are from a file or a dict.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd

from cdec import formats
from cdec.clustering import Clustering
from cdec.corpus.topics import read_topics
from cdec.errors import ScoringError, UsageError, one_of
from cdec.evaluation.experiment import Experiment, Task
from cdec.evaluation.places import documents_of, from_chains, has_places
from cdec.evaluation.response import covering, matched_run
from cdec.evaluation.response_forms import UNNAMED, Chains, ResponseFile
from cdec.evaluation.same_task import TOPICS
from cdec.matching.alignment import Alignment
from cdec.matching.coverage import recurring_labels
from cdec.matching.files import match_files
from cdec.matching.policy import DEFAULT_POLICY, FilePolicy
from cdec.metrics import requested
from cdec.settings import Scope, Setting
from cdec.settings.catalog import Settings, as_settings

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
    across = scope == "corpus" or setting is not None
    run, about = match_pair(key, response, policy, across=across)
    run = _without_recurring(run, known=scope is not None or setting is not None)
    of_documents = _of_file(Path(topics)) if isinstance(topics, str | Path) else topics
    table = with_topics(with_groups(run.mentions), of_documents)
    if topics is not None:
        about = {**about, TOPICS: digest_of(table)}
    chosen = scope or ("document" if "doc" in table else "corpus")
    own = Setting(f"scope={chosen}", f"scope={chosen}", _SCOPES[chosen])
    settings = (own,) if setting is None else as_settings(setting)
    ids, is_named = requested(metrics, scorer)
    task = Task("", "", about, ids, scorer, is_named)
    return Experiment(task, (replace(run, mentions=table),), settings)


def match_pair(
    key: Chains | str | Path,
    response: Chains | str | Path,
    policy: FilePolicy = DEFAULT_POLICY,
    *,
    across: bool = True,
) -> tuple[Alignment, Mapping[str, str]]:
    """Return two files or two clusterings matched, and the fields of the signature on the key.

    ``across``: whether chains can cross documents. Of clusterings, documents are known if all
    mentions name theirs.
    """
    are_files = [isinstance(side, str | Path) for side in (key, response)]
    if are_files[0] != are_files[1]:
        raise UsageError("argument-type", "key and response must be two files or two clusterings")
    if isinstance(key, str | Path) and isinstance(response, str | Path):
        file = ResponseFile.parse(response)
        of_key, of_response = (formats.read(path, unlabelled=True) for path in (key, file.path))
        matched = match_files(of_key, of_response, policy, across=across)
        run = matched_run(file.name, matched, policy, policy.heads, of_response)
        return run, {"key": Path(key).name, "key_digest": of_key.digest}
    chains: Any = {"key": key, "response": response}
    (left, notices), (right, more) = (
        Clustering.with_notices(value, side, policy.noise) for side, value in chains.items()
    )
    about = {"key_digest": left.digest}
    if any(has_places(side.labels, frozenset()) for side in (left, right)):
        files = from_chains(left.labels, "key"), from_chains(right.labels, "response")
        matched = match_files(*files, policy, across=across)
        settled = tuple(dict.fromkeys((*notices, *more, *matched.notices)))
        signed = {**matched.about, "response_digest": right.digest}
        return matched_run(UNNAMED, replace(matched, notices=settled, about=signed), policy), about
    index = left.labels.index.union(right.labels.index, sort=False)
    documents = documents_of(index)
    mentions = pd.DataFrame({"start": -1}, index=index)
    if documents is not None:
        mentions["doc"] = documents
        tables = (pd.DataFrame({"chain": side.labels, "doc": documents}) for side in (left, right))
        more = (*more, *recurring_labels(*(table.dropna() for table in tables)))
    bare = replace(Alignment.of(mentions, left, right), notices=(*notices, *more))
    return covering(bare, "key", policy, across), about


def _without_recurring(run: Alignment, known: bool) -> Alignment:
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


def _of_file(path: Path) -> Topics:
    """Return the topics of a file; of topic and sub-topic, one alone is both."""
    levels = {doc: list(fields.values()) for doc, fields in read_topics(path).items()}
    return {doc: (given[0], given[-1]) for doc, given in levels.items()}


def with_topics(mentions: pd.DataFrame, topics: Topics | None) -> pd.DataFrame:
    """Return the mentions with the columns ``topic`` and ``subtopic``, if ``topics`` are given.

    Raises ScoringError for a document without a topic, UsageError for a topic that is not text.
    """
    if topics is None:
        return mentions
    if "doc" not in mentions:
        message = "topics have no effect: the mentions have no documents"
        hint = "name mentions (doc, start, end) or doc/mention"
        raise UsageError("level-missing", message, hint=hint)
    missing = [doc for doc in mentions["doc"].unique() if doc not in topics]
    if missing:
        message, hint = f"the document '{missing[0]}' has no topic", "add a line for it"
        raise ScoringError("document-unassigned", message, hint=hint)
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


def digest_of(mentions: pd.DataFrame) -> str:
    """Return a digest of the topic and sub-topic of each document."""
    levels = mentions[["doc", "topic", "subtopic"]].drop_duplicates().sort_values("doc")
    return sha256(levels.to_json(orient="values").encode()).hexdigest()


def with_groups(mentions: pd.DataFrame) -> pd.DataFrame:
    """Return the mentions with a column ``group``, such as the genre of a document of OntoNotes.

    It is the first part of a path such as ``bc/cctv/00/cctv_0001``; the column is left out if no
    document has a path.

    >>> with_groups(pd.DataFrame({"doc": ["(bc/cctv/00/cctv_0001); part 000"]}))["group"][0]
    'bc'
    """
    if "doc" not in mentions or not mentions["doc"].str.contains("/", regex=False).any():
        return mentions
    return mentions.assign(group=mentions["doc"].str.lstrip("(").str.split("/").str[0])
