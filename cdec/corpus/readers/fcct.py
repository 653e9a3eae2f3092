"""FCC-T (Bugert et al. 2021): the keys of its test part; the text is not public.

Two files give two readings of the key, from the same authors:

* eight columns with masked tokens (HyperCoref), 1,043 mentions on test;
* a mention in each line, ``document_sentence_start_end`` and its chain, 1,046 mentions.

With both in one folder, they are two variants of the key; a mention that only one reading has, or
puts in another chain, is in the state of that reading.

The topic is the tournament in the document id. The files have no sub-topics.
"""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from cdec.corpus.model import ANNOTATED, Corpus, Document, Variants
from cdec.corpus.readers.columns import (
    IN_EIGHT,
    MASKED,
    check,
    corpus_at,
    documents_of,
    eight_columns,
)
from cdec.corpus.source import CorpusFormat, Source, error
from cdec.formats.brackets import Span
from cdec.records import Row

MASKED_ONLY, SPANS_ONLY = "hypercoref-only", "bugert-only"
VARIANTS: Variants = {
    "hypercoref": {SPANS_ONLY: "drop"},
    "bugert": {MASKED_ONLY: "drop"},
}
_DOCUMENT = r"(?:football-tournaments_)?(?P<tournament>[a-z0-9_-]+)_d[0-9a-f]{8}"
_LINE = (
    r"^(?P<doc>.+)_(?P<sentence>\d{1,6})_(?P<start>\d{1,6})_(?P<end>\d{1,6})\s+"
    r"\((?P<chain>[^()|\s]+)\)\s*$"
)
_HEAD = rf"(?:#.*\n)*(?:[^\t\n]*\t[^\t\n]*\t)?{_DOCUMENT}(?:\t|_\d+_\d+_\d+\s)"
_LONGEST = (
    10_000  # tokens of a sentence and sentences of a document: more is a wrong number
)
_PLACE = ["doc", "start", "end"]
_MENTION = [*_PLACE, "chain"]


def read(source: Source) -> Corpus:
    """Return the corpus, with one reading of the key or both."""
    documents = {}
    masked: list[tuple[object, ...]] = []
    listed = {}
    for file, _ in source:
        if not source.begins(file, _HEAD):
            raise error(
                file,
                "corpus-invalid",
                1,
                "neither a key of FCC-T nor any other that begins with '#begin document'",
                "get the file again, or see docs/corpora.md for the formats",
            )
        if source.begins(file, IN_EIGHT):
            for document, spans in documents_of(file, eight_columns(source, file)):
                documents[document.id] = document
                masked += ((document.id, *span[:3]) for span in spans)
        else:
            listed[file] = _listed(source, file)
    if not documents:
        documents = _documents_of(pd.concat(listed.values()))
    starts = pd.DataFrame(
        [
            (document.id, sentence, start)
            for document in documents.values()
            for sentence, start in enumerate(document.sentence_starts)
        ],
        columns=["doc", "sentence", "first"],
    )
    spans_only = pd.DataFrame(columns=_MENTION)
    for file, table in listed.items():
        rows = table.merge(starts, how="left")
        check(
            file,
            rows,
            rows["first"].isna(),
            "the document '{doc}' has no sentence {sentence}",
        )
        rows[["start", "end"]] += rows[["first"]].to_numpy(int)
        spans_only = pd.concat([spans_only, rows[_MENTION]])
    masked_only = pd.DataFrame(masked, columns=_MENTION).drop_duplicates(
        _PLACE, keep="last"
    )
    if masked and listed:
        mentions = _merged(masked_only, spans_only)
        variants = VARIANTS
    else:
        mentions = pd.concat([masked_only, spans_only]).assign(state=ANNOTATED)
        variants = {"hypercoref" if masked else "bugert": {}}
    topics = (
        pd.Series(list(documents))
        .str.extract(f"^{_DOCUMENT}$")["tournament"]
        .fillna("")
    )
    mentions_of: dict[str, list[tuple[Span, Row]]] = {doc: [] for doc in documents}
    for doc, *span, state in mentions.sort_values(_MENTION).itertuples(index=False):
        mentions_of[doc].append((Span(*span), {"state": state}))
    placed = [
        (replace(document, topic=topic, subtopic=""), mentions_of[document.id])
        for document, topic in zip(documents.values(), topics, strict=True)
    ]
    return corpus_at(
        source,
        placed,
        levels={"topic": "tournament"},
        text="none",
        variants=variants,
        splits=("fcc-t",),
    )


def _documents_of(mentions: pd.DataFrame) -> dict[str, Document]:
    """Return the documents of mentions: without tokens, a sentence is as long as they require."""
    documents = {}
    for doc, rows in mentions.groupby("doc"):
        last = rows.groupby("sentence")["end"].max()
        sizes = (last.reindex(range(rows["sentence"].max() + 1)) + 1).fillna(0)
        text = tuple((MASKED,) * int(size) for size in sizes)
        documents[str(doc)] = Document(str(doc), "", "", text)
    return documents


def _listed(source: Source, file: str) -> pd.DataFrame:
    """Return the mentions of a file with one in each line: document, sentence, tokens, chain."""
    text = source.text(file).rstrip().split("\n")
    rows = pd.DataFrame({"line": range(1, len(text) + 1), "text": text})
    cut = (rows["line"] == len(text)) & ~rows["text"].str.startswith("#end document")
    check(
        file,
        rows,
        cut,
        "the file has no '#end document' at its end",
        code="conll-structure",
    )
    rows = rows[(rows["text"].str[:1] != "#") & (rows["text"].str.strip() != "")]
    rows = rows.join(rows["text"].str.extract(_LINE))
    check(
        file,
        rows,
        rows["doc"].isna(),
        "expected document_sentence_start_end and (chain)",
    )
    rows = rows.astype(dict.fromkeys(("sentence", "start", "end"), int))
    wrong = (rows["start"] > rows["end"]) | (
        rows[["sentence", "end"]].max(axis=1) > _LONGEST
    )
    check(
        file,
        rows,
        wrong,
        "tokens {start} to {end} of sentence {sentence}",
        code="tokens-invalid",
    )
    twice = rows.duplicated(["doc", "sentence", "start", "end"])
    check(file, rows, twice, "the mention {text} is repeated", code="mention-duplicate")
    return rows


def _merged(masked_only: pd.DataFrame, spans_only: pd.DataFrame) -> pd.DataFrame:
    """Return the mentions of both readings, each with its state.

    The readings number the chains differently: a chain of ``spans_only`` has the label of the chain
    of ``masked_only`` with most of its mentions, if no other has more of them.
    """
    shared = spans_only.merge(masked_only, on=_PLACE).value_counts(
        ["chain_x", "chain_y"]
    )
    labels: dict[str, str] = {}
    for chain, label in sorted(shared.index, key=lambda pair: (-shared[pair], pair)):
        if chain not in labels and label not in labels.values():
            labels[chain] = label
    renamed = spans_only["chain"].map(
        lambda chain: labels.get(chain, f"bugert-{chain}")
    )
    rows = pd.concat(
        [
            masked_only.assign(state=MASKED_ONLY),
            spans_only.assign(chain=renamed, state=SPANS_ONLY),
        ]
    )
    rows["state"] = rows["state"].mask(rows.duplicated(_MENTION, keep=False), ANNOTATED)
    return rows.drop_duplicates()


FORMAT = CorpusFormat(
    "fcc-t",
    "FCC-T",
    patterns=("*.conll", "*.conll.gz"),
    begins=_HEAD,
    read=read,
)
