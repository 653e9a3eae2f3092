"""Download ECB+ from its authors' repository, resume where it broke, verify, install."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote

import requests
from pooch import HTTPDownloader

from cdec.corpus.ecbplus.scheme import ARCHIVE
from cdec.corpus.known import KnownCorpus
from cdec.corpus.store.difference import blob_id
from cdec.corpus.store.locate import DATA_VARIABLE, data_folder, install, release
from cdec.errors import CorpusError, UsageError
from cdec.io.inputfile import how_to_write

TIMEOUT_SECONDS = 30
BY_HAND = "or download it by hand and `cdec corpus install PATH`"

_CHUNK_BYTES = 2**14
_BAD_URL = (
    requests.exceptions.MissingSchema,
    requests.exceptions.InvalidSchema,
    requests.exceptions.InvalidURL,
)
_WHOLE, _RANGE_NOT_SATISFIABLE = 200, 416


def fetch(
    base_url: str | None = None,
    *,
    folder: Path | None = None,
    known: KnownCorpus | None = None,
    progress: Any = False,
) -> Path:
    """Download ``known`` (ECB+ 1.0), check it and install it; return the installed zip.

    ``base_url`` names a mirror of the folder with the downloads, ``folder`` keeps them until all
    is installed, ``progress`` is what pooch takes: True for a bar on stderr, or a bar object. What
    a broken download left in ``folder`` is continued. Raises CorpusError where the network, the
    server or the disk fails or the file is another one, UsageError for a malformed URL.
    """
    wanted = known or release()
    place = folder or data_folder() / "download"
    base = (base_url or wanted.base_url).rstrip("/")
    try:
        place.mkdir(parents=True, exist_ok=True)
        for name, blob in wanted.blobs.items():
            _get(f"{base}/{quote(name)}", place / name, blob, progress)
    except OSError as error:
        raise CorpusError(
            f"cannot be written: {error.strerror or error}",
            place=place,
            hint=f"{how_to_write(error)}, or name another folder in {DATA_VARIABLE}, and try again",
        ) from None
    target = install(place / ARCHIVE, known=wanted)
    _clear(place, wanted.blobs)
    return target


def _get(url: str, target: Path, blob: str, progress: Any) -> None:
    """Download one file to ``target`` unless it is there already."""
    if _is_blob(target, blob):
        return
    part = target.with_name(f"{target.name}.part")
    resumed = part.exists()
    _transfer(url, part, progress)
    if resumed and not _is_blob(part, blob):
        part.unlink()
        _transfer(url, part, progress)
    if not _is_blob(part, blob):
        found = blob_id(part.read_bytes())
        part.unlink()
        raise CorpusError(
            f"not the published file (git blob id {found}, expected {blob})",
            place=url,
            hint=f"is this the right mirror? {BY_HAND}",
        )
    part.replace(target)


def _is_blob(path: Path, blob: str) -> bool:
    return path.is_file() and blob_id(path.read_bytes()) == blob


def _transfer(url: str, part: Path, progress: Any) -> None:
    """Append to ``part`` what is missing of ``url``."""
    try:
        with part.open("ab") as file:
            _request(url, file, progress)
    except _BAD_URL as error:
        raise UsageError(f"not a URL to download from: {error}", place=url) from None
    except requests.HTTPError as error:
        reply = error.response
        if reply.status_code != _RANGE_NOT_SATISFIABLE:
            raise CorpusError(
                f"the server says {reply.status_code} {reply.reason}",
                place=url,
                hint=f"try again later, name a mirror, {BY_HAND}",
            ) from None
        # Nothing is left to send: the part is complete, or no part of this file.
    except requests.RequestException as error:
        raise CorpusError(
            f"the download broke off after {part.stat().st_size:,} bytes ({_reason(error)})",
            place=url,
            hint=f"try again, it goes on from there; {BY_HAND}",
        ) from None


def _request(url: str, file: BinaryIO, progress: Any) -> None:
    # A range counts the bytes as sent, so they must not be sent compressed.
    headers = {"Accept-Encoding": "identity"}
    if start := file.tell():
        headers["Range"] = f"bytes={start}-"
    with ExitStack() as replies:

        def begin(reply: requests.Response, *_: object, **__: object) -> None:
            replies.callback(reply.close)  # pooch leaves it open where something fails
            if start and reply.status_code == _WHOLE:  # the server knows no ranges
                file.truncate(0)

        HTTPDownloader(
            progressbar=progress,
            chunk_size=_CHUNK_BYTES,
            timeout=TIMEOUT_SECONDS,
            headers=headers,
            hooks={"response": begin},
        )(url, file, None)


def _reason(error: requests.RequestException) -> str:
    match error:
        case requests.exceptions.ProxyError():
            return "the proxy does not let it through"
        case requests.exceptions.SSLError():
            return "the server's certificate is not accepted"
        case requests.exceptions.Timeout():
            return f"no answer for {TIMEOUT_SECONDS} seconds"
        case requests.exceptions.ChunkedEncodingError():
            return "the connection was cut"
        case requests.exceptions.TooManyRedirects():
            return "it redirects without end"
        case _:
            return "no connection to the server"


def _clear(folder: Path, names: Mapping[str, str]) -> None:
    """Remove what is installed now; a folder with other files stays."""
    for name in names:
        (folder / name).unlink(missing_ok=True)
    if not any(folder.iterdir()):
        folder.rmdir()
