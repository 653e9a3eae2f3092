"""Tags, lemmas and mention heads from a language pipeline, and the similarity of documents.

Most callers need ``cdec.language.heads.heads(corpus, name)`` only.
"""

from cdec.language.pipeline import PIPELINES, Pipeline, pipeline

__all__ = ["PIPELINES", "Pipeline", "pipeline"]
