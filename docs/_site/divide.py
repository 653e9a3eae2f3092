"""A long file outside docs/ as several pages of the site."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

LINES = 400  # that a page may have


def divided(name: str, text: str) -> list[tuple[str, str]]:
    """Return the pages (place in the site, Markdown) of a file outside docs/.

    A long one becomes a page of links and a page for each of its sections: those of the highest
    level of which every section is a page. The headings stay on the first, as links.
    """
    if text.count("\n") <= LINES:
        return [(in_site(name), text)]
    for level in (2, 3):
        sections = [s for s in re.split(rf"(?m)^(?=#{{1,{level}}} )", text) if s.strip()]
        if max(section.count("\n") for section in sections) <= LINES:
            return list(_pages_of(name, sections, level))
    raise ValueError(f"{name}: a section has more than {LINES} lines")


def _pages_of(name: str, sections: list[str], level: int) -> Iterator[tuple[str, str]]:
    index, pages, outer = [], {}, Path(name).stem.lower()
    for section in sections:
        marks, _, title = section.partition("\n")[0].partition(" ")
        if len(marks) < level:
            index.append(section.strip())
            outer = f"{Path(name).stem.lower()}/{_slug(title)}-" if len(marks) > 1 else outer
            continue
        place = f"{outer if '/' in outer else outer + '/'}{_slug(title)}.md"
        pages[place] = f"#{section.removeprefix(marks)}\n[All sections]({name})\n"
        index.append(f"{marks} [{title}]({place})")
    yield in_site(name), "\n\n".join(index) + "\n"
    yield from pages.items()


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def in_site(place: str) -> str:
    """Return the path in the site of a file of the tree."""
    return "index.md" if place == "README.md" else place.removeprefix("docs/")
