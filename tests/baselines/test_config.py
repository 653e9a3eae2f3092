from pathlib import Path

import pytest

from cdec.baselines import SYSTEMS, system
from cdec.baselines.config import Configuration, make_systems, read_config, to_toml
from cdec.baselines.lemma_delta import LemmaDelta
from cdec.configs import read_text
from cdec.errors import UsageError
from cdec.system import Tuned
from tests.language.tiny import corpus
from tests.refusals import refused

TUNING = '[tuning]\ncorpus = "tiny"\ntuned_on = "my-dev"\ntopics = ["1"]\non_test = false\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "mine.toml"


def test_round_trip(file: Path) -> None:
    tuned = Tuned('a "name" with ä', "my-dev", ("1", "2"), on_test=True)
    original = system("lemma-docs", delta=0.15, tuned=tuned)
    file.write_text(to_toml(original, tuned, ["a comment"]), "utf-8")
    text = file.read_text("utf-8")
    assert text.startswith('# a comment\nformat = "cdec-config/1"\n')
    assert read_config(file).make() == original
    file.write_text(text.replace('format = "cdec-config/1"\n', ""), "utf-8")  # as cdec 0.1 wrote it
    assert read_config(file).make() == original


@pytest.mark.parametrize("name", ["lemma-delta", "lemma-docs"])
def test_the_defaults_are_a_configuration(name: str, file: Path) -> None:
    file.write_text(read_text(f"systems/{name}.toml"), "utf-8")
    assert read_config(file).make() == system(name)


def test_omitted_parameters_keep_their_defaults(file: Path) -> None:
    file.write_text('system = "lemma-delta"\n[tfidf]\nmin_df = 2\n', "utf-8")
    made = read_config(file).make(pipeline="hanta")
    assert made.parameters["delta"] == 0.3
    assert made.parameters["tfidf"] == {**LemmaDelta().parameters["tfidf"], "min_df": 2}  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("text", "code", "value"),
    [
        ("delta = 0.3", "config-invalid", "'system'"),
        ('system = "lema"', "name-unknown", "'lemma'"),
        ("system = [", "config-invalid", "TOML"),
        ('system = "lemma-delta"\ndetla = 0.3', "name-unknown", "did you mean 'delta'"),
        ('system = "lemma-delta"\npipeline = "hanta"', "name-unknown", "'pipeline'"),
        ('system = "lemma-delta"\ndelta = 1.5', "parameter-invalid", "1.5"),
        ('system = "lemma-delta"\ndelta = nan', "parameter-invalid", "nan"),
        ('system = "lemma-delta"\ndelta = "0.3"', "parameter-invalid", "'0.3'"),
        ('system = "lemma-delta"\ntfidf = 1', "parameter-invalid", "[tfidf]"),
        ('system = "lemma-delta"\n[tfidf]\nmindf = 1', "name-unknown", "'tfidf.min_df'"),
        ('system = "lemma-delta"\n[tuning]\ncorpus = "x"', "config-invalid", "'tuned_on'"),
        (f'system = "lemma"\n{TUNING}', "config-invalid", "[tuning]"),
        ('system = "lemma"\ndelta = 0.3', "name-unknown", "'delta'"),
    ],
)
def test_an_invalid_file(file: Path, text: str, code: str, value: str) -> None:
    file.write_text(text, "utf-8")
    with refused(code, value) as caught:
        read_config(file)
    assert str(caught.value.place).startswith(str(file))
    assert isinstance(caught.value, UsageError)
    assert caught.value.exit_code == 2


def test_an_invalid_tfidf_parameter(file: Path) -> None:
    file.write_text('system = "lemma-delta"\n[tfidf]\nmin_df = 0', "utf-8")
    with pytest.raises(UsageError) as caught:
        read_config(file)
    assert caught.value.place == file
    assert "min_df" in caught.value.message


def test_an_unreadable_file(tmp_path: Path) -> None:
    for path in (tmp_path / "none.toml", tmp_path):
        with refused("file-unreadable", place=path):
            read_config(path)
    (tmp_path / "bytes.toml").write_bytes(b"\xff")
    with refused("file-encoding", place="bytes.toml:1"):
        read_config(tmp_path / "bytes.toml")


def test_each_system_gets_its_own_configuration() -> None:
    configs = [Configuration(Path("a"), "lemma-delta", {"delta": 0.5})]
    systems = make_systems(["lemma", "lemma-delta"], configs, None)
    assert systems == [system("lemma"), LemmaDelta(delta=0.5)]


def test_unused_and_duplicate_configurations() -> None:
    config = Configuration(Path("a"), "lemma-delta")
    with refused("config-invalid", "lemma-delta", place="a"):
        make_systems(["lemma"], [config], None)
    with refused("config-invalid", "lemma-delta", place="a"):
        make_systems(list(SYSTEMS), [config, config], None)


def test_the_scored_corpus_decides_the_mark(file: Path) -> None:
    file.write_text(f'system = "lemma-delta"\n{TUNING}', "utf-8")
    config = read_config(file)
    seen = corpus({"1_1ecb": ["A b"]}, [])
    unseen = corpus({"2_1ecb": ["A b"]}, [])
    assert "tuned-on-test" in config.make(seen).parameters
    assert "tuned-on-test" not in config.make(unseen).parameters
    assert config.make(unseen).parameters["tuned_on"] == "my-dev"
