"""``cdec pairs``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import cdec
from cdec.cli import options as o
from cdec.cli.command import argument, command, option, refuse, require

app = typer.Typer()


@command(app, "pairs")
def pairs(
    file: Annotated[
        Path,
        argument(
            "PAIRS",
            "A table with a and b (mention ids, or doc/start-end) and, optionally, score.",
        ),
    ],
    setting: o.Settings = ["simple"],
    threshold: Annotated[
        float | None,
        option(
            "--threshold T",
            "Link pairs with a score of at least T. Default: 0.5, or 0 for log-odds.",
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        option(
            "--cluster CLUSTERING",
            "How linked pairs become chains: closure, average or complete. Default: closure; "
            "with --tune, the best of all.",
        ),
    ] = None,
    tune: Annotated[
        Path | None,
        option(
            "--tune DEV.csv",
            "Choose threshold and clustering on these pairs of another part.",
        ),
    ] = None,
    tune_split: Annotated[
        str | None,
        option(
            "--tune-split [SPLIT/]PART",
            "The part that the pairs of --tune are of; not test. Default: dev of the split of "
            "--split.",
        ),
    ] = None,
    key_patch: o.KeyPatch = None,
    *,
    intervals: o.Intervals,
    source: o.PartOf,
    work: o.Work,
    out: o.Report,
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
    if tune:
        refuse("--tune", "threshold")
    else:
        require("--tune", "tune_split")
    from cdec.evaluation.parts import covered_part
    from cdec.evaluation.response import named
    from cdec.pair_scores.source import ScoredPairs

    listed, chosen = ScoredPairs(file.stem, str(file)), None
    corpus = source.load(key_patch)
    if not source.split:
        corpus = covered_part(corpus, [named(listed)], None)
    if tune:
        home = (source.split or "").rpartition("/")[0]
        split = o.split_part(tune_split, "dev") or (f"{home}/dev" if home else "dev")
        dev: Any = o.PartOf(source.corpus, source.kind, split).load(key_patch)
        chosen = (dev, tune)
    found = cdec.score_pairs(
        corpus,
        listed.table,
        setting=setting,
        threshold=threshold,
        cluster=cluster,
        tune=chosen,
        plan=intervals.wanted(),
    )
    out.show(found.page)
