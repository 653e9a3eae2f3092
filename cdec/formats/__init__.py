"""Keys and responses in and out: formats, matching of two files or of a file and the corpus."""

from cdec.formats.annotation import Annotation, Layout, mention_table
from cdec.formats.corpus_matching import match_corpus
from cdec.formats.export import from_corpus, from_meta_documents
from cdec.formats.matching import Matched, match_files, with_coverage
from cdec.formats.notices import KINDS, Notice
from cdec.formats.registry import FORMATS, Format, detect, parse_source, read, write
from cdec.formats.repeats import POLICIES
from cdec.formats.saving import save, save_bytes

__all__ = [
    "FORMATS",
    "KINDS",
    "POLICIES",
    "Annotation",
    "Format",
    "Layout",
    "Matched",
    "Notice",
    "detect",
    "from_corpus",
    "from_meta_documents",
    "match_corpus",
    "match_files",
    "mention_table",
    "parse_source",
    "read",
    "save",
    "save_bytes",
    "with_coverage",
    "write",
]
