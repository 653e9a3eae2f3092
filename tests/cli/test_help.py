"""The help of every command: it fits 80 columns, and its examples work.

The examples are read from the printed help and run on the sample, in a folder with the files that
they name.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from cdec.api import load_corpus
from cdec.auditing.review.decisions import FORMAT
from cdec.cli.app import app
from cdec.corpus import sample_path
from cdec.formats import write
from tests.cli.conftest import Run
from tests.detection.made import news
from tests.formats.made import parse

ROOT: Any = get_command(app)
# Calls that need the network, the release or a language model are parsed only.
PARSED = {
    "cdec eval mine.conll --literature",
    "pairs",  # the scores of a user, on ECB+
    "corpus fetch",
    "corpus install",
    "corpus import",
    "corpus page",
    "audit sample",
    "audit decide",
    "audit calibrate",
    "audit compose",  # two patches of ECB+
    "audit rescore",  # the board, on ECB+
    "cdec audit agree ann.json bob.json --decoys key.json --adjudicator cid.json",
    "cdec audit apply ann.json bob.json --reviewed only --list cases.jsonl",
    "cdec diagnose mine.conll --within pairs.csv",
    "cdec audit review cases.jsonl --disputed ann.json bob.json",
    "cdec audit review cases.jsonl --opinion bob.json",
    "leaderboard",
    *(
        f"leaderboard {name}"
        for name in ("add", "check", "fetch", "score", "study", "show", "site")
    ),
    "cdec audit run --embedding 0.6 -o cases.jsonl",
}
CONLLU = """# global.Entity = eid-etype-head
# newdoc id = one
1\tRain\train\tNOUN\t_\t_\t2\tnsubj\t_\tEntity=(e1-event-1)
2\tfell\tfall\tVERB\t_\t_\t0\troot\t_\t_

1\tIt\tit\tPRON\t_\t_\t2\tnsubj\t_\tEntity=(e1-event-1)
2\tended\tend\tVERB\t_\t_\t0\troot\t_\t_

"""
# Calls that the examples of a command depend on.
BEFORE = {
    "corpus convert": "cdec audit apply --certain --corpus sample -o patch.json",
    "corpus export": "cdec audit apply --certain --corpus sample -o patch.json",
    "audit review": "cdec audit run -o cases.jsonl",
    "check": "cdec eval -r mine.conll -f json -o scores.json",
}
# Options that leave what an example does as it is, and make it fast.
FEWER = {
    "compare": ["--resamples", "20", "--exchanges", "20"],
    "corpus robustness": ["--resamples", "20"],
}
# The examples of `audit` are also those of its commands.
SLOW = {"reproduce", "train", "audit", "audit benchmark"}


def all_commands() -> dict[str, Any]:
    """Every command and group by name; the program itself is ``""``."""
    commands = {"": ROOT}
    for name, command in ROOT.commands.items():
        commands[name] = command
        commands |= {f"{name} {n}": c for n, c in getattr(command, "commands", {}).items()}
    return commands


COMMANDS = all_commands()
NAMES = [pytest.param(n, marks=[pytest.mark.slow] if n in SLOW else []) for n in COMMANDS]


@pytest.fixture(autouse=True)
def _narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERMINAL_WIDTH", "80")


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the examples name, and nothing else."""
    folder = tmp_path_factory.mktemp("desk")
    shutil.copytree(sample_path(), folder / "my-corpus")
    news(folder)
    topics = '[topics]\ntrain = ["1-3"]\ndev = ["4"]\ntest = ["5-6"]\n'
    (folder / "my.toml").write_text(topics, "utf-8")
    for call in (
        "corpus export -o key.conll",
        "predict --system lemma-wd -o mine.conll",
        "predict --system lemma -o other.jsonl",
        "predict -o response.jsonl",
    ):
        *arguments, file = call.split()
        ran = CliRunner().invoke(app, [*arguments, str(folder / file), "--corpus", "sample", "-q"])
        assert ran.exit_code == 0, ran.output
    shutil.copy(folder / "mine.conll", folder / "response.conll")
    for name in ("key", "response"):
        (folder / f"{name}.conllu").write_text(CONLLU, "utf-8")
    for name in ("answer", "response"):
        write(parse(CONLLU), folder / f"{name}.txt", "crac")
    for reviewer in ("decisions", "ann", "bob"):
        (folder / f"{reviewer}.json").write_text(json.dumps(decisions(reviewer)))
    return folder


@pytest.fixture
def desk(furnished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy of that folder, the working directory."""
    shutil.copytree(furnished, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)


def decisions(reviewer: str) -> dict[str, Any]:
    """The export of a review page: one case, judged as an error."""
    corpus = load_corpus("sample")
    first, second = corpus.gold.labels.drop_duplicates().index[:2]
    judged = {"case": "1", "kind": "missing-singleton-cluster", "verdict": "error"}
    return {
        "format": FORMAT,
        "reviewer": reviewer,
        "about": {"corpus": corpus.name, "digest": corpus.digest},
        "places": {},
        "decisions": [{**judged, "operation": {"merge": [first, second]}}],
    }


def help_of(name: str, cdec: Run) -> str:
    ran = cdec(*name.split(), "--help")
    assert ran.code == 0
    return ran.out


def examples(text: str) -> list[str]:
    """The lines of the help that begin with the program's name."""
    return [line.strip() for line in text.splitlines() if re.match(r" cdec [a-z]", line)]


LISTED = {
    "--system": "lemma, lemma-wd, lemma-delta, lemma-docs, sac or sac-plus",
    "--setting": "bh, st, is, ycf, simple",
    "--metric": "`cdec plugins` lists",
}


def test_help_fits_has_two_examples_and_lists_the_ids(cdec: Run) -> None:
    faults = [f"{n}: {why}" for n in COMMANDS for why in help_faults(n, help_of(n, cdec))]
    assert faults == []


def help_faults(name: str, text: str) -> Iterator[str]:
    """What is wrong with the help of a command."""
    line = " ".join(re.sub(r"[│╭╮╰╯─]", " ", text).split())  # without frames
    if max(map(len, text.splitlines())) > 80:
        yield "wider than 80 columns"
    if re.search(r"\w…", re.sub(r"A B…|RESULT…|RESPONSE…|FILE…", "", text)):
        yield "a word is cut off"
    if sum(one.startswith(f"cdec {name}".strip()) for one in examples(text)) < 2:
        yield "fewer than two examples"
    options = {opt for parameter in COMMANDS[name].params for opt in parameter.opts}
    yield from (f"no ids of {o}" for o, ids in LISTED.items() if o in options and ids not in line)
    explained = re.search(r"[Bb]y default (all|simple|the strictest)", line)
    if "--setting" in options and name not in ("corpus export", "score") and not explained:
        yield "the default setting is not explained"


def test_every_command_has_quiet_and_verbose(cdec: Run) -> None:
    for name, command in COMMANDS.items():
        if not hasattr(command, "commands"):
            options = {option for parameter in command.params for option in parameter.opts}
            assert {"--quiet", "-q", "--verbose", "-v"} <= options, name
    assert "docs/errors.md" in help_of("", cdec)


@pytest.mark.usefixtures("desk")
@pytest.mark.parametrize("name", NAMES)
def test_the_examples_of_the_help_work(name: str, cdec: Run) -> None:
    if name in BEFORE:
        assert cdec(*shlex.split(BEFORE[name])[1:]).code == 0
    for line in examples(help_of(name, cdec)):
        arguments = shlex.split(line)[1:]
        if {name, line} & PARSED:
            parsed(arguments)
            continue
        ran = cdec(*arguments, *FEWER.get(name, []))
        assert ran.code == 0, f"{line}: {ran.err}"
        written = re.findall(r"(?:-o|--plot|--pairs-out) (\S+)", line)
        assert ran.out or written or "installed" in ran.err
        assert all(Path(file).stat().st_size for file in written)


def parsed(arguments: list[str]) -> None:
    """Check that the program accepts these arguments."""
    name, *options = arguments
    command = COMMANDS[name]
    if hasattr(command, "commands"):
        name, *options = options
        command = command.commands[name]
    assert command.make_context(name, options).params
