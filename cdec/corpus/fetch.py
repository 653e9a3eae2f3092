"""Download a corpus from its authors' repository, with resumption; verify and install it."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from cdec.corpus.known import KnownCorpus, blob_id_of
from cdec.corpus.source import CORPORA, open_source
from cdec.corpus.store import data_folder, install, installed, unwritable
from cdec.errors import CorpusError, Notice, UsageError, warn_of
from cdec.files.input import integer, is_full
from cdec.files.progress import notebook

if TYPE_CHECKING:
    import requests

TIMEOUT_SECONDS = 30  # without a byte
TRANSFER_SECONDS = 1800.0  # of one file
LARGEST = 2**25  # bytes of one file of responses; the format of a corpus has its own limit
BY_HAND = ", use a mirror, or download it yourself and use `cdec corpus add PATH`"
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
    Where a checksum is not published, the digest of the download is a notice, and a later download
    must equal the installed one. Raises CorpusError if the network, the server or the disk fails,
    or a file is not the expected one, too large or too slow; UsageError for an invalid URL.
    """
    if not wanted.blobs:
        message, hint = f"{wanted.title} has no public address", "use `cdec corpus add PATH`"
        raise UsageError("corpus-not-found", message, hint=hint)
    form, folder = CORPORA[wanted.format], data_folder() / "download" / wanted.name
    try:
        for name, blob in wanted.blobs.items():
            url = f"{(mirror or wanted.base_url).rstrip('/')}/{quote(name)}"
            url = url if mirror else wanted.urls.get(name, url)
            download(url, folder / name, blob, form.largest)
    except OSError as error:
        raise unwritable(folder, error) from None
    except CorpusError as error:
        raise error.hinting(BY_HAND) from None
    path = folder / form.archive if form.archive in wanted.blobs else folder
    if "" in wanted.blobs.values():
        digest, before = open_source(path).digest, installed().get(wanted.name)
        if before and (first := open_source(before).digest) != digest:
            message = f"not the files that were installed before: expected {first}, got {digest}"
            hint = "remove the installed file if this is intended"
            raise CorpusError("checksum-mismatch", message, place=before, hint=hint)
        message = f"{wanted.title} has no published checksum; this download has the digest {digest}"
        warn_of([Notice("checksum-mismatch", 1, message)])
    target = install(path, wanted)
    shutil.rmtree(folder, ignore_errors=True)
    return target


def download(url: str, target: Path, blob: str, largest: int = LARGEST) -> None:
    """Download one file to ``target`` unless it exists; one without an id is always new.

    ``blob`` is its git blob id, '' if it is not known; ``largest`` its limit in bytes. An
    incomplete download is resumed. Raises OSError, and CorpusError and UsageError as ``fetch``
    does.
    """
    if blob and target.is_file() and blob_id_of(target) == blob:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.part")
    resumed = part.exists()
    _transfer(url, part, largest)
    if resumed and blob not in ("", blob_id_of(part)):  # the beginning was that of another file
        part.unlink()
        _transfer(url, part, largest)
    received = blob_id_of(part)
    if blob not in ("", received):
        part.unlink()
        message = f"not the published file: expected the git blob id {blob}, got {received}"
        raise CorpusError("checksum-mismatch", message, place=url, hint="check the address")
    part.replace(target)


def _transfer(url: str, part: Path, largest: int) -> None:
    """Append the missing bytes of ``url``; remove a part that is too large or fills the disk."""
    import requests  # noqa: PLC0415
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
            left = max(integer(reply.headers.get("Content-Length", ""), 15), 0)
            _check_size(file.tell() + left, largest, url)
            for piece in notebook()(_pieces(reply, url), 1 + left // _CHUNK, part.stem):
                _check_size(file.tell() + len(piece), largest, url)
                file.write(piece)
    except (requests.RequestException, HTTPError) as error:
        if isinstance(error, ValueError):
            message, hint = f"invalid URL: {error}", "use a URL such as https://example.org/folder"
            raise UsageError("argument-invalid", message, place=url, hint=hint) from None
        kinds = (kind.__name__ for kind in type(error).__mro__)
        reason = next(filter(None, map(_REASONS.get, kinds)), "no connection to the server")
        size = part.stat().st_size if part.exists() else 0
        message = f"the download stopped after {size:,} bytes: {reason}"
        raise _failed(message, url, "try again (the download is resumed)") from None
    except (OSError, CorpusError) as error:
        if is_full(error) if isinstance(error, OSError) else error.code == "file-too-large":
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


def _check_size(size: int, largest: int, url: str) -> None:
    if size > largest:
        message = f"the server sends more than {largest:,} bytes"
        raise CorpusError("file-too-large", message, place=url, hint="check the address")


def _failed(message: str, url: str, hint: str) -> CorpusError:
    return CorpusError("corpus-not-found", message, place=url, hint=hint)
