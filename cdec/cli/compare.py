"""``cdec compare``."""

from __future__ import annotations

from typing import Any

import typer

import cdec
from cdec.cli import options as o
from cdec.cli.command import command

app = typer.Typer()


@command(app, "compare")
def compare(
    answers: o.Answers = None,
    setting: o.Settings = ["pure"],
    metric: o.Metrics = None,
    by: o.Stratum = None,
    key_patch: o.KeyPatch = None,
    *,
    parameters: o.Parameters,
    source: o.PartOf,
    files: o.Files,
    draws: o.Draws,
    work: o.Work,
    out: o.Report,
) -> None:
    """Test whether A is better than B.

    The result is the difference, an interval and a paired test. Each of A, B, … is a response
    file, a baseline or a published system. Choose setting and metric before you see results: each
    further one increases p (Holm).

    \b
    # Two baselines, one metric
    cdec compare lemma lemma-wd --setting pure --metric conll
    # Two response files, the second under another name
    cdec compare mine.conll theirs=other.jsonl --setting pure
    """
    part, responses = source.responses(answers or [], parameters, key_patch)
    how: Any = {"setting": setting, "by": by, "nlp": parameters.nlp, "plan": draws.plan()}
    how |= {"policy": cdec.FilePolicy(**vars(files)), "train": lambda: source.training(part)[0]}
    return out.show(cdec.compare(part, responses, metrics=metric, **how).page)
