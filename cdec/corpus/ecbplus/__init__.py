"""ECB+ (Cybulska & Vossen 2014): its XML, its file names, its list of reviewed sentences.

A file holds tokens, then markables, of which those with ``token_anchor`` children are mentions
and the others instances (the targets of relations), then relations from mentions to an instance.
"""

from cdec.corpus.adapter import Adapter
from cdec.corpus.ecbplus.assemble import build, inspect
from cdec.corpus.ecbplus.document import is_ecbplus, parse_file
from cdec.corpus.ecbplus.scheme import ARGUMENT_KINDS, LAYOUT

__all__ = ["ADAPTER", "parse_file"]

ADAPTER = Adapter(
    LAYOUT, sniff=is_ecbplus, build=build, argument_kinds=ARGUMENT_KINDS, inspect=inspect
)
