"""``cdec audit review``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.audit.options import ChoiceOptions, ShortListArgument
from cdec.cli.corpus_options import CorpusOptions
from cdec.cli.groups import grouped
from cdec.cli.run import Run
from cdec.cli.screen import ScreenOptions
from cdec.cli.targets import file_option
from cdec.errors import UsageError, counted

if TYPE_CHECKING:
    from cdec.audit.shortlist import ShortList


@grouped
def review(
    cases: ShortListArgument,
    *,
    output: Annotated[
        Path,
        file_option("File to write the page to.", "FILE.html", "an HTML page", ".html"),
    ] = Path("review.html"),
    ids: Annotated[
        str | None,
        typer.Option("--cases", metavar="ID,…", help="Only these cases, with commas between them."),
    ] = None,
    disputed: Annotated[
        tuple[Path, Path] | None,
        typer.Option(
            "--disputed",
            metavar="A B",
            help="Only cases on which these two decisions files disagree, with both verdicts; with "
            "--cases only those of them.",
        ),
    ] = None,
    choice: ChoiceOptions,
    corpus: CorpusOptions,
    screen: ScreenOptions,
) -> None:
    """Write the page on which reviewers judge the cases: one HTML file, no server, no network.

    \b
    # All cases in one page
    cdec audit review cases.jsonl -o review.html
    # The first hundred of one topic
    cdec audit review cases.jsonl --topic 5 --top 100 -o topic5.html
    # The cases on which two reviewers disagree
    cdec audit review cases.jsonl --disputed ann.json bob.json
    """
    from cdec.audit.review.decisions import disagreements, read_reviews
    from cdec.audit.review.page import to_page
    from cdec.audit.shortlist import read_shortlist
    from cdec.io.output import save

    shortlist, whole = read_shortlist(cases), choice.checked(Run(corpus, screen).whole)
    reviews = read_reviews(disputed) if disputed else ()
    if ids is not None:
        shortlist = shortlist.select(ids=_named(ids))
    if reviews:
        shortlist = shortlist.select(ids=disagreements(reviews, shortlist))
    chosen = _some(choice.select(shortlist), cases)
    save([to_page(chosen, whole, cases, reviews)], output)
    screen.say(f"{counted(len(chosen.cases), 'case')} written to {output}; it quotes the corpus")


def _named(ids: str) -> list[str]:
    return [id_ for part in ids.split(",") if (id_ := part.strip())] or [ids]


def _some(shortlist: ShortList, place: Path) -> ShortList:
    if not shortlist.cases:
        hint = "change the selection of cases"
        raise UsageError("case-none", "no case of the list is selected", place=place, hint=hint)
    return shortlist
