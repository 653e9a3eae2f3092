"""The interchange format: a corpus as JSON Lines, described in ``docs/interchange.md``."""

from cdec.corpus.adapter import Adapter
from cdec.corpus.interchange.reader import LAYOUT, build, is_interchange

__all__ = ["ADAPTER"]

ADAPTER = Adapter(LAYOUT, sniff=is_interchange, build=build)
