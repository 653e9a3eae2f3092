"""The documentation: its tables are what the commands above them print, its commands exist."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

from cdec.api import load_corpus
from cdec.cli.app import app
from tests.guides import shell_environment

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
GUIDES = sorted((ROOT / "docs" / "guides").glob("*.md"))
# `run part`: the sections of the output that the page shows; other pages have the others.
BLOCK = re.compile(
    r"<!-- (?P<kind>run|run part): cdec (?P<command>.*?) -->\n(?P<output>.*?)<!-- /run -->\n",
    re.DOTALL,
)
SECTION = re.compile(r"^(?=##? )", re.MULTILINE)
# A line of a block, or code in a sentence; what has [, …, | or a word in capitals is a synopsis.
COMMAND = re.compile(r"^cdec .+$|(?<=`)cdec [^`\n]+(?=`)", re.MULTILINE)
SYNOPSIS = re.compile(r"[|\[…]|\b[A-Z]{2,}\b")
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LITERATURE = "cdec eval mine.conll --split cybulska/test --literature"
NEEDS_ECBPLUS = (
    "cdec corpus fetch",
    "cdec predict --system lemma-delta --split cybulska/test",
    LITERATURE,
    "cdec leaderboard fetch",
    "cdec compare mine.conll leaderboard:",
)
# Pages whose commands train, resample a thousand times, or audit ECB+.
LONG = {"audit.md", "compare.md", "settings.md"}
WHOLE = [pytest.param(p, marks=[pytest.mark.slow] if p.name in LONG else []) for p in PAGES]


@pytest.mark.parametrize("page", WHOLE, ids=lambda page: page.name)
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
    printed = _printed(block["command"])
    if block["kind"] == "run part":
        shown = {section.splitlines()[0] for section in _sections(block["output"].strip())}
        parts = [s for s in _sections(printed) if s.splitlines()[0] in shown]
        printed = "".join(parts).rstrip("\n") + "\n"
    return f"<!-- {block['kind']}: cdec {block['command']} -->\n\n{printed}\n<!-- /run -->\n"


def _sections(text: str) -> list[str]:
    return [section for section in SECTION.split(text) if section]


def test_the_parts_of_an_output_are_together_the_whole() -> None:
    blocks = [b for page in PAGES for b in BLOCK.finditer(page.read_text("utf-8"))]
    blocks = [block for block in blocks if block["kind"] == "run part"]
    shown = [s.strip() for block in blocks for s in _sections(block["output"].strip())]
    (command,) = {block["command"] for block in blocks}
    assert sorted(shown) == sorted(s.strip() for s in _sections(_printed(command)))


@cache
def _printed(command: str) -> str:
    result = CliRunner().invoke(app, shlex.split(command))
    assert result.exit_code == 0, result.stderr
    return result.stdout


def test_settings_shows_what_two_baselines_print(
    ecbplus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page has these lines, and those of two systems that take longer."""
    monkeypatch.setenv("CDEC_ECBPLUS", str(ecbplus))
    only = "--system lemma --system lemma-wd --format markdown --quiet"
    printed = _printed(f"reproduce settings {only}").splitlines()
    assert {*printed} <= {*(ROOT / "docs" / "settings.md").read_text("utf-8").splitlines()}
    assert any(line.startswith("| Lemma-WD |") for line in printed)


def test_compare_shows_the_difference_that_the_command_finds(
    ecbplus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Up to the interval: the page has it from more resamples."""
    monkeypatch.setenv("CDEC_ECBPLUS", str(ecbplus))
    call = "compare lemma lemma-docs --setting bh --metric blanc --resamples 20 --exchanges 20"
    printed = _printed(f"{call} --format markdown --quiet").splitlines()
    (row,) = [line.partition("[")[0] for line in printed if "BLANC F  |" in line]
    assert row in (ROOT / "docs" / "compare.md").read_text("utf-8")


def test_commands_and_their_options_exist_and_links_lead_somewhere() -> None:
    faults = []
    for page in [ROOT / "CONTRIBUTING.md", *PAGES, *GUIDES]:
        text = page.read_text("utf-8")
        calls = [*COMMAND.findall(text), *(f"cdec {b['command']}" for b in BLOCK.finditer(text))]
        known = page in (*PAGES, *GUIDES)
        faults += [f"{page.name}: {line}" for line in calls if known and not _is_call(line)]
        links = re.findall(r"\]\((?!https?:)([^)#]+)", text)
        faults += [f"{page.name}: {link}" for link in links if not (page.parent / link).exists()]
    assert faults == []


def _is_call(line: str) -> bool:
    """Whether the program accepts the line; a synopsis is none."""
    try:
        if not SYNOPSIS.search(line):
            _parse(shlex.split(line, comments=True)[1:])
    except Exception:  # noqa: BLE001  the parser has many
        return False
    return True


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("evall --setting pure", "evall"),
        ("corpus get", "get"),
        ("eval --settings pure", "No such option"),
        ("corpus info all of it", "too many"),
        ("predict --to", "requires an argument"),
    ],
)
def test_a_command_that_is_wrong_is_found(line: str, said: str) -> None:
    with pytest.raises(Exception, match=said):
        _parse(line.split())


def test_the_map_names_every_room_and_every_room_is_there() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    named = set(re.findall(r"`([a-z]+(?:/[a-z_]+)*)/?`", page))
    rooms = {
        str(path.parent.relative_to(ROOT))
        for path in ROOT.glob("cdec/*/__init__.py")
        if not path.parent.is_symlink()
    }
    assert rooms | {"settings", "baselines", "configs", "tests", "docs"} <= named
    assert all((ROOT / name).exists() for name in named if "/" in name)


# Files that a reader of the README has: a corpus, runs of a system, CorefUD, and news.
READERS_FILES = """
mkdir my-corpus news texts
echo 'A storm hit the coast. The hurricane killed two.' > texts/a.txt
printf 'doc,from_char,to_char,chain\na,2,7,storm\na,27,36,storm\n' > mentions.csv
printf 'a,b,score\n4_1ecb/1,4_1ecb/2,.2\n4_1ecb/1,4_1ecb/30,.8\n' > scores.csv
cdec corpus export --corpus sample --split all -o my-corpus/key.conll
cdec corpus export -o key.conllu
cdec predict --system lemma -o response.conllu
for i in 1 2 3; do cdec predict --system lemma-docs -o run$i.conll; done
echo 'A man was shot in Texas. The shooting happened on Monday.' > news/one.txt
"""


@pytest.mark.slow
def test_readme_is_followed_on_the_sample(tmp_path: Path) -> None:
    page = (ROOT / "README.md").read_text("utf-8")
    python = "\n".join(re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    (tmp_path / "notebook.py").write_text(python, "utf-8")
    topics = pd.Series(
        {id_: document.topic for id_, document in load_corpus("sample").documents.items()}
    )
    topics.to_csv(tmp_path / "topics.csv", index_label="document", header=["topic"])
    lines = [line for block in SHELL.findall(page) for line in block.splitlines()]
    followed = [line for line in lines if not line.startswith(NEEDS_ECBPLUS)]
    for line in [f"set -e; {READERS_FILES}", *followed, "python notebook.py"]:
        ran = subprocess.run(
            ["bash", "-c", line], env=shell_environment(), cwd=tmp_path, check=False
        )
        assert ran.returncode == 0, line


def _parse(arguments: list[str]) -> None:
    """Go through groups and options as the program does, without running anything."""
    command: Any = typer.main.get_command(app)
    while hasattr(command, "commands") and arguments and not arguments[0].startswith("-"):
        command, arguments = command.commands[arguments[0]], arguments[1:]
    given, left, _ = command.make_parser(command.context_class(command)).parse_args(
        args=list(arguments)
    )
    assert not left, f"too many arguments: {left}"
    # The bare name of a command in a sentence is no call.
    for needed in (p.name for p in command.params if p.required and arguments):
        assert given[needed] is not None, f"{needed} is missing"
