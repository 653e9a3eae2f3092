"""The artefacts of ``cdec reproduce`` by name, each a function that returns a section."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pandas as pd

from cdec.errors import counted
from cdec.evaluation.results import Results
from cdec.render.page import Page, Section
from cdec.reproduction.material import Request, distinct, figure3
from cdec.reproduction.page.scores import agreement_lines
from cdec.reproduction.page.sections import (
    figure3_section,
    table1,
    table2,
    table3,
)
from cdec.reproduction.printed import compared_scores, notes, paper
from cdec.signature import in_json

_TITLE = "Revisiting the evaluation for cross-document event coreference: a reproduction"


ARTEFACTS: dict[str, Callable[[Request], Section]] = {
    "table1": table1,
    "table2": table2,
    "table3": table3,
    "figure3": figure3_section,
}


def figure3_page() -> Page:
    """Return the page with Figure 3 only; it does not depend on a corpus."""
    section = figure3_section()
    intro = (f"{paper().citation} Four mentions; scores in percent.",)
    return Page(section.title, (replace(section, title=""),), intro, _about(figure3()))


def reproduction_page(request: Request, names: Sequence[str]) -> Page:
    """Return the page with these artefacts (keys of ARTEFACTS), in this order."""
    sections = tuple(ARTEFACTS[name](request) for name in names)
    title = _TITLE
    if len(sections) == 1:
        title, sections = sections[0].title, (replace(sections[0], title=""),)
    results = distinct(request.table2, request.table3)
    return Page(title, sections, _intro(request, names), _about(results))


def _about(results: Results) -> dict[str, object]:
    return {"citation": paper().citation, "notes": notes(), **in_json(*results.signatures)}


def _intro(request: Request, names: Sequence[str]) -> tuple[str, ...]:
    corpus = request.material.corpus
    lines = [
        f"{paper().citation} Reproduced on {corpus.name}, {corpus.part}: "
        f"{counted(len(corpus.selected), 'event mention')} in "
        f"{counted(len(corpus.documents), 'document')}; scores in percent."
    ]
    if {"table2", "table3"} <= set(names) and request.material.is_printed:
        tables = {"table2": request.table2, "table3": request.table3}
        both = pd.concat([compared_scores(name, results) for name, results in tables.items()])
        lines += [
            f"Tables 2 and 3 together: {line[0].lower()}{line[1:]}"
            for line in agreement_lines(both)[:1]
        ]
    return tuple(lines)
