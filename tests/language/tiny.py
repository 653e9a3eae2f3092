"""Small corpora for tests, written as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from cdec.corpus import Corpus, Document
from cdec.corpus.model import COLUMNS

Mention = tuple[str, tuple[int, ...], str]  # document, tokens, chain
Row = tuple[str, *tuple[object, ...]]  # document, and the rest of COLUMNS


def corpus(
    texts: Mapping[str, Sequence[str]], mentions: Sequence[Mention], argument: str = ""
) -> Corpus:
    """Return a corpus of these documents (sentences split at blanks) and event mentions.

    ``argument`` is the id of a document whose first token becomes an argument mention.
    """
    documents = {id_: document(id_, text) for id_, text in texts.items()}
    rows = [_row(documents[doc], at, chain, "ACTION_OCCURRENCE") for doc, at, chain in mentions]
    if argument:
        rows.append(_row(documents[argument], (0,), "HUM1", "HUMAN_PART"))
    seen: dict[str, int] = {}
    ids = []
    for row in rows:
        seen[row[0]] = seen.get(row[0], 10) + 1
        ids.append(f"{row[0]}/{seen[row[0]]}")
    table = pd.DataFrame(rows, columns=list(COLUMNS), index=pd.Index(ids, dtype=str))
    table = table.rename_axis("mention").astype({"doc": str})
    order = sorted(ids, key=lambda id_: (list(texts).index(id_.split("/")[0]), table.start[id_]))
    return Corpus("tiny", "0" * 64, documents, table.loc[order])


def document(id_: str, sentences: Sequence[str]) -> Document:
    """Return the document; its topic is the part of its id before the first underscore."""
    topic = id_.split("_", maxsplit=1)[0]
    words = tuple(tuple(sentence.split(" ")) for sentence in sentences)
    return Document(id_, topic, f"{topic}_sub", words)


def _row(doc: Document, at: tuple[int, ...], chain: str, tag: str) -> Row:
    sentence = sum(start <= at[0] for start in doc.sentence_starts) - 1
    text = " ".join(doc.tokens[i] for i in at)
    place = (doc.id, doc.topic, doc.subtopic, sentence, at[0], at[-1], at, text)
    kind = "event" if tag.startswith("ACTION") else "entity"
    return (*place, kind, chain, "annotated", tag, "cross_doc", f"t_{chain}", True)
