"""MEANTIME (Minard et al. 2016) as converted by Zhukova, Hamborg and Gipp (2022).

``meantime.conll`` has document, sentence, token number, token and chains; a folder with the files
of one language, or folders ``en``, ``es``, ``it`` and ``nl``, whose name is the language. Chains do
not cross languages, so in several languages their name is part of every id, topic and chain.

The conversion loses most of the original: of the 3,855 English event mentions it has 455.
Entities and events are in one column; the events are those in ``event_mentions.json``.

It splits chains, too: the label of an instance has the prefix ``cross_``, ``cross_intra_`` or
``intra_``, which depends on the document. The variant ``joined`` of the key ignores the prefix.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from dataclasses import replace

from cdec.corpus.model import ANNOTATED, ENTITY, EVENT, Corpus, Variants
from cdec.corpus.readers.columns import check, corpus_at, documents_of, rows_of
from cdec.corpus.readers.records import Record, records
from cdec.corpus.source import CorpusFormat, Source

_FILE = "meantime.conll"
_EVENTS = "event_mentions.json"
_COLUMNS = ("doc", "sentence", "number", "token", "cell")
LANGUAGES = ("en", "es", "it", "nl")
SPLIT = "split-chain"
VARIANTS: Variants = {"as-converted": {SPLIT: "keep"}, "joined": {SPLIT: "join"}}
_PREFIX = re.compile(r"^(?:cross_intra|cross|intra)_")
_NUMBERS = re.compile(r"[0-9]{1,9}")


class _Event(Record):
    conll_doc_key: str
    coref_chain: str
    sent_id: int | str
    tokens_number: list[int] | str


def read(source: Source) -> Corpus:
    """Return the corpus, of one language or several.

    Chains that differ in the prefix only are noted.
    """
    placed = []
    variants: Variants = {}
    for file, _ in source:
        if not file.endswith(_FILE):
            continue
        listed = file.replace(_FILE, _EVENTS)
        folder = file.rpartition("/")[0]
        events = records(source, listed, _Event) if listed in source.files else []
        places = {_place_of(event) for _, event in events}
        event_chains = {event.coref_chain for _, event in events}
        rows = rows_of(source, file, _COLUMNS)
        check(
            file,
            rows,
            rows["doc"] != rows["block"],
            "the first column is not '{block}'",
        )
        texts = list(documents_of(file, rows))
        language = folder or source.path.name
        attributes = {"language": language} if language in LANGUAGES else {}
        split: dict[str, str] = {}
        # Instance → its labels, which differ in their prefix.
        instances: defaultdict[str, list[str]] = defaultdict(list)
        for label in sorted({span.chain for _, spans in texts for span in spans}):
            instances[_PREFIX.sub("", label)].append(label)
        for id_, labels_of_instance in instances.items():
            if len(labels_of_instance) > 1:
                kind = (
                    "argument" if event_chains.isdisjoint(labels_of_instance) else EVENT
                )
                chains = "=".join(labels_of_instance)
                source.note(f"split-{kind}-chain", f"{language}:{chains}")
                split |= dict.fromkeys(labels_of_instance, id_)
                variants = VARIANTS
        prefix = f"{folder}:" if folder else ""
        for document, spans in texts:
            starts = document.sentence_starts
            mentions = []
            for span in spans:
                sentence = bisect_right(starts, span.start) - 1
                place = (
                    document.id,
                    span.chain,
                    sentence,
                    span.start - starts[sentence],
                )
                about = {
                    "kind": EVENT if place in places else ENTITY,
                    "state": ANNOTATED,
                }
                if span.chain in split:
                    about |= {"state": SPLIT, "joined": f"{prefix}{split[span.chain]}"}
                mentions.append((span._replace(chain=f"{prefix}{span.chain}"), about))
            renamed = replace(
                document,
                id=f"{prefix}{document.id}",
                topic=f"{prefix}{document.id.rpartition('/')[0]}",
                attributes=attributes,
            )
            placed.append((renamed, mentions))
    return corpus_at(source, placed, levels={"topic": "topic"}, variants=variants)


def _place_of(event: _Event) -> tuple[str, str, int, int]:
    numbers = list(map(int, _NUMBERS.findall(f"{event.sent_id} {event.tokens_number}")))
    sentence, token, *_ = [*numbers, -1, -1]
    return event.conll_doc_key, event.coref_chain, sentence, token


FORMAT = CorpusFormat(
    "meantime",
    "MEANTIME",
    patterns=(f"*/{_FILE}", _FILE, f"*/{_EVENTS}", _EVENTS),
    begins=r"[^\n]*\n(?:[^\t\n]*\t){4}[^\t\n]*(?:\n|$)",
    read=read,
    schema="2",
)
