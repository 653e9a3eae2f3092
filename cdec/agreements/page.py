"""`cdec score A B --agreement` and `cdec.agreement`: how far annotators agree, and where not."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Unpack

import numpy as np
import pandas as pd

from cdec.agreements.alpha import chain_distances
from cdec.errors import Log, UsageError, warn_of
from cdec.evaluation.experiment import Experiment, prepare_pair
from cdec.evaluation.response import AnyFile, Response, read_response
from cdec.matching.policy import DEFAULT_POLICY, Choices, FilePolicy
from cdec.metrics import score
from cdec.metrics.b3 import B3
from cdec.records import Row
from cdec.render.analysis import Analysis
from cdec.render.page import Page, Section, Table, anchor, percent
from cdec.signature import Signature, in_json
from cdec.statistics.draws import Plan, draw_units, units_of
from cdec.statistics.intervals import of_runs, signature_fields

_METRICS = ("mentions", B3.id, "conll")
_SHOWN = 10  # documents
_AGREEMENT = Table(
    "{pair}: {shown} of {documents} documents, those that lose most first",
    {
        "row": "Document",
        "mentions": ("Mentions", percent),
        B3.id: ("B³", percent),
        "conll": ("CoNLL", percent),
        "alpha": ("α", ".3f"),
        "lost": ("Lost", ",.1f"),
    },
    "Mentions, B³, CoNLL: F1 in percent, the same whoever of two is the key; of mentions, whatever "
    "their chains. The row of a document has links inside it only. –: undefined.\n"
    "α: Krippendorff's α on the chains of the mentions that both have, with the distances of "
    "Passonneau (2004); 1: the same chains, 0: as by chance.\n"
    "Lost: mentions, and parts of them, that B³ does not count as right, of both annotators.\n"
    "To read the differences in the texts: `cdec corpus add A --name a`, then `cdec diagnose B "
    "--corpus a -o page.html`.",
)


def agreement(
    *annotations: AnyFile,
    scope: str | None = None,
    policy: FilePolicy = DEFAULT_POLICY,
    plan: Plan | None = None,
    **choices: Unpack[Choices],
) -> Analysis[pd.DataFrame]:
    """Show how far two or more annotations agree, as ``cdec score --agreement`` does.

    ``annotations`` are files, folders, or chains in any form that ``score`` takes; ``scope``,
    ``policy`` and its choices as in ``score``. The documents that both annotators of a pair have
    count. ``plan`` adds intervals, which resample documents. The value has a row for each pair and
    each of its documents ("" for all, and for the ends of intervals), with F1 and α
    (``cdec.agreements.alpha``). α can be below 0, and is missing if all mentions are one chain.
    Warns with CdecWarning of documents that are left out. Raises UsageError for a single
    annotation, and as ``score``.

    >>> shown = agreement({"d/1": 1, "d/2": 1, "d/3": 2}, {"d/1": 1, "d/2": 1, "d/3": 1})
    >>> shown.value[["mentions", "b3", "conll", "alpha"]].round(3).values.tolist()[0]
    [1.0, 0.714, 0.638, 0.0]
    """
    policy = policy.with_choices(**choices)
    responses = [read_response(annotation, policy) for annotation in annotations]
    if len(responses) < 2:
        raise UsageError(
            "argument-missing",
            "agreement is of two annotations or more",
            hint="name two files or folders",
        )
    tables = []
    sections = []
    answers = []
    signatures = []
    for first, second in combinations(responses, 2):
        name = f"{first.name}, {second.name}"
        pair = _pair(first, second, scope, policy)
        warn_of(pair.notices)
        table = _scores(pair, plan).assign(annotators=name)
        documents = (table["document"] != "").sum()
        grid = _AGREEMENT.grid(
            table.head(len(table) - documents + _SHOWN),
            pair=name,
            shown=min(documents, _SHOWN),
            documents=documents,
        )
        sections.append(Section(anchor(name), name, (grid,), table))
        tables.append(table)
        total = table.iloc[0]
        answers.append(
            f"{name}: {percent(total['conll'])} CoNLL F1 on chains, "
            f"{percent(total['mentions'])} F1 on mentions."
        )
        fields = {
            **pair.results().signature.fields,
            "system": name,
            "alpha": "passonneau-2004",
        }
        if plan is not None:
            fields |= signature_fields(plan, documents)
            fields["unit"] = f"document-{documents}"
        signatures.append(Signature(fields))
    about = in_json(*signatures)
    page = Page(
        "Agreement of annotators",
        tuple(sections),
        tuple(answers),
        (about["signature"],),
        about,
    )
    return Analysis(pd.concat(tables, ignore_index=True), page)


def _pair(
    first: Response, second: Response, scope: str | None, policy: FilePolicy
) -> Experiment:
    """Return two annotations side by side, in the documents that both have."""
    experiment = prepare_pair(
        first, second, scope=scope, metrics=_METRICS, scorer="cdec", policy=policy
    )
    run = experiment.runs[0]
    mentions = run.mentions
    absent: list[str] = []
    log = Log()
    # Where one annotator has what the other lacks, neither is wrong.
    for irregularity in experiment.notices:
        if irregularity.code in ("unknown-document", "missing-document"):
            absent += irregularity.all_cases
        elif irregularity.code not in ("missing-mention", "twinless"):
            log.append(irregularity)
    if absent:
        mentions = mentions[~mentions["doc"].isin(absent)]
    log.report("missing-document", absent, "document", "of one annotator: left out")
    if "doc" not in mentions:
        mentions = mentions.assign(doc="–")
    mentions = experiment.settings[0].build(mentions)
    run = replace(run, mentions=mentions)
    return replace(experiment, runs=(run,), notices=tuple(log))


def _scores(pair: Experiment, plan: Plan | None) -> pd.DataFrame:
    """Return the rows of a pair: all documents, the ends of their intervals, each document."""
    mentions = pair.runs[0].mentions
    rows = [_row(mentions, "", undefined=0)]
    by_document = mentions.groupby("doc", sort=False)
    rows += [_row(of_document, str(document)) for document, of_document in by_document]
    table = pd.DataFrame(rows)
    tables = [table[:1], table[1:].sort_values("lost", ascending=False, kind="stable")]
    if plan is not None:
        ends = _ends(pair, mentions, plan)
        tables.insert(1, ends.assign(document="", row=["lower end", "upper end"]))
    return pd.concat(tables, ignore_index=True)


def _row(mentions: pd.DataFrame, document: str, undefined: float = np.nan) -> Row:
    """Return the measures of a document, or of all (``""``)."""
    scores = score(mentions, _METRICS, undefined=undefined)
    b3 = scores.counts[B3.id]
    distances, expected = chain_distances(mentions)
    return {
        "document": document,
        "row": document or "all",
        "lost": float(b3.p_den - b3.p_num + b3.r_den - b3.r_num),
        **{name: scores[name].f1 for name in _METRICS},
        "alpha": 1 - distances.mean() / expected,
    }


def _ends(pair: Experiment, mentions: pd.DataFrame, plan: Plan) -> pd.DataFrame:
    """Return lower and upper end of the interval of each measure, over resamples of documents."""
    units = units_of("doc", [mentions])
    ((bootstrap,),) = of_runs(pair, pair.settings[0], units, plan).values()
    distances, expected = chain_distances(mentions)
    weights = draw_units(bootstrap.units, plan)[:, units[distances.index]]
    observed = pd.Series(weights @ distances) / weights.sum(axis=1)
    f1_and_alpha = [bootstrap.replicates[:, :, 2], 1 - observed / expected]
    ends = replace(bootstrap, replicates=np.column_stack(f1_and_alpha)).interval(plan)
    return pd.DataFrame(ends, columns=[*bootstrap.metrics, "alpha"])
