"""The parts of a whole corpus under a split, by default the corpus's own."""

from __future__ import annotations

from cdec.corpus.known import known_corpora
from cdec.corpus.model import Corpus
from cdec.corpus.splits import load_split, select

_DEFAULT_SPLIT = "ycf"


def default_split(corpus: Corpus) -> str:
    """Return the name of the corpus's own split; that of ECB+ where it has none."""
    return {known.name: known.split for known in known_corpora()}.get(corpus.name, _DEFAULT_SPLIT)


def part_of(corpus: Corpus, split: str) -> Corpus:
    """Return the part of a whole corpus that ``split`` names, ``[SPLIT/]PART``."""
    named, _, part = split.rpartition("/")
    return select(corpus, part, load_split(named or default_split(corpus)))


def divided(corpus: Corpus, split: str | None = None) -> dict[str, Corpus]:
    """Return each part of a whole corpus under ``split`` (default: the corpus's own)."""
    chosen = load_split(split or default_split(corpus))
    return {part: select(corpus, part, chosen) for part in chosen.topics}
