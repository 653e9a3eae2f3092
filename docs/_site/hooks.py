"""Hooks of mkdocs: pages from outside docs/, and links between them as in the repository.

In the repository a page links to files by their place in the tree. The site has README.md as its
index, docs/ at its top, and any other linked file under its name in the tree. A file outside docs/
that is longer than a page is divided at its headings.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import divide
import notebook
import reference
from mkdocs.structure.files import File, Files

from cdec import __version__

ROOT = reference.ROOT
OUTSIDE = ("README.md", "RESULTS.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
_PACKAGE = ROOT / "build" / "reference"
_LINK = re.compile(r"(\]\()(?!https?:|#)([^)#\s]+)")
# Beginning of a place in the site → how much it counts in the search.
_BOOSTS = {"reference/": 0.1, "leaderboard": 0.3, "submit-": 0.3, "speed": 0.3, "score-my": 2}
# File outside docs/, or reference → place in the site → Markdown.
_made: dict[str, dict[str, str]] = {}


def on_startup(**_: Any) -> None:
    """Make the copy of the package."""
    reference.copy_package(_PACKAGE)


def on_shutdown() -> None:
    """Remove it."""
    shutil.rmtree(_PACKAGE)


def on_config(config: Any) -> Any:
    """Name the version; put pages into ``nav`` that are made, or that it does not name."""
    config.site_name = f"cdec {__version__}"
    config.copyright = f"cdec {__version__}{_commit()}"
    _made.update(reference=dict(reference.pages()))
    for name in OUTSIDE:
        _made[name] = dict(divide.divided(name, (ROOT / name).read_text("utf-8")))
    config.nav = [_expanded(item) for item in config.nav]
    more = not_named(config)
    if more:
        config.nav.append({"More": more})
    return config


def not_named(config: Any) -> list[str]:
    """Return the pages of docs/ that neither ``nav`` nor ``not_in_nav`` names."""
    named, left_out = str(config.nav), (config.not_in_nav, config.exclude_docs)
    docs = Path(config.docs_dir)
    pages = [p.relative_to(docs).as_posix() for p in sorted(docs.rglob("*.md"))]
    return [
        p for p in pages if f"'{p}'" not in named and not any(m.match_file(p) for m in left_out)
    ]


def _expanded(item: Any) -> Any:
    """Return an item of ``nav`` with the further pages of a divided file, or of the reference."""
    if isinstance(item, list):
        return [_expanded(each) for each in item]
    ((title, content),) = item.items() if isinstance(item, dict) else [(None, item)]
    if not isinstance(content, str):
        return {title: _expanded(content)}
    pages = next((list(pages) for pages in _made.values() if content in pages), [])
    return {title: pages} if len(pages) > 1 else item


def on_files(files: Files, config: Any) -> Files:
    """Add the pages outside docs/, the reference, the notebook and the files that pages link to."""
    for pages in _made.values():
        for place, text in pages.items():
            _add(files, config, place, text)
    for path in Path(config.docs_dir).glob("notebooks/*.ipynb"):
        text, pictures = notebook.run(path)
        _add(files, config, f"notebooks/{path.stem}.md", text)
        for picture, content in pictures.items():
            _add(files, config, f"notebooks/{picture}", content)
    for page in [*Path(config.docs_dir).rglob("*.md"), *(ROOT / name for name in OUTSIDE)]:
        for _, link in _LINK.findall(page.read_text("utf-8")):
            target = (page.parent / link).resolve()
            place = target.relative_to(ROOT).as_posix() if target.is_relative_to(ROOT) else ""
            if target.is_file() and files.get_file_from_path(divide.in_site(place)) is None:
                files.append(
                    File.generated(config, divide.in_site(place), abs_src_path=str(target))
                )
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Turn links by place in the tree into links by place in the site.

    The search shows the reference below the other pages, and the boards below the metrics.
    """
    boost = next((n for start, n in _BOOSTS.items() if page.file.src_uri.startswith(start)), 1)
    page.meta["search"] = {"boost": boost}
    source = _in_tree(page.file.src_uri)

    def moved(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), link[2]))
        if not (ROOT / target).is_file():
            return link[0]
        start = posixpath.dirname(page.file.src_uri) or "."
        return link[1] + posixpath.relpath(divide.in_site(target), start)

    return _LINK.sub(moved, markdown)


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Name the dialog of the search for screen readers, which the theme does not."""
    return output.replace('role="dialog"', 'role="dialog" aria-label="Search"', 1)


def _commit() -> str:
    """Return short hash and date of the commit; '' outside git."""
    command = ["git", "-C", str(ROOT), "log", "-1", "--format= · commit %h · %cs"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    return ran.stdout.rstrip() if ran.returncode == 0 else ""


def _add(files: Files, config: Any, place: str, content: str | bytes) -> None:
    files.append(File.generated(config, place, content=content))


def _in_tree(place: str) -> str:
    return next((name for name in OUTSIDE if place in _made[name]), f"docs/{place}")
