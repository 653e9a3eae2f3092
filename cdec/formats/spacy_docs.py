"""The chains of spaCy documents, as plug-ins of spaCy leave them.

====================  ============================================================================
spacy-experimental    ``doc.spans["coref_clusters_1"]``, …: the mentions of a chain
coreferee             ``doc._.coref_chains``: chains of mentions with ``token_indexes``
fastcoref             ``doc._.coref_clusters``: chains of characters, the first and the one after
                      the last
====================  ============================================================================
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from cdec.errors import FormatError
from cdec.files.input import TextFile
from cdec.formats import documents
from cdec.formats.annotation import Annotation
from cdec.records import Row

_NAMED = "spaCy documents"
_GROUP = "coref_clusters"


def from_spacy(docs: Iterable[Any], names: Iterable[str] | None = None) -> Annotation:
    """Return the chains of spaCy documents, as a key or a response of ``score`` and ``evaluate``.

    ``names`` are those of the documents, by default numbers from 0. Chains end with their document.
    Raises FormatError for documents of which none has a chain.

    >>> import spacy
    >>> doc = spacy.blank("en")("A storm hit. It ended.")
    >>> doc.spans["coref_clusters_1"] = [doc[0:2], doc[4:5]]
    >>> from_spacy([doc], ["d"]).mentions[["doc", "start", "end", "chain"]].values.tolist()
    [['d', 0, 1, 'd/0'], ['d', 4, 4, 'd/0']]
    """
    records = []
    for doc in docs:
        sentences = [doc]
        if doc.has_annotation("SENT_START"):
            sentences = doc.sents
        words = [[token.text for token in sentence] for sentence in sentences]
        records.append({"sentences": words, "clusters": _clusters(doc)})
    if not any(record["clusters"] for record in records):
        raise FormatError(
            "field-invalid",
            "no document has chains: neither doc.spans['coref_clusters_…'], nor coref_chains, nor "
            "coref_clusters",
            place=_NAMED,
            hint="run the component that finds chains",
        )
    named: list[Row] = [*records]
    if names is not None:
        pairs = zip(records, names, strict=True)
        named = [{"doc_key": name, **record} for record, name in pairs]
    annotation = documents.of_records(
        TextFile(_NAMED, ""), [(0, record) for record in named]
    )
    return replace(annotation, format="documents")


def _clusters(doc: Any) -> list[list[list[int]]]:
    """Return the chains of a document, whose mentions are their first and last word."""
    chains = []
    for name, spans in doc.spans.items():
        if name.startswith(_GROUP):
            chains.append([[span.start, span.end - 1] for span in spans])
    if doc.has_extension("coref_chains") and doc._.coref_chains:
        for chain in doc._.coref_chains:
            indexes = [sorted(mention.token_indexes) for mention in chain]
            chains.append([[numbers[0], numbers[-1]] for numbers in indexes])
    if doc.has_extension("coref_clusters") and doc._.coref_clusters:
        for places in doc._.coref_clusters:
            spans = [
                doc.char_span(begin, end, alignment_mode="expand")
                for begin, end in places
            ]
            chains.append([[span.start, span.end - 1] for span in spans])
    return chains
