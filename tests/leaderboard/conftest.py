"""A made leaderboard: three systems on the sample."""

from __future__ import annotations

from pathlib import Path

import pytest

from cdec import load_corpus, predict
from cdec.formats import from_corpus, write
from cdec.leaderboard.add import Addition, add_system
from cdec.leaderboard.folder import Leaderboard
from cdec.leaderboard.saved import save_results
from cdec.leaderboard.score import score_board

BOARD = """format = "cdec-leaderboard/1"
title = "Made"

[[tasks]]
name = "sample"
title = "The sample"
corpus = "sample"
split = "test"
"""


@pytest.fixture(scope="session")
def responses(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The responses of lemma and lemma-wd, two of the first, and one chain for all."""
    folder = tmp_path_factory.mktemp("responses")
    corpus = load_corpus("sample", "test")
    paths = {}
    for name in ("lemma", "lemma-wd"):
        paths[name] = folder / f"{name}.conll"
        write(from_corpus(corpus, predict(corpus, name)).numbered(), paths[name], "conll")
    paths["lemma-2"] = folder / "lemma-2.conll"
    text = paths["lemma-wd"].read_text("utf-8")
    paths["lemma-2"].write_text(text.replace("\n", "\n", 1), "utf-8")
    return paths


@pytest.fixture
def board(tmp_path: Path, responses: dict[str, Path]) -> Leaderboard:
    """A leaderboard with saved results: runs (two files), one, and one with digests only."""
    folder = tmp_path / "board"
    folder.mkdir()
    (folder / "leaderboard.toml").write_text(BOARD, "utf-8")
    made = Leaderboard.at(folder)
    runs = [responses["lemma"], responses["lemma-2"]]
    add_system(made, Addition("runs", runs, "sample"))
    add_system(made, Addition("single", [responses["lemma"]], "sample"))
    add_system(made, Addition("wd", [responses["lemma-wd"]], "sample"))
    made = Leaderboard.at(folder)
    save_results(made, score_board(made, jobs=1))
    return made
