"""The front page and the pages of docs/: their commands run as printed, and links lead on."""

from __future__ import annotations

import pkgutil
import re
import shlex
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.program import Run

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TEXTS = [page for page in PAGES if BLOCK.search(page.read_text("utf-8"))]
# Pages whose python blocks define plug-ins, or whose numbers need files that are made elsewhere.
ONLY_SHELL = {"plugins.md"}


def blocks(page: Path) -> list[tuple[str, str]]:
    return [(kind, text) for kind, text in BLOCK.findall(page.read_text("utf-8"))]


@pytest.mark.filterwarnings("ignore::cdec.errors.CdecWarning")
@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.stem)
def test_the_blocks_of_a_page_run_as_printed(
    page: Path, cdec: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CDEC_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("CDEC_ECBPLUS", raising=False)
    if page.name not in {"README.md", "score-my-system.md"}:  # a response that earlier pages made
        assert cdec("predict", "--system", "lemma-delta", "-o", "mine.conll", "-q").exit == 0
    names: dict[str, object] = {}
    for kind, text in blocks(page):
        if kind == "python" and page.name not in ONLY_SHELL:
            exec(compile(text, str(page), "exec"), names)  # noqa: S102  our own pages
        for line in text.splitlines() if kind == "sh" else []:
            if line.startswith("cdec "):
                words = shlex.split(line, comments=True)[1:]
                if any(word.startswith("leaderboard:") for word in words):
                    continue  # a response that has to be fetched
                ran = cdec(*words)
                assert ran.exit == 0, f"{line}\n{ran.err}"
            elif line:
                subprocess.run(["bash", "-euc", line], check=True, cwd=tmp_path)


def test_the_front_page_is_one_screen_and_a_bit() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 120
    assert len((ROOT / "CHANGELOG.md").read_text("utf-8").splitlines()) <= 60


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_to_files_and_headings(page: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", page.read_text("utf-8")):
        if target.startswith(("http:", "https:")):
            continue
        place = page.parent / target if target else page
        assert place.exists(), f"{page.name}: {target}"
        if anchor and place.suffix == ".md":
            text = place.read_text("utf-8")
            headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
            slugs = {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}
            assert anchor in slugs or f'id="{anchor}"' in text, f"{page.name}: {target}#{anchor}"


def test_the_reference_names_what_exists() -> None:
    pages = tomllib.loads((ROOT / "docs/_site/reference.toml").read_text("utf-8"))["page"]
    named = {name for page in pages for key in page.keys() - {"noun", "text"} for name in page[key]}
    for name in sorted(named):
        assert pkgutil.resolve_name(name) is not None, name
