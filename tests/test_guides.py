"""The guides: each is followed to the letter, and shows what its reader will see."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest

from tests.guides import BLOCK, ROOT, Guide

FOLDER = ROOT / "docs" / "guides"
PAGES = sorted(FOLDER.glob("*.md"))
# The guides that install a package, and the one that verifies ECB+.
LONG = {
    "add-a-baseline",
    "add-a-corpus-format",
    "add-a-detector",
    "add-a-metric",
    "plugins",
    "reproduce-the-paper",
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_code_and_data_are_valid(page: Path) -> None:
    for block in BLOCK.finditer(page.read_text("utf-8")):
        if block["kind"] == "python":
            compile(block["body"], page.name, "exec")
        elif block["kind"] == "toml":
            tomllib.loads(block["body"])


@pytest.mark.parametrize(
    "page",
    [pytest.param(p, marks=[pytest.mark.slow] if p.stem in LONG else []) for p in PAGES],
    ids=lambda page: page.stem,
)
def test_guide_does_what_it_says(
    page: Path,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    if page.stem == "reproduce-the-paper":
        (tmp_path / "ECB+_LREC2014").symlink_to(request.getfixturevalue("ecbplus"))
    guide = Guide(page, tmp_path)
    made = guide.followed()
    if os.environ.get("CDEC_UPDATE_GOLDEN") == "1":
        page.write_text(made, "utf-8")
    assert made == guide.text


def follow(text: str, folder: Path) -> tuple[str, str]:
    page = folder / "guide.md"
    page.write_text(text, "utf-8")
    return Guide(page, folder).followed(), text


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("```console\n$ echo one\ntwo\n```\n", "```console\n$ echo one\none\n```\n"),
        (
            "```python\nprint(1)\n```\n\n```text\n2\n```\n",
            "```python\nprint(1)\n```\n\n```text\n1\n```\n",
        ),
    ],
)
def test_another_output_is_seen(shown: str, printed: str, tmp_path: Path) -> None:
    assert follow(shown, tmp_path) == (printed, shown)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("```console\n$ exit 3\n```\n", "exit 3"),
        ("```console\n$ cdec score none.conll none.conll\n```\n", "exit 1"),
        ("```python\nprint(1)\n```\n", "no block shows"),
        ("```bash\necho one\n```\n", "nothing checks"),
        ("```text\n```\n", "prints nothing"),
    ],
)
def test_what_does_not_work_is_seen(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=said):
        follow(text, tmp_path)


def test_a_file_is_written_and_dots_stand_for_anything(tmp_path: Path) -> None:
    written = "Write `a/b.toml`:\n\n```toml\nx = 1\ny = 2\n```\n"
    text = f"{written}\n```console\n$ cat a/b.toml\nx...2\n```\n"
    made, expected = follow(text, tmp_path)
    assert made == expected
    assert (tmp_path / "a" / "b.toml").read_text("utf-8") == "x = 1\ny = 2\n"
