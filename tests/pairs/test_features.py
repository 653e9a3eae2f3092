import numpy as np
import pytest

from cdec.corpus.blind import blind
from cdec.pairs import FAMILIES, Candidates, EncodedMentions, columns, encode, roots, stems
from cdec.pairs.features import features
from tests.language.tiny import corpus

TEXTS = {
    "1_1ecb": ["Police in Oslo arrested a gunman on Monday .", "The arrest ended a hunt ."],
    "1_2ecb": ["Officers arrested a gunman in Oslo .", "He said nothing ."],
}
MENTIONS = [
    ("1_1ecb", (3,), "a"),  # arrested
    ("1_1ecb", (10,), "a"),  # arrest
    ("1_1ecb", (13,), "b"),  # hunt
    ("1_2ecb", (1,), "a"),  # arrested
    ("1_2ecb", (8,), "c"),  # said
]


@pytest.fixture(scope="module")
def mentions(tmp_path_factory: pytest.TempPathFactory) -> EncodedMentions:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CDEC_CACHE", str(tmp_path_factory.mktemp("cache")))
        return encode(corpus(TEXTS, MENTIONS))


def pair(m: EncodedMentions, left: int, right: int) -> dict[str, float]:
    pairs = Candidates(np.array([left]), np.array([right]), np.array([0.5], dtype=np.float32))
    return dict(zip(columns(), features(m, pairs)[0].tolist(), strict=True))


def test_the_same_word_in_two_documents(mentions: EncodedMentions) -> None:
    values = pair(mentions, 0, 3)
    for name in ("same_lemma", "same_form", "same_stem", "same_root", "same_text", "prefix"):
        assert values[name] == 1
    assert values["letter_cosine"] == pytest.approx(1)
    assert values["word_cosine"] == pytest.approx(1)
    assert values["document_cosine"] == 0.5
    assert values["same_document"] == values["same_sentence"] == 0
    assert 0 < values["sentence"] < 1
    assert 0 < values["names"] <= 1
    assert values["verbs"] == 1
    assert values["light"] == 0


def test_verb_and_noun_of_one_stem_inside_a_document(mentions: EncodedMentions) -> None:
    values = pair(mentions, 0, 1)
    assert values["same_form"] == 0
    assert values["same_stem"] == 1
    assert values["verb_noun"] == 1
    assert values["verbs"] == values["nouns"] == values["same_pos"] == 0
    assert values["same_document"] == 1
    assert values["sentences"] == pytest.approx(np.log(2))


def test_a_light_verb_shares_nothing(mentions: EncodedMentions) -> None:
    values = pair(mentions, 2, 4)
    assert values["light"] == 1
    for name in ("same_lemma", "lemma_idf", "root_idf", "word_cosine", "light_same"):
        assert values[name] == 0


def test_a_mention_is_no_context_of_itself(mentions: EncodedMentions) -> None:
    assert pair(mentions, 1, 2)["same_sentence"] == 1
    names = {word: row for row, word in enumerate(mentions.lexicon.words)}
    hunt = mentions.bags["events"][1].toarray().ravel()
    assert hunt[names["hunt"]] == pytest.approx(1)
    assert hunt.sum() == pytest.approx(1)


def test_the_order_of_a_pair_changes_nothing(mentions: EncodedMentions) -> None:
    for left in range(5):
        for right in range(left):
            assert pair(mentions, left, right) == pytest.approx(pair(mentions, right, left))


def test_families_can_be_switched(mentions: EncodedMentions) -> None:
    pairs = Candidates(np.array([0, 0]), np.array([1, 3]), np.ones(2, dtype=np.float32))
    whole = features(mentions, pairs)
    assert whole.shape == (2, len(columns()))
    for name, family in FAMILIES.items():
        chosen = {name: family}
        part = features(mentions, pairs, chosen)
        assert (part == whole[:, [columns().index(column) for column in columns(chosen)]]).all()


def test_blocks_change_nothing(mentions: EncodedMentions, monkeypatch: pytest.MonkeyPatch) -> None:
    left, right = np.triu_indices(5, 1)
    every = Candidates(left, right, np.ones(len(left), dtype=np.float32))
    whole = features(mentions, every)
    monkeypatch.setattr("cdec.pairs.candidates.BLOCK", 3)
    assert (features(mentions, every) == whole).all()


def test_no_gold_annotation_is_required(mentions: EncodedMentions) -> None:
    hidden = blind(corpus(TEXTS, MENTIONS)).corpus
    assert len(encode(hidden)) == len(mentions)


def test_stems_and_roots() -> None:
    assert len(set(stems(["resign", "resignation"]))) == 1
    assert len(set(roots(["explode", "explosion"]))) == 1
    assert len(set(roots(["acquire", "acquisition"]))) == 2
    assert roots(["die", ""]) == ["die", ""]
