"""action.yml: its steps are run as a runner of workflows runs them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cdec.leaderboards import Leaderboard
from tests.guides import ROOT

ACTION = pytest.importorskip("yaml").safe_load((ROOT / "action.yml").read_text("utf-8"))
_EXPRESSION = re.compile(r"\$\{\{ inputs\.(\w+) \}\}")


def run(here: Path, **inputs: str) -> tuple[dict[str, int], dict[str, str]]:
    """Run the steps; return their exit codes by name, and what they write for the workflow."""
    given = {name: one["default"] for name, one in ACTION["inputs"].items()} | inputs
    files = {name: here / name for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    outer = {**os.environ, "PATH": path, **{name: str(file) for name, file in files.items()}}
    codes: dict[str, int] = {}
    for step in ACTION["runs"]["steps"]:
        if "uses" in step:
            assert re.fullmatch(r"actions/[\w-]+@v\d+", step["uses"])
            continue
        assert "${{" not in step["run"], "an input in a script could be a command"
        values = step.get("env", {}).items()
        own = {name: _EXPRESSION.sub(lambda m: given[m[1]], text) for name, text in values}
        is_asked = not step.get("if") or own["MIN"] != ""
        if step["name"] == "Install" or not is_asked or any(codes.values()):
            continue
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(command, cwd=here, env=outer | own, check=False)
        codes[step["name"]] = done.returncode
    return codes, {name: f.read_text("utf-8") for name, f in files.items() if f.exists()}


def test_the_action_is_composite() -> None:
    assert ACTION["runs"]["using"] == "composite"
    assert all(step.get("shell") == "bash" for step in ACTION["runs"]["steps"] if "run" in step)
    assert all(one["description"] and "default" in one for one in ACTION["inputs"].values())
    assert ACTION["outputs"]["comment"]["value"] == "${{ steps.check.outputs.comment }}"


def test_the_steps_on_a_board(board: Leaderboard, tmp_path: Path) -> None:
    for name in ("cdec", "pip"):  # a file of the pull request is not run
        (tmp_path / f"{name}.py").write_text("raise SystemExit(0)", "utf-8")
    (tmp_path / "comment.md").write_text("No problem: a file of the pull request", "utf-8")
    assert run(tmp_path, folder="board", base="missing") == ({"Check": 1}, {})
    codes, written = run(tmp_path, folder="board", base="board", min="conll=.1\npure/lea=.05")
    assert codes == {"Check": 0, "Thresholds": 0}
    assert written["GITHUB_OUTPUT"] == "comment=comment.md\n"
    assert written["GITHUB_STEP_SUMMARY"] == (tmp_path / "comment.md").read_text("utf-8")
    name = "results/sample/single.json"
    assert run(tmp_path, folder="board", min="pure/conll=.99", results=name)[0] == {
        "Check": 0,
        "Thresholds": 1,
    }
    (board.folder / "systems" / "bad.toml").write_text("title = 3", "utf-8")
    codes, written = run(tmp_path, folder="board", base="", output="$(touch broken).md")
    assert codes == {"Check": 1} and not (tmp_path / "broken").exists()
    assert "bad.toml" in written["GITHUB_STEP_SUMMARY"]


@pytest.mark.slow
def test_the_action_installs_its_checkout(tmp_path: Path) -> None:
    (step,) = [one for one in ACTION["runs"]["steps"] if one.get("name") == "Install"]
    place, paths = tmp_path / "env", {"GITHUB_ACTION_PATH": str(ROOT), "CDEC": ""}
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", place], check=True)
    pip = {"PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0", "PIP_NO_INDEX": "1"}
    outer: dict[str, Any] = {
        **os.environ,
        **paths,
        **pip,
        "PATH": f"{place}/bin:{os.environ['PATH']}",
    }
    subprocess.run(["bash", "-c", step["run"]], env=outer, cwd=tmp_path, check=True)
