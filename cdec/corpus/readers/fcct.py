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
from typing import Any

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

MASKED_ONLY, SPANS_ONLY = "hypercoref-only", "bugert-only"
VARIANTS: Variants = {"hypercoref": {SPANS_ONLY: "drop"}, "bugert": {MASKED_ONLY: "drop"}}
_DOCUMENT = r"(?:football-tournaments_)?(?P<tournament>[a-z0-9_-]+)_d[0-9a-f]{8}"
_LINE = r"^(?P<doc>.+)_(?P<sentence>\d{1,6})_(?P<start>\d{1,6})_(?P<end>\d{1,6})\s+"
_LINE += r"\((?P<chain>[^()|\s]+)\)\s*$"
_HEAD = rf"(?:#.*\n)*(?:[^\t\n]*\t[^\t\n]*\t)?{_DOCUMENT}(?:\t|_\d+_\d+_\d+\s)"
_LONGEST = 10_000  # tokens of a sentence and sentences of a document: more is a wrong number
_PLACE = ["doc", "start", "end"]
_MENTION = [*_PLACE, "chain"]


def read(source: Source) -> Corpus:
    """Return the corpus, with one reading of the key or both."""
    documents: dict[str, Document] = {}
    masked: list[tuple[Any, ...]] = []
    listed: dict[str, pd.DataFrame] = {}
    for file, _ in source:
        if not source.begins(file, _HEAD):
            message = "neither a key of FCC-T nor any other that begins with '#begin document'"
            hint = "get the file again, or see docs/corpora.md for the formats"
            raise error(file, "corpus-invalid", 1, message, hint)
        if source.begins(file, IN_EIGHT):
            for document, spans in documents_of(file, eight_columns(source, file)):
                documents[document.id] = document
                masked += ((document.id, *span[:3]) for span in spans)
        else:
            listed[file] = _listed(source, file)
    # Without tokens, a sentence is as long as its mentions require.
    for doc, own in pd.concat(listed.values()).groupby("doc") if not documents else ():
        sizes = own.groupby("sentence")["end"].max().reindex(range(own["sentence"].max() + 1)) + 1
        text = tuple((MASKED,) * int(size) for size in sizes.fillna(0))
        documents[str(doc)] = Document(str(doc), "", "", text)
    starts = [(d.id, *at) for d in documents.values() for at in enumerate(d.sentence_starts)]
    theirs = pd.DataFrame(columns=_MENTION)
    for file, found in listed.items():
        rows = found.merge(pd.DataFrame(starts, columns=["doc", "sentence", "first"]), how="left")
        check(file, rows, rows["first"].isna(), "the document '{doc}' has no sentence {sentence}")
        rows[["start", "end"]] += rows[["first"]].to_numpy(int)
        theirs = pd.concat([theirs, rows[_MENTION]])
    ours = pd.DataFrame(masked, columns=_MENTION).drop_duplicates(_PLACE, keep="last")
    both = bool(masked and listed)
    mentions = _merged(ours, theirs) if both else pd.concat([ours, theirs]).assign(state=ANNOTATED)
    topics = pd.Series(list(documents)).str.extract(f"^{_DOCUMENT}$")["tournament"].fillna("")
    inside: dict[str, list[tuple[Span, dict[str, Any]]]] = {doc: [] for doc in documents}
    for doc, *span, state in mentions.sort_values(_MENTION).itertuples(index=False):
        inside[doc].append((Span(*span), {"state": state}))
    texts = zip(documents.values(), topics, strict=True)
    return corpus_at(
        source,
        [(replace(text, topic=topic, subtopic=""), inside[text.id]) for text, topic in texts],
        levels={"topic": "tournament"},
        text="none",
        variants=VARIANTS if both else {"hypercoref" if masked else "bugert": {}},
        splits=("fcc-t",),
    )


def _listed(source: Source, file: str) -> pd.DataFrame:
    """Return the mentions of a file with one in each line: document, sentence, tokens, chain."""
    text = source.text(file).rstrip().split("\n")
    rows = pd.DataFrame({"line": range(1, len(text) + 1), "text": text})
    cut = (rows["line"] == len(text)) & ~rows["text"].str.startswith("#end document")
    check(file, rows, cut, "the file has no '#end document' at its end", code="conll-structure")
    rows = rows[(rows["text"].str[:1] != "#") & (rows["text"].str.strip() != "")]
    rows = rows.join(rows["text"].str.extract(_LINE))
    check(file, rows, rows["doc"].isna(), "expected document_sentence_start_end and (chain)")
    rows = rows.astype(dict.fromkeys(("sentence", "start", "end"), int))
    wrong = (rows["start"] > rows["end"]) | (rows[["sentence", "end"]].max(axis=1) > _LONGEST)
    message = "tokens {start} to {end} of sentence {sentence}"
    check(file, rows, wrong, message, code="tokens-invalid")
    twice = rows.duplicated(["doc", "sentence", "start", "end"])
    check(file, rows, twice, "the mention {text} is repeated", code="mention-duplicate")
    return rows


def _merged(ours: pd.DataFrame, theirs: pd.DataFrame) -> pd.DataFrame:
    """Return the mentions of both readings, each with its state.

    The readings number the chains differently: a chain of ``theirs`` has the label of the one of
    ``ours`` with most of its mentions, if no other has more of them.
    """
    shared = theirs.merge(ours, on=_PLACE).value_counts(["chain_x", "chain_y"])
    labels: dict[str, str] = {}
    for one, other in sorted(shared.index, key=lambda pair: (-shared[pair], pair)):
        if one not in labels and other not in labels.values():
            labels[one] = other
    named = theirs["chain"].map(lambda chain: labels.get(chain, f"bugert-{chain}"))
    rows = pd.concat([ours.assign(state=MASKED_ONLY), theirs.assign(chain=named, state=SPANS_ONLY)])
    rows["state"] = rows["state"].mask(rows.duplicated(_MENTION, keep=False), ANNOTATED)
    return rows.drop_duplicates()


FORMAT = CorpusFormat(
    "fcc-t",
    "FCC-T",
    patterns=("*.conll", "*.conll.gz"),
    begins=_HEAD,
    read=read,
)
