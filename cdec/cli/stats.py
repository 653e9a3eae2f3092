"""``cdec stats``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.corpus_options import CorpusOptions, split_option
from cdec.cli.groups import grouped
from cdec.cli.options import NlpOption
from cdec.cli.run import Run
from cdec.cli.targets import OutputOptions

if TYPE_CHECKING:
    from cdec.corpus.model import Corpus
    from cdec.io.progress import Progress
    from cdec.render import Page


@grouped
def stats(
    *,
    split: Annotated[
        str | None,
        split_option("Show the parts of this split"),
    ] = None,
    diversity: Annotated[
        bool,
        typer.Option(
            "--diversity",
            help="Show lexical diversity and ambiguity of the chains instead, by part and topic.",
        ),
    ] = False,
    nlp: NlpOption = "hanta",
    corpus: CorpusOptions,
    output: OutputOptions,
) -> None:
    """Count documents, topics, mentions and chains (Table 1), by annotation and cluster size.

    For ECB+ with the YCF split, the published values are shown as well.

    \b
    # Table 1
    cdec stats
    # For a split of your own, as CSV
    cdec stats --split my.toml --format csv
    # Lexical diversity of the chains
    cdec stats --diversity
    """
    from cdec.corpus.splits import default_split, divided
    from cdec.corpus.statistics import statistics
    from cdec.reproduction.table1_view import statistics_page

    whole = Run(corpus, output).whole
    chosen = split or default_split(whole).name
    parts = divided(whole, chosen)
    if diversity:
        output.show(_diversity(parts, whole, chosen, nlp, output.bar))
    else:
        output.show(statistics_page(statistics(parts), whole, chosen))


def _diversity(
    parts: dict[str, Corpus], whole: Corpus, split: str, nlp: str, bar: Progress
) -> Page:
    from cdec.corpus.diversity import diversity
    from cdec.corpus.diversity_view import diversity_page
    from cdec.language import heads, pipeline

    lemmas = {name: heads(part, nlp, bar)["lemma"] for name, part in parts.items()}
    return diversity_page(diversity(parts, lemmas), whole, split, pipeline(nlp).identity)
