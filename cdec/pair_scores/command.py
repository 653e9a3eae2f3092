"""``cdec pairs``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import cdec
from cdec.cli import options as o
from cdec.cli.command import argument, command, option, refuse, require

app = typer.Typer()
File = Annotated[
    Path,
    argument(
        "PAIRS",
        "A table with a and b (mention ids, or doc/start-end) and, optionally, score.",
    ),
]


@command(app, "pairs")
def pairs(
    file: File,
    setting: o.Settings = ["pure"],
    threshold: float | None = option(
        "--threshold T",
        "Link pairs with a score of at least T. Default: 0.5, or 0 for log-odds.",
        default=None,
    ),
    cluster: o.Text = option(
        "--cluster CLUSTERING",
        "How linked pairs become chains: closure, average or complete. Default: closure; with "
        "--tune, the best of all.",
        default=None,
    ),
    tune: o.Place = option(
        "--tune DEV.csv",
        "Choose threshold and clustering on these pairs of another part: the one that they cover, "
        "or dev of the split of --split.",
        default=None,
    ),
    key_patch: o.KeyPatch = None,
    unknown: str = option(
        "--unknown error|drop",
        "Pairs of mentions that the whole corpus does not have: refused or left out.",
        default="error",
        rare=True,
    ),
    lenient: o.Lenient = False,
    *,
    intervals: o.Intervals,
    source: o.PartOf,
    work: o.Work,
    out: o.Figured,
) -> None:
    """Show what mention pairs cover, and how well scores link.

    Without scores the list is one of candidates: its coverage of the key, and what decisions on
    these pairs can score.

    \b
    # Scores of a pair classifier on dev
    cdec pairs scores.csv --split cybulska/dev
    # Threshold and clustering chosen on dev
    cdec pairs test.csv --split cybulska/test --tune dev.csv
    """
    from cdec.evaluation.parts import covered_part
    from cdec.evaluation.response import read_response
    from cdec.pairs.listed import pair_table

    if tune:
        refuse("--tune", "threshold")
    table = pair_table(file, lenient=lenient)
    if out.figures and "score" not in table.rows:
        require("scores", "figures", hint="add the column score")
    corpus = source.load(source.split, key_patch)
    dev = None
    if tune:
        dev_table = pair_table(tune, lenient=lenient)
        split, slash, _ = (source.split or "").rpartition("/")
        part = covered_part(
            source.load(None, key_patch),
            [read_response(dev_table.mentions)],
            f"{split}{slash}dev",
        )
        dev = (part, dev_table)
    analysis = cdec.score_pairs(
        corpus,
        table,
        setting=setting,
        threshold=threshold,
        cluster=cluster,
        tune=dev,
        plan=intervals.wanted(),
        unknown=unknown,
    )
    out.show(analysis.page)
