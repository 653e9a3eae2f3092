"""Test-data leakage: a system must not be tuned on data that it is reported on."""

from __future__ import annotations

from cdec.corpus.model import Corpus
from cdec.corpus.splits import default_split, load_split, split_names
from cdec.errors import UsageError


def overlap_with_test(corpus: Corpus, split: str) -> str:
    """Return the reason why ``corpus``, the part ``split``, must not be used for tuning, or ''.

    The reason is a topic of the test part of its split. For a user-defined split the test part of
    the default split of the corpus counts as well.
    """
    topics = {document.topic for document in corpus.documents.values()}
    explicit = split.rpartition("/")[0]
    default = default_split(corpus)
    known = explicit in split_names()
    for name in dict.fromkeys([explicit or default] if known else [explicit or default, default]):
        shared = load_split(name).topics.get("test", frozenset()) & topics
        if shared:
            return f"{len(shared)} of its topics are in the test part of the split '{name}'"
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
