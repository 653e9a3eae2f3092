"""Documents of which the text around the mentions is known only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cdec.corpus.model import Document
from cdec.corpus.reading import HINT, Content
from cdec.corpus.rows import Row
from cdec.errors import CorpusError


@dataclass
class Excerpts:
    """A document whose sentences are the distinct contexts of its mentions, in their order.

    ``file`` is for messages.
    """

    file: str
    id: str
    topic: str = ""
    subtopic: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)
    contexts: dict[tuple[str, ...], int] = field(default_factory=dict)
    mentions: list[tuple[str, tuple[str, ...], Sequence[int], str, Mapping[str, Any]]] = field(
        default_factory=list
    )

    def add(
        self, name: str, context: Sequence[str], tokens: Sequence[int], chain: str, **more: Any
    ) -> None:
        """Add a mention at ``tokens``, which count from 0 in its context."""
        text = tuple(context)
        if not tokens or min(tokens) < 0 or max(tokens) >= len(text):
            message = f"tokens {list(tokens)[:5]} are not in the context of the mention"
            place = f"{self.file}: {self.id}/{name}"
            raise CorpusError("corpus-record-invalid", message, place=place, hint=HINT)
        self.contexts.setdefault(text, sum(map(len, self.contexts)))
        self.mentions.append((name, text, tokens, chain, more))

    def close(self, content: Content) -> None:
        """Add the document and its mentions to ``content``."""
        document = Document(
            self.id, self.topic, self.subtopic, tuple(self.contexts), attributes=self.attributes
        )
        rows = [
            Row.from_tokens(
                document, name, (self.contexts[text] + t for t in tokens), chain, **more
            )
            for name, text, tokens, chain, more in self.mentions
        ]
        content.append(document, rows)
