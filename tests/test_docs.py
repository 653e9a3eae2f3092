"""The front page and the pages of docs/: their commands run as printed, and links lead on."""

from __future__ import annotations

import pkgutil
import re
import shlex
import subprocess
import tomllib
from collections.abc import Callable, Iterator
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


# ---- the examples of helps and pages name commands and options that exist ----

WRITTEN = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "RESULTS.md", ROOT / "CHANGELOG.md"]
WRITTEN += sorted((ROOT / "docs").glob("*/**/*.md"))
GROUP = "COMMAND [ARGS]"
EVERYWHERE = ("--help", "--help-all", "-h", "--install-completion")  # no row of the helps


@pytest.fixture
def options_of(cdec: Run, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], set[str]]:
    """The function that returns the options of a command, from its whole help; fails for none."""
    monkeypatch.setenv("COLUMNS", "240")
    monkeypatch.setenv("TERMINAL_WIDTH", "240")
    return lambda command: options_in(help_of(cdec, command))


HELPS: dict[str, str] = {}


def help_of(cdec: Run, command: str) -> str:
    """The whole help of a command; each is called once."""
    if command not in HELPS:
        words = command.split()
        ran = cdec(*words, "--help-all")
        if ran.exit:  # a group has one help
            ran = cdec(*words, "--help")
        assert ran.exit == 0, command
        HELPS[command] = ran.out
    return HELPS[command]


def options_in(page: str) -> set[str]:
    rows = [line for line in page.splitlines() if re.match(r"│ [* ]*-", line)]
    starts = [re.split(r" {2,}[A-Z\[]", row, maxsplit=1)[0] for row in rows]
    return {option for row in starts for option in re.findall(r"(?<![\w-])--?[a-z][\w-]*", row)}


def commands(cdec: Run, path: str = "") -> Iterator[str]:
    """All commands; a group is followed by its own."""
    yield path
    page = help_of(cdec, path)
    if GROUP in page:
        for name in re.findall(r"^│ ([a-z][a-z-]*) ", page, re.MULTILINE):
            yield from commands(cdec, f"{path} {name}".strip())


def examples(text: str) -> Iterator[str]:
    """The calls of cdec in a text: in lines of their own, and between backticks."""
    text = text.replace("\\\n", " ")
    yield from re.findall(r"^\s*(?:\$ )?(cdec [^\n]*)", text, re.MULTILINE)
    yield from (" ".join(call.split()) for call in re.findall(r"`(cdec [^`]*)`", text))


def checked(call: str, known: set[str], options_of: Callable[[str], set[str]]) -> None:
    """Fail if a call names a command or an option that does not exist."""
    words = re.split(r"[|;&>]|\s#", call)[0].split()[1:]
    path = ""
    while words and f"{path} {words[0]}".strip() in known:
        path = f"{path} {words.pop(0)}".strip()
    if path:
        is_group = any(other.startswith(f"{path} ") for other in known)
        is_named = words and re.fullmatch("[a-z]+", words[0])
        assert not (is_group and is_named), f"no such command: {call}"
    else:
        assert not words or words[0][0] in "-[…", f"no such command: {call}"
    for word in words:
        option = re.match(r"[\['\"(]?(--?[a-zA-Z][\w-]*)", word)
        if option and option[1] not in EVERYWHERE:
            assert option[1] in options_of(path), f"{option[1]}: {call}"


def test_the_examples_of_each_help_exist(cdec: Run, options_of: Callable[[str], set[str]]) -> None:
    known = {*commands(cdec), *commands(cdec, "plugins")}
    assert len(known) > 20
    calls = [call for path in sorted(known) for call in examples(shown(help_of(cdec, path)))]
    assert len(calls) > 60
    for call in calls:
        checked(call, known, options_of)


def shown(page: str) -> str:
    """The text of a help without its frames."""
    return re.sub(r"[│╭╮╰╯─]", " ", page)


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.stem)
def test_the_examples_of_a_page_exist(
    page: Path, cdec: Run, options_of: Callable[[str], set[str]]
) -> None:
    known = {*commands(cdec), *commands(cdec, "plugins")}
    text = page.read_text("utf-8")
    for call in examples(text):
        checked(call, known, options_of)
    every = {option for path in known for option in options_of(path)}
    for option in re.findall(r"`(--[a-z][\w-]*)", text) if page in PAGES else ():
        assert option in every, f"{option} on {page.name}"


def test_the_reference_names_what_exists() -> None:
    pages = tomllib.loads((ROOT / "docs/_site/reference.toml").read_text("utf-8"))["page"]
    named = {name for page in pages for key in page.keys() - {"noun", "text"} for name in page[key]}
    for name in sorted(named):
        assert pkgutil.resolve_name(name) is not None, name
