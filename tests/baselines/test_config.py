from pathlib import Path

import pytest

from cdec.baselines import SYSTEMS, system
from cdec.baselines.config import Configuration, make_systems, read_config, to_toml
from cdec.baselines.lemma_delta import LemmaDelta
from cdec.configs import read_text
from cdec.errors import UsageError
from cdec.system import Tuned
from tests.language.tiny import corpus

TUNING = '[tuning]\ncorpus = "tiny"\ntuned_on = "my-dev"\ntopics = ["1"]\non_test = false\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "mine.toml"


def test_what_is_written_is_read_again(file: Path) -> None:
    tuned = Tuned('a "name" with ä', "my-dev", ("1", "2"), on_test=True)
    made = system("lemma-docs", delta=0.15, tuned=tuned)
    file.write_text(to_toml(made, tuned, ["how it came"]), "utf-8")
    text = file.read_text("utf-8")
    assert text.startswith('# how it came\nformat = "cdec-config/1"\n')
    assert read_config(file).make() == made
    file.write_text(text.replace('format = "cdec-config/1"\n', ""), "utf-8")  # as cdec 0.1 wrote it
    assert read_config(file).make() == made


@pytest.mark.parametrize("name", ["lemma-delta", "lemma-docs"])
def test_the_defaults_are_a_configuration(name: str, file: Path) -> None:
    file.write_text(read_text(f"systems/{name}.toml"), "utf-8")
    assert read_config(file).make() == system(name)


def test_what_is_left_out_keeps_its_default(file: Path) -> None:
    file.write_text('system = "lemma-delta"\n[tfidf]\nmin_df = 2\n', "utf-8")
    made = read_config(file).make(pipeline="hanta")
    assert made.parameters["delta"] == 0.3
    assert made.parameters["tfidf"] == {**LemmaDelta().parameters["tfidf"], "min_df": 2}  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("delta = 0.3", "it has no 'system'"),
        ('system = "lema"', "unknown system 'lema' .did you mean 'lemma'"),
        ("system = [", "no configuration: not TOML"),
        ('system = "lemma-delta"\ndetla = 0.3', "'detla' .did you mean 'delta'"),
        ('system = "lemma-delta"\npipeline = "hanta"', "'pipeline'"),
        ('system = "lemma-delta"\ndelta = 1.5', "δ is 1.5 .a number from 0 to 1"),
        ('system = "lemma-delta"\ndelta = nan', "δ is nan"),
        ('system = "lemma-delta"\ndelta = "0.3"', "δ is '0.3'"),
        ('system = "lemma-delta"\ntfidf = 1', "tfidf is 1 .a table, "),
        ('system = "lemma-delta"\n[tfidf]\nmindf = 1', "'mindf' .did you mean 'min_df'"),
        ('system = "lemma-delta"\n[tfidf]\nmin_df = 0', "min_df is 0 .a whole number from 1"),
        ('system = "lemma-delta"\n[tuning]\ncorpus = "x"', "'tuning' has no 'tuned_on'"),
        (f'system = "lemma"\n{TUNING}', "lemma has nothing to tune"),
        ('system = "lemma"\ndelta = 0.3', "unknown parameter of lemma: 'delta'"),
    ],
)
def test_a_bad_file_is_refused_with_its_name(file: Path, text: str, message: str) -> None:
    file.write_text(text, "utf-8")
    with pytest.raises(UsageError, match=message) as caught:
        read_config(file)
    assert str(caught.value).startswith(f"{file}:")
    assert caught.value.exit_code == 2


def test_a_file_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_config(tmp_path / "none.toml")
    with pytest.raises(UsageError, match="cannot be read: Is a directory"):
        read_config(tmp_path)
    (tmp_path / "bytes.toml").write_bytes(b"\xff")
    with pytest.raises(UsageError, match="not UTF-8"):
        read_config(tmp_path / "bytes.toml")


def test_each_system_gets_its_own_configuration() -> None:
    configs = [Configuration(Path("a"), "lemma-delta", {"delta": 0.5})]
    made = make_systems(["lemma", "lemma-delta"], configs, None)
    assert made == [system("lemma"), LemmaDelta(delta=0.5)]


def test_configurations_without_a_place_are_refused() -> None:
    one = Configuration(Path("a"), "lemma-delta")
    with pytest.raises(UsageError, match=r"a: 'lemma-delta' is not to be run \(add --system"):
        make_systems(["lemma"], [one], None)
    with pytest.raises(UsageError, match="a: a second configuration of 'lemma-delta'"):
        make_systems(list(SYSTEMS), [one, one], None)


def test_what_is_scored_decides_the_mark(file: Path) -> None:
    file.write_text(f'system = "lemma-delta"\n{TUNING}', "utf-8")
    config = read_config(file)
    seen = corpus({"1_1ecb": ["A b"]}, [])
    unseen = corpus({"2_1ecb": ["A b"]}, [])
    assert "tuned-on-test" in config.make(seen).parameters
    assert "tuned-on-test" not in config.make(unseen).parameters
    assert config.make(unseen).parameters["tuned_on"] == "my-dev"
