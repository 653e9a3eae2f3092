"""Download ECB+ from its authors' repository, resume where it broke, verify, install."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from threading import Thread
from typing import Any, BinaryIO
from urllib.parse import quote

import requests
from pooch import HTTPDownloader

from cdec.corpus.ecbplus.scheme import ARCHIVE
from cdec.corpus.known import KnownCorpus
from cdec.corpus.store.difference import blob_id_of
from cdec.corpus.store.locate import DATA_VARIABLE, data_folder, install, release
from cdec.errors import CorpusError, UsageError
from cdec.io.inputfile import how_to_write, is_full

TIMEOUT_SECONDS = 30  # without a byte
TRANSFER_SECONDS = 1800.0  # of one file
LARGEST = 2**25  # bytes of one file: all files of ECB+ have 27 MB, unpacked
BY_HAND = "or download it by hand and `cdec corpus install PATH`"

_CHUNK_BYTES = 2**14
_TOO_LARGE = "download-too-large"
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
    server or the disk fails, or the file is another one, too large or too slow to come; UsageError
    for a malformed URL.
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
    if part.is_file() and part.stat().st_size > LARGEST:
        part.unlink()
    resumed = part.exists()
    _transfer(url, part, progress)
    if resumed and not _is_blob(part, blob):
        part.unlink()
        _transfer(url, part, progress)
    if not _is_blob(part, blob):
        found = blob_id_of(part)
        part.unlink()
        raise CorpusError(
            f"not the published file (git blob id {found}, expected {blob})",
            place=url,
            hint=f"is this the right mirror? {BY_HAND}",
        )
    part.replace(target)


def _is_blob(path: Path, blob: str) -> bool:
    return path.is_file() and blob_id_of(path) == blob


def _transfer(url: str, part: Path, progress: Any) -> None:
    """Append to ``part`` what is missing of ``url``."""
    try:
        _append(url, part, progress)
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


def _append(url: str, part: Path, progress: Any) -> None:
    """Do so; a part that is too large, or that has filled the disk, is removed."""
    try:
        with part.open("ab") as file:
            _in_time(lambda: _request(url, _Bounded(file, url), progress), url)
    except (OSError, CorpusError) as error:
        full = is_full(error) if isinstance(error, OSError) else error.code == _TOO_LARGE
        if full:
            part.unlink(missing_ok=True)
        raise


def _in_time(work: Callable[[], None], url: str) -> None:
    """Do the work in a thread, which a server that sends a byte now and then cannot hold up."""
    failures: list[Exception] = []

    def run() -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001  raised again below
            failures.append(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(TRANSFER_SECONDS)
    if thread.is_alive():
        message = f"the download was not complete after {TRANSFER_SECONDS / 60:g} minutes"
        hint = f"try again, it goes on from there; {BY_HAND}"
        raise CorpusError("download-too-slow", message, place=url, hint=hint)
    for failure in failures:
        raise failure


class _Bounded:
    """A file for pooch to write that refuses to become larger than any file of a corpus."""

    def __init__(self, file: BinaryIO, url: str) -> None:
        self.file, self.url = file, url

    def check(self, more: int) -> None:
        """Raise CorpusError if the file would be too large with so many bytes more."""
        if self.file.tell() + more > LARGEST:
            message = f"the server sends more than {LARGEST:,} bytes"
            hint = f"is this the right mirror? {BY_HAND}"
            raise CorpusError(_TOO_LARGE, message, place=self.url, hint=hint)

    def write(self, data: bytes) -> None:
        self.check(len(data))
        self.file.write(data)

    def flush(self) -> None:
        self.file.flush()


def _request(url: str, bounded: _Bounded, progress: Any) -> None:
    file = bounded.file
    # A range counts the bytes as sent, so they must not be sent compressed.
    headers = {"Accept-Encoding": "identity"}
    if start := file.tell():
        headers["Range"] = f"bytes={start}-"
    with ExitStack() as replies:

        def begin(reply: requests.Response, *_: object, **__: object) -> None:
            replies.callback(reply.close)  # pooch leaves it open where something fails
            if start and reply.status_code == _WHOLE:  # the server knows no ranges
                file.truncate(0)
                file.seek(0)
            length = reply.headers.get("Content-Length", "")
            if length.isdecimal():
                bounded.check(int(length))
            else:
                reply.headers["Content-Length"] = "0"  # pooch takes it for a number

        HTTPDownloader(
            progressbar=progress,
            chunk_size=_CHUNK_BYTES,
            timeout=TIMEOUT_SECONDS,
            headers=headers,
            hooks={"response": begin},
        )(url, bounded, None)


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
