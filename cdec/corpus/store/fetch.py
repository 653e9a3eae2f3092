"""Download a corpus from its authors' repository, with resumption; verify and install it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from threading import Thread
from typing import Any, BinaryIO
from urllib.parse import quote

import requests
from pooch import HTTPDownloader

from cdec.corpus.known import KnownCorpus, blob_id_of
from cdec.corpus.layouts import LAYOUTS
from cdec.corpus.store.install import install, unwritable
from cdec.corpus.store.locate import data_folder, release
from cdec.errors import CorpusError, UsageError
from cdec.files.input import integer, is_full

TIMEOUT_SECONDS = 30  # without a byte
TRANSFER_SECONDS = 1800.0  # of one file
LARGEST = 2**25  # bytes of one file: all files of ECB+ have 27 MB, unpacked
BY_HAND = ", use a mirror, or download it yourself and use `cdec corpus add PATH`"

_FOLDER = "download"
_CHUNK_BYTES = 2**14
_TOO_LARGE = "file-too-large"
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

    ``base_url`` is a mirror of the folder with all files, ``folder`` stores the downloads until
    the corpus is installed, ``progress`` is passed to pooch: True for a bar on stderr, or a bar
    object. An incomplete download in ``folder`` is resumed. Raises CorpusError if the network, the
    server or the disk fails, or the file is not the published one, too large or too slow;
    UsageError for an invalid URL.
    """
    wanted = known or release()
    if not wanted.blobs:
        message, hint = f"{wanted.title} has no public address", "use `cdec corpus add PATH`"
        raise UsageError("corpus-not-found", message, hint=hint)
    archive = LAYOUTS[wanted.format].archive
    own = "" if archive in wanted.blobs else wanted.name
    place = folder or data_folder() / _FOLDER / own
    try:
        for name, blob in wanted.blobs.items():
            download(_address(wanted, name, base_url), place / name, blob, progress)
    except OSError as error:
        raise unwritable(place, error) from None
    except CorpusError as error:
        raise error.hinting(BY_HAND) from None
    target = install(place / archive if archive in wanted.blobs else place, known=wanted)
    _clear(place, wanted.blobs)
    return target


def _address(known: KnownCorpus, name: str, mirror: str | None) -> str:
    if mirror is None and name in known.urls:
        return known.urls[name]
    return f"{(mirror or known.base_url).rstrip('/')}/{quote(name)}"


def download(url: str, target: Path, blob: str, progress: Any = False) -> None:
    """Download one file to ``target`` unless it exists; one without an id is always new.

    ``blob`` is its git blob id, '' if it is not known. An incomplete download is resumed. Raises
    OSError, and CorpusError and UsageError as ``fetch`` does.
    """
    if blob and is_blob(target, blob):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.part")
    if part.is_file() and part.stat().st_size > LARGEST:
        part.unlink()
    resumed = part.exists()
    _transfer(url, part, progress)
    if resumed and not is_blob(part, blob):
        part.unlink()
        _transfer(url, part, progress)
    if not is_blob(part, blob):
        received = blob_id_of(part)
        part.unlink()
        raise CorpusError(
            "checksum-mismatch",
            f"not the published file: expected the git blob id {blob}, got {received}",
            place=url,
            hint="check the address",
        )
    part.replace(target)


def is_blob(path: Path, blob: str) -> bool:
    """Return whether a file is complete; without a published id (''), any file is."""
    return path.is_file() and (not blob or blob_id_of(path) == blob)


def _transfer(url: str, part: Path, progress: Any) -> None:
    """Append the missing bytes of ``url`` to ``part``."""
    try:
        _append(url, part, progress)
    except _BAD_URL as error:
        hint = "use a URL such as https://example.org/folder"
        raise UsageError("option-invalid", f"invalid URL: {error}", place=url, hint=hint) from None
    except requests.HTTPError as error:
        reply = error.response
        if reply.status_code != _RANGE_NOT_SATISFIABLE:
            raise CorpusError(
                "download-failed",
                f"the server answered {reply.status_code} {reply.reason}",
                place=url,
                hint="try again later",
            ) from None
        # No bytes are left: the part is complete, or belongs to another file.
    except requests.RequestException as error:
        raise CorpusError(
            "download-failed",
            f"the download stopped after {part.stat().st_size:,} bytes: {_reason(error)}",
            place=url,
            hint="try again (the download is resumed)",
        ) from None


def _append(url: str, part: Path, progress: Any) -> None:
    """Append the missing bytes; remove a part that is too large or that has filled the disk."""
    try:
        with part.open("ab") as file:
            _in_time(lambda: _request(url, _Bounded(file, url), progress), url)
    except (OSError, CorpusError) as error:
        full = is_full(error) if isinstance(error, OSError) else error.code == _TOO_LARGE
        if full:
            part.unlink(missing_ok=True)
        raise


def _in_time(work: Callable[[], None], url: str) -> None:
    """Do the work in a thread, so that a server that sends a byte now and then has a time limit."""
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
        hint = "try again: the download is resumed"
        raise CorpusError("download-failed", message, place=url, hint=hint)
    for failure in failures:
        raise failure


class _Bounded:
    """A file for pooch to write, with a limit on its size."""

    def __init__(self, file: BinaryIO, url: str) -> None:
        self.file, self.url = file, url

    def check(self, more: int) -> None:
        """Raise CorpusError if ``more`` bytes would make the file larger than LARGEST."""
        if self.file.tell() + more > LARGEST:
            message = f"the server sends more than {LARGEST:,} bytes"
            hint = "check the address"
            raise CorpusError(_TOO_LARGE, message, place=self.url, hint=hint)

    def write(self, data: bytes) -> None:
        self.check(len(data))
        self.file.write(data)

    def flush(self) -> None:
        self.file.flush()


def _request(url: str, bounded: _Bounded, progress: Any) -> None:
    file = bounded.file
    # A range refers to the bytes as sent, so they must not be compressed.
    headers = {"Accept-Encoding": "identity"}
    if start := file.tell():
        headers["Range"] = f"bytes={start}-"
    with ExitStack() as replies:

        def begin(reply: requests.Response, *_: object, **__: object) -> None:
            replies.callback(reply.close)  # pooch does not close it after an error
            if start and reply.status_code == _WHOLE:  # the server does not support ranges
                file.truncate(0)
                file.seek(0)
            length = reply.headers.get("Content-Length", "")
            if (size := integer(length, 15)) >= 0:
                bounded.check(size)
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
            return "the proxy refused the connection"
        case requests.exceptions.SSLError():
            return "the certificate of the server is invalid"
        case requests.exceptions.Timeout():
            return f"no answer for {TIMEOUT_SECONDS} seconds"
        case requests.exceptions.ChunkedEncodingError():
            return "the connection was lost"
        case requests.exceptions.TooManyRedirects():
            return "too many redirects"
        case _:
            return "no connection to the server"


def _clear(folder: Path, names: Mapping[str, str]) -> None:
    """Remove the downloads, and the folders that have no other files."""
    for name in names:
        (folder / name).unlink(missing_ok=True)
    inner = {(folder / name).parent for name in names} - {folder}
    outer = [folder.parent] if folder.parent.name == _FOLDER else []
    for place in (*inner, folder, *outer):
        if not any(place.iterdir()):
            place.rmdir()
