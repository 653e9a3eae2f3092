"""Responses of published systems: fetched from archives, and their saved values."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import py7zr
import pytest

import cdec
from cdec import configs, evaluate, load_corpus, published
from cdec.corpus import blob_id, data_folder
from cdec.leaderboards import (
    Leaderboard,
    differences,
    fetch_responses,
    saved_results,
    score_board,
)
from tests.leaderboard.conftest import BOARD
from tests.refusals import refused
from tests.server import CUT, Server, serving

ARCHIVE = """
[[archives]]
name = "made"
url = "{url}archive.7z"
blob = "{blob}"
licence = "Apache-2.0"
folder = "runs"
"""
SHIPPED = Path(__file__).parents[2] / "configs" / "leaderboard"


def packed(path: Path, members: dict[str, bytes]) -> bytes:
    """A 7z archive; it is larger than what the server sends of a reply that is cut."""
    noise = {"runs/noise.bin": Random(0).randbytes(2 * CUT)}  # noqa: S311
    with py7zr.SevenZipFile(path, "w") as archive:
        for name, data in (noise | members).items():
            archive.writestr(data, name)
    return path.read_bytes()


def declare(board: Leaderboard, data: bytes, url: str = "http://127.0.0.1:9/") -> Leaderboard:
    """The board with the address and the id of an archive."""
    text = BOARD + ARCHIVE.format(url=url, blob=blob_id(data))
    (board.folder / "leaderboard.toml").write_text(text, "utf-8")
    return Leaderboard.at(board.folder, data_folder() / "responses")


def members_of(board: Leaderboard) -> dict[str, bytes]:
    paths = (board.folder / "responses" / "runs").rglob("*.conll")
    return {p.relative_to(board.folder / "responses").as_posix(): p.read_bytes() for p in paths}


@pytest.fixture
def server(board: Leaderboard, tmp_path: Path) -> Iterator[Server]:
    """A server with the archive of the system ``runs``."""
    with serving({"archive.7z": packed(tmp_path / "a.7z", members_of(board))}) as state:
        yield state


@pytest.fixture
def public(board: Leaderboard, server: Server, monkeypatch: pytest.MonkeyPatch) -> Leaderboard:
    """The made board in the place of that of cdec."""
    monkeypatch.setattr(configs, "folder", lambda name: board.folder)
    return declare(board, server.files["archive.7z"], server.url)


def fetched(board: Leaderboard, *names: str, source: Path | None = None) -> dict[str, int]:
    return {a.name: n for a, n in fetch_responses(board, names, source=source)}


def left(board: Leaderboard) -> list[str]:
    return sorted(p.name for p in board.root.rglob("*") if p.is_file())


def test_the_archive_is_downloaded_checked_and_unpacked(
    public: Leaderboard, server: Server, board: Leaderboard
) -> None:
    assert fetched(public) == {"made": 2}
    for name, data in members_of(board).items():
        assert (public.root / name).read_bytes() == data
    assert left(public) == ["lemma-2.conll", "lemma.conll"]  # no more than is needed
    assert [*data_folder().rglob("*.7z")] == []
    assert fetched(public, "runs") == {"made": 0}
    (public.root / "runs/sample/lemma.conll").write_text("changed", "utf-8")
    assert fetched(public, "runs") == {"made": 1}
    assert server.asked == [("archive.7z", None)] * 2


def test_another_file_at_the_address_is_refused(public: Leaderboard, server: Server) -> None:
    server.files["archive.7z"] += b"x"
    with refused("checksum-mismatch", "git blob id", "--from FILE", place="archive.7z"):
        fetched(public)
    assert left(public) == []


def test_a_cut_download_is_resumed(public: Leaderboard, server: Server) -> None:
    server.cuts = 1
    with refused("download-failed", "the download is resumed", "--from FILE"):
        fetched(public)
    assert left(public) == []
    assert fetched(public) == {"made": 2}
    (_, nothing), (_, asked) = server.asked
    assert nothing is None and asked and asked.startswith("bytes=")


def test_an_address_that_is_gone(public: Leaderboard, server: Server) -> None:
    server.files.clear()
    with refused("download-failed", "404", "--from FILE") as caught:
        fetched(public)
    assert "corpus install" not in str(caught.value)


def test_no_network(board: Leaderboard, server: Server) -> None:
    public = declare(board, server.files["archive.7z"])
    with refused("download-failed", "no connection", "--from FILE"):
        fetched(public)


def test_a_local_copy_is_found_by_its_content(
    board: Leaderboard, server: Server, tmp_path: Path
) -> None:
    public = declare(board, server.files["archive.7z"])
    folder = tmp_path / "copies"
    folder.mkdir()
    (folder / "other.7z").write_bytes(b"another")
    with refused("checksum-mismatch", "1 file", public.file.archives[0].url, place=folder):
        fetched(public, source=folder)
    (folder / "renamed.7z").write_bytes(server.files["archive.7z"])
    assert fetched(public, source=folder) == {"made": 2}
    (public.root / "runs/sample/lemma.conll").unlink()
    assert fetched(public, source=folder / "renamed.7z") == {"made": 1}
    assert (folder / "renamed.7z").exists() and server.asked == []
    (public.root / "runs/sample/lemma.conll").unlink()
    with refused("file-unreadable", place="nowhere"):
        fetched(public, source=tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["../outside.txt", "runs/../../outside.txt", "/outside.txt"])
def test_a_member_outside_the_folder_is_refused(
    board: Leaderboard, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The library does not write such a name: it is put into the list that it reads.
    data = packed(tmp_path / "a.7z", members_of(board))
    names = py7zr.SevenZipFile.getnames
    monkeypatch.setattr(py7zr.SevenZipFile, "getnames", lambda self: [*names(self), name])
    public = declare(board, data)
    with refused("file-invalid", name, place="a.7z"):
        fetched(public, source=tmp_path)
    assert left(public) == []


@pytest.mark.parametrize("size", [0, 20, 1000, -10])
def test_a_file_that_is_no_archive(board: Leaderboard, tmp_path: Path, size: int) -> None:
    """The board names a cut archive: its id is right, its content is not."""
    whole = packed(tmp_path / "whole.7z", members_of(board))
    (tmp_path / "whole.7z").write_bytes(whole[:size])
    public = declare(board, whole[:size])
    with refused("file-invalid", "7z", place="whole.7z"):
        fetched(public, source=tmp_path)
    assert left(public) == []


def test_a_response_with_another_digest_is_not_unpacked(board: Leaderboard, tmp_path: Path) -> None:
    members = members_of(board)
    name = max(members)
    for data in ({**members, name: b"changed"}, {k: v for k, v in members.items() if k != name}):
        (tmp_path / "a.7z").unlink(missing_ok=True)
        public = declare(board, packed(tmp_path / "a.7z", data))
        with refused("checksum-mismatch", name, place="a.7z"):
            fetched(public, source=tmp_path)
        assert left(public) == []


def test_a_large_archive_is_refused(
    board: Leaderboard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cdec.leaderboards.archives.LARGEST_UNPACKED", CUT)
    public = declare(board, packed(tmp_path / "a.7z", members_of(board)))
    with refused("file-too-large", place="a.7z"):
        fetched(public, source=tmp_path)


def test_without_py7zr(public: Leaderboard, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "py7zr", None)
    with refused("package-missing", "pip install py7zr"):
        fetched(public)


def test_systems_that_cannot_be_fetched(public: Leaderboard) -> None:
    with refused("response-missing", "'wd'"):
        fetched(public, "wd")
    with refused("name-unknown", "'run'", "'runs'"):
        fetched(public, "run")


def differing(name: str, key: cdec.Corpus, rows: Any, task: str) -> tuple[int, list[str]]:
    """Count the saved values of a system on a task; list those that its name does not give."""
    values = ["precision", "recall", "f1", "precision_sd", "recall_sd", "f1_sd"]
    saved = rows.to_frame().set_index(["setting", "metric"])
    saved = saved.reindex(columns=[v for v in values if v in saved]).dropna(axis=1, how="all")
    settings, metrics = (list(dict.fromkeys(saved.index.get_level_values(n))) for n in (0, 1))
    ours = evaluate(key, f"leaderboard:{name}@{task}", setting=settings, metrics=metrics)
    now = ours.to_frame().set_index(["setting", "metric"]).loc[saved.index, saved.columns]
    wrong = (now - saved).abs().gt(1e-9) | now.isna() != saved.isna()
    return int(saved.notna().sum().sum()), [
        f"{name} {task} {at}" for at in wrong[wrong.any(axis=1)].index
    ]


def checked(ecbplus: Path, corpora: Path, prefix: str) -> tuple[int, int, list[str]]:
    """Count the tables and the values of the board that names give again; list the others."""
    board = Leaderboard.at(SHIPPED)
    paths = {"ecb+": ecbplus, "gvc": corpora / "GVC", "fcc-t": corpora / "FCC-T"}
    keys = {
        task.name: load_corpus(str(paths[task.corpus]), task.split, variant=task.variant)
        for task in board.tasks.values()
    }
    tables, values = 0, 0
    wrong: list[str] = []
    for (name, task), saved in saved_results(board).items():
        answered = board.systems[name].answers(task)
        archived = board.is_in_archive(board.systems[name])
        if name.startswith(prefix) and archived and not answered[0].key:
            number, found = differing(name, keys[task], saved, task)
            tables, values, wrong = tables + 1, values + number, [*wrong, *found]
    return tables, values, wrong


def test_the_saved_values_of_one_system(responses: Path, ecbplus: Path, corpora: Path) -> None:
    published("barhom-2019-kmeans", fetch=responses)
    published("barhom-2019-gold", fetch=responses)
    assert checked(ecbplus, corpora, "barhom-2019-") == (8, 1144, [])


@pytest.mark.slow
def test_all_saved_values(responses: Path, ecbplus: Path, corpora: Path) -> None:
    """By name, except for responses that have their own key: these are scored as the board does."""
    board = Leaderboard.at(SHIPPED, data_folder() / "responses")
    assert fetched(board, source=responses) == {
        "ba2019": 6,
        "feature-based": 182,
        "hypercoref": 264,
    }
    tables, _, wrong = checked(ecbplus, corpora, "")
    assert (tables, wrong) == (128, [])
    named = {"ecb+": ecbplus, "gvc": corpora / "GVC", "fcc-t": corpora / "FCC-T"}
    only = [name for name, entry in board.systems.items() if board.is_in_archive(entry)]
    scored = list(score_board(board, {n: str(p) for n, p in named.items()}, jobs=1, only=only))
    assert len(scored) == 145
    assert [str(one) for one in differences(board, scored)] == []
