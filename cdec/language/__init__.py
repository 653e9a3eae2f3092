"""Tags, lemmas and mention heads from a language pipeline.

Most callers need ``heads(corpus, name)`` only. The annotated documents are returned by
``cdec.language.annotate.annotate`` (which imports spaCy).
"""

import lazy_loader

# Names that are also those of a module are imported at once, over it.
from cdec.language.pipeline import pipeline  # noqa: F401

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
