"""The site of the documentation: pages, nav, reference and links; as built, in a browser."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import tomllib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urlsplit

import pytest
from lxml import html

from tests.browser import Browser, running
from tests.guides import ROOT
from tests.test_public_names import PUBLIC

LOCAL = ("file:", "blob:", "data:", "about:")
PAGES = (
    *("index", "guides/python", "notebooks/quickstart", "reference/corpus", "errors", "RESULTS"),
    *("results/table-1-the-corpus", "audit-review", "guides/score-my-system"),
)
OUTSIDE = ("README", "RESULTS", "CHANGELOG", "CONTRIBUTING", "SECURITY")
# The hosts that pages link to. A link elsewhere is added by intent; whether they answer is for
# somebody who is online: `python -m tests.test_site` lists them.
HOSTS = {
    *("aclanthology.org", "arxiv.org", "github.com", "joss.readthedocs.io", "labelstud.io"),
    *("openreview.net", "www.dask.org"),
}
_NAV = re.compile(r"^ +- (?:(?P<title>[^:\n]+): )?(?P<page>\S+\.md)$", re.MULTILINE)
_EXTERNAL = re.compile(r"https?://[^\s)>`\"']+[^\s)>`\"'.,;:]")
_ANCHOR = re.compile(r"\]\((?P<file>[^():\s#]*\.md)?#(?P<anchor>[^)\s]+)\)")
_CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def pages() -> list[Path]:
    """Return every page of the repository."""
    return [*(ROOT / f"{name}.md" for name in OUTSIDE), *sorted((ROOT / "docs").rglob("*.md"))]


def part_of_site(name: str) -> Any:
    """Import a module of docs/_site, which is no package."""
    spec = spec_from_file_location(f"site_{name}", ROOT / "docs" / "_site" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def external() -> Iterator[tuple[str, str]]:
    """Yield page and address of each link to elsewhere."""
    for page in pages():
        for address in _EXTERNAL.findall(_CODE.sub("", page.read_text("utf-8"))):
            yield page.name, address


def test_no_page_is_longer_than_400_lines() -> None:
    divide = part_of_site("divide")
    long: dict[str, int] = {}
    for page in pages():
        name, text = page.relative_to(ROOT).as_posix(), page.read_text("utf-8")
        shown = divide.divided(name, text) if page.parent == ROOT else [(name, text)]
        long |= {place: n for place, md in shown if (n := len(md.splitlines())) > divide.LINES}
    assert long == {}


def test_a_long_file_is_divided_and_nothing_is_lost() -> None:
    divide = part_of_site("divide")
    section = "text\n" * 250
    release = f"### X y\n\n{section}\n### Z\n\n{section}"
    text = f"# A\n\n## 1.0\n\nhead\n\n{release}\n## 0.9\n\n{release}"
    made = dict(divide.divided("LONG.md", text))
    own = ["long/1-0-x-y.md", "long/1-0-z.md", "long/0-9-x-y.md", "long/0-9-z.md"]
    assert [*made] == ["LONG.md", *own]
    assert "head" in made["LONG.md"]
    assert sum(md.count("text\n") for md in made.values()) == 1000
    with pytest.raises(ValueError, match="more than 400 lines"):
        divide.divided("LONG.md", f"# A\n\n## B\n\n{section * 2}")


def test_the_nav_names_each_page_once_and_by_a_title() -> None:
    named = [(m["page"], m["title"]) for m in _NAV.finditer((ROOT / "mkdocs.yml").read_text())]
    assert [page for page, n in Counter(page for page, _ in named).items() if n > 1] == []
    assert [page for page, title in named if not title] == []
    made = {"index.md", "notebooks/quickstart.md", "reference/index.md"}
    missing = {page for page, _ in named} - made - {f"{name}.md" for name in OUTSIDE}
    assert [page for page in sorted(missing) if not (ROOT / "docs" / page).exists()] == []


def test_every_public_name_is_in_the_reference_by_noun() -> None:
    reference = part_of_site("reference")
    documented = [reference.source(name) for name in reference.homes()]
    assert [name for name, n in Counter(documented).items() if n > 1] == []
    assert sorted({*PUBLIC} - {*documented}) == []
    linked = {name for page in reference.PAGES for name in page["taken_by"]}
    assert sorted(linked - reference.homes().keys()) == []


def test_links_to_a_heading_lead_to_one() -> None:
    """As the host of the repository names them; mkdocs checks its own names."""
    wrong = []
    for page in pages():
        for link in _ANCHOR.finditer(_CODE.sub("", page.read_text("utf-8"))):
            target = page.parent / link["file"] if link["file"] else page
            if link["anchor"] not in set(_slugs(target.read_text("utf-8"))):
                wrong.append(f"{page.name}: {link[0]}")
    assert wrong == []


def _slugs(text: str) -> Iterator[str]:
    for title in re.findall(r"^#+ (.*)$", _CODE.sub("", text), re.MULTILINE):
        yield re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def test_links_to_elsewhere_are_addresses_of_known_hosts() -> None:
    hosts = {urlsplit(address).hostname or address for _, address in external()}
    assert sorted(hosts) == sorted(HOSTS)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder as ``python -m http.server`` does; yield its address."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    SimpleHTTPRequestHandler.log_message = lambda *_: None  # type: ignore[method-assign]
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.slow
def test_the_site_builds_and_works_in_a_browser(tmp_path: Path) -> None:
    for module in ("mkdocs", "mkdocstrings", "nbclient"):
        pytest.importorskip(module)
    site = tmp_path / "s"
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "-d", str(site)],
        cwd=ROOT, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stdout + built.stderr
    assert _broken(site) == []
    with running() as browser:
        for name in PAGES:
            _check_page(browser, site / f"{name}.html")
        with served(site) as address:
            for start in (address, site.as_uri()):
                _check_search(browser, f"{start}/index.html")
            _check_copying(browser, f"{address}/reference/clustering.html")


def _broken(site: Path) -> list[str]:
    """Return the links of built pages whose file or anchor does not exist."""
    trees = {page: html.parse(page).getroot() for page in site.rglob("*.html")}
    ids = {page: {*tree.xpath("//@id"), *tree.xpath("//a/@name")} for page, tree in trees.items()}
    wrong = []
    for page, tree in trees.items():
        for link in tree.xpath("//a/@href | //img/@src | //script/@src | //link/@href"):
            if urlsplit(link).scheme or link.startswith("/") or link in {"#", "javascript:void(0)"}:
                continue
            path, anchor = urldefrag(unquote(link))
            target = (page.parent / path.partition("?")[0]).resolve() if path else page
            if not target.exists() or (anchor and target in ids and anchor not in ids[target]):
                wrong.append(f"{page.relative_to(site)}: {link}")
    return wrong


def _check_page(browser: Browser, file: Path) -> None:
    axe = pytest.importorskip("axe_core_python.sync_playwright").Axe()
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["name"]
    for width, scheme in ((390, "light"), (1600, "dark")):
        with browser.visit(file, width) as visit:
            visit.page.emulate_media(color_scheme=scheme)
            visit.page.reload()
            assert visit.page.title()
            assert re.search(rf"{version} \d+\.\d+", visit.page.locator("header").inner_text())
            assert [r for r in visit.requests if not r.startswith(LOCAL)] == []
            assert visit.overflow() == 0, file
            found = {v["id"]: v["nodes"][0]["html"] for v in axe.run(visit.page)["violations"]}
            assert found == {}, (file.name, width, scheme)


def _check_search(browser: Browser, address: str) -> None:
    page = browser.engine.new_page(viewport={"width": 1280, "height": 900})
    page.goto(address)
    page.locator("input.md-search__input").click()
    page.keyboard.type("singletons")
    page.locator(".md-search-result__link").first.wait_for(timeout=20_000)
    assert "singleton" in page.locator(".md-search-result__item").first.inner_text().lower()
    page.close()


def _check_copying(browser: Browser, address: str) -> None:
    """An example is copied as code: without prompts and outputs."""
    context = browser.engine.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(address)
    block = page.locator("div.highlight", has=page.locator(".gp")).first
    assert ">>>" in block.inner_text()
    block.scroll_into_view_if_needed()
    block.hover()
    block.locator("button[data-md-type=copy]").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    compile(copied, address, "exec")
    assert ">>>" not in copied
    context.close()


if __name__ == "__main__":
    print(*sorted({address for _, address in external()}), sep="\n")
