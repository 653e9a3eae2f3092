"""``cdec corpus page``."""

from __future__ import annotations

from typing import Annotated

import typer

from cdec.cli.completion import corpora
from cdec.cli.groups import grouped
from cdec.cli.options import NlpOption
from cdec.cli.resampling import DrawOptions
from cdec.cli.targets import OutputOptions
from cdec.cli.workers import WorkOptions


@grouped
def page(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH|NAME...",
            autocompletion=corpora,
            help="The corpora, as for --corpus.",
            show_default=False,
        ),
    ],
    *,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            metavar="SYSTEM=FILE",
            help="Also score a model from `cdec train`, as sac=FILE (repeatable).",
        ),
    ] = None,
    nlp: NlpOption = "hanta",
    intervals: DrawOptions,
    work: WorkOptions,
    output: OutputOptions,
) -> None:
    """Compare corpora: their size, and the baselines under every setting that their levels allow.

    \b
    # Two corpora in one page
    cdec corpus page ecb+ gvc -o corpora.md
    # With a model that was trained on the first
    cdec corpus page gvc --model sac=ecb.model -o gvc.html
    """
    from cdec.api import load_corpus
    from cdec.reproduction.corpora import all_findings, trained
    from cdec.reproduction.corpora_view import corpora_page

    models = [trained(text, nlp) for text in model or []]
    plan = intervals.plan()
    found = list(all_findings([load_corpus(n) for n in names], models, plan, output.bar))
    output.show(corpora_page(found, plan))
