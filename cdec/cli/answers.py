"""Answers on the command line: baselines by id, response files by name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from cdec.corpus.model import Corpus
    from cdec.evaluation.response import Response

AnswersArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="A B…",
        help="Baselines, by id, and response files, `NAME=FILE` or FILE.",
        show_default=False,
    ),
]
SettingOption = Annotated[
    list[str], typer.Option("--setting", "-s", help="As in `cdec eval` (repeatable).")
]


def responses_of(
    answers: list[str],
    part: Corpus,
    corpus: str | None,
    split: str,
    nlp: str,
    quiet: bool,
    config: list[Path] | None = None,
    model: Path | None = None,
    jobs: int = 1,
) -> list[Response]:
    """Return the baselines and response files that ``answers`` name, in their order.

    Baselines that learn take ``model``, or are trained on train and dev of the split; ``part`` is
    what is scored.
    """
    from cdec.baselines import SYSTEMS
    from cdec.cli.inputs import make_systems, read_configs
    from cdec.cli.learning import fit_or_load
    from cdec.evaluation.response import ResponseFile

    names = [name for name in dict.fromkeys(answers) if name in SYSTEMS]
    made = make_systems(names, nlp, quiet, read_configs(config), part)
    ready = fit_or_load(made, corpus, split, part, quiet, model, jobs)
    systems = {one.name: one for one in ready}
    return [systems[name] if name in systems else ResponseFile.parse(name) for name in answers]
