"""The words of mentions that were matched by place alone."""

from __future__ import annotations

import pandas as pd

from cdec.formats import Annotation
from cdec.matching.view import by_block, by_document


def with_texts(mentions: pd.DataFrame, key: Annotation) -> pd.DataFrame:
    """Return the mentions with a column ``text``, '' where the key file has no text.

    ``mentions`` are those of ``match_files``, in the coordinates of the key: inside documents,
    or inside blocks where two CoNLL files were compared block by block.
    """
    view = by_document(key)
    if not mentions["doc"].isin(list(view.texts)).all():
        view = by_block(key)
    columns = (mentions[name] for name in ("doc", "start", "end", "tokens"))
    texts = [
        _text(view.texts[doc], start, tokens or range(start, end + 1))
        for doc, start, end, tokens in zip(*columns, strict=True)
    ]
    return mentions.assign(text=pd.Series(texts, index=mentions.index, dtype=object))


def _text(words: tuple[str, ...] | None, start: int, tokens: range | tuple[int, ...]) -> str:
    # −1: the file names the mention by an id and does not say where it stands.
    return " ".join(words[k] for k in tokens) if words is not None and start >= 0 else ""
