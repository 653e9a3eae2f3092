"""The user's cache folder: slow results are kept, and verified when they are read.

Every file starts with one line: schema, kind and key of its content, and the SHA-256 of the rest.
A damaged, truncated or foreign file therefore counts as absent and is rebuilt. A full disk or a
read-only folder costs time but not the result: one warning is logged.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable
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


def key(*parts: str) -> str:
    """Return the SHA-256 (hex) of ``parts``; the boundaries between the parts count."""
    digest = sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data))
        digest.update(data)
    return digest.hexdigest()


def kept(
    kind: str,
    parts: Iterable[str],
    parse: Callable[[bytes], T],
    make: Callable[[], T],
    dump: Callable[[T], bytes],
) -> T:
    """Return what ``parse`` makes of the content kept under ``parts``, else what ``make`` returns.

    That is kept, as ``dump`` has it. If this fails, a warning is logged, once per reason.
    """
    folder = Path(
        os.environ.get(VARIABLE)
        or platformdirs.user_cache_path("cdec", appauthor=False)
    )
    name = key(*parts)
    file = folder / kind / name
    head = f"cdec-cache/{SCHEMA} {kind} {name} "
    try:
        if file.is_file():  # a pipe or a device has no end
            first, _, body = file.read_bytes().partition(b"\n")
            if first.decode() == head + sha256(body).hexdigest():
                return parse(body)
    except Exception:  # noqa: BLE001, S110  another version of a library has written it
        pass
    value = make()
    body = dump(value)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with replacing(file) as target:
            target.write(f"{head}{sha256(body).hexdigest()}\n".encode() + body)
    except OSError as error:
        _warn_once(str(folder), error.strerror or type(error).__name__)
    return value


@cache
def _warn_once(place: str, reason: str) -> None:
    _log.warning(
        "%s: the cache cannot be written: %s (set %s)", place, reason, VARIABLE
    )
