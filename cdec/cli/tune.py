"""``cdec tune``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.completion import GRIDS, METRIC_IDS, METRICS, listed, tunable
from cdec.cli.corpus_options import PartOptions, part_option
from cdec.cli.groups import grouped
from cdec.cli.options import KeyPatchOption, NlpOption, setting_option
from cdec.cli.run import Run
from cdec.cli.screen import ScreenOptions
from cdec.cli.targets import FormatOption, ReportOptions, file_option, writable
from cdec.cli.workers import WorkOptions
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
            "The part to tune on: dev, train, or a part of another split, as in cybulska/dev. "
            "Not test."
        ),
    ] = "dev"


@grouped
def tune(
    system: Annotated[
        str,
        typer.Argument(
            help="System to tune: lemma-delta or lemma-docs.",
            autocompletion=tunable,
            show_default=False,
        ),
    ] = "lemma-delta",
    *,
    setting: Annotated[
        str,
        setting_option("By default simple, which keeps all mentions and links.", many=False),
    ] = "simple",
    metric: Annotated[
        str,
        typer.Option(
            "--metric",
            metavar="METRIC",
            autocompletion=METRICS.complete,
            help=f"Maximise the F1 of this metric: {listed(METRIC_IDS)}.",
        ),
    ] = "conll",
    grid: Annotated[
        str,
        typer.Option(
            "--grid",
            metavar="delta|full",
            autocompletion=GRIDS.complete,
            help="Parameters to search. delta: only δ. full: δ and the tf-idf options.",
        ),
    ] = "delta",
    nlp: NlpOption = "hanta",
    corpus: TunedPartOptions,
    config: Annotated[
        Path | None,
        file_option(
            "Write the best parameters to this file, for `cdec eval --config`.",
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
            help="Plot precision, recall and F over δ to this file.",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
    format: FormatOption = "table",
    known: Annotated[
        bool,
        typer.Option("--i-know", help="Allow tuning on test data; every result is marked."),
    ] = False,
    key_patch: KeyPatchOption = None,
    work: WorkOptions,
    screen: ScreenOptions,
) -> None:
    """Choose δ by the score on a part of the corpus other than test.

    The grid is δ = 0, 0.05, … 1. If scores are equal, the higher δ is chosen.

    \b
    # Tune on dev, plot the curve, save the best parameters, and use them
    cdec tune lemma-delta --split dev --plot curve.svg -o delta.toml
    cdec eval --system lemma-delta --config delta.toml
    # Another system, setting and metric
    cdec tune lemma-docs --setting pure --metric b3 --format csv
    """
    from cdec import tuning
    from cdec.settings import find_setting
    from cdec.tuning.view import image_format, tuning_page

    image, chosen = image_format(plot) if plot else "", find_setting(setting)
    tunable, run, bar = _tunable(system, nlp), Run(corpus, screen, key_patch=key_patch), screen.bar
    part = run.part
    seen = tuning.refuse_test(part, corpus.split, known)
    result = tuning.tune(part, tunable, chosen, metric, grid=grid, on_test=seen, progress=bar)
    if plot:
        _draw(result, image, plot, screen)
    if config:
        _save(result, config, screen)
    ReportOptions(format=format).show(tuning_page(result))


def _tunable(name: str, nlp: str) -> Tunable:
    """Return the tunable system ``name``. Raises UnknownNameError if it has no δ."""
    from cdec.baselines import SYSTEMS, names_of, system

    tunable = system(name, pipeline=nlp) if name in SYSTEMS or ":" in name else None
    if not is_tunable(tunable):
        raise UnknownNameError("tunable system", name, names_of(is_tunable))
    return tunable


def _draw(result: Tuning, image: str, path: Path, screen: ScreenOptions) -> None:
    from cdec.io.output import save_bytes
    from cdec.tuning.view import tuning_figure

    save_bytes(tuning_figure(result, image), path)
    screen.say(f"plot written to {path}")


def _save(result: Tuning, path: Path, screen: ScreenOptions) -> None:
    from cdec.baselines.config import to_toml
    from cdec.io.output import save
    from cdec.tuning.view import config_comments

    save([to_toml(result.system, result.tuned, config_comments(result))], path)
    screen.say(f"configuration written to {path}")
