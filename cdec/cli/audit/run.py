"""``cdec audit run``."""

from __future__ import annotations

from typing import Annotated

import typer

from cdec.cli.audit.options import FOUND, KindOption, TopicOption, TopOption, check_topics
from cdec.cli.inputs import read_corpus
from cdec.cli.options import (
    CorpusOption,
    FormatOption,
    NlpOption,
    OutputOption,
    QuietOption,
    SplitOption,
)
from cdec.cli.output import emit, say
from cdec.cli.progress import bar_unless
from cdec.wording import counted

DetectorOption = Annotated[
    list[str] | None,
    typer.Option(
        "--detector",
        help="Only this detector (repeatable): duplicate, tags, svm, companions, held-out or "
        "review-list.",
        rich_help_panel=FOUND,
    ),
]
DeltaOption = Annotated[
    float,
    typer.Option(
        "--delta", help="The anchor |a| from which the SVM flags a pair.", rich_help_panel=FOUND
    ),
]
CostOption = Annotated[
    float,
    typer.Option("--C", help="Cost C of the SVM: a cap on the anchors.", rich_help_panel=FOUND),
]


def run(
    split: SplitOption = "all",
    corpus: CorpusOption = None,
    nlp: NlpOption = "hanta",
    detector: DetectorOption = None,
    delta: DeltaOption = 0.95,
    cost: CostOption = 1e4,
    kind: KindOption = None,
    topic: TopicOption = None,
    top: TopOption = None,
    format: FormatOption = "table",
    output: OutputOption = None,
    quiet: QuietOption = False,
) -> None:
    """List the suspected annotation errors of a corpus, the certain ones first.

    With --output FILE.jsonl or FILE.csv the cases are written, with their sentences; without it
    you see how many there are of each kind.

    \b
    # How many cases of each kind
    cdec audit run
    # The first 2000, to be judged
    cdec audit run --top 2000 -o cases.jsonl
    # One kind, one topic, for a spreadsheet
    cdec audit run --kind missing-cluster-cluster --topic 5 -o topic5.csv
    """
    from cdec.audit.cases import audit
    from cdec.audit.config import DETECTORS, AuditConfig
    from cdec.audit.shortlist import WRITERS
    from cdec.audit.view import cases_page
    from cdec.io.output import save

    write = WRITERS.get(output.suffix.removeprefix(".")) if output else None
    config = AuditConfig(tuple(detector or DETECTORS), pipeline=nlp, delta=delta, cost=cost)
    part = read_corpus(corpus, split, quiet)
    check_topics(part, topic)
    found = audit(part, config, bar_unless(quiet))
    chosen = found.select(kinds=kind or (), topics=topic or (), top=top)
    if write is None or output is None:
        emit(cases_page(chosen), format, output)
    else:
        save(write(chosen, part), output)
        of_all = f"{len(chosen.cases):,} of {counted(len(found.cases), 'case')}"
        say(f"{of_all} written to {output}", quiet)
