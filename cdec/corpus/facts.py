"""The counts of `cdec corpus verify` for a corpus in any format but ECB+'s own."""

from __future__ import annotations

from cdec.corpus.model import ENTITY, EVENT, Corpus


def facts(corpus: Corpus) -> dict[str, int]:
    """Return fact → count, of the corpus and of each part that its files or its format define.

    A fact of a part is named ``fact (part)``; configs/corpora/kinds.toml describes each fact.
    ``chains`` are those of all annotated mentions, ``key-chains`` those of the default key.
    """
    from cdec.corpus.splits import divided  # noqa: PLC0415 (it asks for the adapters)

    counts = _counts(corpus)
    parts = divided(corpus)
    if len(parts) == 1 and "all" in parts:
        return counts
    each = {part: _counts(corpus.subset(sub.documents, part)) for part, sub in parts.items()}
    return counts | {
        f"{fact} ({part})": count
        for part, found in each.items()
        for fact, count in found.items()
        if fact in ("documents", "mentions", "chains", "key-mentions", "key-chains")
    }


def _counts(corpus: Corpus) -> dict[str, int]:
    documents, kinds = corpus.documents.values(), corpus.mentions["kind"]
    levels = {
        "topics": len({document.topic for document in documents}),
        "subtopics": len({(document.topic, document.subtopic) for document in documents}),
    }
    return {
        "documents": len(documents),
        **{f"{level}s": levels[f"{level}s"] for level in corpus.levels},
        "tokens": sum(len(document.tokens) for document in documents),
        "mentions": len(corpus.mentions),
        "event-mentions": int((kinds == EVENT).sum()),
        "entity-mentions": int((kinds == ENTITY).sum()),
        "chains": corpus.mentions["chain"].nunique(),
        "key-mentions": len(corpus.selected),
        "key-chains": corpus.selected["chain"].nunique(),
    }
