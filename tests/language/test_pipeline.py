import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cdec.language import heads, pipeline
from cdec.language.annotate import annotate
from cdec.language.pipeline import tagged
from tests.language.tiny import corpus
from tests.refusals import refused

ROOT = str(Path(__file__).parents[2])  # where a child process finds the tests
TEXTS = {"1_1ecb": ["The court hearing opened .", "The court hearing opened ."]}
MENTIONS = [("1_1ecb", (1, 2), "a"), ("1_1ecb", (2, 3), "b"), ("1_1ecb", (5, 7), "c")]


def test_identity_of_hanta_names_its_version() -> None:
    from importlib.metadata import version

    assert pipeline("hanta").identity == f"hanta-{version('HanTa')}"


@pytest.mark.parametrize("name", ["hanta:x", "spacy", "spacy:", "Hantta", "", "stanza:en"])
def test_unknown_names_are_refused_with_the_known_ones(name: str) -> None:
    with refused("name-unknown", "unknown pipeline", f"'{name}'", "hanta, spacy:MODEL"):
        pipeline(name)


def test_a_missing_model_is_an_error_with_the_command_that_installs_it() -> None:
    with refused("package-missing", "spacy download en_core_web_nowhere") as caught:
        heads(corpus(TEXTS, MENTIONS), "spacy:en_core_web_nowhere")
    assert caught.value.exit_code == 1


def test_a_folder_without_a_model_is_an_error(tmp_path: Path) -> None:
    with refused("package-missing", place=tmp_path):
        pipeline(f"spacy:{tmp_path}")


def test_a_package_that_is_not_a_model_is_an_error() -> None:
    with refused("language-model-invalid", place="numpy"):
        annotate(corpus(TEXTS, []), "spacy:numpy")


def test_heads_come_from_the_parse(parsing_model: Path) -> None:
    table = heads(corpus(TEXTS, MENTIONS), f"spacy:{parsing_model}")
    assert list(table["form"]) == ["hearing", "opened", "hearing"]  # [The] court [hearing]: a gap
    assert list(table["lemma"]) == ["hearing", "open", "hearing"]
    assert list(table["pos"]) == ["NOUN", "VERB", "NOUN"]
    assert list(table["tag"]) == ["NN", "VBD", "NN"]


def test_parsed_docs_keep_their_sentences_and_are_the_same_from_the_cache(
    parsing_model: Path,
) -> None:
    given, name = corpus(TEXTS, MENTIONS), f"spacy:{parsing_model}"
    fresh, kept = annotate(given, name)["1_1ecb"], annotate(given, name)["1_1ecb"]
    assert [sentence.start for sentence in kept.sents] == [0, 5]
    assert fresh.to_json() == kept.to_json()
    assert [token.head.i for token in kept] == [2, 2, 3, 3, 3, 7, 7, 8, 8, 8]


def test_unused_components_are_not_loaded(parsing_model: Path) -> None:
    names = pipeline(f"spacy:{parsing_model}").load().pipe_names
    assert "parser" in names
    assert "ner" not in names


def test_a_model_without_lemmas_is_an_error(train_model: Callable[..., Path]) -> None:
    with refused("language-model-invalid", "lemmas"):
        heads(corpus(TEXTS, MENTIONS), f"spacy:{train_model('tagger', 'morphologizer')}")


def test_two_trainings_of_one_name_have_two_identities(
    parsing_model: Path, train_model: Callable[..., Path]
) -> None:
    one = pipeline(f"spacy:{parsing_model}").identity
    two = pipeline(f"spacy:{train_model('tagger')}").identity
    assert one.startswith("spacy:en_pipeline-0.0.0@")
    assert one.split("@")[0] == two.split("@")[0]
    assert one != two
    assert one == pipeline(f"spacy:{parsing_model}").identity
    assert str(parsing_model) not in one


@pytest.mark.parametrize(
    "answer", [[("court", "NN", "NOUN")], [("a", "DT", "DET"), ("b", "NN", "noun")], [("a",)] * 2]
)
def test_a_tagger_that_answers_for_other_words_is_an_error(
    monkeypatch: pytest.MonkeyPatch, answer: list[tuple[str, ...]]
) -> None:
    module = sys.modules[tagged.__module__]
    monkeypatch.setattr(module, "loaded", lambda *_: lambda sentence: answer)
    with refused("language-model-invalid", place="mine"):
        tagged([("a", "court")], "mine", "mine-1")


def test_heads_are_the_same_with_and_without_the_other_sentences() -> None:
    # A tagger sees the sentences of mentions only; ``annotate`` shows it the documents.
    texts = {"1_1ecb": ["Riots broke out", "Dogs ran", "", "Police came ."], "1_2ecb": ["He left"]}
    given = corpus(texts, [("1_1ecb", (0, 1), "a"), ("1_1ecb", (4, 6), "b"), ("1_2ecb", (1,), "c")])
    table, docs = heads(given), annotate(given)
    shown = zip(given.mentions["doc"], table["head"], strict=True)
    tokens = [docs[doc][int(head)] for doc, head in shown]
    assert list(table["lemma"]) == [token.lemma_ for token in tokens]
    assert list(table["tag"]) == [token.tag_ for token in tokens]
    assert list(table["pos"]) == [token.pos_ for token in tokens]


@pytest.mark.parametrize("name", ["hanta", "spacy"])
def test_spacy_is_imported_for_its_models_only(
    name: str, parsing_model: Path, cache_folder: Path
) -> None:
    nlp = f"spacy:{parsing_model}" if name == "spacy" else name
    code = (
        f"import sys; sys.path.append({ROOT!r});"
        "from cdec.language import heads; from tests.language.tiny import corpus;"
        f"heads(corpus({TEXTS!r}, {MENTIONS!r}), {nlp!r}); print('spacy' in sys.modules)"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert [run.stdout.strip() for run in runs] == [str(name == "spacy"), "False"]
    assert [run.stderr for run in runs] == ["", ""]
