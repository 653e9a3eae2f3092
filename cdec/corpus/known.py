"""The corpora that cdec knows: their sources, checksums and known defects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from cdec.configs import read_text, read_toml, toml_names

_KINDS = "kinds"  # in the same folder: the meaning of defects and facts


@dataclass(frozen=True)
class Expected:
    """The known number of defects of a kind, and the items if they are listed."""

    count: int
    items: frozenset[str] = frozenset()


@dataclass(frozen=True)
class KnownCorpus:
    """A corpus of configs/corpora; ``digest`` is None without published checksums.

    ``checksums`` maps file → SHA-256; ``blobs`` maps the name of a download → its git blob id, ''
    if that is not known; ``urls`` has the addresses of downloads that are not at ``base_url``;
    ``split`` is the default split, '' if there is none; ``format`` is the name of the adapter;
    ``note`` is for users; ``defects`` and ``facts`` are those of an intact copy.
    """

    name: str
    title: str
    citation: str
    licence: str
    split: str
    format: str = "ecbplus"
    note: str = ""
    aliases: tuple[str, ...] = ()
    digest: str | None = None
    checksums: Mapping[str, str] = field(default_factory=dict, repr=False)
    base_url: str = ""
    blobs: Mapping[str, str] = field(default_factory=dict, repr=False)
    urls: Mapping[str, str] = field(default_factory=dict, repr=False)
    defects: Mapping[str, Expected] = field(default_factory=dict, repr=False)
    facts: Mapping[str, int] = field(default_factory=dict, repr=False)


@cache
def known_corpora() -> tuple[KnownCorpus, ...]:
    """Return the corpora of configs/corpora: the published ones and the embedded sample."""
    return tuple(_load(name) for name in toml_names("corpora") if name != _KINDS)


def by_digest(digest: str) -> KnownCorpus | None:
    """Return the known corpus with this content digest."""
    return next((known for known in known_corpora() if known.digest == digest), None)


def by_name(name: str) -> KnownCorpus | None:
    """Return the known corpus with this name or alias, in any case."""
    wanted = name.lower()
    return next((k for k in known_corpora() if wanted in (k.name, *k.aliases)), None)


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
