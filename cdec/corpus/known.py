"""The corpora that cdec knows, and how the files of a copy differ from the published ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha1, sha256

from cdec.configs import FOLDER, read_toml
from cdec.corpus.source import Source
from cdec.errors import counted

_KINDS = "kinds"  # in the same folder: the meaning of defects
_MANY = 10  # file names that identify a corpus


@dataclass(frozen=True)
class KnownCorpus:
    """A corpus of configs/corpora; ``digest`` is None without published checksums.

    ``checksums`` maps file → SHA-256; ``blobs`` maps the name of a download → its git blob id, ''
    if that is not known; ``urls`` has the addresses of downloads that are not at ``base_url``;
    ``split`` is the default split, '' if there is none; ``format`` is the name of the format;
    ``note`` is for users; ``facts`` are the published counts of a corpus without checksums.
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
    facts: Mapping[str, int] = field(default_factory=dict, repr=False)


@cache
def known_corpora() -> Mapping[str, KnownCorpus]:
    """Return name or alias → corpus of configs/corpora: the published ones and the sample.

    A file has one, or several in its table ``corpora``, which share its other keys.
    """
    found = dict[str, KnownCorpus]()
    for file in sorted(path.stem for path in (FOLDER / "corpora").glob("*.toml")):
        if file == _KINDS:
            continue
        shared = {**read_toml(f"corpora/{file}.toml")}
        shared |= shared.pop("download", {})
        for own in shared.pop("corpora", {file: {}}).values():
            data = {**shared, **own, "blobs": shared.get("blobs", {}) | own.get("blobs", {})}
            sums = FOLDER / f"corpora/{file}.sha256"
            lines = sums.read_text("utf-8").splitlines() if "digest" in data else []
            pairs = (line.partition("  ") for line in lines)
            data["checksums"] = {name: checksum for checksum, _, name in pairs}
            known = KnownCorpus(**data)
            found |= dict.fromkeys((known.name, *known.aliases), known)
    return found


def meant_by(source: Source) -> KnownCorpus | None:
    """Return the published corpus of which ``source`` is a copy, exact or changed.

    A copy has a file of it or (if line ends were converted) at least half of its file names, if
    these are many: a few names, as of two tables, are those of other corpora too.
    """
    ours = _checksums(source).items()
    for known in known_corpora().values():
        names = known.checksums.keys() & source.files.keys()
        is_many = len(known.checksums) >= _MANY and 2 * len(names) >= len(known.checksums)
        if is_many or known.checksums.items() & ours:
            return known
    return None


def _checksums(source: Source) -> dict[str, str]:
    return {name: sha256(data).hexdigest() for name, data in source.files.items()}


def difference(source: Source, known: KnownCorpus) -> dict[str, list[str]]:
    """Return the files that differ from the published ones: damaged, missing or extra → names.

    The list of reviewed sentences counts if it is published.
    """
    ours, theirs = _checksums(source), dict(known.checksums)
    listed = source.format.reviewed
    if listed in known.blobs:
        theirs[listed] = known.blobs[listed]
        ours |= {} if source.reviewed is None else {listed: blob_id(source.reviewed)}
    found = {
        "damaged": [name for name in ours if theirs.get(name, ours[name]) != ours[name]],
        "missing": [name for name in theirs if name not in ours],
        "extra": [name for name in ours if name not in theirs],
    }
    return {kind: names for kind, names in found.items() if names}


def described(difference: Mapping[str, list[str]]) -> str:
    """Return the difference in words, with the first names."""
    return ", ".join(
        f"{counted(len(names), f'{kind} file')} ({', '.join(names[:3])}{', …' * (len(names) > 3)})"
        for kind, names in difference.items()
    )


def blob_id(data: bytes) -> str:
    """Return git's id of a file with this content."""
    # Git uses SHA-1; the check that counts is the SHA-256 digest of the files.
    return sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
