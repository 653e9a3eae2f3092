"""The user's cache folder: what took time is kept, and nothing in it is ever trusted unseen.

Every file starts with one line that names the schema, kind and key of its content and the SHA-256
of what follows. A file that is damaged, cut short or foreign therefore reads as absent and is
built again. A full disk or a folder without write permission costs time, never the result: it is
logged once.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import platformdirs

from cdec.io.output import sweep, write_atomic

SCHEMA = 1  # of the files' frame; raise it when the first line changes
VARIABLE = "CDEC_CACHE"

T = TypeVar("T")
_log = logging.getLogger(__name__)


def folder() -> Path:
    """Return the cache folder: the variable ``CDEC_CACHE``, else the platform's place."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else platformdirs.user_cache_path("cdec", appauthor=False)


def key(*parts: str) -> str:
    """Return the SHA-256 (hex) of ``parts``; where one part ends and the next begins counts."""
    digest = sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data))
        digest.update(data)
    return digest.hexdigest()


def path(kind: str, key: str) -> Path:
    """Return where the content of this kind and key is kept, whether it exists or not."""
    return folder() / kind / key


def read(kind: str, key: str) -> bytes | None:
    """Return the kept content, or None if there is none or it is not what was written."""
    place = path(kind, key)
    try:
        if not place.is_file():  # a pipe or a device has no end
            return None
        head, _, body = place.read_bytes().partition(b"\n")
    except OSError:
        return None
    return body if head == _first_line(kind, key, body) else None


def parsed(kind: str, key: str, parse: Callable[[bytes], T]) -> T | None:
    """Return what ``parse`` makes of the kept content; None if there is none or it fails.

    Another version of cdec or of a library may have written the content.
    """
    body = read(kind, key)
    try:
        return None if body is None else parse(body)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  what fails, and how, depends on the library that parses
        return None


def write(kind: str, key: str, body: bytes) -> None:
    """Keep ``body``; where that is not possible, log a warning (once a cause) and go on."""
    target = path(kind, key)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        sweep(target.parent, ".*.part")
        write_atomic(target, _first_line(kind, key, body) + b"\n" + body)
    except OSError as error:
        _warn_once(str(folder()), error.strerror or type(error).__name__)


def _first_line(kind: str, key: str, body: bytes) -> bytes:
    return f"cdec-cache/{SCHEMA} {kind} {key} {sha256(body).hexdigest()}".encode()


@cache
def _warn_once(place: str, reason: str) -> None:
    _log.warning("%s: the cache cannot be written: %s (set %s)", place, reason, VARIABLE)
