import os
import subprocess
import sys
from pathlib import Path

import pytest

from cdec.baselines import SYSTEMS, run, system
from cdec.baselines.lemma import Lemma, LemmaWD
from cdec.clustering import Clustering
from cdec.errors import LanguageError
from tests.language.tiny import corpus
from tests.refusals import refused
from tests.robustness.runs import CALLS_OF_STDIN

TEXTS = {
    "1_1ecb": ["Police checked the house .", "They check houses .", "The riot ended ."],
    "1_2ecb": ["Officers are checking  it .", "The riots grew ."],
}
MENTIONS = [
    ("1_1ecb", (1,), "a"),  # checked
    ("1_1ecb", (6,), "a"),  # check
    ("1_1ecb", (10,), "b"),  # riot
    ("1_2ecb", (2,), "a"),  # checking
    ("1_2ecb", (7,), "c"),  # riots
]


def chains(clustering: Clustering) -> list[list[str]]:
    return sorted(sorted(chain) for chain in clustering.chains().values())


def test_lemma_joins_over_documents() -> None:
    assert chains(run(Lemma(), corpus(TEXTS, MENTIONS))) == [
        ["1_1ecb/11", "1_1ecb/12", "1_2ecb/11"],
        ["1_1ecb/13", "1_2ecb/12"],
    ]


def test_lemma_wd_joins_inside_a_document() -> None:
    assert chains(run(LemmaWD(), corpus(TEXTS, MENTIONS))) == [
        ["1_1ecb/11", "1_1ecb/12"],
        ["1_1ecb/13"],
        ["1_2ecb/11"],
        ["1_2ecb/12"],
    ]


def test_labels_can_be_read() -> None:
    tiny = corpus(TEXTS, MENTIONS)
    assert set(run(Lemma(), tiny).labels) == {"check", "riot"}
    assert {label.split("/")[1] for label in run(LemmaWD(), tiny).labels} == {"check", "riot"}


def test_a_mention_without_a_word_matches_nothing() -> None:
    mentions = [("1_1ecb", (1,), "a"), ("1_2ecb", (1,), "b")]
    tiny = corpus({"1_1ecb": ["A  attack"], "1_2ecb": ["B  attack"]}, mentions)
    assert tiny.mentions["text"].tolist() == ["", ""]
    assert chains(run(Lemma(), tiny)) == [["1_1ecb/11"], ["1_2ecb/11"]]


@pytest.mark.parametrize("system_", [Lemma(), LemmaWD()])
def test_no_mentions_no_chains(system_: Lemma) -> None:
    empty = corpus(TEXTS, [])
    assert len(system_.predict(empty)) == 0
    with refused("part-too-small", place="tiny (all)"):
        run(system_, empty)


def test_parameters_name_the_pipeline_with_its_version() -> None:
    assert str(Lemma().parameters["nlp"]).startswith("hanta-")


def test_systems_by_name() -> None:
    assert list(SYSTEMS)[:2] == ["lemma", "lemma-wd"]
    assert system("lemma", pipeline="hanta") == Lemma()
    with refused("name-unknown", "unknown system", "did you mean 'lemma'"):
        system("lema")
    with pytest.raises(LanguageError):
        run(system("lemma", pipeline="spacy:en_nowhere"), corpus(TEXTS, MENTIONS))


def test_the_response_does_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    calls = "".join(
        f"predict --corpus sample --to json --system {n}\n" for n in ("lemma", "lemma-wd")
    )
    outputs = set()
    for seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": seed, "CDEC_CACHE": str(tmp_path / seed)}
        command = [sys.executable, "-c", CALLS_OF_STDIN]
        ran = subprocess.run(
            command, input=calls.encode(), capture_output=True, check=True, env=env
        )
        outputs.add(ran.stdout)
    assert len(outputs) == 1
    assert outputs.pop().count(b"{") >= 2
