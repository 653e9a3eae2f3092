"""Tags, lemmas and mention heads by pipelines that the user names.

``heads(corpus, name)`` is what most callers need; the annotated documents themselves come from
``cdec.language.annotate.annotate`` (which imports spaCy).
"""

from cdec.language.heads import COLUMNS, heads
from cdec.language.pipeline import PIPELINES, Pipeline, pipeline, pipeline_names

__all__ = [
    "COLUMNS",
    "PIPELINES",
    "Pipeline",
    "heads",
    "pipeline",
    "pipeline_names",
]
