"""The artefacts that ``cdec reproduce`` knows, by name, each made into a section."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import pandas as pd

from cdec.corpus.model import Corpus
from cdec.corpus.statistics import statistics
from cdec.experiment import Result
from cdec.report.page import Chart, Page, Section, Text
from cdec.report.reproduction.chart import draw
from cdec.report.reproduction.counts import count_grid
from cdec.report.reproduction.extras import interval_grid, ranking_grid, sensitivity_grid
from cdec.report.reproduction.figure import figure3_blocks
from cdec.report.reproduction.hidden import hidden_blocks, hidden_data
from cdec.report.reproduction.request import LEMMA, Request
from cdec.report.reproduction.scores import (
    agreement_lines,
    score_grid,
    signature_listing,
    without_print,
)
from cdec.reproduction.comparison import compared_counts, compared_scores, tidy
from cdec.reproduction.figure3 import figure3
from cdec.reproduction.intervals import intervals
from cdec.reproduction.printed import notes, paper, printed_scores
from cdec.reproduction.ranking import conll_by_setting
from cdec.reproduction.sensitivity import sensitivity
from cdec.settings import SETTINGS
from cdec.signature import in_json
from cdec.statistics.units import UNITS
from cdec.wording import counted

_TITLE = "Revisiting the evaluation for cross-document event coreference: the paper made again"
_REPRESENTATIVE = (
    "Which mention stands for a chain of a document under PURE-CDEC, the print does not say; here "
    "it is the first in text order. The print's PWN and recall are lower under PURE-CDEC, as if "
    "its key and response had fewer of these mentions in common."
)
_NO_PRINT = "The paper's corpus only."


def _table1(request: Request) -> Section:
    counts = statistics(request.material.parts)
    compared = compared_counts(counts, printed=request.material.is_printed)
    grids = tuple(count_grid(str(view), compared) for view in dict.fromkeys(compared["view"]))
    return Section(
        "table1", "Table 1: the corpus", grids, _of(request.material.corpus, compared, "all")
    )


def _table2(request: Request) -> Section:
    compared = compared_scores("table2", request.table2, printed=request.material.is_printed)
    # The print has one system; with others asked for, its rows stay only if it is among them.
    compared = compared[compared["system"].isin(request.decomposed)]
    caption = "One system, five settings: what each choice does to the score"
    return Section(
        "table2",
        "Table 2: one system under five settings",
        (
            score_grid(caption, compared, changes=True),
            signature_listing(request.table2),
        ),
        _of(request.material.corpus, compared),
    )


def _table3(request: Request) -> Section:
    compared = compared_scores("table3", request.table3, printed=request.material.is_printed)
    return Section(
        "table3",
        "Table 3: the baselines",
        (
            Text(_REPRESENTATIVE),
            score_grid("The baselines under SIMPLE-CDEC and PURE-CDEC", compared),
            signature_listing(request.table3),
        ),
        _of(request.material.corpus, compared),
    )


def _figure3(_: Request | None = None) -> Section:
    title = "Figure 3: why SIMPLE-CDEC is not enough"
    return Section(
        "figure3", title, figure3_blocks(), tidy(figure3()).assign(corpus="figure3", split="all")
    )


def _simulation(request: Request) -> Section:
    title = "A simulation: some mentions lost"
    if not request.material.is_printed:
        return Section("simulation", title, (Text(_NO_PRINT),))
    rule = paper().sensitivity
    setting, lost, seeds = (rule[name] for name in ("setting", "mentions", "seeds"))
    parts = [
        sensitivity(answer, SETTINGS[setting], lost, seeds).assign(
            setting=setting, system=answer.system
        )
        for answer in request.material.answers
    ]
    print_ = printed_scores("table3")[["setting", "system", "metric", "field", "printed"]]
    data = pd.concat(parts, ignore_index=True).merge(print_, how="left")
    caption = f"SIMULATION under {SETTINGS[setting].label}: {lost} random mentions dropped a side"
    text = (
        f"No method and no result: if {lost} random mentions are dropped from the key and as "
        f"many from the response, independently, how far do the scores move? Mean and standard "
        f"deviation over {seeds} seeds. The print seems to have lost about as many (see the note "
        "on PWN)."
    )
    blocks = (Text(text), sensitivity_grid(caption, setting, data))
    return Section("simulation", title, blocks, _of(request.material.corpus, data))


def _intervals(request: Request) -> Section:
    results = _distinct([*request.table3, *request.table2])
    pairs = [(request.material.answer(r.system), r.setting) for r in results]
    known = [(answer, setting) for answer, setting in pairs if answer is not None]
    plans = (replace(request.plan, unit=unit) for unit in UNITS)
    ends = pd.concat(
        [intervals(known, plan, tick=request.tick) for plan in plans], ignore_index=True
    )
    about = (
        f"{request.plan.level:.0%} intervals of F, {request.plan.method}, from "
        f"{counted(request.plan.resamples, 'resample')} of whole topics, and of whole sub-topics "
        f"(seed {request.plan.seed}). They say how much the scores depend on which topics were "
        "chosen."
    ).replace("%", " %")
    grid = interval_grid("F and its intervals", results, ends)
    return Section(
        "intervals",
        "Tables 2 and 3 with confidence intervals",
        (Text(about), grid),
        _of(request.material.corpus, ends),
    )


def _cybulska(request: Request) -> Section:
    title = "The other split: reviewed sentences only"
    if request.reviewed is None:
        return Section("cybulska", title, (Text(_NO_PRINT),))
    results = request.reviewed.under(("simple", "pure", "ycf"))
    compared = without_print(results)
    corpus = request.reviewed.corpus
    shares = [_singletons(material.corpus) for material in (request.reviewed, request.material)]
    text = (
        f"The split of Cybulska and Vossen (2015), {corpus.part}: {len(corpus.events):,} event "
        f"mentions of fully reviewed sentences, of which {shares[0]:.0%} are singletons, where the "
        f"paper's test part has {shares[1]:.0%}."
    ).replace("%", " %")
    blocks = (
        Text(text),
        score_grid(f"The baselines on {corpus.part}", compared),
        signature_listing(results),
    )
    return Section("cybulska", title, blocks, _of(corpus, compared))


def _ranking(request: Request) -> Section:
    table = conll_by_setting(request.material.results)
    caption = (
        "CoNLL F of each system under the six settings, from strict to lenient. Where lines cross, "
        "the better system depends on the setting."
    )
    chart = Chart(draw(table).decode("utf-8"), caption, request.chart_file)
    long = table.rename_axis("system").reset_index().melt("system", var_name="setting")
    data = long.rename(columns={"value": "ours"}).assign(metric="conll", field="f1")
    blocks = (chart, ranking_grid("CoNLL F by setting, strict to lenient", table))
    return Section(
        "ranking", "The ranking depends on the setting", blocks, _of(request.material.corpus, data)
    )


def _settings(request: Request) -> Section:
    answers = request.material.answers
    told = LEMMA if LEMMA in request.decomposed else request.decomposed[0]
    return Section(
        "settings",
        "What each setting hides",
        hidden_blocks(answers, told),
        _of(request.material.corpus, hidden_data(answers)),
    )


ARTEFACTS: dict[str, Callable[[Request], Section]] = {
    "table1": _table1,
    "table2": _table2,
    "table3": _table3,
    "simulation": _simulation,
    "intervals": _intervals,
    "ranking": _ranking,
    "cybulska": _cybulska,
    "figure3": _figure3,
    "settings": _settings,
}


def figure3_page() -> Page:
    """Return the page with Figure 3 alone, which is of no corpus."""
    section = _figure3()
    intro = (f"{paper().citation} Four mentions; scores in percent.",)
    return Page(section.title, (replace(section, title=""),), intro, _about(figure3()))


def reproduction_page(request: Request, names: Sequence[str]) -> Page:
    """Return the page with the artefacts of these names (keys of ARTEFACTS), in that order."""
    sections = tuple(ARTEFACTS[name](request) for name in names)
    title = _TITLE
    if len(sections) == 1:
        title, sections = sections[0].title, (replace(sections[0], title=""),)
    results = _distinct([*request.table2, *request.table3])
    return Page(
        title,
        sections,
        _intro(request, names),
        _about(results),
    )


def _about(results: Iterable[Result]) -> dict[str, object]:
    signed = in_json(*(result.signature for result in results))
    return {"citation": paper().citation, "notes": notes(), **signed}


def _intro(request: Request, names: Sequence[str]) -> tuple[str, ...]:
    corpus = request.material.corpus
    lines = [
        f"{paper().citation} Made again on {corpus.name}, {corpus.part}: "
        f"{counted(len(corpus.events), 'event mention')} of "
        f"{counted(len(corpus.documents), 'document')}; scores in percent."
    ]
    if {"table2", "table3"} <= set(names) and request.material.is_printed:
        tables = {"table2": request.table2, "table3": request.table3}
        both = pd.concat([compared_scores(name, results) for name, results in tables.items()])
        lines += [f"Tables 2 and 3 together. {line}" for line in agreement_lines(both)[:1]]
    return tuple(lines)


def _of(corpus: Corpus, data: pd.DataFrame, split: str = "") -> pd.DataFrame:
    """Return the data for machines: which corpus and part they are of, no column of the print."""
    known = data.drop(columns="column", errors="ignore")
    return known.assign(corpus=corpus.name, split=split or corpus.part)


def _singletons(corpus: Corpus) -> float:
    """Return the share of the event mentions that are gold singletons."""
    chains = corpus.gold.labels
    return float((chains.map(chains.value_counts()) == 1).mean())


def _distinct(results: Iterable[Result]) -> list[Result]:
    return list({(r.setting.name, r.system): r for r in results}.values())
