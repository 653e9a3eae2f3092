"""One ECB+ document: XML bytes → Document, mention rows and the defects that were met.

The format (Cybulska & Vossen 2014, CAT and CROMER exports): tokens, then markables, of which
those with ``token_anchor`` children are mentions and the others instances (the targets of
relations), then relations from mentions to an instance.
"""

from cdec.corpus.ecbplus.document import parse_file

__all__ = ["parse_file"]
