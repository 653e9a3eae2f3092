"""The reading of one file: where it stands, for errors, and what it met that is odd."""

from __future__ import annotations

from dataclasses import dataclass, field

from lxml import etree

from cdec.corpus.parsed import Defect
from cdec.errors import CorpusError

_CURE = "mend this line, or get the corpus again"


@dataclass(frozen=True)
class Reading:
    """``file`` is what errors call the file, ``document`` the id of the document in it."""

    file: str
    document: str
    defects: list[Defect] = field(default_factory=list)

    def error(self, el: etree._Element, message: str, cure: str = _CURE) -> CorpusError:
        """Return the error for an element, placed at its line."""
        return CorpusError(message, place=f"{self.file}:{el.sourceline}", cure=cure)

    def get(self, el: etree._Element, attribute: str) -> str:
        """Return an attribute of an element. Raises CorpusError where it has none."""
        value = el.get(attribute)
        if value is None:
            raise self.error(el, f"<{el.tag}> has no {attribute}")
        return value

    def note(self, kind: str, local_id: str | None = None) -> None:
        """Add a defect of the document, or of the token or mention in it that is named."""
        item = self.document if local_id is None else f"{self.document}/{local_id}"
        self.defects.append(Defect(kind, item))
