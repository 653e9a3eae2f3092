"""Corpora that cdec knows: where they come from, their checksums, and what is odd in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha1
from typing import Any

from cdec.configs import read_text, read_toml
from cdec.corpus.source import REVIEWED, Source

_RELEASE, _SAMPLE = "ecbplus", "sample"


@dataclass(frozen=True)
class Expected:
    """How often a kind of defect is known, and the items where they are listed."""

    count: int
    items: frozenset[str] = frozenset()


@dataclass(frozen=True)
class KnownCorpus:
    """A corpus of configs/corpora; one without published checksums has no ``digest``.

    ``checksums`` maps file → SHA-256, ``blobs`` maps the name of a download → its git blob id,
    ``split`` is the default split, ``defects`` and ``facts`` are what a sound copy shows.
    """

    name: str
    title: str
    citation: str
    licence: str
    split: str
    aliases: tuple[str, ...] = ()
    digest: str | None = None
    checksums: Mapping[str, str] = field(default_factory=dict, repr=False)
    base_url: str = ""
    blobs: Mapping[str, str] = field(default_factory=dict, repr=False)
    defects: Mapping[str, Expected] = field(default_factory=dict, repr=False)
    facts: Mapping[str, int] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Difference:
    """Where a copy differs from the published corpus: file names, and whether the list does.

    ``reviewed`` is '' or says what is wrong with the list of reviewed sentences.
    """

    damaged: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    reviewed: str = ""

    def __bool__(self) -> bool:
        return bool(self.damaged or self.missing or self.extra or self.reviewed)

    def __str__(self) -> str:
        kinds = {"damaged": self.damaged, "missing": self.missing, "extra": self.extra}
        said = [f"{len(names)} {kind} ({_some(names)})" for kind, names in kinds.items() if names]
        return ", ".join([*said, *filter(None, [self.reviewed])])


def release() -> KnownCorpus:
    """Return ECB+ 1.0 as it was published."""
    return _load(_RELEASE)


def known_corpora() -> list[KnownCorpus]:
    """Return all known corpora: the release and the embedded sample."""
    return [_load(_RELEASE), _load(_SAMPLE)]


def by_digest(digest: str) -> KnownCorpus | None:
    """Return the known corpus with this content digest."""
    return next((known for known in known_corpora() if known.digest == digest), None)


def meant_by(source: Source) -> KnownCorpus | None:
    """Return the published corpus that ``source`` is, or is a changed copy of.

    A copy shares files with it, or (where line ends were converted) half of its file names.
    """
    for known in known_corpora():
        names = known.checksums.keys() & source.checksums.keys()
        if any(known.checksums[name] == source.checksums[name] for name in names):
            return known
        if known.checksums and 2 * len(names) >= len(known.checksums):
            return known
    return None


def difference(source: Source, known: KnownCorpus) -> Difference:
    """Compare the files of ``source`` with the published checksums."""
    ours, theirs = source.checksums, known.checksums
    return Difference(
        damaged=tuple(name for name in ours if name in theirs and ours[name] != theirs[name]),
        missing=tuple(name for name in theirs if name not in ours),
        extra=tuple(name for name in ours if name not in theirs),
        reviewed=_compare_list(source.reviewed, known.blobs.get(REVIEWED)),
    )


def blob_id(data: bytes) -> str:
    """Return git's id of a file with this content."""
    # Git names content by SHA-1; the SHA-256 digest of the files is what is relied on in the end.
    return sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _compare_list(data: bytes | None, blob: str | None) -> str:
    if blob is None:
        return ""
    if data is None:
        return f"{REVIEWED} is missing"
    return "" if blob_id(data) == blob else f"{REVIEWED} is damaged"


def _some(names: tuple[str, ...], most: int = 3) -> str:
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")


@cache
def _load(file: str) -> KnownCorpus:
    data = read_toml(f"corpora/{file}.toml")
    download: dict[str, Any] = data.pop("download", {})
    defects: dict[str, dict[str, Any]] = data.pop("defects", {})
    return KnownCorpus(
        **{**data, **download, "aliases": tuple(data["aliases"])},
        checksums=_checksums(f"corpora/{file}.sha256") if "digest" in data else {},
        defects={
            kind: Expected(entry["count"], frozenset(entry.get("items", ())))
            for kind, entry in defects.items()
        },
    )


def _checksums(file: str) -> dict[str, str]:
    lines = (line.split("  ", 1) for line in read_text(file).splitlines())
    return {name: checksum for checksum, name in lines}
