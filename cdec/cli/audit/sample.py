"""``cdec audit sample``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cdec.cli.audit.options import ShortListArgument
from cdec.cli.corpus_options import CorpusOptions
from cdec.cli.groups import grouped
from cdec.cli.run import Run
from cdec.cli.screen import ScreenOptions
from cdec.cli.targets import file_option
from cdec.errors import counted


@grouped
def sample(
    cases: ShortListArgument,
    *,
    count: Annotated[int, typer.Option("--n", metavar="N", help="Number of cases to draw.")] = 200,
    pairs: Annotated[
        int,
        typer.Option(
            "--pairs",
            metavar="N",
            help="Also draw N random pairs of chains that are not in the list, to estimate what "
            "the audit misses.",
        ),
    ] = 0,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Random seed.")] = 1,
    output: Annotated[
        Path, file_option("File to write the sample to.", "FILE.jsonl", "a short-list", ".jsonl")
    ] = Path("sample.jsonl"),
    corpus: CorpusOptions,
    screen: ScreenOptions,
) -> None:
    """Draw a random sample of a short-list; its decisions tell the errors in the whole key.

    The same number of cases is drawn from each range of ranks, in random order.

    \b
    # Draw a sample and review it
    cdec audit sample cases.jsonl -o sample.jsonl
    # Another sample, of 100 cases
    cdec audit sample cases.jsonl --n 100 --seed 2 -o second.jsonl
    # The page of a sample
    cdec audit review sample.jsonl -o sample.html
    # Extrapolate its decisions to the whole key
    cdec audit report decisions.json --no-scores
    """
    from cdec.audit.review.sample import sampled
    from cdec.audit.shortlist import check_corpus, read_shortlist, to_jsonl
    from cdec.io.output import save

    shortlist, whole = read_shortlist(cases), Run(corpus, screen).whole
    check_corpus(shortlist.about, whole, cases)
    drawn = sampled(shortlist, whole, count, pairs, seed)
    save(to_jsonl(drawn, whole), output)
    screen.say(f"{counted(len(drawn.cases), 'case')} written to {output}")
