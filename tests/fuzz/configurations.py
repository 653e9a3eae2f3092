"""TOML of the user's: splits, and configurations of the baselines."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path

from cdec.baselines.config import read_config, to_toml
from cdec.configs import read_text
from cdec.corpus import load_split, select
from cdec.system import Tuned
from tests.formats.made import corpus
from tests.fuzz.reader import Reader

CORPUS = corpus()
TUNING = '[tuning]\ncorpus = "ecb+"\ntuned_on = "ycf-dev"\ntopics = ["23"]\non_test = false\n'
TOKENS = (
    "\n", "[", "]", "[[", "]]", "{", "}", '"', '"""', "'''", "= ", "true", "false", "nan", "inf",
    "1e999", "-1", "0x7f", "1979-05-27", "07:32:00", "9" * 30, "\\u0000", "\\u001b", "a.b.c = 1\n",
)  # fmt: skip
SPLIT = (
    "format = ",
    '"cdec-split/1"',
    "title = ",
    "reviewed_only = ",
    "[topics]\n",
    "test = [",
    '"1-14"',
    '"1-999999999"',
)
PARAMETERS = (
    "format = ", '"cdec-config/1"', "system = ", '"lemma"', '"lemma-wd"', '"lemma-docs"',
    '"lemma-delta"', "delta = ", "[tfidf]\n",
    "min_df = ", "lowercase = ", "threshold = ", "progress = ", "pipeline = ", TUNING,
)  # fmt: skip
CHOICES = (
    '"sac"', '"sac-plus"', "[choices]\n", "gate = ", "families = ", "classifiers = ", "link = ",
    '"average"', "negatives = ", "folds = ", "seed = ", "extras = ", "[choices.tfidf]\n",
    'arguments = "gold"\n', "model = ", "jobs = ",
)  # fmt: skip


def readers() -> list[Reader]:
    splits = (
        '[topics]\ntest = ["1", "2-3"]\ndev = [4]\n',
        '[topics]\ntest = ["1-99999999"]\n',
        *_texts("splits", "sample", "ycf"),
    )
    plain = ('system = "lemma-delta"\ndelta = 0.25\n' + TUNING, 'system = "lemma"\n')
    lemmas = plain + _texts("systems", "lemma-delta", "lemma-docs")
    return [
        Reader("split", "mine.toml", _split, _encoded(splits), TOKENS + SPLIT),
        Reader("config", "config.toml", _config, _encoded(lemmas), TOKENS + PARAMETERS),
        Reader("sac-config", "sac.toml", _config, _encoded(_texts("systems", "sac", "sac-plus")),
               TOKENS + CHOICES),
    ]  # fmt: skip


def _texts(folder: str, *names: str) -> tuple[str, ...]:
    return tuple(read_text(f"{folder}/{name}.toml") for name in names)


def _encoded(texts: tuple[str, ...]) -> tuple[bytes, ...]:
    return tuple(text.encode() for text in texts)


def _split(path: Path) -> None:
    split = load_split(str(path))
    assert split.parts
    for one, two in combinations(split.parts.values(), 2):
        assert one.isdisjoint(two)
    for part in split.parts:
        chosen = select(CORPUS, part, split)
        assert {split.unit_of(document) for document in chosen.documents.values()} == split.parts[
            part
        ]


def _config(path: Path) -> None:
    """Read a configuration; written as ``cdec tune`` does and read again, it is the same."""
    read = read_config(path)
    made = read.make()
    assert made.name == read.system
    if not hasattr(made, "tuned"):  # a system with nothing to tune is never written
        return
    tuned = replace(read, tuned=read.tuned or Tuned("c", "c-dev", ("1",)))
    assert tuned.tuned is not None
    path.write_text(to_toml(made, tuned.tuned, ["made"]), "utf-8")
    again = read_config(path)
    assert again.tuned == tuned.tuned
    assert again.make().parameters == tuned.make().parameters
