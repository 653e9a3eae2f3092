"""Download a corpus from its authors' repository, with resumption; verify and install it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from cdec.corpus.formats import CORPORA
from cdec.corpus.known import KnownCorpus, blob_id_of
from cdec.corpus.store import data_folder, install, unwritable
from cdec.errors import CorpusError, UsageError
from cdec.files.input import integer, is_full
from cdec.files.progress import notebook

if TYPE_CHECKING:
    import requests

TIMEOUT_SECONDS = 30  # without a byte
TRANSFER_SECONDS = 1800.0  # of one file
LARGEST = 2**25  # bytes of one file: all files of ECB+ have 27 MB, unpacked
BY_HAND = ", use a mirror, or download it yourself and use `cdec corpus add PATH`"
_FOLDER = "download"
_CHUNK = 2**14
_WHOLE, _RANGE_NOT_SATISFIABLE = 200, 416
_REASONS = {
    "ProxyError": "the proxy refused the connection",
    "SSLError": "the certificate of the server is invalid",
    "Timeout": f"no answer for {TIMEOUT_SECONDS} seconds",
    "TooManyRedirects": "too many redirects",
    # Those of urllib3, while the body is read.
    "TimeoutError": f"no answer for {TIMEOUT_SECONDS} seconds",
    "HTTPError": "the connection was lost",
}


def fetch(wanted: KnownCorpus, mirror: str | None = None) -> Path:
    """Download a corpus, check it and install it; return the installed file.

    ``mirror`` is the address of another folder with all files. An incomplete download is resumed.
    Raises CorpusError if the network, the server or the disk fails, or the file is not the
    published one, too large or too slow; UsageError for an invalid URL.
    """
    if not wanted.blobs:
        message, hint = f"{wanted.title} has no public address", "use `cdec corpus add PATH`"
        raise UsageError("corpus-not-found", message, hint=hint)
    archive = CORPORA[wanted.format].archive
    packed = archive in wanted.blobs
    folder = data_folder() / _FOLDER / ("" if packed else wanted.name)
    try:
        for name, blob in wanted.blobs.items():
            url = f"{(mirror or wanted.base_url).rstrip('/')}/{quote(name)}"
            url = url if mirror else wanted.urls.get(name, url)
            download(url, folder / name, blob)
    except OSError as error:
        raise unwritable(folder, error) from None
    except CorpusError as error:
        raise error.hinting(BY_HAND) from None
    target = install(folder / archive if packed else folder, wanted.name)
    for name in wanted.blobs:
        (folder / name).unlink(missing_ok=True)
    inner = {(folder / name).parent for name in wanted.blobs}
    for place in sorted(inner | {folder, data_folder() / _FOLDER}, reverse=True):
        if not any(place.iterdir()):
            place.rmdir()
    return target


def download(url: str, target: Path, blob: str) -> None:
    """Download one file to ``target`` unless it exists; one without an id is always new.

    ``blob`` is its git blob id, '' if it is not known. An incomplete download is resumed. Raises
    OSError, and CorpusError and UsageError as ``fetch`` does.
    """
    if blob and _is_blob(target, blob):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.part")
    if part.is_file() and part.stat().st_size > LARGEST:
        part.unlink()
    resumed = part.exists()
    _transfer(url, part)
    if resumed and not _is_blob(part, blob):
        part.unlink()
        _transfer(url, part)
    if not _is_blob(part, blob):
        received = blob_id_of(part)
        part.unlink()
        message = f"not the published file: expected the git blob id {blob}, got {received}"
        raise CorpusError("checksum-mismatch", message, place=url, hint="check the address")
    part.replace(target)


def _is_blob(path: Path, blob: str) -> bool:
    """Return whether a file is complete; without a published id (''), any file is."""
    return path.is_file() and (not blob or blob_id_of(path) == blob)


def _transfer(url: str, part: Path) -> None:
    """Append the missing bytes of ``url``; remove a part that is too large or fills the disk."""
    import requests  # noqa: PLC0415
    from requests import exceptions as faults  # noqa: PLC0415
    from urllib3.exceptions import HTTPError  # noqa: PLC0415

    start = part.stat().st_size if part.exists() else 0
    # A range refers to the bytes as sent, so they must not be compressed.
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={start}-"} if start else {})
    try:
        with (
            requests.get(url, headers=headers, stream=True, timeout=TIMEOUT_SECONDS) as reply,
            part.open("ab") as file,
        ):
            if start and reply.status_code == _RANGE_NOT_SATISFIABLE:
                return  # no bytes are left: the part is complete, or belongs to another file
            if not reply.ok:
                message = f"the server answered {reply.status_code} {reply.reason}"
                raise _failed(message, url, "try again later")
            if reply.status_code == _WHOLE:  # the server does not support ranges
                file.truncate(0)
            size = max(integer(reply.headers.get("Content-Length", ""), 15), 0)
            _check_size(file.tell() + size, url)
            for piece in notebook()(_pieces(reply, url), 1 + size // _CHUNK, part.stem):
                _check_size(file.tell() + len(piece), url)
                file.write(piece)
    except (faults.InvalidURL, faults.InvalidSchema, faults.MissingSchema) as error:
        hint = "use a URL such as https://example.org/folder"
        raise UsageError(
            "argument-invalid", f"invalid URL: {error}", place=url, hint=hint
        ) from None
    except (requests.RequestException, HTTPError) as error:
        kinds = (kind.__name__ for kind in type(error).__mro__)
        reason = next(filter(None, map(_REASONS.get, kinds)), "no connection to the server")
        size = part.stat().st_size if part.exists() else 0
        message = f"the download stopped after {size:,} bytes: {reason}"
        raise _failed(message, url, "try again (the download is resumed)") from None
    except (OSError, CorpusError) as error:
        full = is_full(error) if isinstance(error, OSError) else error.code == "file-too-large"
        if full:
            part.unlink(missing_ok=True)
        raise


def _pieces(reply: requests.Response, url: str) -> Iterator[bytes]:
    """Yield the bytes as they come: a server that sends one now and then has a time limit."""
    end = time.monotonic() + TRANSFER_SECONDS
    while piece := reply.raw.read1(_CHUNK):
        yield piece
        if time.monotonic() > end:
            message = f"the download was not complete after {TRANSFER_SECONDS / 60:g} minutes"
            raise _failed(message, url, "try again: the download is resumed")


def _check_size(size: int, url: str) -> None:
    if size > LARGEST:
        message = f"the server sends more than {LARGEST:,} bytes"
        raise CorpusError("file-too-large", message, place=url, hint="check the address")


def _failed(message: str, url: str, hint: str) -> CorpusError:
    return CorpusError("corpus-not-found", message, place=url, hint=hint)
