"""WEC JSON (Eirew et al. 2021): a list of mentions, each with the text around it.

A document whose sentences are its contexts already (``Corpus.text``) gives each mention its own
sentence, so that a corpus in WEC JSON is the same after a round trip.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from cdec.corpus.model import ALL_KINDS, Corpus, Document
from cdec.errors import CorpusError
from cdec.formats.corpora.contexts import Context, around, sentence_of

_SIZE = 100  # tokens before and after a mention
_UNKNOWN = "UNK"


def write(corpus: Corpus) -> Iterator[str]:
    """Yield the text of the file, one mention at a time.

    Raises CorpusError for a corpus without text and for a mention that crosses its context.
    """
    if corpus.text == "none":
        message = "the format needs the text around a mention, which the corpus does not have"
        hint = "use jsonl, conll or conll8"
        raise CorpusError("format-unsuitable", message, place=corpus.name, hint=hint)
    table = corpus.select(ALL_KINDS).selected
    topics = {id_: number for number, id_ in enumerate(dict.fromkeys(table["topic"]))}
    counts = Counter(table["chain"])
    names = ("doc", "tokens", "chain", "text", "topic", "descriptor")
    before = "[\n"
    for id_, *values in zip(table.index, *(table[name] for name in names), strict=True):
        mention = dict(zip(names, values, strict=True))
        context = _context(corpus.documents[mention["doc"]], mention["tokens"], corpus.text, id_)
        record = _record(corpus, id_, mention, context)
        record["mention_index"] = counts[mention["chain"]]
        record["topic_id"] = topics[mention["topic"]] if mention["topic"] else -1
        yield before + json.dumps(record, ensure_ascii=False, sort_keys=True)
        before = ",\n"
    yield "\n]\n" if len(table) else "[]\n"


def _record(
    corpus: Corpus, id_: str, mention: Mapping[str, Any], context: Context
) -> dict[str, Any]:
    """Return the fields of a mention that do not depend on others."""
    doc, tokens = mention["doc"], mention["tokens"]
    return {
        "coref_chain": mention["chain"],
        "coref_link": mention["descriptor"],
        "doc_id": doc,
        "mention_context": context.text,
        "mention_head": mention["text"].split(" ")[-1],
        "mention_head_lemma": _UNKNOWN,
        "mention_head_pos": _UNKNOWN,
        "mention_id": id_.removeprefix(f"{doc}/"),
        "mention_ner": _UNKNOWN,
        "mention_type": 8,
        "predicted_coref_chain": _UNKNOWN,
        "sent_id": sentence_of(corpus.documents[doc], tokens[0]),
        "tokens_number": [token - context.first for token in tokens],
        "tokens_str": mention["text"],
    }


def _context(document: Document, tokens: tuple[int, ...], text: str, id_: str) -> Context:
    if text == "full":
        return around(document, tokens, _SIZE)
    sentence = sentence_of(document, tokens[0])
    first, words = document.sentence_starts[sentence], document.sentences[sentence]
    if tokens[-1] >= first + len(words):
        message, hint = "the mention ends outside the context of its first token", "use jsonl"
        raise CorpusError("format-unsuitable", message, place=id_, hint=hint)
    return Context(first, first + len(words) - 1, words)
