"""The errors of a system: links by kind, edits of chains, strata, and the worst chains."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
