"""Download a corpus from its authors' repository, verify and add it."""

from __future__ import annotations

import shutil
import time
from functools import partial
from pathlib import Path
from urllib.parse import quote

from cdec.corpus.source import LARGEST as LARGEST_CORPUS
from cdec.corpus.source import open_source
from cdec.corpus.store import (
    add,
    blob_id,
    data_folder,
    installed,
    known_corpora,
    unwritable,
)
from cdec.errors import CorpusError, Notice, UnknownNameError, UsageError, warn_of
from cdec.files.input import integer
from cdec.files.output import replacing
from cdec.files.progress import notebook

TIMEOUT_SECONDS = 30  # without a byte
TRANSFER_SECONDS = 1800.0  # of one file
LARGEST = 2**25  # bytes of one file of responses
BY_HAND = ", use a mirror, or download it yourself and use `cdec corpus add PATH`"
_CHUNK = 2**14


def fetch(name: str, mirror: str | None = None) -> Path:
    """Download a published corpus, check it and add it; return the file in the data folder.

    ``mirror`` is the address of another folder with all files. Published files that have arrived
    are kept for the next try. Where a checksum is not published, the digest of the download is a
    notice, and a later download must equal the installed one. Raises CorpusError if the network,
    the server or the disk fails, or a file is not the expected one, too large or too slow;
    UsageError for an invalid URL, and UnknownNameError.
    """
    wanted = known_corpora().get(name.lower())
    if wanted is None:
        raise UnknownNameError(
            "corpus", name, {one.name: one for one in known_corpora().values()}
        )
    if not wanted.blobs:
        raise UsageError(
            "corpus-not-found",
            f"{wanted.title} has no public address",
            hint="use `cdec corpus add PATH`",
        )
    folder = data_folder() / "download" / wanted.name
    try:
        for file, blob in wanted.blobs.items():
            url = f"{(mirror or wanted.base_url).rstrip('/')}/{quote(file)}"
            url = url if mirror else wanted.urls.get(file, url)
            download(url, folder / file, blob, LARGEST_CORPUS)
    except OSError as error:
        raise unwritable(folder, error) from None
    except CorpusError as error:
        error.hint = f"{error.hint}{BY_HAND}"
        raise
    if "" in wanted.blobs.values():
        digest = open_source(folder).digest
        before = installed().get(wanted.name)
        if before and (first := open_source(before).digest) != digest:
            raise CorpusError(
                "checksum-mismatch",
                f"not the files that were installed before: expected {first}, got {digest}",
                place=before,
                hint="remove the installed file if this is intended",
            )
        warn_of(
            [
                Notice(
                    "checksum-mismatch",
                    1,
                    f"{wanted.title} has no published checksum; this download has the digest "
                    f"{digest}",
                )
            ]
        )
    target = add(folder, wanted.name).file
    shutil.rmtree(folder, ignore_errors=True)
    return target


def download(url: str, target: Path, blob: str, largest: int = LARGEST) -> None:
    """Download one file to ``target`` unless it exists; one without an id is always new.

    ``blob`` is its git blob id, '' if it is not known; ``largest`` its limit in bytes. Raises
    OSError, and CorpusError and UsageError as ``fetch`` does.
    """
    if blob and target.is_file() and blob_id(target.read_bytes()) == blob:
        return
    data = _received(url, largest)
    if blob not in ("", received := blob_id(data)):
        raise CorpusError(
            "checksum-mismatch",
            f"not the published file: expected the git blob id {blob}, got {received}",
            place=url,
            hint="try again, or check the address",
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    with replacing(target) as file:
        file.write(data)


def _received(url: str, largest: int) -> bytes:
    """Return the content of an address; a server that sends byte by byte has a time limit."""
    import requests  # noqa: PLC0415
    from urllib3.exceptions import HTTPError  # noqa: PLC0415

    def failed(message: str, hint: str, code: str = "corpus-not-found") -> CorpusError:
        return CorpusError(code, message, place=url, hint=hint)

    data = bytearray()
    end = time.monotonic() + TRANSFER_SECONDS
    # So that the progress is of the bytes as sent.
    headers = {"Accept-Encoding": "identity"}
    try:
        with requests.get(
            url, headers=headers, stream=True, timeout=TIMEOUT_SECONDS
        ) as reply:
            if not reply.ok:
                raise failed(
                    f"the server answered {reply.status_code} {reply.reason}",
                    "try again later",
                )
            size = max(integer(reply.headers.get("Content-Length", ""), 15), 0)
            pieces = iter(partial(reply.raw.read1, _CHUNK), b"")
            for piece in notebook()(pieces, 1 + size // _CHUNK, url.rpartition("/")[2]):
                data += piece
                if len(data) > largest:
                    raise failed(
                        f"the server sends more than {largest:,} bytes",
                        "check the address",
                        "file-too-large",
                    )
                if time.monotonic() > end:
                    raise failed(
                        f"not complete after {TRANSFER_SECONDS / 60:g} minutes",
                        "try again",
                    )
    except (requests.RequestException, HTTPError) as error:
        if isinstance(error, ValueError):
            raise UsageError(
                "argument-invalid",
                f"invalid URL: {error}",
                place=url,
                hint="use a URL such as https://example.org/folder",
            ) from None
        raise failed(
            f"the download stopped after {len(data):,} bytes: {type(error).__name__}",
            "try again",
        ) from None
    return bytes(data)
