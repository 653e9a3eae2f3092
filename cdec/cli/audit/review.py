"""``cdec audit review``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cdec.cli.audit.options import (
    KindOption,
    ShortListArgument,
    TopicOption,
    TopOption,
    check_topics,
)
from cdec.cli.inputs import read_corpus
from cdec.cli.options import CorpusOption, QuietOption, writable
from cdec.cli.output import say
from cdec.wording import counted


def review(
    cases: ShortListArgument,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE.html", callback=writable, help="The page to write."
        ),
    ] = Path("review.html"),
    corpus: CorpusOption = None,
    kind: KindOption = None,
    topic: TopicOption = None,
    top: TopOption = None,
    quiet: QuietOption = False,
) -> None:
    """Make the page on which people judge the cases: one HTML file, no server, no network.

    \b
    # All cases in one page
    cdec audit review cases.jsonl -o review.html
    # The first hundred of one topic
    cdec audit review cases.jsonl --topic 5 --top 100 -o topic5.html
    """
    from cdec.audit.review.page import to_page
    from cdec.audit.shortlist import read_shortlist
    from cdec.io.output import save

    found = read_shortlist(cases)
    whole = read_corpus(corpus, "all", quiet)
    check_topics(whole, topic)
    chosen = found.select(kinds=kind or (), topics=topic or (), top=top)
    save([to_page(chosen, whole, cases)], output)
    say(f"{counted(len(chosen.cases), 'case')} to judge in {output}; it quotes the corpus", quiet)
