"""`cdec score A B --agreement` and `cdec.agreement`: how far annotators agree, and where not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations
from textwrap import shorten
from typing import Unpack

import numpy as np
import pandas as pd

from cdec.agreements.alpha import chain_alphas
from cdec.clustering import SIDES
from cdec.errors import UsageError, counted, notice, warn_of
from cdec.evaluation.experiment import Experiment, prepare_pair
from cdec.evaluation.response import AnyFile, Response, only, read_response
from cdec.evaluation.view import MACRO, MICRO
from cdec.formats.annotation import Annotation
from cdec.formats.folder import named_by_files
from cdec.matching.home import SPAN
from cdec.matching.policy import DEFAULT_POLICY, Choices, FilePolicy
from cdec.metrics.table import chain_numbers
from cdec.render.analysis import Analysis
from cdec.render.page import Columns, Grid, Page, Section, Table, anchor, percent
from cdec.signature import Signature, in_json, merged
from cdec.statistics.draws import Plan, draw_units, units_of
from cdec.statistics.intervals import of_runs, signature_fields

_F1 = ("mentions", "b3", "conll")
_SHOWN = 10  # documents of a table
_WORST = 5  # documents whose chains are shown
_LONGEST = 60  # signs of the words of a chain
# What is a fault of a response, and none of an annotation.
_ONE_SIDED = ("unknown-document", "missing-document")
_EXPECTED = (*_ONE_SIDED, "missing-mention", "twinless")
_VALUES: Columns = {
    "mentions": ("Mentions F", percent),
    "b3": ("B³ F", percent),
    "conll": ("CoNLL F", percent),
    "alpha": ("α", ".3f"),
}
_AGREEMENT = Table(
    "",
    {"annotators": "Annotators", **_VALUES},
    "F is the same whoever of two is the key. Mentions: the spans, whatever their chains. "
    "α: Krippendorff's α on the chains of the mentions that both have, with the distances of "
    "Passonneau (2004); 1: the same chains, 0: as by chance.{undefined}",
)
_DOCUMENTS = Table(
    "{shown} of {documents}",
    {
        "document": "Document",
        "differ": ("Differ", ",.0f"),
        "of": ("Mentions", ",.0f"),
        **_VALUES,
    },
    "Differ: mentions that one of them lacks, or whose chains have other mentions.{undefined}",
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
            f"agreement is of two annotations or more, got {len(responses)}",
            hint="name two files or folders",
        )
    tables = []
    sections: list[Section] = []
    signatures = []
    for first, second in combinations(responses, 2):
        pair = _pair(first, second, scope, policy)
        warn_of(pair.notices)
        chains = _chain_sets(pair)
        table = _scores(pair, chains, plan)
        tables.append(table)
        sections += _differences(table, chains, pair, (first, second))
        signatures.append(_signature(pair, plan))
    table = pd.concat(tables, ignore_index=True)
    totals = table[table["document"] == ""]
    notes = []
    if plan is not None:
        notes.append(
            f"Lower and upper end: {plan.level:.0%} intervals, {plan.resamples:,} resamples of "
            "documents."
        )
    signature = merged(signatures)
    page = Page(
        "Agreement of annotators",
        (
            Section(
                "agreement",
                "All documents",
                (_AGREEMENT.grid(totals, *notes),),
                totals,
            ),
            *sections,
        ),
        tuple(_answers(totals)),
        (str(signature),),
        in_json(signature),
    )
    return Analysis(table, page)


def _pair(
    first: Response, second: Response, scope: str | None, policy: FilePolicy
) -> Experiment:
    """Return two annotations side by side, in the documents that both have."""
    experiment = prepare_pair(
        first, second, scope=scope, metrics=_F1, scorer="cdec", policy=policy
    )
    mentions = experiment.runs[0].mentions
    absent: list[str] = []
    notices = []
    for irregularity in experiment.notices:
        if irregularity.code in _ONE_SIDED:
            absent += irregularity.all_cases
        elif irregularity.code not in _EXPECTED:
            notices.append(irregularity)
    if absent:
        mentions = mentions[~mentions["doc"].isin(absent)]
        message = (
            f"{counted(len(absent), 'document')} that only one of them has: left out"
        )
        notices.append(notice("missing-document", message, absent))
    if "doc" not in mentions:
        mentions = mentions.assign(doc="–")
    setting = experiment.settings[0]
    name = f"{first.name}, {second.name}"
    run = replace(
        experiment.runs[0], mentions=setting.build(mentions), system=name, name=name
    )
    return replace(experiment, runs=(run,), metrics=_F1, notices=tuple(notices))


def _signature(pair: Experiment, plan: Plan | None) -> Signature:
    """Return the signature of a pair."""
    (signature,) = pair.results().signatures
    fields = {**signature.fields, "alpha": "passonneau-2004"}
    if plan is not None:
        number = pair.runs[0].mentions["doc"].nunique()
        fields |= {**signature_fields(plan, number), "unit": f"document-{number}"}
    return Signature(fields)


def _chain_sets(pair: Experiment) -> pd.DataFrame:
    """Return the set of mentions of the chain of each mention, by side; empty: it has none."""
    mentions = pair.runs[0].mentions
    sets = {}
    for side in SIDES:
        numbers = chain_numbers(mentions["meta"], mentions[side])
        ids = mentions.index.to_series().groupby(numbers).agg(frozenset)
        ids[-1] = frozenset()
        sets[side] = ids[numbers].to_numpy()
    return pd.DataFrame(sets, mentions.index)


def _scores(pair: Experiment, chains: pd.DataFrame, plan: Plan | None) -> pd.DataFrame:
    """Return the rows of a pair: all documents, the ends of their intervals, each document."""
    run = pair.runs[0]
    mentions = run.mentions
    numbers, documents = pd.factorize(mentions["doc"])
    is_common = mentions[[*SIDES]].notna().all(axis=1).to_numpy()
    common = mentions[is_common]
    first, second = (chain_numbers(common["meta"], common[side]) for side in SIDES)
    draws = np.ones((1, len(documents)), np.int64)
    if plan is not None:
        draws = np.concatenate([draws, draw_units(len(documents), plan)])
    alphas, alphas_alone = chain_alphas(first, second, numbers[is_common], draws)
    units = pair.results("document").units
    table = units.pivot(index="unit", columns="metric", values="f1").drop(index=MACRO)
    table["alpha"] = pd.Series([alphas[0], *alphas_alone], [MICRO, *documents])
    is_different = chains["key"] != chains["response"]
    differ = is_different.groupby(mentions["doc"]).agg(["sum", "size"])
    differ.loc[MICRO] = differ.sum()
    table[["differ", "of"]] = differ
    table["annotators"] = run.name
    table = table.rename(index={MICRO: ""}).reset_index(names="document")
    is_total = table["document"] == ""
    rows = [table[is_total]]
    if plan is not None:
        unit = units_of("doc", [mentions])
        ((bootstrap,),) = of_runs(pair, pair.settings[0], unit, plan).values()
        replicates = np.column_stack([bootstrap.replicates[:, :, 2], alphas[1:]])
        ends = replace(bootstrap, replicates=replicates).interval(plan)
        of_ends = pd.DataFrame(ends, columns=[*bootstrap.metrics, "alpha"])
        names = [f"{run.name}, {end} end" for end in ("lower", "upper")]
        rows.append(of_ends.assign(document="", annotators=names))
    of_documents = table[~is_total]
    rows.append(of_documents.sort_values("differ", ascending=False, kind="stable"))
    return pd.concat(rows, ignore_index=True)


def _differences(
    table: pd.DataFrame,
    chains: pd.DataFrame,
    pair: Experiment,
    annotators: tuple[Response, Response],
) -> Iterator[Section]:
    """Yield the sections on the documents where two annotators differ most, and on their chains."""
    run = pair.runs[0]
    documents = table[table["document"] != ""]
    shown = documents.head(_SHOWN)
    grid = _DOCUMENTS.grid(shown, shown=len(shown), documents=len(documents))
    name = anchor(run.name)
    title = f"{run.name}: where they differ most"
    yield Section(f"documents-{name}", title, (grid,), documents)
    words = _words(run.mentions, only(annotators[0]))
    grids = []
    for document in shown["document"][shown["differ"] > 0].head(_WORST):
        in_document = chains[run.mentions["doc"] == document]
        different = in_document[in_document["key"] != in_document["response"]]
        columns = {"Mention": words[different.index]}
        for number, side in enumerate(SIDES):
            columns[f"Chain {number + 1}: {annotators[number].name}"] = [
                _others(mention, chain, words)
                for mention, chain in different[side].items()
            ]
        grids.append(Grid.from_frame(document, pd.DataFrame(columns), heads=0))
    if grids:
        yield Section(
            f"chains-{name}", f"{run.name}: chains", tuple(grids), folded=True
        )


def _words(mentions: pd.DataFrame, text: Annotation) -> pd.Series[str]:
    """Return the words of each mention, or its id if there is no text."""
    if text.files:
        text, _ = named_by_files(text, text)
    words = {}
    for mention, doc, start, end, gap in mentions[SPAN].itertuples():
        words[mention] = mention
        tokens = text.documents.get(doc)
        if tokens is not None and start >= 0:
            places = gap or range(start, end + 1)
            words[mention] = " ".join(tokens[place] for place in places)
    return pd.Series(words)


def _others(mention: str, chain: frozenset[str], words: pd.Series[str]) -> str:
    """Return the words of the other mentions of a chain, '–' for a mention that is not there."""
    if not chain:
        return "–"
    others = "; ".join(words[sorted(chain - {mention})])
    return shorten(others, _LONGEST, placeholder=" …") or "alone"


def _answers(totals: pd.DataFrame) -> Iterable[str]:
    """Return a sentence on each pair."""
    for row in totals.dropna(subset="differ").to_dict("records"):
        yield (
            f"{row['annotators']}: {percent(row['mentions'])} F1 on mentions, "
            f"{percent(row['conll'])} CoNLL F1 on chains; {row['differ']:,.0f} of {row['of']:,.0f} "
            "mentions differ."
        )
