"""Whether a corpus may be tuned on: what is reported on must not be chosen on."""

from __future__ import annotations

from cdec.corpus.model import Corpus
from cdec.corpus.splits import default_split, load_split, split_names
from cdec.errors import UsageError


def overlap_with_test(corpus: Corpus, split: str) -> str:
    """Return why ``corpus``, read as the part ``split``, must not be tuned on; '' if it may.

    It must not if it holds a topic of the test part of its split, by whatever name it goes. For a
    split of the user's own the test part of the corpus's own split counts too.
    """
    topics = {document.topic for document in corpus.documents.values()}
    named = split.rpartition("/")[0]
    own = default_split(corpus)
    looked_up = dict.fromkeys([named or own] if named in split_names() else [named or own, own])
    for name in looked_up:
        shared = load_split(name).topics.get("test", frozenset()) & topics
        if shared:
            return f"{len(shared)} of its topics are in the test part of the split '{name}'"
    return ""


def refuse_test(corpus: Corpus, split: str, known: bool) -> bool:
    """Return whether ``corpus`` holds test data; raise UsageError for it unless ``known``."""
    reason = overlap_with_test(corpus, split)
    if reason and not known:
        raise UsageError(
            f"tuning on '{corpus.part}': {reason}",
            hint="tune on train or dev; with --i-know every result will say tuned-on-test",
        )
    return bool(reason)
