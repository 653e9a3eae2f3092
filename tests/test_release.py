"""What a release states: one version in all places, results by version, and `make release`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from cdec._version import __version__

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "results.md"
OWNER = ROOT / "docs" / "owner.md"


def read(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def test_changelog_and_citation_have_the_version() -> None:
    head = next(line for line in read("CHANGELOG.md").splitlines() if line.startswith("## "))
    released = re.escape(__version__) + r" \(\d{4}-\d\d-\d\d\)"
    assert re.fullmatch(rf"## (Unreleased: {re.escape(__version__)}|{released})", head)
    cited = dict(re.findall(r"^([a-z-]+): *(.*)$", read("CITATION.cff"), re.MULTILINE))
    assert cited.keys() >= {"cff-version", "message", "title", "authors", "license", "references"}
    assert (cited["version"], cited["cff-version"]) == (__version__, "1.2.0")


def test_the_last_row_of_the_results_is_of_this_version() -> None:
    """``CDEC_UPDATE_GOLDEN=1`` writes the row; rows of earlier releases never change."""
    results = read("RESULTS.md")
    digest = sha256(results.encode()).hexdigest()[:16]
    [mean] = re.findall(r"mean absolute difference of the 47 F cells .*: ([\d.]+) points", results)
    signature = re.findall(r"^PURE-CDEC Lemma-δ: (.*)$", results, re.MULTILINE)[0]
    cell = signature.replace("|", "\\|")
    row = f"| {__version__} | `{digest}` | {mean} | `{cell}` |"
    *earlier, last = read("docs/results.md").splitlines()
    if os.environ.get("CDEC_UPDATE_GOLDEN") == "1":
        lines = [*earlier, last] if not last.startswith(f"| {__version__} |") else earlier
        PAGE.write_text("\n".join([*lines, row]) + "\n", "utf-8")
        last = row
    assert last == row


def test_what_the_owner_decides_is_where_the_page_says() -> None:
    rows = re.findall(r"^\| [^|]+ \| `([^`]+)` \| `([^`]+)` \|", OWNER.read_text("utf-8"), re.M)
    assert rows
    for file, text in rows:
        assert text in read(file), (file, text)


needs_git = pytest.mark.skipif(
    not (shutil.which("git") and shutil.which("make")), reason="git and make are not installed"
)


@needs_git
@pytest.mark.parametrize(
    ("file", "text", "problem"),
    [
        ("notes.txt", None, "the tree has changes"),
        ("CITATION.cff", "version: 9.9.9", "CITATION.cff has version 9.9.9"),
        ("CHANGELOG.md", "## 9.9.9\n", "the first section is '9.9.9'"),
    ],
)
def test_a_release_stops(tmp_path: Path, file: str, text: str | None, problem: str) -> None:
    tree = repository(tmp_path)
    if text is None:
        (tree / file).write_text("new\n", "utf-8")
    else:
        (tree / file).write_text(text, "utf-8")
        git(tree, "commit", "-qam", "another version")
    ran = released(tree)
    assert ran.returncode != 0
    assert problem in ran.stderr


@needs_git
def test_a_release_stops_if_unreleased_or_tagged(tmp_path: Path) -> None:
    tree = repository(tmp_path)
    if f"## Unreleased: {__version__}" in read("CHANGELOG.md"):
        ran = released(tree, CONFIRM="yes")
        assert ran.returncode != 0
        assert "'Unreleased: " in ran.stderr
    git(tree, "tag", f"v{__version__}")
    ran = released(tree)
    assert ran.returncode != 0
    assert f"the tag v{__version__} exists" in ran.stderr


def repository(folder: Path) -> Path:
    """What the first steps of a release read, committed."""
    for name in (".ci/release", "Makefile", "CHANGELOG.md", "CITATION.cff", "cdec/_version.py"):
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "as here")
    return folder


def released(tree: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """``make release``, which stops before its checks, which take minutes."""
    call = ["make", "--no-print-directory", "release", f"PYTHON={sys.executable}"]
    return subprocess.run(
        call, cwd=tree, env=os.environ | variables, capture_output=True, text=True, check=False
    )


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "tag.gpgSign=false")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)
