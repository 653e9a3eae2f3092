"""The catalogue of error and notice codes: complete, used, and documented."""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path

from cdec.errors.codes import Code, catalogue, documentation

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


def is_complete(code: Code) -> bool:
    """Whether the name has its form, and meaning and cure are sentences."""
    named = re.fullmatch(r"[a-z]+(-[a-z]+)+|twinless|swapped", code.name)
    texts = (code.meaning, code.cure)
    sentences = [t.endswith(".") and (t[0].isupper() or not t[0].isalpha()) for t in texts]
    return named is not None and all(sentences)


def test_codes_are_few_complete_and_used() -> None:
    known = literals()
    assert [code.name for code in catalogue().values() if not is_complete(code)] == []
    assert [name for name in catalogue() if name not in known] == []
    assert len(catalogue()) <= 130


def test_the_page_is_made_from_the_catalogue() -> None:
    page = ROOT / "docs" / "errors.md"
    if os.environ.get("CDEC_UPDATE_GOLDEN") == "1":
        page.write_text(documentation(), "utf-8")
    assert page.read_text("utf-8") == documentation()
