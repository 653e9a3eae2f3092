"""A corpus in the files of a tool: each file is a document, or has several."""

from __future__ import annotations

from cdec.corpus.readers.documents import corpus_of
from cdec.corpus.source import CorpusFormat
from cdec.tools.formats import PATTERNS


def _anywhere(pattern: str) -> str:
    """Return a pattern that can be one of several: its flag is in its groups."""
    inner = pattern.removeprefix("(?s)").replace(".*", "(?s:.*)")
    return f"(?:{inner})"


FORMAT = CorpusFormat(
    "tools",
    "files of toolkits and annotation tools",
    patterns=(
        *("*.json", "*.jsonl", "*.conllu", "*.tsv", "*.xmi", "*.entities"),
        *("*/*.tsv", "*/*.xmi", "*/*.json"),
    ),
    begins="|".join(map(_anywhere, PATTERNS.values())),
    read=corpus_of,
)
