"""A corpus as one zip: the same files give the same bytes."""

from __future__ import annotations

import io
import zipfile

from cdec.corpus.source import REVIEWED, Source

# The oldest date that a zip can hold: no clock in the content.
_DATE = (1980, 1, 1, 0, 0, 0)
_UNIX, _PLAIN_FILE = 3, 0o100644 << 16


def pack(source: Source) -> bytes:
    """Return ``source`` as a zip like the release's: files under ``ECB+/``, the list beside."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in source.files.items():
            _add(archive, f"ECB+/{name}", data)
        if source.reviewed is not None:
            _add(archive, REVIEWED, source.reviewed)
    return buffer.getvalue()


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    info = zipfile.ZipInfo(name, _DATE)
    info.create_system, info.external_attr = _UNIX, _PLAIN_FILE
    archive.writestr(info, data, compress_type=zipfile.ZIP_DEFLATED)
