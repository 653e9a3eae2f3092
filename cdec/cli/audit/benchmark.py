"""``cdec audit benchmark``."""

from __future__ import annotations

from typing import Annotated

import typer

from cdec.cli.inputs import read_corpus
from cdec.cli.options import (
    CorpusOption,
    FormatOption,
    NlpOption,
    OutputOption,
    QuietOption,
    SplitOption,
)
from cdec.cli.output import emit
from cdec.cli.progress import bar_unless
from cdec.errors import UsageError


def benchmark(
    count: Annotated[int, typer.Option("--errors", help="Errors to plant in each run.")] = 300,
    seeds: Annotated[int, typer.Option("--seeds", help="Runs of each kind.")] = 3,
    plant: Annotated[
        list[str] | None,
        typer.Option("--plant", help="Only this kind: detach, split or attach (repeatable)."),
    ] = None,
    split: SplitOption = "all",
    corpus: CorpusOption = None,
    nlp: NlpOption = "hanta",
    format: FormatOption = "table",
    output: OutputOption = None,
    quiet: QuietOption = False,
) -> None:
    """Plant known errors in the key and count how early the detectors find them.

    \b
    # One kind of error, planted in three runs
    cdec audit benchmark --plant detach --errors 20 --seeds 3
    # All kinds, one run each
    cdec audit benchmark --errors 20 --seeds 1
    """
    from cdec.audit.benchmark.measure import benchmark as measure
    from cdec.audit.benchmark.plant import KINDS
    from cdec.audit.config import AuditConfig
    from cdec.audit.view import benchmark_page
    from cdec.signature import Signature

    if seeds < 1:
        raise UsageError(f"--seeds is {seeds}", cure="1 or more")
    part = read_corpus(corpus, split, quiet)
    config = AuditConfig(pipeline=nlp)
    table = measure(
        part,
        config,
        kinds=plant or list(KINDS),
        count=count,
        seeds=range(seeds),
        progress=bar_unless(quiet),
    )
    signature = Signature.from_fields(
        **part.about, nlp=nlp, errors=count, seeds=seeds, **config.about
    )
    emit(benchmark_page(table, signature), format, output)
