"""Options as facts, the commands that take them, and commands that are short because of them."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

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


def is_command(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and any(
        ast.unparse(decorator).startswith("command(") for decorator in node.decorator_list
    )


COMMANDS: list[Any] = [
    pytest.param(path, node, id=f"{path.stem} {getattr(node, 'name', '')}")
    for path in sorted([*FOLDER.rglob("*.py"), *FOLDER.parent.glob("*/command.py")])
    for node in ast.parse(path.read_text("utf-8")).body
    if is_command(node)
]


def test_every_command_is_declared_by_its_options() -> None:
    leaves = [c for c in HELPED.values() if not hasattr(c, "commands")]
    assert len(COMMANDS) == len(leaves)
    assert get_command(app).params


@pytest.mark.parametrize(("path", "node"), COMMANDS)
def test_a_command_only_parses_calls_and_renders(path: Path, node: ast.FunctionDef) -> None:
    docstring, first = node.body[:2]
    assert isinstance(docstring, ast.Expr)
    lines = path.read_text("utf-8").splitlines()[first.lineno - 1 : node.end_lineno]
    assert sum(map(bool, lines)) <= BODY
