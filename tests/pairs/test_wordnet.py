"""WordNet: a small made-up one, and the real one if it is installed."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from cdec.baselines.sac.config import SacConfig
from cdec.pairs import wordnet as module
from cdec.pairs.wordnet import installed, wordnet
from cdec.pairs.words import Lexicon
from tests.refusals import refused

HEAD = "  1 This file is ours.\n"
# wndb(5): offset, file, part of speech, words, pointers, and for verbs frames; then the gloss.
FILES = {
    "data.verb": """
00000001 30 v 02 explode 0 blow_up 0 003 @ 00000002 v 0000 + 00000011 n 0101 \
+ 00000090 a 0201 02 + 08 00 + 02 01 | go off | with a bang
00000002 30 v 01 burst 0 001 $ 00000003 v 0000 01 + 08 00 | come apart
00000003 30 v 01 detonate 0 000 00 | set off
""",
    "data.noun1": "00000011 11 n 01 explosion 0 002 @ 00000012 n 0000 + 00000001 v 0101 | a bang\n",
    "data.noun2": "00000012 11 n 01 event 0 001 ~ 00000011 n 0000 | what happens\n",
    "index.verb": """
explode v 1 2 @ + 1 0 00000001
blow_up v 1 1 @ 1 0 00000001
burst v 2 1 @ 2 1 00000002 00000001
""",
    "index.noun": "explosion n 1 2 @ + 1 0 00000011\nburst n 1 1 @ 1 0 00000012\n",
}


@pytest.fixture(autouse=True)
def _empty_cache() -> Iterator[None]:
    wordnet.cache_clear()
    yield
    wordnet.cache_clear()


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, str]], Path]:
    """Put a package with this name first on the path; importing it fails."""

    def make(files: dict[str, str]) -> Path:
        folder = tmp_path / module.PACKAGE / "text" / "en" / "wordnet" / "dict"
        folder.mkdir(parents=True)
        (tmp_path / module.PACKAGE / "__init__.py").write_text("raise RuntimeError('imported')\n")
        for name, text in files.items():
            (folder / name).write_text(HEAD + text, "latin-1")
        monkeypatch.syspath_prepend(tmp_path)
        return folder

    return make


Package = Callable[[dict[str, str]], Path]


def test_senses_weigh_by_rank_within_their_part_of_speech(package: Package) -> None:
    package(FILES)
    assert installed()
    assert wordnet().own("burst") == {"v00000002": 1, "v00000001": 0.5, "n00000012": 1}
    assert wordnet().own("blow_up") == {"v00000001": 1}
    assert wordnet().own("unheard") == {}


def test_derivation_is_of_the_word_and_not_of_its_synonyms(package: Package) -> None:
    package(FILES)
    assert wordnet().with_derived("explode") == {"v00000001": 1, "n00000011": 1}
    assert wordnet().with_derived("explosion") == {"n00000011": 1, "v00000001": 1}
    # Its own pointer leads to an adjective, which is not read.
    assert wordnet().with_derived("blow_up") == {"v00000001": 1}


def test_hypernyms_and_near_synsets_have_lower_weights(package: Package) -> None:
    package(FILES)
    above = wordnet().with_above("explode")
    expected = {"v00000001": 1, "n00000011": 1, "v00000002": 0.6, "n00000012": 0.6}
    assert above == pytest.approx(expected)
    # v1 is a sense of rank two, its hypernym the first sense itself; v3 is its verb group.
    burst = {"v00000002": 1, "v00000001": 0.5, "n00000012": 1, "v00000003": 0.6}
    assert wordnet().with_above("burst") == pytest.approx(burst)


def test_pairs_of_words_are_compared_by_their_synsets(package: Package) -> None:
    package(FILES)
    lexicon = Lexicon.from_words(["blow_up", "burst", "explode", "explosion", "unheard"], True)
    left, right = np.array([0, 2, 1, 3]), np.array([2, 3, 2, 4])
    own, derived, above, known = lexicon.meanings(left, right)
    assert own == pytest.approx([1, 0, 0.5 / 1.5, 0])
    assert derived[1] == pytest.approx(1)
    assert above[1] > 0
    assert above[3] == derived[3] == 0
    assert known.tolist() == [1, 1, 1, 0]


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    assert not installed()
    with refused("package-missing", "cdec[wordnet]"):
        Lexicon.from_words(["a"], True)


def test_a_package_without_the_data(package: Package) -> None:
    folder = package({name: text for name, text in FILES.items() if name != "data.noun2"})
    with refused("file-unreadable", place=folder):
        wordnet()


def test_sac_plus_uses_it_if_it_is_installed(
    package: Package, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = SacConfig.shipped("sac-plus")
    with monkeypatch.context() as patch:
        patch.setattr(module, "find_spec", lambda _: None)
        assert "wordnet" not in shipped.resolved().families
    package(FILES)
    assert "wordnet" in shipped.resolved().families


@pytest.mark.skipif(not installed(), reason="WordNet is not installed: pip install 'cdec[wordnet]'")
def test_the_real_one_knows_verbs_their_nouns_and_synonyms() -> None:
    lexicon = Lexicon.from_words(["buy", "die", "explode", "explosion", "purchase", "zzzz"], True)
    left, right = np.array([2, 0, 1, 0]), np.array([3, 4, 2, 5])
    own, derived, above, known = lexicon.meanings(left, right)
    assert own[0] == 0 < derived[0]
    assert 0 < own[1] <= 1
    assert above[0] > above[2]
    assert known.tolist() == [1, 1, 1, 0]
