"""``cdec tune``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdec.cli import names
from cdec.cli import options as o
from cdec.cli.option import Option
from cdec.cli.run import Run, command
from cdec.errors import UnknownNameError

if TYPE_CHECKING:
    from cdec.system import Tunable
    from cdec.tuning.search import Tuning

_SYSTEM = Option(
    "system",
    None,
    "System to tune: lemma-delta.",
    default="lemma-delta",
)
_METRIC = Option(
    "--metric",
    "METRIC",
    "Maximise the F1 of this metric; `cdec plugins` lists them.",
    default="conll",
    choices=names.METRICS,
)
_GRID = Option(
    "--grid",
    "delta|full",
    "Parameters to search. delta: only δ. full: δ and the tf-idf options.",
    default="delta",
    choices=names.GRIDS,
)
_SAVED = o.written(
    None,
    "a TOML configuration",
    ".toml",
    help="Write the best parameters to this file, for `cdec eval --config`.",
    panel=o.OUTPUT_PANEL,
    attribute="file",
)
_PLOT = o.TO_FILE.but(
    words="--plot",
    metavar="FILE.png|svg",
    help="Plot precision, recall and F over δ to this file.",
)
_I_KNOW = Option(
    "--i-know", None, "Allow tuning on test data; every result is marked.", bool, False
)


@command(
    _SYSTEM,
    o.setting("simple", "By default simple", ", which keeps all mentions and links", many=False),
    _METRIC,
    _GRID,
    o.NLP,
    *o.WHOLE_CORPUS,
    o.TUNED_PART,
    _SAVED,
    _PLOT,
    o.PRINTED_FORMAT,
    _I_KNOW,
    o.KEY_PATCH,
    o.JOBS,
    *o.SCREEN,
)
def tune(call: Run) -> None:
    """Choose δ by the score on a part of the corpus other than test.

    The grid is δ = 0, 0.05, … 1. If scores are equal, the higher δ is chosen.

    \b
    # Tune on dev, plot the curve, save the best parameters, and use them
    cdec tune lemma-delta --split dev --plot curve.svg -o delta.toml
    cdec eval --system lemma-delta --config delta.toml
    # Another setting and metric
    cdec tune --setting pure --metric b3 --format csv
    """
    from cdec.settings import find_setting
    from cdec.tuning import page, search

    image = page.image_format(call.plot) if call.plot else ""
    setting, system = find_setting(call.setting), _tunable(call.system, call.nlp)
    on_test = search.refuse_test(call.part, call.split, call.i_know)
    choices = {"grid": call.grid, "on_test": on_test, "progress": call.bar}
    result = search.tune(call.part, system, setting, call.metric, **choices)
    _save(call, result, image)
    call.show(page.tuning_page(result))


def _save(call: Run, result: Tuning, image: str) -> None:
    """Write the plot and the configuration to their files, if any."""
    from cdec.baselines.config import to_toml
    from cdec.files.output import save_bytes
    from cdec.tuning.page import config_comments, tuning_figure

    if call.plot:
        save_bytes(tuning_figure(result, image), call.plot)
        call.say(f"plot written to {call.plot}")
    if call.file:
        text = to_toml(result.system, result.tuned, config_comments(result))
        call.save_text([text], call.file, f"configuration written to {call.file}")


def _tunable(name: str, nlp: str) -> Tunable:
    """Return the tunable system ``name``. Raises UnknownNameError if it has no δ."""
    from cdec.baselines import SYSTEMS, names_of, system
    from cdec.system import is_tunable

    tunable = system(name, pipeline=nlp) if name in SYSTEMS or ":" in name else None
    if not is_tunable(tunable):
        raise UnknownNameError("tunable system", name, names_of(is_tunable))
    return tunable
