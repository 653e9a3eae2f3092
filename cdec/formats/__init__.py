"""Read and write key and response files; the format is detected from the content."""

from cdec.formats.annotation import Annotation, Layout, mention_table
from cdec.formats.records import from_frame, from_records
from cdec.formats.registry import FORMATS, Format, detect, read, write
from cdec.formats.spacy_docs import from_spacy
from cdec.formats.writers import from_corpus, from_meta_documents, to_records

__all__ = [
    "FORMATS",
    "Annotation",
    "Format",
    "Layout",
    "detect",
    "from_corpus",
    "from_frame",
    "from_meta_documents",
    "from_records",
    "from_spacy",
    "mention_table",
    "read",
    "to_records",
    "write",
]
