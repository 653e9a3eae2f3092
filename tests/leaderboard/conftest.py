"""A made leaderboard: three systems on the sample."""

from __future__ import annotations

from pathlib import Path

import pytest

from cdec import load_corpus, predict
from cdec.formats import from_corpus, write
from cdec.leaderboards import Addition, Leaderboard, add_system, save_result, score_board
from tests.cli.conftest import cdec
from tests.matching.conftest import unpacked

__all__ = ["cdec", "unpacked"]  # the fixtures of the command line and of published responses

BOARD = """format = "cdec-leaderboard/1"
title = "Made"

[[tasks]]
name = "sample"
title = "The sample"
corpus = "sample"
split = "test"
"""


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The responses of lemma and lemma-wd, and one of lemma-wd under another name."""
    folder = tmp_path_factory.mktemp("responses")
    corpus = load_corpus("sample", "test")
    paths = {}
    for name in ("lemma", "lemma-wd"):
        paths[name] = folder / f"{name}.conll"
        write(from_corpus(corpus, predict(corpus, name)).numbered(), paths[name], "conll")
    paths["lemma-2"] = folder / "lemma-2.conll"
    paths["lemma-2"].write_text(paths["lemma-wd"].read_text("utf-8"), "utf-8")
    return paths


@pytest.fixture
def board(tmp_path: Path, files: dict[str, Path]) -> Leaderboard:
    """A leaderboard with saved results of three systems, one of them with two runs."""
    folder = tmp_path / "board"
    folder.mkdir()
    (folder / "leaderboard.toml").write_text(BOARD, "utf-8")
    made = Leaderboard.at(folder)
    runs = [files["lemma"], files["lemma-2"]]
    add_system(made, Addition("runs", runs, "sample"))
    add_system(made, Addition("single", [files["lemma"]], "sample"))
    add_system(made, Addition("wd", [files["lemma-wd"]], "sample"))
    made = Leaderboard.at(folder)
    for one in score_board(made, jobs=1):
        save_result(made, one)
    return made
