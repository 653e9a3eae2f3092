"""The tokens of a document, by sentence."""

from __future__ import annotations

from dataclasses import dataclass

from lxml import etree

from cdec.corpus.ecbplus.reading import Reading

_DIGITS = 9  # of a sentence's number: Python refuses to read thousands of them


@dataclass(frozen=True)
class Tokens:
    """All tokens of a document in order.

    ``index`` maps ``t_id`` → number in the document; ``texts`` and ``sentence_of`` (the number of
    the sentence) have an entry a token, ``sentences`` holds the texts by sentence.
    """

    index: dict[str, int]
    texts: list[str]
    sentence_of: list[int]
    sentences: tuple[tuple[str, ...], ...]


def read_tokens(reading: Reading, root: etree._Element) -> Tokens:
    """Return the tokens; raises CorpusError for a token that stands twice or out of order."""
    index: dict[str, int] = {}
    texts: list[str] = []
    sentence_of: list[int] = []
    sentences: list[list[str]] = []
    for el in root.iterchildren("token"):
        t_id, text = reading.get(el, "t_id"), el.text or ""
        if t_id in index:
            raise reading.error(el, f"token {t_id} stands twice")
        if len(el):
            raise reading.error(el, f"token {t_id} holds other elements")
        sentence = _sentence_number(reading, el, len(sentences) - 1)
        if sentence == len(sentences):
            sentences.append([])
        index[t_id] = len(index)
        texts.append(text)
        sentence_of.append(sentence)
        sentences[sentence].append(text)
        _note_odd_text(reading, t_id, text)
    return Tokens(index, texts, sentence_of, tuple(map(tuple, sentences)))


def _sentence_number(reading: Reading, el: etree._Element, last: int) -> int:
    text = reading.get(el, "sentence")
    number = int(text) if text.isdecimal() and len(text) <= _DIGITS else -1
    if number not in (last, last + 1) or number < 0:
        cure = "sentences count from 0, without a gap"
        raise reading.error(el, f"sentence '{text}' follows sentence {last}", cure)
    return number


def _note_odd_text(reading: Reading, t_id: str, text: str) -> None:
    if not text.isascii() and "\N{REPLACEMENT CHARACTER}" in text:
        reading.note("replacement-character", f"t{t_id}")
    if not text.strip():
        reading.note("blank-token", f"t{t_id}")
    elif len(text.split()) > 1 or text != text.strip():
        reading.note("white-space-in-token", f"t{t_id}")
