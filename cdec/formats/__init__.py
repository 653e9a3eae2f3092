"""Read and write key and response files; the format is detected from the content."""

from cdec.formats.annotation import Annotation, Layout, mention_table
from cdec.formats.export import from_corpus, from_meta_documents
from cdec.formats.registry import FORMATS, Format, detect, parse_source, read, write
from cdec.formats.table import from_frame

__all__ = [
    "FORMATS",
    "Annotation",
    "Format",
    "Layout",
    "detect",
    "from_corpus",
    "from_frame",
    "from_meta_documents",
    "mention_table",
    "parse_source",
    "read",
    "write",
]
