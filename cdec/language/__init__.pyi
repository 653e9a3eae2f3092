from .mention_heads import COLUMNS as COLUMNS
from .mention_heads import heads as heads
from .pipeline import PIPELINES as PIPELINES
from .pipeline import Pipeline as Pipeline
from .pipeline import identity as identity
from .pipeline import pipeline as pipeline
from .pipeline import pipeline_names as pipeline_names
