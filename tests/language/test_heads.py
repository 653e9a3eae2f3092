import pandas as pd
import pytest

from cdec.language import COLUMNS, heads
from cdec.language.mention_heads import head_by_parse, head_by_tags
from tests.language.tiny import corpus

RULE = [
    ("checked/VERB into/ADP", "checked"),
    ("opened/VERB fire/NOUN", "opened"),
    ("went/VERB up/ADP in/ADP flames/NOUN", "went"),
    ("co/NOUN -/PUNCT hosting/VERB", "hosting"),
    ("going/VERB to/PART happen/VERB", "going"),
    ("are/AUX going/VERB to/ADP the/DET polls/NOUN", "going"),
    ("no/ADV longer/ADV employed/VERB", "employed"),
    ("court/NOUN hearing/NOUN", "hearing"),
    ("Hurricane/NOUN Katrina/PROPN", "Katrina"),
    ("World/NOUN War/NOUN II/NUM", "War"),
    ("tour/NOUN of/ADP duty/NOUN", "tour"),
    ("face/NOUN -/PUNCT off/ADP", "face"),
    ("Checks/NOUN Into/ADP", "Checks"),
    ("in/ADP rehab/NOUN", "rehab"),
    ("on/ADP the/DET run/NOUN", "run"),
    ("at/ADP large/ADJ", "large"),
    ("due/ADJ to/ADP", "due"),
    ("because/SCONJ of/ADP", "of"),
    ("9/NUM //PUNCT 11/NUM", "11"),
    ("-/PUNCT 6.1/X", "6.1"),
    ("it/PRON", "it"),
]


@pytest.mark.parametrize(("mention", "head"), RULE)
def test_head_by_tags(mention: str, head: str) -> None:
    words, tags = zip(*(word.rsplit("/", 1) for word in mention.split()), strict=True)
    assert words[head_by_tags(tags)] == head


@pytest.mark.parametrize(
    ("tokens", "head"),
    [
        ((0, 1, 2), 2),  # The court hearing: its head 'opened' is outside
        ((2, 3), 3),  # hearing opened: the root of the sentence
        ((0, 2), 2),  # a gap: the token between them does not count
        ((0, 1), 0),  # two tokens with a head outside: the first
        ((4,), 4),
    ],
)
def test_head_by_parse(tokens: tuple[int, ...], head: int) -> None:
    assert tokens[head_by_parse(tokens, [2, 2, 3, 3, 3])] == head


TEXTS = {
    "1_1ecb": ["Police CHECKED the suspects in .", "Two riots broke out"],
    "1_2ecb": ["A  B attacked"],
}
MENTIONS = [
    ("1_1ecb", (1, 4), "a"),
    ("1_1ecb", (7,), "b"),
    ("1_1ecb", (8, 9), "c"),
    ("1_2ecb", (1,), "d"),
    ("1_2ecb", (3,), "e"),
]


def test_table_of_heads() -> None:
    given = corpus(TEXTS, MENTIONS)
    table = heads(given)
    assert list(table.columns) == list(COLUMNS)
    assert list(table.index) == list(given.mentions.index)
    assert list(table["head"]) == [1, 7, 8, 1, 3]
    assert list(table["form"]) == ["CHECKED", "riots", "broke", "", "attacked"]
    assert list(table["lemma"]) == ["check", "riot", "break", "", "attack"]
    assert list(table["pos"]) == ["VERB", "NOUN", "VERB", "X", "VERB"]


def test_the_cached_table_is_the_fresh_one() -> None:
    given = corpus(TEXTS, MENTIONS)
    pd.testing.assert_frame_equal(heads(given), heads(given))


def test_order_and_names_of_documents_do_not_matter() -> None:
    renamed = {"9_8ecb": TEXTS["1_2ecb"], "7_7ecb": TEXTS["1_1ecb"]}
    names = {"1_1ecb": "7_7ecb", "1_2ecb": "9_8ecb"}
    moved = [(names[doc], at, chain) for doc, at, chain in MENTIONS]
    one = heads(corpus(TEXTS, MENTIONS))
    two = heads(corpus(renamed, moved))
    assert set(two.itertuples(index=False)) == set(one.itertuples(index=False))
    assert two.index[0].startswith("9_8ecb")


def test_two_documents_of_one_text() -> None:
    texts = {"1_1ecb": ["Riots broke out"], "2_1ecb": ["Riots broke out"]}
    table = heads(corpus(texts, [("1_1ecb", (0,), "a"), ("2_1ecb", (0,), "b")]))
    assert list(table["lemma"]) == ["riot", "riot"]


def test_no_mentions_no_rows() -> None:
    full = heads(corpus(TEXTS, MENTIONS))
    for _ in ("fresh", "from the cache"):
        table = heads(corpus(TEXTS, []))
        assert table.empty
        assert table.dtypes.equals(full.dtypes)
