"""``cdec audit``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.options import (
    CorpusOption,
    FormatOption,
    NlpOption,
    OutputOption,
    QuietOption,
    SplitOption,
)
from cdec.cli.output import emit, make_systems, read_corpus, say
from cdec.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from cdec.corpus.model import Corpus

app = typer.Typer(
    help="Find annotation errors, judge them in a browser, score against the corrected key.\n\n"
    "cdec audit run -o cases.jsonl → review cases.jsonl -o review.html → (decide, export) → "
    "apply decisions.json -o patch.json → report decisions.json; cdec eval --key-patch patch.json",
    no_args_is_help=True,
)

_FOUND = "What counts as a find"
DetectorOption = Annotated[
    list[str] | None,
    typer.Option(
        "--detector",
        help="Only this detector (repeatable): duplicate, tags, svm, companions, held-out or "
        "review-list.",
        rich_help_panel=_FOUND,
    ),
]
DeltaOption = Annotated[
    float,
    typer.Option(
        "--delta", help="The anchor |a| from which the SVM flags a pair.", rich_help_panel=_FOUND
    ),
]
CostOption = Annotated[
    float,
    typer.Option("--C", help="Cost C of the SVM: a cap on the anchors.", rich_help_panel=_FOUND),
]
KindOption = Annotated[
    list[str] | None,
    typer.Option("--kind", help="Only cases of this kind (repeatable).", rich_help_panel=_FOUND),
]
TopicOption = Annotated[
    list[str] | None,
    typer.Option("--topic", help="Only cases of this topic (repeatable).", rich_help_panel=_FOUND),
]
TopOption = Annotated[
    int | None,
    typer.Option("--top", help="Only the first so many cases.", rich_help_panel=_FOUND),
]
ShortListArgument = Annotated[
    Path, typer.Argument(metavar="CASES", help="What `cdec audit run -o CASES.jsonl` wrote.")
]
DecisionsArgument = Annotated[
    list[Path],
    typer.Argument(metavar="DECISIONS...", help="Files that review pages export, one a reviewer."),
]


def _check_topics(corpus: Corpus, asked: list[str] | None) -> None:
    known = dict.fromkeys(document.topic for document in corpus.documents.values())
    for topic in asked or ():
        if topic not in known:
            raise UnknownNameError("topic", topic, known)


@app.command()
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
    cdec audit run
    cdec audit run --top 2000 -o cases.jsonl
    cdec audit run --kind missing-singleton-cluster --topic 28 -o watergate.csv
    """
    from cdec.audit.choice import DETECTORS, Choice
    from cdec.audit.run import run as audit
    from cdec.audit.shortlist import WRITERS
    from cdec.formats import save
    from cdec.language import bar, silent
    from cdec.report.audit import cases_report

    write = WRITERS.get(output.suffix.removeprefix(".")) if output else None
    choice = Choice(tuple(detector or DETECTORS), pipeline=nlp, delta=delta, cost=cost)
    part = read_corpus(corpus, split, quiet)
    _check_topics(part, topic)
    found = audit(part, choice, silent if quiet else bar)
    chosen = found.select(kinds=kind or (), topics=topic or (), top=top)
    if write is None or output is None:
        emit(cases_report(chosen), format, output)
    else:
        save(write(chosen, part), output)
        say(f"{len(chosen.cases)} of {len(found.cases)} cases written to {output}", quiet)


@app.command()
def review(
    cases: ShortListArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE.html", help="The page to write.")
    ] = Path("review.html"),
    corpus: CorpusOption = None,
    kind: KindOption = None,
    topic: TopicOption = None,
    top: TopOption = None,
    quiet: QuietOption = False,
) -> None:
    """Make the page on which people judge the cases: one HTML file, no server, no network.

    \b
    cdec audit review cases.jsonl -o review.html
    """
    from cdec.audit.shortlist import read_shortlist
    from cdec.formats import save
    from cdec.report.audit_page import to_page

    found = read_shortlist(cases)
    whole = read_corpus(corpus, "all", quiet)
    _check_topics(whole, topic)
    chosen = found.select(kinds=kind or (), topics=topic or (), top=top)
    save([to_page(chosen, whole, cases)], output)
    say(f"{len(chosen.cases)} cases to judge in {output}; it quotes the corpus", quiet)


@app.command("apply")
def apply_(
    decisions: DecisionsArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="PATCH", help="The patch to write.")
    ] = Path("patch.json"),
    quiet: QuietOption = False,
) -> None:
    """Make a patch of the key from decisions: which chains to merge, which mentions to move.

    The corpus is never changed. Of several reviewers the majority of *error* and *not an error*
    decides; cases with as many of both are left out and named.

    \b
    cdec audit apply decisions-ann.json decisions-bob.json -o patch.json
    """
    from cdec.audit.decisions import read_reviews, settled
    from cdec.audit.patch import make_patch
    from cdec.formats import save

    reviews = read_reviews(decisions)
    made, disputed = settled(reviews)
    patch = make_patch(made, reviews)
    save([patch.to_json()], output)
    if disputed:
        say(f"{len(disputed)} disputed cases left out: {', '.join(disputed)}", quiet)
    counts = f"{len(patch.merge)} merges and {len(patch.move)} moves"
    say(f"{counts} written to {output} (digest {patch.digest[:12]})", quiet)


@app.command()
def report(
    decisions: DecisionsArgument,
    scores: Annotated[
        bool, typer.Option("--scores/--no-scores", help="Score the baselines before and after.")
    ] = True,
    setting: Annotated[
        list[str], typer.Option("--setting", "-s", help="As in `cdec eval` (repeatable).")
    ] = ["all"],
    system: Annotated[
        list[str] | None, typer.Option("--system", help="A baseline, by id. Default: all.")
    ] = None,
    split: SplitOption = "test",
    corpus: CorpusOption = None,
    nlp: NlpOption = "hanta",
    format: FormatOption = "table",
    output: OutputOption = None,
    quiet: QuietOption = False,
) -> None:
    """Show what was decided, how far reviewers agree, and every score before and after.

    Several files: Cohen's κ of each two reviewers.

    \b
    cdec audit report decisions.json
    cdec audit report ann.json bob.json --no-scores
    """
    from cdec.answers import DEFAULT_POLICY, Response
    from cdec.api import part_of, prepare
    from cdec.audit.decisions import read_reviews, settled
    from cdec.audit.patch import make_patch
    from cdec.audit.rescoring import against, patched_corpus
    from cdec.baselines import LEARNING, SYSTEMS
    from cdec.cli.learning import taught
    from cdec.report import Results
    from cdec.report.audit import before_after_report, decisions_report

    reviews = read_reviews(decisions)
    said = decisions_report(reviews)
    if not scores:
        emit(said, format, output)
        return
    patch = make_patch(settled(reviews)[0], reviews)
    whole = read_corpus(corpus, "all", quiet)
    corrected = part_of(patched_corpus(whole, patch), split)
    part = part_of(whole, split)
    names = system or [name for name in SYSTEMS if name not in LEARNING]
    systems: list[Response] = [*taught(make_systems(names, nlp, quiet), corpus, split, part, quiet)]
    experiment, _ = prepare(
        part, systems, setting=setting, metrics=None, scorer="cdec", policy=DEFAULT_POLICY
    )
    after = Results(against(corrected, experiment).results())
    emit(before_after_report(Results(experiment.results()), after, said), format, output)


@app.command()
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
    cdec audit benchmark --plant detach --errors 300 --seeds 3
    """
    from cdec.audit.benchmark import benchmark as measure
    from cdec.audit.choice import Choice
    from cdec.audit.planted import KINDS
    from cdec.language import bar, silent
    from cdec.report.audit import benchmark_report
    from cdec.signature import Signature

    if seeds < 1:
        raise UsageError(f"--seeds is {seeds}", cure="1 or more")
    part = read_corpus(corpus, split, quiet)
    choice = Choice(pipeline=nlp)
    table = measure(
        part,
        choice,
        kinds=plant or list(KINDS),
        count=count,
        seeds=range(seeds),
        progress=silent if quiet else bar,
    )
    about = {"corpus": part.name, "digest": part.digest, "split": part.part}
    signature = Signature.of(**about, nlp=nlp, errors=count, seeds=seeds, **choice.about)
    emit(benchmark_report(table, signature), format, output)
