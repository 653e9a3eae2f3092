"""Compare what a response file declares with what it contains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cdec.arrays import found
from cdec.errors import ScoringError, counted
from cdec.matching.coverage import Matched
from cdec.notices import Notice
from cdec.settings.setting import key_singletons

_GOLD = "gold"


def check_declared(declared: Mapping[str, Any], matched: Matched, place: object) -> None:
    """Raise ScoringError if the response contradicts a declaration of gold information.

    * mentions: a response mention is not in the key;
    * sentences: a response mention is outside the annotated sentences;
    * topics: a chain has mentions of two topics;
    * singletons: a singleton of the key is in a longer chain.

    Gold pairs, and predicted information, cannot be contradicted by the file.
    """
    gold = {name for name, value in declared.items() if value == _GOLD}
    for name, contrary in _contradictions(matched) if gold else ():
        if name in gold:
            message = f"the file declares gold {name}, but {contrary}"
            hint = "correct the declaration, or the file"
            raise ScoringError("declaration-invalid", message, place=place, hint=hint)


def _contradictions(matched: Matched) -> Iterator[tuple[str, str]]:
    """Yield name → description of what is not gold in the response."""
    key, response = matched.key.labels, matched.response.labels
    twinless = ~found(response.index, key.index)
    if twinless.any():
        yield "mentions", f"{_are(int(twinless.sum()))} not in the key"
    outside = [notice for notice in matched.notices if notice.code == "outside-region"]
    yield from (("sentences", _outside(notice)) for notice in outside)
    if "topic" in matched.mentions:
        topics = matched.mentions["topic"].reindex(response.index)
        several = int(topics.groupby(response.to_numpy()).nunique().gt(1).sum())
        if several:
            yield "topics", f"{counted(several, 'chain has', 'chains have')} mentions of two topics"
    alone = key_singletons(matched.mentions, key).reindex(response.index, fill_value=False)
    linked = alone & (response.map(response.value_counts()) > 1)
    if linked.any():
        number = int(linked.sum())
        what = counted(number, "singleton of the key is", "singletons of the key are")
        yield "singletons", f"{what} in a chain of two or more mentions"


def _are(number: int) -> str:
    return counted(number, "mention is", "mentions are")


def _outside(notice: Notice) -> str:
    return f"{_are(notice.count)} outside the annotated sentences"
