"""A section for each artefact of the paper, and for what this reproduction adds to it."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from cdec.corpus.model import Corpus
from cdec.corpus.statistics import statistics
from cdec.errors import counted
from cdec.evaluation.results import Results
from cdec.metrics import REGISTRY
from cdec.render.numbers import percent
from cdec.render.page import Block, Chart, Grid, Listing, Section, Text
from cdec.render.table import grid_of_lines
from cdec.reproduction.material import (
    LEMMA,
    Request,
    conll_by_setting,
    distinct,
    figure3,
    of_corpus,
)
from cdec.reproduction.page.cells import (
    COLUMNS,
    F_COLUMNS,
    F_LAYOUT,
    HEADS,
    NARROW,
    Lines,
    cells,
    difference_cell,
    heads,
    score_cell,
)
from cdec.reproduction.page.chart import draw
from cdec.reproduction.page.hidden import hidden_blocks, hidden_data
from cdec.reproduction.page.scores import (
    count_grid,
    resampled_signature,
    score_grid,
    signature_listing,
    without_print,
)
from cdec.reproduction.printed import compared_counts, compared_scores, paper, printed_scores, tidy
from cdec.reproduction.resampling import intervals, sensitivity
from cdec.settings import SETTINGS
from cdec.settings.catalog import STRICT_TO_LENIENT
from cdec.statistics.confidence import described
from cdec.statistics.draws import UNITS

_REPRESENTATIVE = (
    "PURE-CDEC keeps one mention of each within-document chain. The paper does not specify which; "
    "here it is the first in text order. The published PWN and recall are lower under PURE-CDEC, "
    "as if key and response had fewer of these mentions in common."
)
_NO_PRINT = "Available for the paper's corpus only."
_UNIT_NAMES = {"topic": "by topics", "subtopic": "by sub-topics"}
# Columns that a narrow terminal shows: the means.
_MEANS = tuple(n for n, (_, _, metric, _) in enumerate(F_LAYOUT) if metric in ("conll", "avg4"))


def table1(request: Request) -> Section:
    """Return Table 1: counts of the corpus."""
    counts = statistics(request.material.parts)
    compared = compared_counts(counts, printed=request.material.is_printed)
    grids = tuple(count_grid(str(view), compared) for view in dict.fromkeys(compared["view"]))
    return Section(
        "table1", "Table 1: the corpus", grids, of_corpus(request.material.corpus, compared, "all")
    )


def table2(request: Request) -> Section:
    """Return Table 2: one system under five settings."""
    compared = compared_scores("table2", request.table2, printed=request.material.is_printed)
    # The published table has one system; its rows are shown only if that system is requested.
    compared = compared[compared["system"].isin(request.decomposed)]
    caption = "One system, five settings: what each choice does to the score"
    return Section(
        "table2",
        "Table 2: one system under five settings",
        (
            score_grid(caption, compared, changes=True),
            signature_listing(request.table2),
        ),
        of_corpus(request.material.corpus, compared),
    )


def table3(request: Request) -> Section:
    """Return Table 3: the baselines."""
    compared = compared_scores("table3", request.table3, printed=request.material.is_printed)
    return Section(
        "table3",
        "Table 3: the baselines",
        (
            Text(_REPRESENTATIVE),
            score_grid("The baselines under SIMPLE-CDEC and PURE-CDEC", compared),
            signature_listing(request.table3),
        ),
        of_corpus(request.material.corpus, compared),
    )


def figure3_section(_: Request | None = None) -> Section:
    """Return a minimal form of Figure 3; it does not depend on a corpus."""
    title = "Figure 3: why SIMPLE-CDEC is not enough"
    return Section(
        "figure3", title, _figure3_blocks(), tidy(figure3()).assign(corpus="figure3", split="all")
    )


def _figure3_blocks() -> tuple[Block, ...]:
    """Return the example, its scores and their interpretation."""
    results, example = figure3(), paper().figure3
    metric = example["metric"]
    lines = (
        f"{name}: " + " ".join("{" + " ".join(chain) + "}" for chain in chains)
        for name, chains in {"key": example["key"], **example["systems"]}.items()
    )
    first, second, third = (100 * one[metric].f1 for one in results["pure"])
    return (
        Text(
            "One event with two mentions in each of two documents, a and b. System 1 links inside "
            "documents only, System 2 across documents; System 3 has one link across documents."
        ),
        Listing("Chains", tuple(lines)),
        score_grid("Figure 3, minimal form", without_print(results)),
        Text(
            "SIMPLE-CDEC gives the same scores to System 1, which has no link across documents, "
            f"and System 2, and ranks System 3 last. PURE-CDEC gives {REGISTRY[metric].label} F of "
            f"{first:.1f}, {second:.1f} and {third:.1f}: links inside documents score nothing, and "
            "System 3, which has the only link that is required, is first."
        ),
    )


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
        lines: Lines = [("simulated", cells(shown, "mean")), ("sd", cells(shown, "sd"))]
        if shown["printed"].notna().any():
            lines.append(("print", cells(shown, "printed")))
            lines.append(("difference", cells(shown, "difference", difference_cell)))
        rows.append((heads(setting, str(system)), lines))
    return grid_of_lines(caption, HEADS, COLUMNS, rows, narrow=NARROW)


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
    ranges = ends.dropna(subset="low")
    between = [f"{percent(a)}–{percent(b)}" for a, b in ranges[["low", "high"]].to_numpy()]
    ranges = ranges.assign(range=between)
    rows = []
    for result in results:
        here = ranges[(ranges["setting"] == result.setting) & (ranges["system"] == result.system)]
        values = result.values
        lines: Lines = [("ours", [score_cell(values[m].f1) for _, _, m, _ in F_LAYOUT])]
        lines += [
            (_UNIT_NAMES[str(unit)], cells(part, "range", str, F_LAYOUT))
            for unit, part in here.groupby("unit", sort=False)
        ]
        rows.append((heads(result.setting, result.system), lines))
    return grid_of_lines(caption, HEADS, F_COLUMNS, rows, narrow=_MEANS)


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
    rows = (
        (heads("", str(system))[1:], [("", map(score_cell, row[table.columns], best))])
        for system, row in table.iterrows()
    )
    return grid_of_lines(caption, ["System"], [s.label for s in STRICT_TO_LENIENT], rows)


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
