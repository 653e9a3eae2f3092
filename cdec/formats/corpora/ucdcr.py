"""uCDCR (Zhukova et al. 2026): a folder with a table of tokens, one of mentions, and JSON files.

``all_documents.parquet`` and ``all_mentions.parquet`` have the whole corpus. The same mentions are
in ``event_mentions.json`` and ``entity_mentions.json``, in a folder for each part of the official
split; these files alone say which mentions are events. Lists in the tables are text, as upstream.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas as pd

from cdec.corpus.model import ALL_KINDS, EVENT, Corpus, Document
from cdec.errors import CorpusError, FormatError
from cdec.formats.conll.writer import bracket_columns
from cdec.formats.corpora.contexts import around, sentence_of
from cdec.formats.export import from_corpus
from cdec.io.inputfile import how_to_write
from cdec.io.output import save_bytes

_SIZE = 100  # tokens before and after a mention
_PART = "part"
_NO_LEVEL = "0"  # of a corpus without topics or sub-topics
_LISTS = (
    *("tokens_text", "tokens_number", "mention_context", "context_start_end_global_id"),
    *("mention_sentence_start_end", "tokens_number_context"),
)


def save_tables(corpus: Corpus, folder: Path) -> None:
    """Write the files of the corpus into ``folder``.

    Raises CorpusError for a corpus without text and without pyarrow, FormatError if a file cannot
    be written or brackets cannot express the key.
    """
    if corpus.text == "none":
        message = "the format needs the text of the documents, which the corpus does not have"
        hint = "use jsonl, conll or conll8"
        raise CorpusError("format-unsuitable", message, place=corpus.name, hint=hint)
    mentions = list(_mentions(corpus))
    tables = {
        "all_documents.parquet": pd.DataFrame(_tokens(corpus)),
        "all_mentions.parquet": _as_text(pd.DataFrame(mentions).drop(columns=["kind"])),
    }
    files = {name: _parquet(table) for name, table in tables.items()} | dict(_by_kind(mentions))
    for name, data in files.items():
        target = folder / name
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            message, hint = f"cannot write: {error.strerror}", how_to_write(error)
            raise FormatError("file-unwritable", message, place=target, hint=hint) from None
        save_bytes(data, target)


def _parquet(table: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    try:
        table.to_parquet(buffer, index=False)
    except ImportError:
        message = "tables in Parquet require pyarrow, which is not installed"
        hint = "pip install 'cdec[parquet]'"
        raise CorpusError("package-missing", message, hint=hint) from None
    return buffer.getvalue()


def _as_text(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(**{name: table[name].map(str) for name in _LISTS})


def _by_kind(mentions: list[dict[str, Any]]) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of the JSON files."""

    def file(record: dict[str, Any]) -> str:
        name = f"{'event' if record['kind'] == EVENT else 'entity'}_mentions.json"
        return f"{record['split']}/{name}" if record["split"] else name

    for name, records in groupby(sorted(mentions, key=file), key=file):
        plain = [{k: v for k, v in r.items() if k not in ("kind", "split")} for r in records]
        yield name, json.dumps(plain, ensure_ascii=False, indent=1).encode()


def _levels(document: Document) -> tuple[str, str]:
    return document.topic or _NO_LEVEL, document.subtopic or _NO_LEVEL


def _tokens(corpus: Corpus) -> Iterator[dict[str, Any]]:
    """Yield a row for each token; chains keep their labels in brackets."""
    whole = corpus.select(ALL_KINDS)
    for id_, cells in bracket_columns(from_corpus(whole, whole.gold)):
        document, number = corpus.documents[id_], 0
        key = "/".join((*_levels(document), id_))
        for sentence, tokens in enumerate(document.sentences):
            character = 0
            for place, token in enumerate(tokens):
                yield {
                    "topic/subtopic_name/doc": key,
                    "sent_id": sentence,
                    "token_id": place,
                    "token": token,
                    "token_id_global": number,
                    "char_id_start": character,
                    "whitespace_after": True,
                    "reference": cells[number].replace("|", "| "),
                    "split": document.attributes.get(_PART, ""),
                }
                number, character = number + 1, character + len(token) + 1


def _mentions(corpus: Corpus) -> Iterator[dict[str, Any]]:
    table = corpus.select(ALL_KINDS).selected
    sizes = table["chain"].map(table["chain"].value_counts())
    heads = table["head"] if "head" in table else table["end"]
    names = ("doc", "tokens", "chain", "text", "kind", "tag", "descriptor")
    columns = [*(table[name].tolist() for name in names), heads.tolist(), sizes.tolist()]
    for id_, doc, tokens, chain, text, kind, tag, descriptor, head, size in zip(
        table.index, *columns, strict=True
    ):
        document = corpus.documents[doc]
        yield {
            "coref_chain": chain,
            "mention_id": id_,
            "tokens_str": text,
            "description": descriptor,
            "coref_type": "IDENTITY",
            "mention_type": tag[:3],
            "mention_full_type": tag,
            **_place(document, tokens, tokens[-1] if pd.isna(head) else int(head)),
            "is_singleton": size == 1,
            "kind": kind,
        }


def _place(document: Document, tokens: tuple[int, ...], head: int) -> dict[str, Any]:
    """Return the fields of a mention that depend on its tokens and document."""
    topic, subtopic = _levels(document)
    sentence = sentence_of(document, tokens[0])
    start, length = document.sentence_starts[sentence], len(document.sentences[sentence])
    context, words = around(document, tokens, _SIZE), document.tokens
    return {
        "tokens_text": [words[token] for token in tokens],
        "tokens_number": [token - start for token in tokens],
        "mention_head": words[head],
        "mention_head_id": head - start,
        "mention_head_pos": "",
        "mention_head_lemma": "",
        "mention_ner": "",
        "sent_id": sentence,
        "topic": topic,
        "topic_id": topic,
        "subtopic_id": subtopic,
        "subtopic": subtopic,
        "doc_id": document.id,
        "doc": document.id,
        "mention_context": list(context.text),
        "context_start_end_global_id": [context.first, context.last],
        "mention_sentence_start_end": [start - context.first, start - context.first + length],
        "tokens_number_context": [token - context.first for token in tokens],
        "mention_head_id_context": head - context.first,
        "conll_doc_key": f"{topic}/{subtopic}/{document.id}",
        "split": document.attributes.get(_PART, ""),
    }
