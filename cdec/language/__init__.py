"""Tags, lemmas and mention heads from a language pipeline.

Most callers need ``heads(corpus, name)`` only. The annotated documents are returned by
``cdec.language.annotate.annotate`` (which imports spaCy).
"""

from cdec.language.pipeline import PIPELINES, pipeline

__all__ = ["PIPELINES", "pipeline"]
