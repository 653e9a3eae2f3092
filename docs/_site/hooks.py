"""Hooks of mkdocs: pages from outside docs/, and links between them as in the repository.

In the repository a page links to files by their place in the tree. The site has README.md as its
index, docs/ at its top, and any other linked file under its name in the tree.
"""

from __future__ import annotations

import json
import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
OUTSIDE = ("README.md", "RESULTS.md", "CHANGELOG.md", "CONTRIBUTING.md")
REFERENCE = {
    "cdec": ("cdec",),
    "cdec.metrics": ("cdec.metrics", "cdec.metrics.labels"),
    "cdec.settings": ("cdec.settings",),
    "cdec.baselines": ("cdec.baselines",),
    "cdec.integrations": ("cdec.integrations.spacy", "cdec.integrations.evaluate"),
}
_LINK = re.compile(r"(\]\()(?!https?:|#)([^)#\s]+)")


def on_config(config: Any) -> Any:
    """Append the pages of docs/ that neither ``nav`` nor ``not_in_nav`` names."""
    named, left_out = str(config.nav), config.not_in_nav
    docs = Path(config.docs_dir)
    pages = [p.relative_to(docs).as_posix() for p in sorted(docs.rglob("*.md"))]
    more = [p for p in pages if f"'{p}'" not in named and not left_out.match_file(p)]
    if more:
        config.nav.append({"More": more})
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the pages outside docs/, the reference, the notebook and the files that pages link to."""
    for name in OUTSIDE:
        _add(files, config, _in_site(name), (ROOT / name).read_text("utf-8"))
    for notebook in Path(config.docs_dir).glob("notebooks/*.ipynb"):
        _add(files, config, f"notebooks/{notebook.stem}.md", _as_page(notebook))
    for page, modules in REFERENCE.items():
        blocks = "\n\n".join(f"::: {module}" for module in modules)
        _add(files, config, f"reference/{page}.md", f"# {page}\n\n{blocks}\n")
    for page in [*Path(config.docs_dir).rglob("*.md"), *(ROOT / name for name in OUTSIDE)]:
        for _, link in _LINK.findall(page.read_text("utf-8")):
            target = (page.parent / link).resolve()
            place = target.relative_to(ROOT).as_posix() if target.is_relative_to(ROOT) else ""
            if target.is_file() and files.get_file_from_path(_in_site(place)) is None:
                files.append(File.generated(config, _in_site(place), abs_src_path=str(target)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Turn links by place in the tree into links by place in the site."""
    source = _in_tree(page.file.src_uri)

    def moved(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), link[2]))
        if not (ROOT / target).is_file():
            return link[0]
        start = posixpath.dirname(page.file.src_uri) or "."
        return link[1] + posixpath.relpath(_in_site(target), start)

    return _LINK.sub(moved, markdown)


def _as_page(notebook: Path) -> str:
    """Return the cells of a notebook, which is stored without outputs, as Markdown."""
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    texts = (("".join(cell["source"]), cell["cell_type"]) for cell in cells)
    return "\n\n".join(
        text if kind == "markdown" else f"```python\n{text}\n```" for text, kind in texts
    )


def _add(files: Files, config: Any, place: str, content: str) -> None:
    files.append(File.generated(config, place, content=content))


def _in_site(place: str) -> str:
    return "index.md" if place == "README.md" else place.removeprefix("docs/")


def _in_tree(place: str) -> str:
    if place == "index.md":
        return "README.md"
    return place if place in OUTSIDE else f"docs/{place}"
