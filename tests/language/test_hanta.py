from collections.abc import Iterable
from dataclasses import replace

import pytest
from spacy.tokens import Doc

from cdec.corpus import Document
from cdec.language.annotate import annotate
from cdec.language.taggers import LONGEST, UNIVERSAL, bare, is_headline, tagger, universal
from tests.language.tiny import corpus

ODD = [
    [""],
    ["", "", ""],
    ["The", "", "attack"],
    ["\t"],
    ["Awards\t", "went"],
    ["a b", "c\n"],
    ["\N{REPLACEMENT CHARACTER}"],
    ["\N{GRINNING FACE}", "\N{ZERO WIDTH SPACE}", "\N{COMBINING ACUTE ACCENT}"],
    ['"', "''", "``", "'", "“"],
    ['"Riot"', "“tremor”", "Oscars®"],
    ["x" * 5000, "attacked"],
    ["ß", "İ", "ǅ", "²", "日本"],
    ["\x00"],
    ["."] * 200,
]


@pytest.mark.parametrize("words", ODD, ids=repr)
def test_odd_tokens_stay_aligned_and_do_not_crash(words: list[str]) -> None:
    doc = doc_of(words, ["Police"])
    assert [token.text for token in doc] == [*(word or " " for word in words), "Police"]
    assert all(token.tag_ and token.pos_ for token in doc)
    assert all(token.lemma_ == token.lemma_.lower() for token in doc)


def doc_of(*sentences: Iterable[str]) -> Doc:
    document = Document("1_1ecb", "1", "1ecb", tuple(tuple(words) for words in sentences))
    return annotate(replace(corpus({}, []), documents={"1_1ecb": document}))["1_1ecb"]


def test_sentence_starts_are_those_of_the_document() -> None:
    given: tuple[list[str], ...] = (["Police", "came", "."], [], ["Dr.", "No", ".", "Left"], ["!"])
    doc = doc_of(*given)
    assert [token.i for token in doc if token.is_sent_start] == [0, 3, 7]
    assert len(list(doc.sents)) == 3


def test_a_document_without_tokens() -> None:
    assert len(doc_of()) == 0


def test_lemmas_depend_on_the_part_of_speech() -> None:
    tag = tagger()
    assert tag(("They", "left", "the", "room", "."))[1] == ("leave", "VVD", "VERB")
    assert tag(("He", "saw", "the", "left", "hand", "."))[3][0] == "left"


def test_headline_case_does_not_mark_a_name() -> None:
    headline = ("Actress", "Dies", "After", "Long", "Illness", "Says", "Her", "Family")
    assert is_headline(headline)
    assert tagger()(headline)[1] == ("die", "VVZ", "VERB")
    assert not is_headline(("Police", "in", "Boston", "arrested", "several", "people"))
    assert not is_headline(("Lohan", "Enters", "Rehab"))  # too few words


@pytest.mark.parametrize(
    ("word", "expected"),
    [('"Riot"', "Riot"), ("Awards\t", "Awards"), ("Oscars®", "Oscars"), ("'s", "'s"), ('"', '"')],
)
def test_bare(word: str, expected: str) -> None:
    assert bare(word) == expected


def test_marks_do_not_reach_the_lemma() -> None:
    lemmas = [lemma for lemma, *_ in tagger()(("The", '"Riots"', "ended", "."))]
    assert lemmas == ["the", "riot", "end", "."]


def test_words_that_are_not_passed_to_hanta_keep_their_position() -> None:
    long = "Ab" * LONGEST
    expected = [(long.lower(), "UNC", "X"), ("", "UNC", "X")]
    assert tagger()(("Police", long, "", "came"))[1:3] == expected


def test_memoisation_does_not_change_a_result() -> None:
    # Plain HanTa against ours, on a sentence with repeated and unknown words.
    from HanTa.HanoverTagger import HanoverTagger

    words = ["The", "strike", "struck", "the", "Kreplok", ",", "and", "the", "strike", "ended", "."]
    plain = HanoverTagger("morphmodel_en.pgz").tag_sent(words)
    ours = tagger()
    for _ in range(2):
        assert [one[:2] for one in ours(tuple(words))] == [(w.lower(), tag) for _, w, tag in plain]


def test_every_tag_of_the_model_is_mapped() -> None:
    from HanTa.HanoverTagger import HanoverTagger

    hanta = HanoverTagger("morphmodel_en.pgz")
    tags = {hanta.int2tag[number] for number in hanta.LP_wtag}
    errors = {"!!!", "IN"}  # in the model's training data; C5 does not have these tags
    assert tags - errors <= set(UNIVERSAL)
    assert [universal(tag) for tag in errors] == ["X"] * 2


def test_annotation_of_a_corpus_is_by_document() -> None:
    given = corpus({"1_1ecb": ["Police came ."], "1_2ecb": ["Fire broke out ."]}, [])
    docs = annotate(given)
    assert [token.lemma_ for token in docs["1_2ecb"]] == ["fire", "break", "out", "."]
