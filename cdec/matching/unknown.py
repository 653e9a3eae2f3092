"""Mentions of a response that the whole corpus does not have: their id, document or tokens.

A choice says what happens to them: ``error`` refuses the response, ``drop`` leaves them out, and
``twinless`` counts them as mentions that the response invented. A mention in a document of another
part of the corpus, and a span of a document that is no mention of the key, are none of them.
"""

from __future__ import annotations

import pandas as pd

from cdec.arrays import Bools, StrSeries
from cdec.corpus.model import Documents
from cdec.errors import EXAMPLES, Notice, ScoringError, counted, spelled
from cdec.formats.annotation import Annotation
from cdec.matching.names import mention_ids
from cdec.matching.notices import MENTION, said

NO_ID = "unknown id"
NO_DOCUMENT = "unknown document"
NO_TOKENS = "outside its document or sentence"
_TREATED = {"drop": "left out", "twinless": "twinless"}
_HINTS = {
    NO_ID: "use the mention ids of the corpus",
    NO_DOCUMENT: "use the document names of the corpus",
    NO_TOKENS: "count tokens from 0, in the document or in the sentence; end is the last token",
}


def check_unknown(
    response: Annotation, reasons: StrSeries, treatment: str, home: str
) -> list[Notice]:
    """Return a warning on the mentions that ``home`` does not have.

    ``reasons`` maps rows of the response to NO_ID, NO_DOCUMENT or NO_TOKENS, ``treatment`` is drop
    or twinless. Raises ScoringError with the place of the first for the treatment error.
    """
    if reasons.empty:
        return []
    reasons = reasons.sort_index()
    table = response.mentions.loc[reasons.index]
    names = mention_ids(table)
    if treatment != "error":
        places = map(response.place, table["line"].tolist())
        cases = [
            f"{name} at {place}" for name, place in zip(names, places, strict=True)
        ]
        return said(
            "mention-unknown",
            cases,
            MENTION,
            f"that {home} does not have: {_TREATED[treatment]}",
        )
    code = "mention-unknown"
    if (reasons == NO_TOKENS).all():
        code = "tokens-invalid"
    elif (reasons == NO_DOCUMENT).all() and len(reasons) == len(response.mentions):
        code = "mentions-disjoint"
    shown = [
        f"'{name}' ({reason})" for name, reason in zip(names, reasons, strict=True)
    ]
    number = counted(len(shown), f"{MENTION} is", f"{MENTION}s are")
    message = f"{number} not in {home}: {', '.join(shown[:EXAMPLES])}"
    if len(shown) > EXAMPLES:
        message += ", …"
    drop = spelled("unknown", "drop")
    twinless = spelled("unknown", "twinless")
    raise ScoringError(
        code,
        message,
        place=response.place(int(table["line"].iloc[0])),
        hint=f"{_HINTS[reasons.iloc[0]]}; or {drop} leaves them out, {twinless} counts them as "
        "wrong",
    )


def is_invented(mentions: pd.DataFrame, documents: Documents) -> Bools:
    """Return whether each mention has no tokens in its document, or no document of these."""
    sizes = mentions["doc"].map(
        {id_: len(one.tokens) for id_, one in documents.items()}
    )
    is_inside: Bools = ((mentions["start"] >= 0) & (mentions["end"] < sizes)).to_numpy()
    return ~is_inside
