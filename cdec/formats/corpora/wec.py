"""WEC JSON (Eirew et al. 2021): a list of mentions, each with the text around it.

A document whose sentences are its contexts already (``Corpus.text``) gives each mention its own
sentence, so that a corpus in WEC JSON is the same after a round trip.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from cdec.corpus.model import Corpus, Document
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
        raise CorpusError("corpus-format-unsuitable", message, place=corpus.name, hint=hint)
    table = corpus.mentions
    topics = {id_: number for number, id_ in enumerate(dict.fromkeys(table["topic"]))}
    counts = Counter(table["chain"])
    names = ("doc", "tokens", "chain", "text", "topic", "descriptor")
    columns = [table[name].tolist() for name in names]
    before = "[\n"
    for id_, doc, tokens, chain, text, topic, descriptor in zip(table.index, *columns, strict=True):
        document = corpus.documents[doc]
        context = _context(document, tokens, corpus.text, id_)
        record: dict[str, Any] = {
            "coref_chain": chain,
            "coref_link": descriptor,
            "doc_id": doc,
            "mention_context": context.text,
            "mention_head": text.split(" ")[-1],
            "mention_head_lemma": _UNKNOWN,
            "mention_head_pos": _UNKNOWN,
            "mention_id": id_.removeprefix(f"{doc}/"),
            "mention_index": counts[chain],
            "mention_ner": _UNKNOWN,
            "mention_type": 8,
            "predicted_coref_chain": _UNKNOWN,
            "sent_id": sentence_of(document, tokens[0]),
            "tokens_number": [token - context.first for token in tokens],
            "tokens_str": text,
            "topic_id": topics[topic] if topic else -1,
        }
        yield before + json.dumps(record, ensure_ascii=False)
        before = ",\n"
    yield "\n]\n" if len(table) else "[]\n"


def _context(document: Document, tokens: tuple[int, ...], text: str, id_: str) -> Context:
    if text == "full":
        return around(document, tokens, _SIZE)
    sentence = sentence_of(document, tokens[0])
    first, words = document.sentence_starts[sentence], document.sentences[sentence]
    if tokens[-1] >= first + len(words):
        message, hint = "the mention ends outside the context of its first token", "use jsonl"
        raise CorpusError("corpus-format-unsuitable", message, place=id_, hint=hint)
    return Context(first, first + len(words) - 1, words)
