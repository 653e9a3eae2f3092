"""HanTa's lemmas of 100 event mentions against a manual annotation.

``lemmas.tsv`` was annotated from the text, without seeing the output of a pipeline. The mentions
are a random sample of the training split; the head is the syntactic one, except for "under fire",
where it is the noun.
"""

import random
import re
from pathlib import Path

import pandas as pd
import pytest

from cdec.corpus import Corpus, load_split, select
from cdec.language import heads

LISTED = Path(__file__).with_name("lemmas.tsv")
PAGE = Path(__file__).parents[2] / "docs" / "paper.md"
SEED = 2016


@pytest.fixture(scope="module")
def train(whole_ecbplus: Corpus) -> Corpus:
    return select(whole_ecbplus, "train", load_split("ycf"))


@pytest.fixture(scope="module")
def judged() -> pd.DataFrame:
    return pd.read_csv(LISTED, sep="\t", index_col="mention", keep_default_na=False)


@pytest.fixture
def found(
    train: Corpus, judged: pd.DataFrame, shared_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> pd.DataFrame:
    monkeypatch.setenv("CDEC_CACHE", str(shared_cache))
    documents = train.mentions.loc[judged.index, "doc"]
    return heads(train.subset(documents, "judged")).loc[judged.index]


def test_the_sample_is_random(train: Corpus, judged: pd.DataFrame) -> None:
    chance = random.Random(SEED)  # noqa: S311 - no secret
    assert list(judged.index) == sorted(chance.sample(sorted(train.selected.index), 100))


def test_the_list_is_about_these_mentions(train: Corpus, judged: pd.DataFrame) -> None:
    texts = train.mentions.loc[judged.index, "text"]
    assert all(form in text.split() for form, text in zip(judged["form"], texts, strict=True))
    assert (judged["lemma"] == judged["lemma"].str.lower()).all()
    assert set(judged["pos"]) <= {"VERB", "NOUN", "ADJ", "PRON", "AUX"}


def test_the_accuracy_is_the_one_in_the_readme(judged: pd.DataFrame, found: pd.DataFrame) -> None:
    right = int((found["lemma"] == judged["lemma"]).sum())
    figures = re.findall(r"lemma accuracy: (\d+) of (\d+)", PAGE.read_text(encoding="utf-8"))
    assert figures == [(str(right), str(len(judged)))], errors(judged, found)


def errors(judged: pd.DataFrame, found: pd.DataFrame) -> str:
    wrong = judged[judged["lemma"] != found["lemma"]]
    return wrong.join(found, rsuffix="_found").to_string()


def test_the_heads_are_the_judged_ones(judged: pd.DataFrame, found: pd.DataFrame) -> None:
    assert (found["form"] == judged["form"]).mean() >= 0.99


def test_the_parts_of_speech_agree(judged: pd.DataFrame, found: pd.DataFrame) -> None:
    # The choice between AUX and VERB is a convention: see cdec.language.taggers.
    same = found["pos"].replace("AUX", "VERB") == judged["pos"].replace("AUX", "VERB")
    assert same.mean() >= 0.95
