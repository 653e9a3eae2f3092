"""``cdec tune``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.completion import GRIDS, METRIC_IDS, METRICS, listed, tunable
from cdec.cli.groups import grouped
from cdec.cli.options import NlpOption, PartOptions, part_option, setting_option
from cdec.cli.run import Run
from cdec.cli.screen import QuietOptions
from cdec.cli.targets import FormatOption, ReportOptions, file_option, writable
from cdec.errors import UnknownNameError
from cdec.system import is_tunable

if TYPE_CHECKING:
    from cdec.system import Tunable
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
            autocompletion=tunable,
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
    from cdec.settings import find_setting
    from cdec.tuning.view import image_format, tuning_page

    image, chosen = image_format(plot) if plot else "", find_setting(setting)
    tunable, part, bar = _tunable(system, nlp), Run(corpus, screen).part, screen.bar
    seen = tuning.refuse_test(part, corpus.split, known)
    found = tuning.tune(part, tunable, chosen, metric, grid=grid, on_test=seen, progress=bar)
    if plot:
        _draw(found, image, plot, screen)
    if config:
        _save(found, config, screen)
    ReportOptions(format=format).show(tuning_page(found))


def _tunable(name: str, nlp: str) -> Tunable:
    """Return the system of this name. Raises UnknownNameError for one without δ."""
    from cdec.baselines import SYSTEMS, names_of, system

    made = system(name, pipeline=nlp) if name in SYSTEMS or ":" in name else None
    if not is_tunable(made):
        raise UnknownNameError("system to tune", name, names_of(is_tunable))
    return made


def _draw(found: Tuning, image: str, path: Path, screen: QuietOptions) -> None:
    from cdec.io.output import save_bytes
    from cdec.tuning.view import tuning_figure

    save_bytes(tuning_figure(found, image), path)
    screen.say(f"the figure is in {path}")


def _save(found: Tuning, path: Path, screen: QuietOptions) -> None:
    from cdec.baselines.config import to_toml
    from cdec.io.output import save
    from cdec.tuning.view import config_comments

    save([to_toml(found.system, found.tuned, config_comments(found))], path)
    screen.say(f"the configuration is in {path}")
