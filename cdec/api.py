"""The Python API: what the commands do, in one call each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from cdec import baselines
from cdec.answers import (
    DEFAULT_POLICY,
    Chains,
    FilePolicy,
    Response,
    answer_on,
    chains_answer_without_corpus,
    check_distinct,
    file_answer_without_corpus,
)
from cdec.audit.patch import Patch
from cdec.audit.rescoring import patched_corpus
from cdec.baselines import System
from cdec.clustering import Clustering
from cdec.corpus.cached import load
from cdec.corpus.ecbplus import Tick
from cdec.corpus.known import by_digest, known_corpora
from cdec.corpus.model import Corpus
from cdec.corpus.source import open_source
from cdec.corpus.splits import load_split, select
from cdec.corpus.store import Located, locate
from cdec.errors import UnknownNameError, UsageError
from cdec.experiment import Experiment, Task
from cdec.formats import Notice
from cdec.report import Results
from cdec.scoring import check_names
from cdec.settings import Scope, Setting, find_settings

Settings: TypeAlias = "str | Setting | Sequence[str | Setting]"
_DEFAULT_SPLIT = "ycf"
_WITHOUT_CORPUS: dict[str, Scope] = {"document": "document", "corpus": "corpus"}


def load_corpus(choice: str | None = None, split: str = "all") -> Corpus:
    """Return a corpus, or the part of it that ``split`` names.

    ``choice`` is a path or name (default: the variable CDEC_ECBPLUS, the installed ECB+, the
    embedded sample). ``split`` is ``test``, or with the name or file of a split before it,
    ``cybulska/test`` or ``my.toml/dev``; ``all`` is the whole corpus. Raises CorpusError,
    UnknownNameError.
    """
    return read_part(locate(choice), split)


def read_part(
    located: Located, split: str, tick: Tick = lambda: None, patch: Patch | None = None
) -> Corpus:
    """Return the part ``split`` of a located corpus, its key corrected by ``patch``.

    ``tick`` is called after each parsed file. The patch is applied to the whole corpus: a chain
    may reach into the part by mentions outside it.
    """
    source = open_source(located.path)
    known = by_digest(source.digest)
    corpus = load(source, known.name if known else located.name, tick)
    corpus = patched_corpus(corpus, patch) if patch else corpus
    return part_of(corpus, split)


def part_of(corpus: Corpus, split: str) -> Corpus:
    """Return the part of a whole corpus that ``split`` names, as in ``load_corpus``."""
    named, _, part = split.rpartition("/")
    return select(corpus, part, load_split(named or default_split(corpus)))


def default_split(corpus: Corpus) -> str:
    """Return the name of the corpus's own split; that of ECB+ where it has none."""
    return {known.name: known.split for known in known_corpora()}.get(corpus.name, _DEFAULT_SPLIT)


def divided(corpus: Corpus, split: str | None = None) -> dict[str, Corpus]:
    """Return each part of a whole corpus under ``split`` (default: the corpus's own)."""
    chosen = load_split(split or default_split(corpus))
    return {part: select(corpus, part, chosen) for part in chosen.topics}


def predict(corpus: Corpus, system: str | System = "lemma", **parameters: Any) -> Clustering:
    """Return a system's chains for the event mentions of ``corpus``.

    ``system`` is a name of ``cdec.baselines.SYSTEMS`` (with its parameters, such as
    ``pipeline="hanta"``) or an object with the methods of ``cdec.baselines.System``. It never
    sees anything gold.
    """
    made = baselines.system(system, **parameters) if isinstance(system, str) else system
    return baselines.run(made, corpus)


def evaluate(
    corpus: Corpus,
    response: Response | list[Response],
    *,
    setting: Settings = "pure",
    metrics: Iterable[str] | None = None,
    scorer: str = "cdec",
    policy: FilePolicy = DEFAULT_POLICY,
) -> Results:
    """Score responses against the key of ``corpus``, under one setting or several.

    A response is a clustering (also a Series or dict mention id → chain), a file (a path, or a
    ``ResponseFile`` with a name of its own), or a system to run. ``setting`` is a name
    (``"pure"``, ``"all"``), a Setting, or a list of these. Raises FormatError, ScoringError,
    UnknownNameError.
    """
    experiment, notices = prepare(
        corpus, response, setting=setting, metrics=metrics, scorer=scorer, policy=policy
    )
    return Results(experiment.results(), notices)


def prepare(
    corpus: Corpus,
    response: Response | list[Response],
    *,
    setting: Settings,
    metrics: Iterable[str] | None,
    scorer: str,
    policy: FilePolicy,
) -> tuple[Experiment, tuple[Notice, ...]]:
    """Return what ``evaluate`` scores, and what was irregular in the files."""
    responses: Sequence[Response] = response if isinstance(response, list) else [response]
    if not responses:
        raise UsageError("there is no response to score", cure="name a system or a file")
    task = Task(corpus.name, corpus.part, corpus.about, _ids(metrics), scorer)
    # A wrong call is said before any system runs: some take minutes.
    settings = as_settings(setting)
    check_names(task.metrics, task.scorer)
    check_distinct(responses)
    matched = [answer_on(corpus, one, policy) for one in responses]
    answers = tuple(answer for answer, _ in matched)
    notices = tuple(
        replace(notice, message=f"{answer.system}: {notice.message}")
        if len(matched) > 1
        else notice
        for answer, found in matched
        for notice in found
    )
    return Experiment(task, answers, settings), notices


def score(
    key: Chains | str | Path,
    response: Chains | str | Path,
    *,
    scope: str | None = None,
    metrics: Iterable[str] | None = None,
    scorer: str = "cdec",
    policy: FilePolicy = DEFAULT_POLICY,
) -> Results:
    """Score two files, or two clusterings, without a corpus.

    ``scope="document"`` takes chain labels as local to a document and pools the counts, as the
    CoNLL reference scorer does (the default for files); ``"corpus"`` takes the whole as one
    meta-document (the only one for clusterings, which do not tell documents). Raises
    FormatError, ScoringError, UsageError.
    """
    experiment, notices = prepare_pair(
        key, response, scope=scope, metrics=metrics, scorer=scorer, policy=policy
    )
    return Results(experiment.results(), notices)


def prepare_pair(
    key: Chains | str | Path,
    response: Chains | str | Path,
    *,
    scope: str | None,
    metrics: Iterable[str] | None,
    scorer: str,
    policy: FilePolicy,
) -> tuple[Experiment, tuple[Notice, ...]]:
    """Return what ``score`` scores, and what was irregular in the files."""
    if isinstance(key, str | Path) and isinstance(response, str | Path):
        answer, about, notices = file_answer_without_corpus(key, response, policy)
        if scope == "corpus":  # then labels are meant to recur
            notices = tuple(notice for notice in notices if notice.kind != "labels-recur")
        chosen = scope or "document"
    elif isinstance(key, str | Path) or isinstance(response, str | Path):
        raise UsageError("key and response are both files or both clusterings")
    else:
        answer, notices = chains_answer_without_corpus(key, response, policy)
        about = {}
        chosen = scope or "corpus"
    if chosen not in _WITHOUT_CORPUS:
        raise UnknownNameError("scope without a corpus", chosen, _WITHOUT_CORPUS)
    task = Task("", "", about, _ids(metrics), scorer)
    setting = Setting("none", f"scope {chosen}", _WITHOUT_CORPUS[chosen])
    return Experiment(task, (answer,), (setting,)), notices


def as_settings(setting: Settings) -> tuple[Setting, ...]:
    """Return Setting objects for names, descriptions and Settings alike, each once."""
    given = [setting] if isinstance(setting, str | Setting) else list(setting)
    found = (
        one
        for item in given
        for one in ([item] if isinstance(item, Setting) else find_settings([item]))
    )
    return tuple(dict.fromkeys(found))


def _ids(metrics: Iterable[str] | None) -> tuple[str, ...] | None:
    return tuple(metrics) if metrics else None
