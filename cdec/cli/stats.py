"""``cdec corpus stats``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cdec.cli import options as o
from cdec.cli import scoring_options as s
from cdec.cli.option import Option
from cdec.cli.run import Run, command
from cdec.errors import one_of

if TYPE_CHECKING:
    from cdec.corpus.model import Corpus

_FILES = Option(
    "files",
    "[FILE]...",
    "Count in these annotation files (any format) instead of a corpus.",
    Path,
    many=True,
)
_DIVERSITY = Option(
    "--diversity",
    None,
    "Show lexical diversity and ambiguity of the chains instead, by part and topic.",
    bool,
    False,
)
_SINGLETONS = s.SINGLETONS.but(help="With FILE: count entities of one mention, or leave them out.")


@command(
    _FILES,
    o.SHOWN_SPLIT,
    _DIVERSITY,
    _SINGLETONS,
    *o.WHOLE_CORPUS,
    o.JOBS,
    *o.REPORT,
)
def stats(call: Run) -> None:
    """Count documents, topics, mentions and chains (Table 1), by annotation and cluster size.

    For ECB+ with the YCF split, the published values are shown as well.

    \b
    # Table 1
    cdec corpus stats
    # For a split of your own, as CSV
    cdec corpus stats --split my.toml --format csv
    # Lexical diversity of the chains
    cdec corpus stats --diversity
    # Documents, words, entities and mentions of key and response files
    cdec corpus stats key.conll response.conll --singletons drop
    """
    from cdec.corpus.splits import default_split, divided
    from cdec.corpus.statistics import statistics, statistics_page

    if call.files:
        return _show_files(call)
    whole = call.whole
    chosen = call.split or default_split(whole).name
    parts = divided(whole, chosen)
    if call.diversity:
        return _show_diversity(call, parts, chosen)
    return call.show(statistics_page(statistics(parts), whole, chosen))


def _show_diversity(call: Run, parts: dict[str, Corpus], split: str) -> None:
    from cdec.corpus.diversity import diversity, diversity_page
    from cdec.language.heads import heads
    from cdec.language.pipeline import identity

    lemmas = {name: heads(part, call.nlp, call.bar)["lemma"] for name, part in parts.items()}
    named = identity(call.nlp, call.whole)
    call.show(diversity_page(diversity(parts, lemmas), call.whole, split, named))


def _show_files(call: Run) -> None:
    """Show the counts of files. Raises UsageError for an option of a corpus."""
    from cdec.formats import read
    from cdec.formats.statistics import files_page, statistics
    from cdec.matching.policy import SINGLETONS

    drop = one_of("policy", call.singletons, SINGLETONS) == "drop"
    call.refuse(("split", "diversity", "corpus"), "FILE")
    counts = {}
    for number, file in enumerate(call.files, start=1):
        name = file.name if file.name not in counts else f"{file.name} ({number})"
        counts[name] = statistics(read(file), drop_singletons=drop)
    call.show(files_page(counts))
