"""Tuning of the systems with a threshold δ, by grid search."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
