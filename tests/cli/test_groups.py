"""Options in groups, and commands that are short because of them."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

import cdec.cli
from cdec.cli.groups import grouped
from cdec.cli.options import options_in_call

FOLDER = Path(cdec.cli.__file__).parent
BODY, PARAMETERS = 15, 16


@dataclass(frozen=True)
class Place:
    corpus: Annotated[str, typer.Option("--corpus")] = "sample"


@dataclass(frozen=True)
class Part(Place):
    split: Annotated[str, typer.Option("--split", "-p")] = "test"


@dataclass(frozen=True)
class Needed:
    metric: Annotated[str, typer.Option("--metric")]


DEV = Part(split="dev")
app = typer.Typer()


@app.command()
@grouped
def show(
    ctx: typer.Context,
    names: Annotated[list[str], typer.Argument()],
    *,
    top: int = 5,
    part: Part = DEV,
    needed: Needed,
) -> None:
    """Show what was received."""
    typer.echo(
        (names, top, part, needed, options_in_call(ctx, ("top", "corpus", "split", "metric")))
    )


@pytest.mark.parametrize(
    ("line", "received"),
    [
        ("a --metric muc", (["a"], 5, DEV, Needed("muc"), ["--metric"])),
        (
            "a b --top 1 -p all --metric b3",
            (["a", "b"], 1, Part("sample", "all"), Needed("b3"), ["--top", "--split", "--metric"]),
        ),
    ],
)
def test_a_command_receives_its_groups(line: str, received: tuple[object, ...]) -> None:
    assert CliRunner().invoke(app, line.split()).output == f"{received}\n"


def test_an_option_of_a_group_without_default_is_required() -> None:
    ran = CliRunner().invoke(app, ["a"])
    assert ran.exit_code == 2
    assert "--metric" in ran.output


def test_two_groups_cannot_have_one_option() -> None:
    def twice(*, one: Place, other: Part) -> None: ...

    with pytest.raises(ValueError, match="corpus"):
        grouped(twice)


def is_command(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and "grouped" in map(ast.unparse, node.decorator_list)


COMMANDS = [
    pytest.param(path, node, id=f"{path.parent.name} {path.stem}")
    for path in sorted(FOLDER.rglob("*.py"))
    for node in ast.parse(path.read_text("utf-8")).body
    if is_command(node)
]


@pytest.mark.parametrize(("path", "command"), COMMANDS)
def test_a_command_only_parses_calls_and_renders(path: Path, command: ast.FunctionDef) -> None:
    docstring, first = command.body[:2]
    assert isinstance(docstring, ast.Expr)
    lines = path.read_text("utf-8").splitlines()[first.lineno - 1 : command.end_lineno]
    assert sum(map(bool, lines)) <= BODY
    assert len([*command.args.args, *command.args.kwonlyargs]) <= PARAMETERS
