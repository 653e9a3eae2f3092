"""The interchange format: a corpus as JSON Lines, described in ``docs/interchange.md``."""

from cdec.corpus.adapter import Adapter, Inspection, Tick, stamped
from cdec.corpus.facts import facts
from cdec.corpus.interchange.reader import LAYOUT, build, is_interchange
from cdec.corpus.irregularities import irregularities
from cdec.corpus.source import Source
from cdec.errors import CorpusError

__all__ = ["ADAPTER"]


def inspect(source: Source, tick: Tick) -> Inspection:
    """Return defects and facts of the corpus; the first error ends the inspection."""
    try:
        corpus = build(source, source.path.name, tick)
    except CorpusError as error:
        return Inspection((error,))
    return Inspection((), tuple(irregularities(corpus)), facts(stamped(corpus, source)))


ADAPTER = Adapter(LAYOUT, sniff=is_interchange, build=build, inspect=inspect)
