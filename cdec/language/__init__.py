"""Tags, lemmas and mention heads from a language pipeline.

Most callers need ``heads(corpus, name)`` only. The annotated documents are returned by
``cdec.language.annotate.annotate`` (which imports spaCy).
"""

from cdec.language.heads import COLUMNS, heads
from cdec.language.pipeline import PIPELINES, Pipeline, identity, pipeline, pipeline_names

__all__ = [
    "COLUMNS",
    "PIPELINES",
    "Pipeline",
    "heads",
    "identity",
    "pipeline",
    "pipeline_names",
]
