"""Place the mentions of a file by the words that it repeats beside their numbers.

The words must be at the place in the text of the corpus, or of a file. They show what the numbers
count if they do not count as usual; ``cdec.formats.reading`` decides it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from cdec.arrays import Ints, IntSeries, StrSeries
from cdec.errors import Log, ScoringError
from cdec.formats import reading
from cdec.formats.annotation import Annotation, object_array

_SAMPLE = 1000  # mentions whose names may be their words
_NOWHERE = -(
    10**9
)  # where the words of a sentence begin that the document does not have


def place_by_words(
    file: Annotation,
    texts: Mapping[str, Sequence[str] | None],
    sentences: Mapping[str, Ints],
    text_starts: Mapping[str, int],
    log: Log,
) -> Annotation:
    """Return the file with numbers that count the words of documents; report if they did not.

    ``texts`` are the words of the documents, ``sentences`` the sentence of each word, as far as
    they are known; ``text_starts`` has the number of sentences before the text. A file without the
    words of its mentions stays as it is. Raises ScoringError with ``file:line`` of the first
    mention whose words are not at its place, if no other count explains all.
    """
    words = {
        doc: text
        for doc, text in texts.items()
        if text is not None and {*text} != {"_"}
    }
    if not words:
        return file
    table = file.mentions
    table = table[(table["start"] >= 0) & table["doc"].isin(list(words))]
    mentions = pd.DataFrame(
        {
            "text": table["doc"],
            "block": table["sentence"].clip(lower=0),
            "first": table["start"],
            "last": table["end"],
            "tokens": table["tokens"],
            "words": _words_of(table, words),
        }
    )
    if not (mentions["words"] != "").any():
        return file
    bases = _bases(table, sentences, text_starts)
    are_in_document = len(bases) == 1

    def refuse(row: int, message: str, hint: str) -> ScoringError:
        place = file.place(int(table["line"].iloc[row]))
        message = f"in '{table['doc'].iloc[row]}', {message}"
        return ScoringError("tokens-invalid", message, place=place, hint=hint)

    places, choice, are_characters = reading.place_by_words(
        mentions,
        words,
        bases,
        refuse,
        unit="document" if are_in_document else "sentence",
        starts={
            doc: {*_first_words(numbers).values()} for doc, numbers in sentences.items()
        },
        other_texts={doc: " ".join(text) for doc, text in words.items()},
        are_lists=file.names_tokens,
    )
    if are_characters:
        spans = [
            reading.words_at(reading.word_places(words[doc]), first, last)
            for doc, first, last in zip(
                table["doc"], places["first"], places["last"], strict=True
            )
        ]
        places = pd.DataFrame(spans, table.index, ["first", "last"])
    choices = {**file.reading, "offsets": choice}
    is_usual = choice.value == reading.TO_LAST
    if is_usual and are_in_document:
        return replace(file, reading=choices)
    moves = places["first"] - table["start"]
    tokens = object_array(
        tuple(token + move for token in gap)
        for gap, move in zip(table["tokens"], moves.tolist(), strict=True)
    )
    moved = table.assign(
        start=places["first"], end=places["last"], tokens=tokens, sentence=-1
    )
    others = file.mentions.drop(index=table.index)
    if not is_usual:
        log.append(reading.offsets_notice(choice, len(table)))
    mentions = pd.concat([others, moved]).sort_index()
    return replace(file, mentions=mentions, reading=choices)


def _words_of(table: pd.DataFrame, texts: Mapping[str, Sequence[str]]) -> StrSeries:
    """Return the words of each mention, '' for none.

    A field may have the sentence of the mention instead; and names of mentions may be their words.
    """
    none = pd.Series("", table.index, dtype=object)
    places = {"text": table["doc"], "first": table["start"], "last": table["end"]}
    stated = table.assign(**places)
    if (
        "words" in table and (table["words"] != "").any()
    ):  # a plug-in may leave the column out
        stated = stated[stated["words"] != ""]
        return none if reading.are_contexts(stated, texts) else table["words"]
    stated = stated.assign(words=table["mention"])[table["mention"] != ""].head(_SAMPLE)
    zero = pd.Series(0, stated.index)
    if len(stated) and reading.hold_words(stated, texts, zero):
        return table["mention"]
    return none


def _bases(
    table: pd.DataFrame, sentences: Mapping[str, Ints], text_starts: Mapping[str, int]
) -> dict[str, IntSeries]:
    """Return what the numbers may count → the word at which they begin for each mention."""
    bases = {"": pd.Series(0, table.index)}
    in_sentence = (table["sentence"] >= 0) & table["doc"].isin(list(sentences))
    if not in_sentence.any():
        return bases
    first_words = {doc: _first_words(numbers) for doc, numbers in sentences.items()}
    before = table["doc"].map(dict(text_starts)).fillna(0).astype("int64")
    numbers = {
        "the sentence": table["sentence"],
        "the sentence, not counting the URL": table["sentence"] + before,
        "the sentence, with sentences from 1": table["sentence"] - 1,
    }
    if not before.any():
        del numbers["the sentence, not counting the URL"]
    for name, of_sentences in numbers.items():
        begins = []
        for doc, number, has_sentence in zip(
            table["doc"], of_sentences, in_sentence, strict=True
        ):
            begin = first_words[doc].get(number, _NOWHERE) if has_sentence else 0
            begins.append(begin)
        bases[name] = pd.Series(begins, table.index, dtype="int64")
    return bases


def _first_words(sentences: Ints) -> dict[int, int]:
    words = pd.Series(range(len(sentences)))
    first = words.groupby(sentences).min()
    return dict(zip(first.index.tolist(), first.tolist(), strict=True))
