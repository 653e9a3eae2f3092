"""The numbers that papers on ECB+ print, in one table (``configs/literature.toml``)."""

from __future__ import annotations

from functools import cache
from typing import Any, Unpack

import pandas as pd

from cdec.api import system_of
from cdec.configs import read_toml
from cdec.corpus.model import ALL_KINDS, EVENT, Corpus
from cdec.corpus.splits import ALL, named_part, part_of
from cdec.errors import UsageError, warn_of
from cdec.evaluation.experiment import Experiment, prepare
from cdec.evaluation.parts import check_corpus
from cdec.evaluation.results import HEAD, VALUES
from cdec.evaluation.view import several_words
from cdec.matching.policy import DEFAULT_POLICY, Choices, FilePolicy
from cdec.metrics import REGISTRY
from cdec.render import Page
from cdec.render.analysis import Analysis
from cdec.render.page import percent, spread
from cdec.settings import find_setting
from cdec.signature import in_json

_TITLES = {EVENT: "events", "entity": "entities", ALL_KINDS: "all"}


@cache
def preset() -> dict[str, Any]:
    """Return the preset: corpus, split, metrics, and views, each with setting, title and beside.

    ``beside`` says which published tables the numbers of the view may stand beside.
    """
    return read_toml("literature.toml")


def literature(
    corpus: Corpus,
    responses: Any,
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
    check_corpus(corpus)
    name, split = preset()["corpus"], preset()["split"]
    if corpus.name == name and corpus.part == ALL:
        corpus = part_of(corpus, split)
    if corpus.name != name or named_part(corpus.part) != split:
        here = f"{corpus.name} ({corpus.part})"
        message = f"the numbers of the literature are for {name} ({split}), not {here}"
        raise UsageError("input-mismatch", message, hint="choose a setting for this corpus")
    views = {find_setting(view["setting"]): view for view in preset()["views"]}
    metrics: list[str] = preset()["metrics"]
    policy = policy.with_choices(nlp, **choices)
    how: Any = {"metrics": metrics, "scorer": "cdec", "policy": policy}
    experiment = prepare(corpus, responses, system_of, setting=[*views], **how)
    warn_of(experiment.notices)
    results, rows = experiment.results(), []
    titles = {setting.name: (setting, view["title"]) for setting, view in views.items()}
    for name, runs in experiment.systems.items():
        for one in results[name]:
            setting, title = titles[one.setting]
            first = {"kind": corpus.kind, "view": title}
            found = pd.DataFrame([_detection(setting.build(run.mentions)) for run in runs]).mean()
            head = one.frame[[*HEAD]].iloc[0].to_dict() | {"metric": "mentions"}
            rows.append({**first, **head, **found.to_dict()})
            rows += [first | row for row in one.frame.to_dict("records")]
    data, lines = pd.DataFrame(rows), []
    for (system, title), part in data.groupby(["system", "view"], sort=False):
        values: dict[Any, Any] = part.set_index("metric").to_dict("index")
        line = [system, _TITLES[corpus.kind], title]
        line += [percent(values["mentions"][name]) for name in VALUES]
        lines.append(line + [spread(values[m]["f1"], values[m].get("f1_sd")) for m in metrics])
    columns = [("System", ""), ("Of", ""), ("Level", ""), *(("Mentions", name) for name in "PRF")]
    columns += [(REGISTRY[metric].label, "F") for metric in metrics]
    signed = in_json(*results.signatures)
    page = Page.from_table(
        pd.DataFrame(lines, columns=pd.MultiIndex.from_tuples(columns)),
        data,
        title="The numbers of the literature",
        notes=(*several_words(data), *(v["beside"] for v in views.values()), signed["signature"]),
        about={**signed, "notices": [notice.record for notice in experiment.notices]},
        best=range(5, len(columns)),
        within=[1, 2],
    )
    return Analysis(experiment, page, experiment.notices)


def _detection(table: pd.DataFrame) -> dict[str, float]:
    """Return precision, recall and F1 of the mentions that a setting scores."""
    sides = table[["key", "response"]].notna()
    both, (key, response) = sides.all(axis=1).sum(), sides.sum()
    sizes = {"precision": response, "recall": key, "f1": (key + response) / 2}
    return {name: both / size if size else 0.0 for name, size in sizes.items()}
