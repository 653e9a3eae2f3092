"""Chains as span groups of spaCy Docs, and DocBin files of such Docs.

A group ``coref_clusters_1``, ``coref_clusters_2``, … of ``doc.spans`` is a chain of one document,
as the coreference component of spaCy writes them. Across documents, groups with the same
``attrs["chain"]`` are one chain. A span has no gap: the tokens of mentions with gaps are in
``attrs["tokens"]``, one list for each span of the group.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.errors import FormatError, ScoringError, UsageError
from cdec.evaluation.experiment import check_corpus
from cdec.evaluation.response import Chains
from cdec.io.output import save_bytes
from cdec.labels import Noise
from cdec.language.annotate import to_doc

PREFIX = "coref_clusters"
NAME = "doc"  # the key of a document's name in Doc.user_data


def to_docs(
    corpus: Corpus, chains: Chains | None = None, *, noise: Noise | None = None
) -> dict[str, Doc]:
    """Return document id → Doc with the tokens of ``corpus`` and its chains as span groups.

    ``chains``: of a response, a Clustering, Series or dict mention id → chain label; by
    default the key; ``noise`` is the meaning of a label such as −1, see ``cdec.evaluate``.
    The Docs have sentence starts, and no other annotation. Raises
    UsageError for an argument of another type, ScoringError for a mention that is not in the corpus
    and as ``Clustering`` does.

    >>> from cdec import load_corpus
    >>> doc = to_docs(load_corpus("sample", "test"))["4_1ecb"]
    >>> group = doc.spans["coref_clusters_1"]
    >>> group.attrs["chain"], [span.text for span in group]
    ('ACT21638532604329832', ['earthquake', 'struck', 'quake'])
    """
    check_corpus(corpus)
    labels = (corpus.gold if chains is None else Clustering.from_labels(chains, noise)).labels
    _check_known(corpus, labels.index)
    table = corpus.mentions.loc[labels.index, ["doc", "start", "end", "tokens"]]
    table["chain"] = labels.map(str)
    vocab = Vocab()
    docs = {id_: to_doc(vocab, document.sentences) for id_, document in corpus.documents.items()}
    for id_, doc in docs.items():
        doc.user_data[NAME] = id_
    for home, mentions in table.groupby("doc", sort=False):
        for number, (chain, rows) in enumerate(mentions.groupby("chain", sort=False), start=1):
            _add_group(docs[str(home)], f"{PREFIX}_{number}", str(chain), rows)
    return docs


def to_frame(
    docs: Mapping[str, Doc] | Iterable[Doc], *, prefix: str = PREFIX, across: bool = False
) -> pd.DataFrame:
    """Return the chains of Docs as a response for ``cdec.evaluate``.

    The columns are ``doc``, ``start``, ``end`` (included), ``tokens`` and ``chain``. Read are the
    groups whose key starts with ``prefix``. Chains of different documents are different unless
    their groups have the same ``attrs["chain"]``, or, with ``across``, the same key. Without a
    mapping from name to Doc, the name is ``doc.user_data["doc"]``. Raises UsageError for a Doc
    without name, two of one name, or what is not several Docs.

    >>> doc = Doc(Vocab(), words=["Fire", "spread", ",", "it", "burned"])
    >>> doc.spans["coref_clusters_1"] = [doc[0:1], doc[3:4]]
    >>> to_frame({"d": doc})[["start", "end", "chain"]].values.tolist()
    [[0, 0, 'd#coref_clusters_1'], [3, 3, 'd#coref_clusters_1']]
    """
    named = _named(docs)
    rows = [row for name, doc in named.items() for row in _rows(name, doc, prefix, across)]
    return pd.DataFrame(rows, columns=["doc", "start", "end", "tokens", "chain"])


def write_docbin(path: str | Path, docs: Mapping[str, Doc] | Iterable[Doc]) -> None:
    """Write Docs with their span groups and names to a DocBin file.

    Raises FormatError, and UsageError as ``to_frame`` does.
    """
    named = _named(docs)
    for name, doc in named.items():
        doc.user_data[NAME] = name
    save_bytes(DocBin(store_user_data=True, docs=named.values()).to_bytes(), Path(path))


def read_docbin(path: str | Path, vocab: Vocab | None = None) -> dict[str, Doc]:
    """Return name → Doc of a DocBin file whose Docs have names. Raises FormatError, UsageError."""
    try:
        docs = list(DocBin(store_user_data=True).from_disk(path).get_docs(vocab or Vocab()))
    except Exception as error:
        # spaCy raises what its parsers of zlib and msgpack raise.
        message = f"not a DocBin file: {type(error).__name__}"
        hint = "write one with cdec.integrations.spacy.write_docbin"
        raise FormatError("file-invalid", message, place=path, hint=hint) from error
    return _named(docs)


def _add_group(doc: Doc, key: str, chain: str, rows: pd.DataFrame) -> None:
    doc.spans[key] = [doc[s : e + 1] for s, e in zip(rows["start"], rows["end"], strict=True)]
    attrs: dict[str, Any] = {"chain": chain}
    if (rows["tokens"].map(len) <= rows["end"] - rows["start"]).any():
        attrs["tokens"] = [list(map(int, tokens)) for tokens in rows["tokens"]]
    doc.spans[key].attrs = attrs


def _check_known(corpus: Corpus, mentions: pd.Index[Any]) -> None:
    unknown = mentions[~mentions.isin(corpus.mentions.index)]
    if len(unknown):
        message = f"mention '{unknown[0]}' is not in the corpus"
        hint = "give the chains of this corpus and part"
        raise ScoringError("mention-unknown", message, place=corpus.name, hint=hint)


def _named(docs: Mapping[str, Doc] | Iterable[Doc]) -> dict[str, Doc]:
    """Return name → Doc. Raises UsageError as ``to_frame`` does."""
    if isinstance(docs, Mapping):
        return {name: _checked(doc) for name, doc in docs.items()}
    named: dict[str, Doc] = {}
    for number, doc in enumerate(_several(docs)):
        name = doc.user_data.get(NAME)
        if not isinstance(name, str) or name in named:
            problem = "has no name" if not isinstance(name, str) else f"is a second '{name}'"
            hint = f'set doc.user_data["{NAME}"], or pass a dict name → Doc'
            raise UsageError("argument-type", f"Doc {number} {problem}", hint=hint)
        named[name] = doc
    return named


def _several(docs: object) -> Iterator[Doc]:
    if isinstance(docs, Doc) or not isinstance(docs, Iterable):
        raise _no_docs(docs)
    yield from map(_checked, docs)


def _checked(doc: object) -> Doc:
    if not isinstance(doc, Doc):
        raise _no_docs(doc)
    return doc


def _no_docs(value: object) -> UsageError:
    message = f"expected several Docs, got {type(value).__name__}"
    return UsageError("argument-type", message, hint="pass a dict name → Doc, or a list of Docs")


def _rows(name: str, doc: Doc, prefix: str, across: bool) -> Iterator[tuple[Any, ...]]:
    for key, group in doc.spans.items():
        if not key.startswith(prefix):
            continue
        chain = group.attrs.get("chain", key if across else f"{name}#{key}")
        tokens = group.attrs.get("tokens") or [None] * len(group)
        for span, indices in zip(group, tokens, strict=True):
            numbers = list(range(span.start, span.end)) if indices is None else list(indices)
            yield name, span.start, span.end - 1, numbers, str(chain)
