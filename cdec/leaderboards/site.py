"""Write a board as a site: static pages with their data as CSV and JSON, for any web server.

The folder is new, or one that this command wrote: ``site.json`` in it lists the files of the site.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Annotated

from jinja2 import Environment, FunctionLoader, Template
from markupsafe import Markup
from pydantic import AfterValidator

from cdec._version import __version__
from cdec.errors import FormatError
from cdec.files.input import FileKind
from cdec.files.models import FileModel, Schema, complaint
from cdec.files.output import save_bytes
from cdec.formats.declaration import Digest
from cdec.leaderboards.folder import Leaderboard
from cdec.leaderboards.site_pages import Site, SitePage
from cdec.render import to_csv, to_json
from cdec.render.html import sections_html, stylesheet

LIST = "site.json"
_ASSETS = ("site.css", "site.js")
_FORMAT = "cdec-leaderboard-site/1"
_HINT = "name a new folder, or one that `cdec leaderboard site` wrote"
_KIND = FileKind("the list of files of a site", FormatError, "file-invalid", _HINT, 2**24)


def _inside(name: str) -> str:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name:
        raise complaint(f"is '{name:.60}', not in the folder")
    return name


class _List(FileModel):
    """The files of a site: path → SHA-256."""

    files: dict[Annotated[str, AfterValidator(_inside)], Digest]


_SCHEMA = Schema(_KIND, _List, _FORMAT)


def site_files(board: Leaderboard) -> dict[str, bytes]:
    """Return the path and the bytes of each file of the site. Raises FormatError."""
    site = Site(board)
    made = {name: text.encode() for page in site.pages() for name, text in _files(page)}
    made |= dict(site.results.values())
    made |= {name: _text(name).encode() for name in _ASSETS}
    return made | {"page.css": stylesheet().encode()}


def _files(page: SitePage) -> Iterator[tuple[str, str]]:
    body = Markup(sections_html(page.page))  # noqa: S704  the template of pages escapes
    yield page.path, _template().render(site=page, page=page.page, body=body, version=__version__)
    if not page.shared:
        yield f"{page.stems[0]}.csv", to_csv(page.page)
        yield f"{page.stems[0]}.json", to_json(page.page)


def write_site(board: Leaderboard, folder: Path) -> list[str]:
    """Write the site of a board to a folder; return the names of its files.

    Each file is replaced as a whole, unchanged files of an earlier site that it no longer has are
    removed, and others are not touched. After an interruption the same call completes the site.
    Raises FormatError for results that are missing or not valid, a folder that is not of a site,
    and one that cannot be written.
    """
    known, made = _known(folder), site_files(board)
    now = {name: sha256(data).hexdigest() for name, data in made.items()}
    for name in now:
        if name not in known and (folder / name).exists():
            message = "a file of another origin is in the way of the site"
            raise FormatError("file-unwritable", message, place=folder / name, hint=_HINT)
    _save_list(folder, known | now)  # an interrupted site is recognised
    for name, data in made.items():
        if known.get(name) != now[name] or _digest(folder / name) != now[name]:
            save_bytes(data, folder / name, parents=True)
    for name in known.keys() - now.keys():
        if _digest(folder / name) == known[name]:
            (folder / name).unlink()
    _save_list(folder, now)
    return list(made)


def _known(folder: Path) -> dict[str, str]:
    """Return the files that a folder has of an earlier site: path → SHA-256."""
    if str(folder) == "-":
        message = "a site is a folder, not standard output"
        raise FormatError("file-unwritable", message, place=folder, hint=_HINT)
    if (folder / LIST).is_file():
        return dict(_SCHEMA.read_json(folder / LIST).files)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        message = "the folder is not a site of a leaderboard"
        raise FormatError("file-unwritable", message, place=folder, hint=_HINT)
    return {}


def _save_list(folder: Path, names: Mapping[str, str]) -> None:
    content = {"format": _FORMAT, "files": dict(sorted(names.items()))}
    save_bytes((json.dumps(content, indent=1) + "\n").encode(), folder / LIST, parents=True)


def _digest(path: Path) -> str:
    """Return the SHA-256 of a file, '' if it is not there."""
    return sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


@cache
def _template() -> Template:
    environment = Environment(
        loader=FunctionLoader(_text), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("site.html")


def _text(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8")
