"""``cdec stats``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.inputs import read_corpus
from cdec.cli.options import CorpusOption, FormatOption, NlpOption, OutputOption, QuietOption
from cdec.cli.output import emit
from cdec.cli.progress import bar_unless

if TYPE_CHECKING:
    from cdec.corpus.model import Corpus
    from cdec.render import Page


def stats(
    split: Annotated[
        str | None,
        typer.Option("--split", help="Another split than the corpus's own: a name or TOML file."),
    ] = None,
    diversity: Annotated[
        bool,
        typer.Option(
            "--diversity",
            help="Instead: how varied and how ambiguous the words of the chains are, by part and "
            "topic.",
        ),
    ] = False,
    corpus: CorpusOption = None,
    nlp: NlpOption = "hanta",
    format: FormatOption = "table",
    output: OutputOption = None,
    quiet: QuietOption = False,
) -> None:
    """Print Table 1: documents, topics, mentions and chains, by annotation and by cluster size.

    On ECB+ under the YCF split the numbers printed in the paper stand beside ours.

    \b
    # Table 1
    cdec stats
    # Under a split of your own, for a program
    cdec stats --split my.toml --format csv
    # How varied the words of the chains are
    cdec stats --diversity
    """
    from cdec.corpus.splits import default_split, divided
    from cdec.corpus.statistics import statistics
    from cdec.reproduction.table1_view import statistics_page

    whole = read_corpus(corpus, "all", quiet)
    chosen = split or default_split(whole)
    parts = divided(whole, chosen)
    if diversity:
        report = _diversity(parts, whole, chosen, nlp, quiet)
    else:
        report = statistics_page(statistics(parts), whole, chosen)
    emit(report, format, output)


def _diversity(parts: dict[str, Corpus], whole: Corpus, split: str, nlp: str, quiet: bool) -> Page:
    from cdec.corpus.diversity import diversity
    from cdec.corpus.diversity_view import diversity_page
    from cdec.language import heads, pipeline

    shown = bar_unless(quiet)
    lemmas = {name: heads(part, nlp, shown)["lemma"] for name, part in parts.items()}
    return diversity_page(diversity(parts, lemmas), whole, split, pipeline(nlp).identity)
