from collections.abc import Callable
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import fix_random_seed

WORDS = ["The", "court", "hearing", "opened", "."]
TAGS = ["DT", "NN", "NN", "VBD", "."]
POS = ["DET", "NOUN", "NOUN", "VERB", "PUNCT"]
LEMMAS = ["the", "court", "hearing", "open", "."]
HEADS = [2, 2, 3, 3, 3]
DEPS = ["det", "compound", "nsubj", "ROOT", "punct"]


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CDEC_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def _train(folder: Path, components: dict[str, dict[str, int]]) -> Path:
    """Train a model that overfits one sentence, and write it to the folder."""
    fix_random_seed(0)
    nlp = spacy.blank("en")
    for name, config in components.items():
        nlp.add_pipe(name, config=config)
    answer = Doc(nlp.vocab, words=WORDS, tags=TAGS, pos=POS, lemmas=LEMMAS, heads=HEADS, deps=DEPS)
    examples = [Example(Doc(nlp.vocab, words=WORDS), answer)] * 8
    nlp.initialize(lambda: examples)
    for _ in range(20):
        nlp.update(examples, losses={}, exclude=["ner"])
    nlp.to_disk(folder)
    return folder


@pytest.fixture(scope="session")
def parsing_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    components: dict[str, dict[str, int]] = {
        "tagger": {},
        "morphologizer": {},
        "trainable_lemmatizer": {"min_tree_freq": 1},
        "parser": {"min_action_freq": 1},
        "ner": {},
    }
    return _train(tmp_path_factory.mktemp("models") / "parsing", components)


@pytest.fixture(scope="session")
def train_model(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    def make(*components: str) -> Path:
        folder = tmp_path_factory.mktemp("models") / "-".join(components)
        return _train(folder, {name: {} for name in components})

    return make
