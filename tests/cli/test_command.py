"""Options as facts, the commands that take them, and commands that are short because of them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import typer
from typer.main import get_command
from typer.testing import CliRunner

import cdec.cli
from cdec.cli.option import Option
from cdec.cli.run import Run, command
from tests.cli.test_help import COMMANDS as HELPED

FOLDER = Path(cdec.cli.__file__).parent
BODY = 15
NAMES = Option("names", "A B…", "Names.", many=True, required=True)
TOP = Option("--top", "N", "How many.", int, 5)
SPLIT = Option("--split -p", "PART", "The part.", default="test")
METRIC = Option("--metric", "METRIC", "The metric.", required=True)
app = typer.Typer()


@app.command()
@command(NAMES, TOP, SPLIT.but(default="dev"), METRIC)
def show(call: Run) -> None:
    """Show what was received."""
    given = call.given(("top", "split", "metric"))
    typer.echo((call.names, call.top, call.split, call.metric, call.nlp, given))


@pytest.mark.parametrize(
    ("line", "received"),
    [
        ("a --metric muc", (["a"], 5, "dev", "muc", "hanta", ["--metric"])),
        (
            "a b --top 1 -p all --metric b3",
            (["a", "b"], 1, "all", "b3", "hanta", ["--top", "--split", "--metric"]),
        ),
    ],
)
def test_a_command_receives_its_options(line: str, received: tuple[object, ...]) -> None:
    assert CliRunner().invoke(app, line.split()).output == f"{received}\n"


def test_an_option_without_default_is_required() -> None:
    ran = CliRunner().invoke(app, ["a"])
    assert ran.exit_code == 2
    assert "--metric" in ran.output


def test_a_value_that_no_option_has_is_an_error() -> None:
    with pytest.raises(AttributeError, match="mertic"):
        _ = Run(None, {}, {}, {}).mertic  # type: ignore[arg-type]


def test_two_options_cannot_have_one_name() -> None:
    with pytest.raises(ValueError, match="split"):
        command(SPLIT, SPLIT.but(words="--split"))


def is_command(node: ast.FunctionDef) -> bool:
    return any(ast.unparse(one).startswith("command(") for one in node.decorator_list)


COMMANDS = [
    (path, node)
    for path in sorted([*FOLDER.rglob("*.py"), *FOLDER.parent.glob("*/*command.py")])
    for node in ast.parse(path.read_text("utf-8")).body
    if isinstance(node, ast.FunctionDef) and is_command(node)
]


def test_every_command_is_declared_by_its_options() -> None:
    # A group such as `plugins` can be a command, too.
    called = [c for c in HELPED.values() if getattr(c, "invoke_without_command", True)]
    assert len(COMMANDS) == len(called)
    assert get_command(app).params


def test_commands_only_parse_call_and_render() -> None:
    long = {}
    for path, node in COMMANDS:
        lines = path.read_text("utf-8").splitlines()[node.body[1].lineno - 1 : node.end_lineno]
        if sum(map(bool, lines)) > BODY or not ast.get_docstring(node):
            long[f"{path.stem} {node.name}"] = len(lines)
    assert not long
