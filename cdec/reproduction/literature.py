"""The numbers that papers on ECB+ print, in one table (``configs/literature.toml``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Unpack

import pandas as pd

from cdec.configs import read_toml
from cdec.corpus.model import ALL_KINDS, EVENT, Corpus
from cdec.corpus.splits import ALL, named_part, part_of
from cdec.errors import UsageError, warn_of
from cdec.evaluation.experiment import Experiment, prepare
from cdec.evaluation.parts import check_corpus
from cdec.evaluation.response import Responses
from cdec.evaluation.results import HEAD, VALUES, Results
from cdec.evaluation.view import several_words
from cdec.matching.policy import DEFAULT_POLICY, Choices, FilePolicy
from cdec.metrics import REGISTRY
from cdec.metrics.mentions import MENTIONS
from cdec.records import Row
from cdec.render import Page
from cdec.render.analysis import Analysis
from cdec.render.page import percent, spread
from cdec.settings import find_setting
from cdec.signature import in_json

_TITLES = {EVENT: "events", "entity": "entities", ALL_KINDS: "all"}


@cache
def preset() -> Row:
    """Return the preset: corpus, split, metrics, and views, each with setting, title and beside.

    ``beside`` says which published tables the numbers of the view may stand beside.
    """
    return read_toml("literature.toml")


def literature(
    corpus: Corpus,
    responses: Responses,
    *,
    policy: FilePolicy = DEFAULT_POLICY,
    nlp: str | None = None,
    **choices: Unpack[Choices],
) -> Analysis[Experiment]:
    """Return the scores that papers on ECB+ publish, as ``cdec eval --literature`` does.

    ``corpus`` is ECB+, or its part cybulska/test, with the kind of mentions to score;
    ``responses``, ``policy`` and its choices as in ``evaluate``. Setting, part and metrics
    are those of the literature. Raises UsageError for another corpus and without a response, and as
    ``evaluate`` does.

    >>> from cdec import load_corpus
    >>> literature(load_corpus("sample"), "lemma")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    cdec.errors.UsageError: the numbers of the literature are for ecb+ (cybulska/test), not ...
    """
    part = _part_of_literature(corpus)
    views = {find_setting(view["setting"]): view for view in preset()["views"]}
    metrics: list[str] = preset()["metrics"]
    policy = policy.with_choices(nlp, **choices)
    experiment = prepare(
        part,
        responses,
        setting=[*views],
        metrics=metrics,
        policy=policy,
    )
    warn_of(experiment.notices)
    results = replace(experiment, metrics=(MENTIONS.id, *metrics)).results()
    titles = {setting.name: view["title"] for setting, view in views.items()}
    data = _scores(results, [*experiment.systems], titles, part.kind)
    table = _view(data, part.kind, metrics)
    signature = in_json(*results.signatures)
    page = Page.from_table(
        table,
        data,
        title="The numbers of the literature",
        notes=(
            *several_words(data),
            *(view["beside"] for view in views.values()),
            signature["signature"],
        ),
        about={
            **signature,
            "notices": [notice.record for notice in experiment.notices],
        },
    )
    return Analysis(experiment, page, experiment.notices)


def _part_of_literature(corpus: Corpus) -> Corpus:
    """Return the part that papers report on. Raises UsageError for another corpus or part."""
    check_corpus(corpus)
    name = preset()["corpus"]
    split = preset()["split"]
    part = corpus
    if corpus.name == name and corpus.part == ALL:
        part = part_of(corpus, split)
    if part.name != name or named_part(part.part) != split:
        raise UsageError(
            "input-mismatch",
            f"the numbers of the literature are for {name} ({split}), not {part.name} "
            f"({part.part})",
            hint="choose a setting for this corpus",
        )
    return part


def _scores(
    results: Results,
    systems: Sequence[str],
    titles: Mapping[str, str],
    kind: str,
) -> pd.DataFrame:
    """Return the scores of each system by view, after a row with its detection of mentions.

    ``titles``: setting → title of its view.
    """
    parts: list[pd.DataFrame] = []
    for system in systems:
        for result in results[system]:
            is_detection = result.frame["metric"] == MENTIONS.id
            detection = result.frame.loc[is_detection, [*HEAD, "metric", *VALUES]]
            parts += [detection, result.frame[~is_detection]]
    rows = pd.concat(parts, ignore_index=True)
    rows.insert(0, "kind", kind)
    rows.insert(1, "view", rows["setting"].map(titles))
    return rows


def _view(data: pd.DataFrame, kind: str, metrics: Sequence[str]) -> pd.DataFrame:
    """Return the text of the table: a line for each system and view."""
    lines = []
    for (system, title), rows in data.groupby(["system", "view"], sort=False):
        values: dict[Any, Any] = rows.set_index("metric").to_dict("index")
        mentions = [percent(values[MENTIONS.id][field]) for field in VALUES]
        scores = [
            spread(values[name]["f1"], values[name].get("f1_sd")) for name in metrics
        ]
        lines.append([system, _TITLES[kind], title, *mentions, *scores])
    columns = [("System", ""), ("Of", ""), ("Level", "")]
    columns += [("Mentions", field) for field in "PRF"]
    columns += [(REGISTRY[metric].label, "F") for metric in metrics]
    return pd.DataFrame(lines, columns=pd.MultiIndex.from_tuples(columns))
