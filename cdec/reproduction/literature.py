"""The numbers that papers on ECB+ print, in one table (``configs/literature.toml``)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pandas as pd

from cdec.api import responses_of
from cdec.arrays import found
from cdec.configs import read_toml
from cdec.corpus.model import ALL_KINDS, EVENT, Corpus
from cdec.corpus.splits import ALL, named_part, part_of
from cdec.errors import Notice, UsageError, warn_of
from cdec.evaluation.experiment import Experiment, check_corpus, prepare
from cdec.evaluation.response import DEFAULT_POLICY, FilePolicy, Named, Response, read_responses
from cdec.evaluation.results import COLUMNS, HEAD, Results
from cdec.evaluation.view import several_words
from cdec.labels import Noise
from cdec.matching.alignment import Alignment, chains_at
from cdec.matching.policy import policy_of
from cdec.metrics import REGISTRY
from cdec.render import Page
from cdec.render.analysis import Analysis
from cdec.render.numbers import percent, spread
from cdec.settings import Setting, find_setting
from cdec.signature import in_json

_TITLES = {EVENT: "events", "entity": "entities", ALL_KINDS: "all"}
_HAS = 0.25
"""Share of a kind among the mentions of a response that the corpus has, to count as present.

Systems that detect events also find some entities (up to 20 % on ECB+), by mistake.
"""


@dataclass(frozen=True)
class View:
    """A setting of the preset: its title, and the published tables beside which it may stand."""

    setting: Setting
    title: str
    beside: str


@dataclass(frozen=True)
class Preset:
    """The corpus, the part, the metrics and the settings of the preset."""

    corpus: str
    split: str
    metrics: tuple[str, ...]
    views: tuple[View, ...]


@cache
def preset() -> Preset:
    """Return the preset of ``configs/literature.toml``."""
    data = read_toml("literature.toml")
    views = (View(find_setting(v["setting"]), v["title"], v["beside"]) for v in data["views"])
    return Preset(data["corpus"], data["split"], tuple(data["metrics"]), tuple(views))


Experiments = tuple[tuple[str, Experiment], ...]


def literature(
    corpus: Corpus,
    responses: Any,
    *,
    noise: Noise | None = None,
    policy: FilePolicy = DEFAULT_POLICY,
) -> Analysis[Experiments]:
    """Return the scores that papers on ECB+ publish, as ``cdec eval --literature`` does.

    ``corpus`` is ECB+, or its part cybulska/test; ``response`` and ``noise`` as in ``evaluate``.
    Setting, part and metrics are those of the literature. Raises UsageError for another corpus and
    without a response, and as ``evaluate`` does.

    >>> from cdec import load_corpus
    >>> literature(load_corpus("sample"), "lemma")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    cdec.errors.UsageError: the numbers of the literature are for ecb+ (cybulska/test), not ...
    """
    check_corpus(corpus)
    experiments = experiments_of(corpus, given(responses_of(responses)), policy_of(policy, noise))
    notices = notices_of(experiments)
    warn_of(notices)
    page = literature_page(experiments)
    return Analysis(experiments, page.noted([notice.line for notice in notices]))


def given(responses: Sequence[Response]) -> Sequence[Response]:
    """Return the responses. Raises UsageError if there is none."""
    if not responses:
        hint = "name a system or a file"
        raise UsageError("argument-missing", "no response to score", hint=hint)
    return responses


def experiments_of(
    corpus: Corpus, responses: Sequence[Response], policy: FilePolicy = DEFAULT_POLICY
) -> Experiments:
    """Return the experiments of the preset, each with the kind of its mentions.

    ``corpus`` is the whole corpus, or the part ``preset().split`` of it. A response with both kinds
    is scored on events, on entities and on all mentions; in the first two, only its mentions of the
    key of that kind count.
    Raises UsageError for another corpus or part, and as ``prepare`` does.
    """
    known, part = preset().corpus, preset().split
    if corpus.name == known and corpus.part == ALL:
        corpus = part_of(corpus, part)
    if corpus.name != known or named_part(corpus.part) != part:
        here = f"{corpus.name} ({corpus.part})"
        message = f"the numbers of the literature are for {known} ({part}), not {here}"
        raise UsageError("input-mismatch", message, hint="choose a setting for this corpus")
    made = tuple(each for r in read_responses(responses) for each in _by_kind(corpus, r, policy))
    several = len({kind for kind, _ in made}) > 1
    return tuple((kind, _named(e, kind) if several else e) for kind, e in made)


def _named(experiment: Experiment, kind: str) -> Experiment:
    """Return the experiment with the kind of its mentions in the signature, also for events."""
    return replace(experiment, about={**experiment.about, "kind": kind})


def literature_page(experiments: Experiments) -> Page:
    """Return the scores of ``experiments_of``: a row per system, kind and view."""
    results = [(kind, e, result) for kind, e in experiments for result in e.results()]
    data = pd.DataFrame([row for each in results for row in _rows(*each)])
    signed = in_json(*(result.signature for _, _, result in results))
    beside = (view.beside for view in preset().views)
    view = _view(data)
    page = Page.from_table(
        view,
        data,
        title="The numbers of the literature",
        notes=(*several_words(data), *beside, signed["signature"]),
        about={**signed, "notices": [n.record for n in notices_of(experiments)]},
    )
    names = enumerate(view.columns.get_level_values(1))
    return page.with_table(best=[number for number, name in names if name == "F"], within=[1, 2])


def notices_of(experiments: Experiments) -> tuple[Notice, ...]:
    """Return the notices of all experiments, without duplicates."""
    return tuple({str(n): n for _, each in experiments for n in each.notices}.values())


def _by_kind(
    corpus: Corpus, response: Named, policy: FilePolicy
) -> Iterator[tuple[str, Experiment]]:
    """Yield the kinds of mention that the response has, each with its experiment."""
    if all(hasattr(run, "predict") for run in response.runs):
        yield EVENT, _experiment(corpus.select(EVENT), response, policy)
        return
    whole = _experiment(corpus.select(ALL_KINDS), response, policy)
    kinds = [k for k in corpus.kinds if any(_has(run, corpus, k) for run in whole.runs)]
    if len(kinds) == 1:
        yield kinds[0], _experiment(corpus.select(kinds[0]), response, policy)
        return
    for kind in kinds:
        part = corpus.select(kind)
        runs = tuple(_restricted(run, part) for run in whole.runs)
        yield kind, replace(whole, about=part.about, runs=runs)
    yield ALL_KINDS, whole


def _experiment(corpus: Corpus, response: Named, policy: FilePolicy) -> Experiment:
    chosen = preset()
    settings = [view.setting for view in chosen.views]
    return prepare(
        corpus,
        [response],
        setting=settings,
        metrics=chosen.metrics,
        scorer="cdec",
        policy=policy,
    )


def _has(run: Alignment, corpus: Corpus, kind: str) -> bool:
    known = corpus.mentions["kind"].reindex(run.response.labels.index).dropna()
    return float((known == kind).mean()) >= _HAS if len(known) else False


def _restricted(run: Alignment, part: Corpus) -> Alignment:
    """Return the run on the key mentions of one kind."""
    mentions = run.mentions[found(run.mentions.index, part.selected.index)]
    return replace(run, mentions=mentions.assign(key=chains_at(mentions.index, part.gold)))


def _rows(kind: str, experiment: Experiment, result: Results) -> Iterator[dict[str, Any]]:
    runs = experiment.systems[result.system]
    view = next(view for view in preset().views if view.setting.name == result.setting)
    tables = [view.setting.build(run.mentions) for run in runs]
    found = pd.DataFrame([_detection(table) for table in tables]).mean().to_dict()
    first = {"kind": kind, "view": view.title}
    rows = [{str(n): v for n, v in row.items()} for row in result.frame.to_dict("records")]
    head = {name: rows[0][name] if name in HEAD else None for name in COLUMNS}
    detected = {str(name): value for name, value in found.items()}
    yield {**first, **head, "metric": "mentions", **detected}
    yield from ({**first, **row} for row in rows)


def _detection(table: pd.DataFrame) -> dict[str, float]:
    """Return precision, recall and F1 of the mentions that a setting scores."""
    key, response = table["key"].notna(), table["response"].notna()
    both = int((key & response).sum())
    precision, recall, f1 = (
        both / size if size else 0.0
        for size in (response.sum(), key.sum(), (key.sum() + response.sum()) / 2)
    )
    return {"precision": precision, "recall": recall, "f1": f1}


def _view(data: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for (system, kind, view), part in data.groupby(["system", "kind", "view"], sort=False):
        values = {row["metric"]: row for row in part.to_dict("records")}
        mentions = [percent(values["mentions"][name]) for name in ("precision", "recall", "f1")]
        scores = [spread(values[m]["f1"], values[m].get("f1_sd")) for m in preset().metrics]
        rows.append([system, _TITLES[str(kind)], view, *mentions, *scores])
    columns = [("System", ""), ("Of", ""), ("Level", ""), *(("Mentions", name) for name in "PRF")]
    columns += [(REGISTRY[metric].label, "F") for metric in preset().metrics]
    return pd.DataFrame(rows, columns=pd.MultiIndex.from_tuples(columns))
