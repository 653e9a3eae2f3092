"""Reader for ECB+ (Cybulska & Vossen 2014): XML, file names, list of reviewed sentences.

A file contains tokens, then markables, then relations. A markable with ``token_anchor`` children
is a mention; any other is an instance, the target of relations. A relation links mentions to an
instance.
"""

from cdec.corpus.adapter import Adapter
from cdec.corpus.ecbplus.assemble import build, inspect
from cdec.corpus.ecbplus.document import is_ecbplus, parse_file
from cdec.corpus.ecbplus.scheme import ARGUMENT_KINDS, LAYOUT

__all__ = ["ADAPTER", "parse_file"]

ADAPTER = Adapter(
    LAYOUT,
    sniff=is_ecbplus,
    build=build,
    schema="2",
    splits=("ycf", "cybulska"),
    argument_kinds=ARGUMENT_KINDS,
    inspect=inspect,
)
