"""A made leaderboard: three systems on the sample."""

from __future__ import annotations

from pathlib import Path

import pytest

from cdec import load_corpus, predict
from cdec.formats import from_corpus, write
from cdec.leaderboards import Addition, Leaderboard, add_system, save_result, score_board
from cdec.leaderboards.site import write_site
from cdec.leaderboards.study.tables import study
from cdec.statistics import Plan
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

DECLARED = """year = 2021
url = "https://example.org/code"
paper = "Doe et al. A system. 2021."
licence = "MIT"
saw_test = "unknown"
[uses]
topics = "gold"
[[published]]
task = "sample"
f1 = 0.5
source = "their table"
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


@pytest.fixture
def described(board: Leaderboard) -> Leaderboard:
    """The board with a study of all but ``wd``, and a description of ``single``."""
    scored = [one for one in score_board(board, jobs=1) if one.entry.name != "wd"]
    study(board, scored, Plan(unit="topic", resamples=10), jobs=1).save(board.folder / "study")
    path = board.folder / "systems" / "single.toml"
    head, _, responses = path.read_text("utf-8").partition("\n[[responses]]")
    head = "\n".join(line for line in head.splitlines() if not line.startswith(("[", "mentions")))
    path.write_text(f"{head}\n{DECLARED}\n[[responses]]{responses}", "utf-8")
    text = (board.folder / "leaderboard.toml").read_text("utf-8")
    text += '[papers]\n"A system" = "https://example.org/paper"\n'
    (board.folder / "leaderboard.toml").write_text(text, "utf-8")
    return Leaderboard.at(board.folder)


@pytest.fixture
def made(described: Leaderboard, tmp_path: Path) -> Path:
    write_site(described, tmp_path / "site")
    return tmp_path / "site"
