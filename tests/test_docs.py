"""The tables in the documentation are what the commands above them print."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cdec.cli.app import app

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(
    r"<!-- run: cdec (?P<command>.*?) -->\n(?P<output>.*?)<!-- /run -->\n", re.DOTALL
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_tables_are_what_the_commands_print(
    page: Path, ecbplus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CDEC_ECBPLUS", str(ecbplus))
    text = page.read_text("utf-8")
    made = BLOCK.sub(_run, text)
    if os.environ.get("CDEC_UPDATE_GOLDEN") == "1":
        page.write_text(made, "utf-8")
    assert made == text


def _run(block: re.Match[str]) -> str:
    result = CliRunner().invoke(app, shlex.split(block["command"]))
    assert result.exit_code == 0, result.stderr
    return f"<!-- run: cdec {block['command']} -->\n\n{result.stdout}\n<!-- /run -->\n"
