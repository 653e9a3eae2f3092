"""The user's cache folder: slow results are kept, and verified when they are read.

Every file starts with one line: schema, kind and key of its content, and the SHA-256 of the rest.
A damaged, truncated or foreign file therefore counts as absent and is rebuilt. A full disk or a
read-only folder costs time but not the result: one warning is logged.
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

from cdec.files.output import replacing

SCHEMA = 1  # increase it when the first line changes
VARIABLE = "CDEC_CACHE"

T = TypeVar("T")
_log = logging.getLogger(__name__)


def folder() -> Path:
    """Return the cache folder: the variable ``CDEC_CACHE``, else the platform's default."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else platformdirs.user_cache_path("cdec", appauthor=False)


def key(*parts: str) -> str:
    """Return the SHA-256 (hex) of ``parts``; the boundaries between the parts count."""
    digest = sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data))
        digest.update(data)
    return digest.hexdigest()


def parsed(kind: str, key: str, parse: Callable[[bytes], T]) -> T | None:
    """Return what ``parse`` makes of the kept content; None if there is none or it fails.

    Another version of cdec or of a library may have written the content.
    """
    file = folder() / kind / key
    try:
        if not file.is_file():  # a pipe or a device has no end
            return None
        head, _, body = file.read_bytes().partition(b"\n")
        return parse(body) if head == _first_line(kind, key, body) else None
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  what fails, and how, depends on the library that parses
        return None


def write(kind: str, key: str, body: bytes) -> None:
    """Cache ``body``; if that fails, log a warning (once per reason) and continue."""
    target = folder() / kind / key
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing(target) as file:
            file.write(_first_line(kind, key, body) + b"\n" + body)
    except OSError as error:
        _warn_once(str(folder()), error.strerror or type(error).__name__)


def _first_line(kind: str, key: str, body: bytes) -> bytes:
    return f"cdec-cache/{SCHEMA} {kind} {key} {sha256(body).hexdigest()}".encode()


@cache
def _warn_once(place: str, reason: str) -> None:
    _log.warning("%s: the cache cannot be written: %s (set %s)", place, reason, VARIABLE)
