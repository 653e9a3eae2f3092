"""``cdec tune``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cdec.cli.inputs import read_corpus
from cdec.cli.options import CorpusOption, FormatOption, NlpOption, QuietOption, writable
from cdec.cli.output import emit, say
from cdec.cli.progress import bar_unless
from cdec.errors import UnknownNameError
from cdec.system import is_tunable

_OUTPUT = "Output"


def tune(
    system: Annotated[
        str, typer.Argument(help="lemma-delta or lemma-docs.", show_default=False)
    ] = "lemma-delta",
    split: Annotated[
        str,
        typer.Option(
            "--split",
            metavar="[SPLIT/]PART",
            help="What to tune on: dev, train, or a part of another split, as in cybulska/dev. "
            "Never test.",
        ),
    ] = "dev",
    setting: Annotated[
        str, typer.Option("--setting", "-s", help="The setting to score under.")
    ] = "simple",
    metric: Annotated[
        str, typer.Option("--metric", help="The metric whose F1 is to be highest, by id.")
    ] = "conll",
    grid: Annotated[
        str,
        typer.Option(
            "--grid", metavar="delta|full", help="delta: δ alone. full: the tf-idf choices too."
        ),
    ] = "delta",
    corpus: CorpusOption = None,
    nlp: NlpOption = "hanta",
    config: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE.toml",
            callback=writable,
            help="Write the best point here, for `cdec eval --config`.",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="FILE.png|svg",
            callback=writable,
            help="Draw precision, recall and F over δ.",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
    format: FormatOption = "table",
    known: Annotated[
        bool,
        typer.Option("--i-know", help="Tune on test data all the same, and mark every result."),
    ] = False,
    quiet: QuietOption = False,
) -> None:
    """Choose δ, by the score on a part of the corpus that is not test.

    The grid is δ = 0, 0.05, … 1. Of equal scores the higher δ is taken.

    \b
    # Find δ on dev, draw the curve, keep the best point, and use it
    cdec tune lemma-delta --split dev --plot curve.svg -o delta.toml
    cdec eval --system lemma-delta --config delta.toml
    # For another system, setting and metric
    cdec tune lemma-docs --setting pure --metric b3 --format csv
    """
    from cdec import tuning
    from cdec.baselines import SYSTEMS, names_of
    from cdec.baselines import system as make
    from cdec.baselines.config import to_toml
    from cdec.io.output import save, save_bytes
    from cdec.settings import find_setting
    from cdec.tuning.view import config_comments, image_format, tuning_figure, tuning_page

    image = image_format(plot) if plot else ""
    chosen = find_setting(setting)
    made = make(system, pipeline=nlp) if system in SYSTEMS or ":" in system else None
    if not is_tunable(made):
        raise UnknownNameError("system to tune", system, names_of(is_tunable))
    part = read_corpus(corpus, split, quiet)
    on_test = tuning.refuse_test(part, split, known)
    bar = bar_unless(quiet)
    found = tuning.tune(part, made, chosen, metric, grid=grid, on_test=on_test, progress=bar)
    if plot:
        save_bytes(tuning_figure(found, image), plot)
        say(f"the figure is in {plot}", quiet)
    if config:
        save([to_toml(found.system, found.tuned, config_comments(found))], config)
        say(f"the configuration is in {config}", quiet)
    emit(tuning_page(found), format, None)
