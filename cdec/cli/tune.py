"""``cdec tune``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.completion import GRIDS, METRIC_IDS, METRICS, TUNABLE, listed
from cdec.cli.groups import grouped
from cdec.cli.options import NlpOption, PartOptions, part_option, setting_option
from cdec.cli.output import emit
from cdec.cli.run import Run
from cdec.cli.targets import FormatOption, QuietOptions, file_option, writable

if TYPE_CHECKING:
    from cdec.tuning import Tuning

_OUTPUT = "Output"


@dataclass(frozen=True)
class TunedPartOptions(PartOptions):
    """The part to tune on."""

    split: Annotated[
        str,
        part_option(
            "What to tune on: dev, train, or a part of another split, as in cybulska/dev. "
            "Never test."
        ),
    ] = "dev"


@grouped
def tune(
    system: Annotated[
        str,
        typer.Argument(
            help="lemma-delta or lemma-docs.",
            autocompletion=TUNABLE.complete,
            show_default=False,
        ),
    ] = "lemma-delta",
    *,
    setting: Annotated[
        str,
        setting_option("By default simple, which keeps every mention and link.", many=False),
    ] = "simple",
    metric: Annotated[
        str,
        typer.Option(
            "--metric",
            autocompletion=METRICS.complete,
            help=f"The metric whose F1 is to be highest, by id: {listed(METRIC_IDS)}.",
        ),
    ] = "conll",
    grid: Annotated[
        str,
        typer.Option(
            "--grid",
            metavar="delta|full",
            autocompletion=GRIDS.complete,
            help="delta: δ alone. full: the tf-idf choices too.",
        ),
    ] = "delta",
    nlp: NlpOption = "hanta",
    corpus: TunedPartOptions,
    config: Annotated[
        Path | None,
        file_option(
            "Write the best point here, for `cdec eval --config`.",
            "FILE.toml",
            "a TOML configuration",
            ".toml",
            panel=_OUTPUT,
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
    screen: QuietOptions,
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
    from cdec.render.charts.curve import image_format
    from cdec.settings import find_setting
    from cdec.tuning.view import tuning_report

    image, chosen = image_format(plot) if plot else "", find_setting(setting)
    part, bar = Run(corpus, screen).part, screen.bar
    seen = tuning.refuse_test(part, corpus.split, known)
    found = tuning.tune(
        part, system, chosen, metric, grid=grid, on_test=seen, progress=bar, pipeline=nlp
    )
    if plot:
        _draw(found, image, plot, screen)
    if config:
        _save(found, config, screen)
    emit(tuning_report(found), format, None)


def _draw(found: Tuning, image: str, path: Path, screen: QuietOptions) -> None:
    from cdec.io.output import save_bytes
    from cdec.tuning.view import tuning_figure

    save_bytes(tuning_figure(found, image), path)
    screen.say(f"the figure is in {path}")


def _save(found: Tuning, path: Path, screen: QuietOptions) -> None:
    from cdec.io.output import save
    from cdec.tuning.view import tuning_config

    save([tuning_config(found)], path)
    screen.say(f"the configuration is in {path}")
