"""Tags, lemmas and mention heads from a language pipeline.

Most callers need ``heads(corpus, name)`` only. The annotated documents are returned by
``cdec.language.annotate.annotate`` (which imports spaCy).
"""

from typing import TYPE_CHECKING, Any

from cdec.language.pipeline import PIPELINES, Pipeline, identity, pipeline, pipeline_names
from cdec.rooms import imported

if TYPE_CHECKING:
    from cdec.language.mention_heads import COLUMNS, heads

__all__ = [
    "COLUMNS",
    "PIPELINES",
    "Pipeline",
    "heads",
    "identity",
    "pipeline",
    "pipeline_names",
]


def __getattr__(name: str) -> Any:
    # The table of heads needs pandas, which the workers of a tagger do not import.
    if name not in ("COLUMNS", "heads"):
        raise AttributeError(f"module 'cdec.language' has no attribute '{name}'")
    return getattr(imported("cdec.language.mention_heads"), name)
