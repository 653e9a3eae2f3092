"""``cdec stats``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli.completion import choice
from cdec.cli.corpus_options import CorpusOptions, split_option
from cdec.cli.groups import grouped
from cdec.cli.options import NlpOption, options_in_call
from cdec.cli.run import Run
from cdec.cli.targets import OutputOptions
from cdec.cli.workers import WorkOptions
from cdec.errors import UsageError, one_of

if TYPE_CHECKING:
    from cdec.corpus.model import Corpus
    from cdec.io.progress import Progress
    from cdec.render import Page


@grouped
def stats(
    ctx: typer.Context,
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FILE]...",
            help="Count in these annotation files (any format) instead of a corpus.",
            show_default=False,
        ),
    ] = None,
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
    singletons: Annotated[
        str,
        typer.Option(
            "--singletons",
            metavar="keep|drop",
            autocompletion=choice("keep", "drop"),
            help="With FILE: count entities of one mention, or leave them out.",
        ),
    ] = "keep",
    nlp: NlpOption = "hanta",
    corpus: CorpusOptions,
    work: WorkOptions,
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
    # Documents, words, entities and mentions of key and response files
    cdec stats key.conll response.conll --singletons drop
    """
    if files:
        _check_files(ctx, singletons)
        output.show(_of_files(files, singletons == "drop"))
        return
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


def _check_files(ctx: typer.Context, singletons: str) -> None:
    """Raise UsageError for an option of a corpus together with files."""
    from cdec.matching.policy import SINGLETONS

    one_of("policy", singletons, SINGLETONS)
    for option in options_in_call(ctx, ("split", "diversity", "nlp", "corpus")):
        message = f"{option} cannot be combined with FILE"
        raise UsageError("option-conflict", message, hint=f"drop {option}, or FILE")


def _of_files(files: list[Path], drop: bool) -> Page:
    from cdec.formats import read
    from cdec.formats.statistics import statistics
    from cdec.formats.statistics_view import files_page

    counts = {}
    for number, file in enumerate(files, start=1):
        name = file.name if file.name not in counts else f"{file.name} ({number})"
        counts[name] = statistics(read(file), drop_singletons=drop)
    return files_page(counts)


def _diversity(
    parts: dict[str, Corpus], whole: Corpus, split: str, nlp: str, bar: Progress
) -> Page:
    from cdec.corpus.diversity import diversity
    from cdec.corpus.diversity_view import diversity_page
    from cdec.language import heads, identity

    lemmas = {name: heads(part, nlp, bar)["lemma"] for name, part in parts.items()}
    return diversity_page(diversity(parts, lemmas), whole, split, identity(nlp, whole))
