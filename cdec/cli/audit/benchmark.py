"""``cdec audit benchmark``."""

from __future__ import annotations

from typing import Annotated

import typer

from cdec.cli.completion import PLANTED, choice
from cdec.cli.corpus_options import WHOLE, PartOptions
from cdec.cli.groups import grouped
from cdec.cli.options import NlpOption
from cdec.cli.run import Run
from cdec.cli.targets import OutputOptions
from cdec.cli.workers import WorkOptions


@grouped
def benchmark(
    *,
    count: Annotated[
        int, typer.Option("--errors", metavar="N", help="Number of errors to plant in each run.")
    ] = 300,
    seeds: Annotated[
        int, typer.Option("--seeds", metavar="N", help="Number of runs for each kind of error.")
    ] = 3,
    plant: Annotated[
        list[str] | None,
        typer.Option(
            "--plant",
            metavar="KIND",
            autocompletion=PLANTED.complete,
            help="Plant only this kind of error (repeatable): detach, pair, split, attach, "
            "lookalike or fuse.",
        ),
    ] = None,
    reviewed: Annotated[
        str,
        typer.Option(
            "--reviewed",
            metavar="only|outside|all",
            autocompletion=choice("only", "outside", "all"),
            help="Plant errors only inside, or outside, the reviewed sentences, and rank only "
            "cases there.",
        ),
    ] = "all",
    nlp: NlpOption = "hanta",
    corpus: PartOptions = WHOLE,
    work: WorkOptions,
    output: OutputOptions,
) -> None:
    """Plant known errors in the key and measure how high the detectors rank them.

    \b
    # One kind of error, planted in three runs
    cdec audit benchmark --plant detach --errors 20 --seeds 3
    # All kinds, one run for each
    cdec audit benchmark --errors 20 --seeds 1
    """
    from cdec.audit.benchmark.measure import Plan, check_count, seeds_of
    from cdec.audit.benchmark.measure import benchmark as measure
    from cdec.audit.cases import default_calibration
    from cdec.audit.config import AuditConfig
    from cdec.audit.shortlist import SCOPES
    from cdec.audit.view import benchmark_page
    from cdec.errors import one_of
    from cdec.signature import Signature

    runs = seeds_of(seeds)
    one_of("review scope", reviewed, SCOPES)
    plan = Plan(tuple(plant or PLANTED.complete()), check_count(count), runs, reviewed)
    part, config = Run(corpus, output).part, AuditConfig(pipeline=nlp)
    table = measure(part, config, default_calibration(), plan, output.bar)
    own = {"nlp": nlp, "errors": count, "seeds": seeds, "reviewed": reviewed}
    output.show(benchmark_page(table, Signature.from_fields(**part.about, **own, **config.about)))
