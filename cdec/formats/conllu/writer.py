"""Write an annotation as CoNLL-U with ``Entity=``: over its own trees, or over bare words."""

from __future__ import annotations

from collections.abc import Iterator

from cdec.formats.annotation import Annotation


def write(annotation: Annotation) -> Iterator[str]:
    """Yield the file."""
    yield ""
