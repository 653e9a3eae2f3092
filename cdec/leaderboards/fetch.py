"""Fetch the responses of a leaderboard: download public archives, or take local copies, and unpack.

The licence of an archive must allow it. The archive is identified by its git blob id, each response
in it by its SHA-256.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from lzma import LZMAError
from pathlib import Path
from tempfile import TemporaryDirectory

from cdec.corpus.fetch import LARGEST, download
from cdec.corpus.store import blob_id, data_folder, unwritable
from cdec.errors import CorpusError, FormatError, UsageError, one_of
from cdec.files.input import Budget, FileKind
from cdec.leaderboards.board import Leaderboard
from cdec.leaderboards.paths import inside
from cdec.leaderboards.rules import Archive
from cdec.leaderboards.submission import digest_of

LARGEST_UNPACKED = 2**31  # bytes of an archive: that of HyperCoref has 868 MB
_HINT = "give the folder with the archives, or one of them"
_ARCHIVE = FileKind("an archive", CorpusError, "argument-invalid", _HINT, LARGEST)


def fetch_responses(
    board: Leaderboard, names: Sequence[str], source: Path | None
) -> Iterator[tuple[Archive, int]]:
    """Fetch the responses of systems, by default of all; yield each archive, and its new files.

    ``source`` is a folder with the archives, or one of them, instead of the network. Files that are
    there are not fetched again. Raises CorpusError as ``cdec.corpus.fetch`` does, FormatError for
    an archive that is not valid, UnknownNameError for a system, and UsageError for one that is in
    no archive.
    """
    systems = board.submissions
    submissions = [systems[one_of("system", name, systems)] for name in names]
    for submission in submissions:
        if not submission.archives:
            raise UsageError(
                "argument-missing",
                f"no public archive has the responses of '{submission.name}'",
                hint=submission.hint,
            )
    digests: dict[str, str] = {}  # path → digest
    for submission in submissions or systems.values():
        digests |= submission.keys
        digests |= {answer.path: answer.digest for answer in submission.entry.responses}
    for archive in board.file.archives:
        paths = [path for path in digests if path.partition("/")[0] == archive.folder]
        new = {
            path: digests[path]
            for path in paths
            if not _is_there(inside(board.root, path), digests[path])
        }
        if new:
            try:
                _fetch(archive, new, board.root, source)
            except OSError as error:
                raise unwritable(board.root, error) from None
        if paths:
            yield archive, len(new)


def _is_there(path: Path, digest: str) -> bool:
    return path.is_file() and not path.is_symlink() and digest_of(path) == digest


def _fetch(
    archive: Archive, files: Mapping[str, str], root: Path, source: Path | None
) -> None:
    """Unpack files of an archive into a folder; all are checked before one is put there."""
    from py7zr import SevenZipFile  # noqa: PLC0415 (a slow import)
    from py7zr.exceptions import ArchiveError, PasswordRequired  # noqa: PLC0415

    if source is None:
        path = data_folder() / "download" / f"{archive.name}.7z"
        download(archive.url, path, archive.blob)
    else:
        path = _archive_in(source, archive)
    root.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".unpacking-", dir=root) as temporary:
        inside = Path(temporary)
        try:
            with SevenZipFile(path) as unpacked:
                if unpacked.archiveinfo().uncompressed > LARGEST_UNPACKED:
                    raise FormatError(
                        "file-too-large",
                        f"unpacked it has more than {LARGEST_UNPACKED:,} bytes",
                        place=path,
                        hint="check it",
                    )
                members = [
                    member for member in unpacked.list() if member.filename in files
                ]
                # The files are packed together, and go to the disk.
                for member in members:
                    _ARCHIVE.check_unpacked(
                        f"{path}: {member.filename}",
                        member.uncompressed,
                        path.stat().st_size,
                        Budget(),
                    )
                # It refuses members that would be outside of the folder.
                unpacked.extract(
                    inside, targets=[member.filename for member in members]
                )
        except (ArchiveError, PasswordRequired, LZMAError, EOFError) as error:
            raise FormatError(
                "file-invalid",
                f"not a valid 7z archive: {error or type(error).__name__}",
                place=path,
                hint="get a new copy",
            ) from None
        for name, digest in files.items():
            if not _is_there(inside / name, digest):
                raise CorpusError(
                    "checksum-mismatch",
                    f"'{name}' in it is missing, or has another SHA-256",
                    place=path,
                    hint="get it again",
                )
        for name in files:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (inside / name).replace(root / name)
    if source is None:
        path.unlink()


def _archive_in(source: Path, archive: Archive) -> Path:
    """Return the path of an archive, which is a file, or in a folder. Raises CorpusError."""
    paths = sorted(source.glob("*.7z")) if source.is_dir() else [source]
    for path in paths:
        if blob_id(_ARCHIVE.read_bytes(path)) == archive.blob:
            return path
    raise CorpusError(
        "checksum-mismatch",
        f"no archive {archive.name} here: none has the git blob id {archive.blob}",
        place=source,
        hint=f"download it from {archive.url}",
    )
