"""Test-data leakage: a system must not be tuned on data that it is reported on."""

from __future__ import annotations

from cdec.corpus.model import Corpus
from cdec.corpus.splits import default_split, split_of
from cdec.errors import UsageError


def overlap_with_test(corpus: Corpus, split: str) -> str:
    """Return the reason why ``corpus``, the part ``split``, must not be used for tuning, or ''.

    The reason is a topic (or other unit) of the test part of its split. For a user-defined split
    the test part of the default split of the corpus counts as well.
    """
    explicit = split.rpartition("/")[0]
    chosen, default = split_of(corpus, explicit or None), default_split(corpus)
    named = {explicit or chosen.name: chosen}
    for name, known in (named if chosen.own else named | {default.name: default}).items():
        units = {known.unit_of(document) for document in corpus.documents.values()}
        shared = known.parts.get("test", frozenset()) & units
        if shared:
            many = f"{len(shared)} of its {known.unit}s are"
            return f"{many} in the test part of the split '{name}'"
    return ""


def refuse_test(corpus: Corpus, split: str, known: bool) -> bool:
    """Return whether ``corpus`` has test data; raises UsageError if so, unless ``known``."""
    reason = overlap_with_test(corpus, split)
    if reason and not known:
        raise UsageError(
            "tuning-on-test",
            f"cannot tune on '{corpus.part}': {reason}",
            hint="tune on train or dev; --i-know overrides this and marks every result",
        )
    return bool(reason)
