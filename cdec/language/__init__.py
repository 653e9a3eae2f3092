"""Tags, lemmas and mention heads by pipelines that the user names.

``heads(corpus, name)`` is what most callers need; the annotated documents themselves come from
``cdec.language.annotate.annotate`` (which imports spaCy).
"""

from cdec.language.heads import COLUMNS, heads
from cdec.language.pipeline import NAMES, PIPELINES, Pipeline, pipeline

__all__ = [
    "COLUMNS",
    "NAMES",
    "PIPELINES",
    "Pipeline",
    "heads",
    "pipeline",
]
