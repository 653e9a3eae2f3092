"""The pages of the reference, as reference.toml lists them: blocks of mkdocstrings."""

from __future__ import annotations

import inspect
import shutil
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PAGES = tomllib.loads((HERE / "reference.toml").read_text("utf-8"))["page"]
DOCUMENTED = ("is", "made_by", "also")


def copy_package(folder: Path) -> None:
    """Copy the package as a wheel has it: mkdocstrings looks for modules in one folder."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "cdec", folder / "cdec")
    for room in ("baselines", "settings", "configs"):
        shutil.copytree(ROOT / room, folder / "cdec" / room)


def pages() -> Iterator[tuple[str, str]]:
    """Yield the path of each page in the site and its Markdown, the overview first."""
    rows = [f"| [{page['noun']}]({_place(page)}) | {page['text']} |" for page in PAGES]
    head = "# Python reference\n\nA page a noun: what it is, what makes it, what takes it."
    yield "reference/index.md", "\n".join([f"{head}\n", "| noun | |", "|---|---|", *rows, ""])
    for page in PAGES:
        yield f"reference/{_place(page)}", "\n\n".join(_blocks(page))


def homes() -> dict[str, str]:
    """Return the name of each documented object → the noun of the page that documents it."""
    found: dict[str, str] = {}
    for page in PAGES:
        for name in _documented(page):
            found.setdefault(name, page["noun"])
    return found


def source(name: str) -> str:
    """Return where the object that users import as ``name`` is defined."""
    module, _, attribute = name.rpartition(".")
    value = getattr(import_module(module), attribute, None)
    if inspect.isclass(value) or inspect.isfunction(value):
        return f"{value.__module__}.{value.__qualname__}"
    return name


def _documented(page: dict[str, list[str]]) -> list[str]:
    return [name for key in DOCUMENTED for name in page.get(key, ())]


def _place(page: dict[str, str]) -> str:
    return f"{page['noun'].lower().replace(' ', '-')}.md"


def _blocks(page: dict[str, str]) -> Iterator[str]:
    yield f"# {page['noun']}"
    yield page["text"]
    for label, key in (("Made by", "made_by"), ("Taken by", "taken_by")):
        if page[key]:
            yield f"{label}: {', '.join(f'[`{name}`][{source(name)}]' for name in page[key])}."
    here = [name for name in _documented(page) if homes()[name] == page["noun"]]
    for name in dict.fromkeys(here):
        yield f"::: {source(name)}\n    options:\n      heading: {name}\n      toc_label: {name}"
