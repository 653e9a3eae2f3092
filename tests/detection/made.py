"""Made corpora for tests of detectors, and three made news texts."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from cdec.corpus import CORE, Corpus, Document, Row

NEWS = {
    "arrest": "Man arrested over warehouse fire\n\n"
    "Police in Larsund arrested a 41-year-old man on Tuesday. "
    "He is accused of setting the fire.\n",
    "council": "Council orders inquiry after Larsund fire\n\n"
    "The town council ordered an inquiry on Tuesday into the fire that killed no one but\n"
    "injured two workers. Police arrested a man after the blaze.\n",
    "harbour": "Fire destroys harbour warehouse\n\n"
    "A fire destroyed a warehouse in the harbour of Larsund on Monday night. "
    "Police said two workers were injured in the blaze.\n",
}
Spans = Iterable[tuple[int, ...]]


def news(folder: Path) -> Path:
    """Write the three texts to a new folder."""
    target = folder / "news"
    target.mkdir()
    for name, text in NEWS.items():
        (target / f"{name}.txt").write_text(text, "utf-8")
    return target


def made(
    documents: dict[str, list[str]],
    mentions: dict[str, Spans],
    *,
    kind: str = "event",
    reviewed: Iterable[tuple[str, int]] = (),
) -> Corpus:
    """Return a corpus: document → its sentences, document → tuples of token numbers.

    The topic of a document is the first letter of its name.
    """
    parsed = {
        name: Document(name, name[0], name[0], tuple(tuple(s.split()) for s in sentences))
        for name, sentences in documents.items()
    }
    rows = [
        (parsed[name], Row.from_tokens(parsed[name], str(number), tokens, str(number), kind=kind))
        for name, spans in mentions.items()
        for number, tokens in enumerate(spans)
    ]
    fields = [field for field in Row._fields if field != "attributes"]
    table = pd.DataFrame([row[: len(fields)] for _, row in rows], columns=fields).set_index("id")
    table["doc"] = [document.id for document, _ in rows]
    table["topic"] = table["subtopic"] = [document.topic for document, _ in rows]
    return Corpus(
        name="made",
        digest="0",
        documents=parsed,
        mentions=table[list(CORE)],
        kind=kind,
        reviewed=frozenset(reviewed),
    )


TRAIN = made(
    {
        "a1": ["A fire spread in town .", "Police said a man lit the fire ."],
        "a2": ["The fire burned a house .", "Rain fell ."],
        "b1": ["A quake shook the town .", "Police said a man fell ."],
        "b2": ["The quake burned no house .", "People said rain fell ."],
    },
    {
        "a1": [(1,), (2,), (7,), (10,), (12,)],
        "a2": [(1,), (2,), (7,)],
        "b1": [(1,), (2,), (7,), (10,)],
        "b2": [(1,), (2,), (7,), (9,)],
    },
)
DEV = made(
    {"c1": ["A fire burned the town .", "A man said rain fell ."]},
    {"c1": [(1,), (2,), (8,), (10,)]},
)
