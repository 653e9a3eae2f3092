"""Corpora: their data model, their formats, splits, where copies live, the sample."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
