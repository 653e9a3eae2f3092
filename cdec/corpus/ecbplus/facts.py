"""The counts of `cdec corpus verify`, by which a corpus is recognised."""

from __future__ import annotations

from collections.abc import Iterable

from cdec.corpus.ecbplus.scheme import ADDED_HALF
from cdec.corpus.model import Corpus, Document
from cdec.corpus.source import Source


def facts(corpus: Corpus, source: Source, reviewed: int) -> dict[str, int]:
    """Return fact → count; configs/corpora/kinds.toml describes each fact.

    ``reviewed`` is the number of sentences in the list of fully reviewed ones.
    """
    documents = corpus.documents.values()
    return {
        **_of_documents(documents),
        "non-ascii-files": sum(not data.isascii() for data in source.files.values()),
        **_of_mentions(corpus),
        **_of_chains(corpus),
        "reviewed-sentences": reviewed,
        "reviewed-event-mentions": int(corpus.selected["reviewed"].sum()),
    }


def _of_documents(documents: Iterable[Document]) -> dict[str, int]:
    listed = list(documents)
    topics = {document.topic for document in listed}
    return {
        "documents": len(listed),
        "topics": len(topics),
        "unused-topic-numbers": _unused(topics),
        "subtopics": len({(document.topic, document.subtopic) for document in listed}),
        "added-documents": sum(document.id.endswith(ADDED_HALF) for document in listed),
    }


def _unused(topics: set[str]) -> int:
    numbers = {int(topic) for topic in topics if topic.isdecimal()}
    return max(numbers) - min(numbers) + 1 - len(numbers) if numbers else 0


def _of_mentions(corpus: Corpus) -> dict[str, int]:
    tags = corpus.mentions["tag"].astype(str)
    return {
        "mentions": len(corpus.mentions),
        "event-mentions": len(corpus.selected),
        "location-mentions": int(tags.str.startswith("LOC_").sum()),
        "time-mentions": int(tags.str.startswith("TIME_").sum()),
        "human-mentions": int(tags.str.startswith("HUMAN_").sum()),
        "non-human-mentions": int(tags.str.startswith("NON_HUMAN_").sum()),
        "multi-token-event-mentions": int((corpus.selected["tokens"].map(len) > 1).sum()),
    }


def _of_chains(corpus: Corpus) -> dict[str, int]:
    chains = corpus.mentions.groupby("relation")["chain"].nunique()
    clusters = corpus.selected.groupby("chain")[["topic", "subtopic"]].nunique()
    instances = corpus.selected.query("relation == 'cross_doc'").groupby("chain").size()
    return {
        "cross-document-instances": int(chains.get("cross_doc", 0)),
        "intra-document-chains": int(chains.get("intra_doc", 0)),
        "one-event-instances": int((instances == 1).sum()),
        "clusters-across-subtopics": int((clusters["subtopic"] > 1).sum()),
        "clusters-across-topics": int((clusters["topic"] > 1).sum()),
    }
