"""Responses of a leaderboard by name: ``leaderboard:NAME``."""

from __future__ import annotations

import shutil
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import cdec
from cdec import evaluate, load_corpus, published
from cdec.cli.completion import answers
from cdec.leaderboards import (
    Addition,
    Leaderboard,
    add_system,
    score_board,
)
from tests.leaderboard.test_fetch_responses import (
    declare,
    fetched,
    members_of,
    packed,
    public,
    server,
)
from tests.refusals import refused
from tests.server import Server

__all__ = ["public", "server"]  # fixtures


def with_key(board: Leaderboard, digest: str) -> None:
    """Give the second run of ``runs`` a key in the archive; '' leaves out its digest."""
    path, about = board.folder / "systems" / "runs.toml", board.folder / "leaderboard.toml"
    key = 'key = "runs/key.conll"\n'
    path.write_text(path.read_text("utf-8").removesuffix(key) + key, "utf-8")
    keys = f'keys = {{ "runs/key.conll" = "{digest}" }}\n' if digest else ""
    about.write_text(about.read_text("utf-8") + keys, "utf-8")


def conll(response: Any) -> list[float]:
    results = evaluate(load_corpus("sample", "test"), response, setting="simple", metrics="conll")
    return results.to_frame()["f1"].tolist()


def test_a_name_is_a_response(public: Leaderboard, files: dict[str, Path]) -> None:
    fetched(public)
    both = f"runs={files['lemma']},{files['lemma-2']}"
    assert conll("leaderboard:runs") == conll(both)
    assert conll("leaderboard:runs@sample/2") == conll(files["lemma-2"])
    assert conll(published("runs/1")) == conll([files["lemma"]])
    assert conll({"a": "leaderboard:runs", "b": files["lemma"]}) == conll(
        {"a": both, "b": files["lemma"]}
    )
    found = evaluate(load_corpus("sample", "test"), ["mine=leaderboard:runs", "lemma"])
    assert [system for _, system in found.names] == ["mine", "lemma"]


def test_a_response_that_is_not_there(public: Leaderboard) -> None:
    corpus = load_corpus("sample", "test")
    shutil.rmtree(public.folder / "responses")  # a copy there is a response, too
    with refused("response-missing", "cdec leaderboard fetch runs", place="lemma.conll"):
        evaluate(corpus, "leaderboard:runs")
    with refused("response-missing", "url", place="lemma-wd.conll"):  # in no archive
        evaluate(corpus, "leaderboard:wd")
    assert published("runs", fetch=True).on(corpus).name == "runs"
    (public.root / "runs/sample/lemma.conll").write_text("changed", "utf-8")
    with refused("input-mismatch", "SHA-256", "cdec leaderboard fetch runs"):
        evaluate(corpus, "leaderboard:runs")


@pytest.mark.parametrize("part", ["dev", "all"])
def test_another_part_of_the_corpus(public: Leaderboard, part: str) -> None:
    with refused("input-mismatch", "--corpus sample --split test", place="leaderboard:runs"):
        evaluate(load_corpus("sample", part), "leaderboard:runs")


@pytest.mark.parametrize("name", ["", "run", "runs@", "runs@ecb+", "runs/", "runs/3", "runs/a/1"])
def test_unknown_names(public: Leaderboard, name: str) -> None:
    with refused("name-unknown"):
        published(name)


def test_one_file_of_several(public: Leaderboard, files: dict[str, Path]) -> None:
    fetched(public)
    ours = cdec.score(files["lemma-wd"], "leaderboard:runs/2", scope="corpus")
    assert ours["conll"].f1 == 1
    with refused("option-invalid", "leaderboard:runs@sample/1"):
        cdec.score(files["lemma-wd"], "leaderboard:runs", scope="corpus")


def test_a_response_of_numbers_needs_its_own_key(public: Leaderboard, board: Leaderboard) -> None:
    with_key(board, "")
    with refused("config-invalid", "no archive has the SHA-256 of the key 'runs/key.conll'"):
        _ = Leaderboard.at(board.folder).systems
    with_key(board, "0" * 64)
    with refused("input-mismatch", "cdec score", "leaderboard:runs@sample/2 --scope corpus"):
        evaluate(load_corpus("sample", "test"), "leaderboard:runs/2")


def test_a_damaged_key_is_fetched_again_and_not_scored_against(
    public: Leaderboard, server: Server, board: Leaderboard, tmp_path: Path
) -> None:
    key = (board.root / "runs/sample/lemma.conll").read_bytes()
    members = members_of(board) | {"runs/key.conll": key}
    server.files["archive.7z"] = packed(tmp_path / "with-key.7z", members)
    declare(board, server.files["archive.7z"], server.url)
    with_key(board, sha256(key).hexdigest())
    public = Leaderboard.at(board.folder, public.root)
    assert fetched(public, "runs") == {"made": 3}
    assert len([*score_board(public, jobs=1, only=["runs"])]) == 1
    (public.root / "runs/key.conll").write_bytes(key + b"\n")
    with refused("input-mismatch", "SHA-256", place="key.conll"):
        [*score_board(public, jobs=1, only=["runs"])]
    assert fetched(public, "runs") == {"made": 1}
    assert (public.root / "runs/key.conll").read_bytes() == key


def test_a_file_with_that_name_comes_first(
    public: Leaderboard, files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("leaderboard:runs").write_bytes(files["lemma-wd"].read_bytes())
    assert conll("leaderboard:runs") == conll(files["lemma-wd"])


def test_the_shell_completes_names(public: Leaderboard) -> None:
    assert "leaderboard:" in answers("")
    assert {"leaderboard:runs", "leaderboard:wd"} < {*answers("leaderboard:r")}


def test_an_added_system_keeps_the_archives(public: Leaderboard, files: dict[str, Path]) -> None:
    add_system(public, Addition("more", [files["lemma"]], "sample", copied=False))
    with_more = Leaderboard.at(public.folder)
    assert "more" in with_more.systems
    assert with_more.file.archives == public.file.archives != ()
