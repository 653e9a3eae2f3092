"""Sections beyond the paper: intervals, lost mentions, another split, ranking, settings."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from cdec.corpus.model import Corpus
from cdec.errors import counted
from cdec.evaluation.results import Results
from cdec.render.numbers import percent
from cdec.render.page import Cell, Chart, Grid, Line, Row, Section, Text
from cdec.reproduction.material import STRICT_TO_LENIENT, conll_by_setting
from cdec.reproduction.page.cells import (
    COLUMNS,
    F_COLUMNS,
    F_LAYOUT,
    NARROW,
    cells,
    difference_cell,
    heads,
    score_cell,
)
from cdec.reproduction.page.chart import draw
from cdec.reproduction.page.hidden import hidden_blocks, hidden_data
from cdec.reproduction.page.request import LEMMA, Request, distinct, of_corpus
from cdec.reproduction.page.scores import (
    resampled_signature,
    score_grid,
    signature_listing,
    without_print,
)
from cdec.reproduction.printed import paper, printed_scores
from cdec.reproduction.resampling import intervals, sensitivity
from cdec.settings import SETTINGS
from cdec.statistics.confidence import described
from cdec.statistics.units import UNITS

_NO_PRINT = "Available for the paper's corpus only."
_HEADS = ("Setting", "System")
_UNIT_NAMES = {"topic": "by topics", "subtopic": "by sub-topics"}
# Columns that a narrow terminal shows: the means.
_MEANS = tuple(n for n, (_, _, metric, _) in enumerate(F_LAYOUT) if metric in ("conll", "avg4"))


def simulation(request: Request) -> Section:
    """Return the simulation of lost mentions, for the paper's corpus only; it is not a result."""
    title = "Simulation: lost mentions"
    if not request.material.is_printed:
        return Section("simulation", title, (Text(_NO_PRINT),))
    rule = paper().sensitivity
    setting, lost, seeds = (rule[name] for name in ("setting", "mentions", "seeds"))
    parts = [
        sensitivity(answer, SETTINGS[setting], lost, seeds).assign(
            setting=setting, system=answer.system
        )
        for answer in request.material.runs
    ]
    print_ = printed_scores("table3")[["setting", "system", "metric", "field", "printed"]]
    data = pd.concat(parts, ignore_index=True).merge(print_, how="left")
    label = SETTINGS[setting].label
    caption = f"SIMULATION under {label}: {lost} random mentions removed on each side"
    text = (
        f"How much do the scores change if {lost} random mentions are removed from the key and, "
        f"independently, {lost} from the response? Mean and standard deviation over {seeds} seeds. "
        "The published scores seem to lack about as many mentions (see the note on PWN). This is "
        "neither an evaluation method nor a result."
    )
    drawn = {"lost": lost, "seeds": f"0-{seeds - 1}"}
    signature = resampled_signature(request.material.under((setting,)), drawn)
    blocks = (Text(text), _sensitivity_grid(caption, setting, data), signature)
    return Section("simulation", title, blocks, of_corpus(request.material.corpus, data))


def _sensitivity_grid(caption: str, setting: str, simulated: pd.DataFrame) -> Grid:
    """Return the table of the simulation: mean, standard deviation, published value, difference.

    ``simulated``: system, metric, field, mean, sd, printed.
    """
    rows = []
    for system, part in simulated.groupby("system", sort=False):
        shown = part.assign(difference=part["mean"] - part["printed"])
        lines = [
            Line("simulated", cells(shown, "mean", lambda r: score_cell(r["mean"]))),
            Line("sd", cells(shown, "sd", lambda r: score_cell(r["sd"]))),
        ]
        if shown["printed"].notna().any():
            lines += [
                Line("print", cells(shown, "printed", lambda r: score_cell(r["printed"]))),
                Line(
                    "difference",
                    cells(shown, "difference", lambda r: difference_cell(r["difference"])),
                ),
            ]
        rows.append(Row(heads(setting, str(system)), tuple(lines)))
    return Grid(caption, _HEADS, COLUMNS, tuple(rows), narrow=NARROW)


def intervals_section(request: Request) -> Section:
    """Return Tables 2 and 3 with confidence intervals."""
    results = distinct(request.table3, request.table2)
    pairs = [(request.material.run(r.system), SETTINGS[r.setting]) for r in results]
    known = [(answer, setting) for answer, setting in pairs if answer is not None]
    plans = [replace(request.plan, unit=unit) for unit in UNITS]
    ends = pd.concat(
        [intervals(known, plan, tick=request.tick) for plan in plans], ignore_index=True
    )
    about = (
        f"{request.plan.level:.0%} intervals of F, {request.plan.method}, from "
        f"{counted(request.plan.resamples, 'resample')} of whole topics, and of whole sub-topics "
        f"(seed {request.plan.seed}). They show how much the scores depend on the choice of "
        "topics."
    ).replace("%", " %")
    grid = _interval_grid("F and its intervals", results, ends)
    events = request.material.corpus.selected
    signature = resampled_signature(
        results, *(described(plan, events[plan.unit].nunique()) for plan in plans)
    )
    return Section(
        "intervals",
        "Tables 2 and 3 with confidence intervals",
        (Text(about), grid, signature),
        of_corpus(request.material.corpus, ends),
    )


def _interval_grid(caption: str, results: Results, ends: pd.DataFrame) -> Grid:
    """Return F and its intervals (``cdec.reproduction.resampling``), one line per unit."""
    rows = []
    for result in results:
        here = ends[(ends["setting"] == result.setting) & (ends["system"] == result.system)]
        values = result.values
        ours = tuple(score_cell(values[metric].f1) for _, _, metric, _ in F_LAYOUT)
        lines = [Line("ours", ours)]
        lines += [
            Line(_UNIT_NAMES[str(unit)], cells(part, "low", _range, F_LAYOUT))
            for unit, part in here.groupby("unit", sort=False)
        ]
        rows.append(Row(heads(result.setting, result.system), tuple(lines)))
    return Grid(caption, _HEADS, F_COLUMNS, tuple(rows), narrow=_MEANS)


def _range(record: Mapping[Hashable, Any]) -> Cell:
    return Cell(f"{percent(record['low'])}–{percent(record['high'])}")


def cybulska(request: Request) -> Section:
    """Return the baselines on the split of reviewed sentences."""
    title = "The other split: reviewed sentences only"
    if request.reviewed is None:
        return Section("cybulska", title, (Text(_NO_PRINT),))
    results = request.reviewed.under(("simple", "pure", "ycf"))
    compared = without_print(results)
    corpus = request.reviewed.corpus
    shares = [_singletons(material.corpus) for material in (request.reviewed, request.material)]
    text = (
        f"The split of Cybulska and Vossen (2015), {corpus.part}: {len(corpus.selected):,} event "
        f"mentions in fully reviewed sentences. {shares[0]:.0%} of them are singletons; in the "
        f"paper's test part {shares[1]:.0%}."
    ).replace("%", " %")
    blocks = (
        Text(text),
        score_grid(f"The baselines on {corpus.part}", compared),
        signature_listing(results),
    )
    return Section("cybulska", title, blocks, of_corpus(corpus, compared))


def ranking(request: Request) -> Section:
    """Return CoNLL F by setting, as a chart and a table."""
    table = conll_by_setting(request.material.results)
    caption = (
        "CoNLL F of each system under the six settings, from strict to lenient. Where lines cross, "
        "the better system depends on the setting."
    )
    chart = Chart(draw(table).decode("utf-8"), caption, request.chart_file)
    long = table.rename_axis("system").reset_index().melt("system", var_name="setting")
    data = long.rename(columns={"value": "ours"}).assign(metric="conll", field="f1")
    blocks = (chart, _ranking_grid("CoNLL F by setting, strict to lenient", table))
    return Section(
        "ranking",
        "The ranking depends on the setting",
        blocks,
        of_corpus(request.material.corpus, data),
    )


def _ranking_grid(caption: str, table: pd.DataFrame) -> Grid:
    """Return ``conll_by_setting`` as a table, with the best of each setting in bold."""
    best = table.max()
    rows = tuple(
        Row(
            (heads("", str(system))[1],),
            (Line("", tuple(score_cell(row[name], best[name]) for name in table.columns)),),
        )
        for system, row in table.iterrows()
    )
    columns = tuple(("", setting.label) for setting in STRICT_TO_LENIENT)
    return Grid(caption, ("System",), columns, rows)


def settings_section(request: Request) -> Section:
    """Return the links that each setting hides, as text and tables."""
    answers = request.material.runs
    example = LEMMA if LEMMA in request.decomposed else request.decomposed[0]
    return Section(
        "settings",
        "What each setting hides",
        hidden_blocks(answers, example),
        of_corpus(request.material.corpus, hidden_data(answers)),
    )


def _singletons(corpus: Corpus) -> float:
    """Return the share of the event mentions that are gold singletons."""
    chains = corpus.gold.labels
    return float((chains.map(chains.value_counts()) == 1).mean())
