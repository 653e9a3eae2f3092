"""The catalogue of error and notice codes: complete, used, and documented."""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path

import pytest

from cdec.codes import Code, catalogue, documentation

ROOT = Path(__file__).parents[1]


def literals() -> set[str]:
    """Return every string constant in the source of the package."""
    nodes = (
        node
        for file in (ROOT / "cdec").glob("**/*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
    )
    linked = (
        node
        for folder in ("baselines", "settings", "configs")
        for file in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
    )
    return {
        node.value
        for node in (*nodes, *linked)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


@pytest.mark.parametrize("code", catalogue().values(), ids=lambda code: code.name)
def test_an_entry_is_complete(code: Code) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)+|twinless|swapped", code.name)
    for text in (code.meaning, code.cure):
        assert text[0].isupper() or not text[0].isalpha()
        assert text.endswith(".")


def test_every_code_is_used() -> None:
    known = literals()
    assert [name for name in catalogue() if name not in known] == []


def test_codes_are_few() -> None:
    assert len(catalogue()) <= 130


def test_the_page_is_made_from_the_catalogue() -> None:
    page = ROOT / "docs" / "errors.md"
    if os.environ.get("CDEC_UPDATE_GOLDEN") == "1":
        page.write_text(documentation(), "utf-8")
    assert page.read_text("utf-8") == documentation()
