"""Check what the sdist and the wheel hold: ``check_dist.py TREE DIST AGAIN``.

TREE is the tree as git has it, AGAIN a second build from another folder, at another time and with
another umask: its files are the same bytes.
"""

from __future__ import annotations

import re
import sys
import tarfile
import zipfile
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path, PurePosixPath

Files = dict[str, bytes]
# Windows: names of devices, signs that no name has, the longest path less that of a user's folder.
RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?$")
SIGNS = re.compile(r'[<>:"|?*\\\x00-\x1f]')
LONGEST = 200
CORPUS = "configs/corpora/ecbplus.sha256"
# What setuptools adds to an sdist.
MADE = ("PKG-INFO", "setup.cfg", "cdec.egg-info/")
# Folders at the top of the tree that are packages inside cdec.
INSIDE = ("settings", "baselines", "configs")
ALONGSIDE = {
    "CHANGELOG.md",
    "LICENSE",
    "MANIFEST.in",
    "README.md",
    "pyproject.toml",
    "setup.py",
}


def main(tree: Path, dist: Path, again: Path) -> None:
    """Exit with what is wrong, or say how many files each holds."""
    package = _package(tree)
    sources = {file.relative_to(tree).as_posix(): file for file in package.values()}
    corpus = {
        line.split()[0] for line in (tree / CORPUS).read_text("utf-8").splitlines()
    }
    wheel, sdist = _wheel(_only(dist, "*.whl")), _sdist(_only(dist, "*.tar.gz"))
    wrong = [
        *_differences("wheel", wheel, package),
        *_differences(
            "sdist", sdist, sources | {name: tree / name for name in ALONGSIDE}
        ),
    ]
    for kind, files in (("wheel", wheel), ("sdist", sdist)):
        shipped = [
            name for name, data in files.items() if sha256(data).hexdigest() in corpus
        ]
        wrong += [f"{kind}: a file of ECB+: {name}" for name in shipped]
        wrong += [f"{kind}: not for Windows: {name}" for name in unportable(files)]
    for pattern in ("*.whl", "*.tar.gz"):
        one, two = (
            sha256(_only(each, pattern).read_bytes()).hexdigest()
            for each in (dist, again)
        )
        print(f"{_only(dist, pattern).name}: sha256 {one}")
        wrong += [f"{pattern}: a second build is {two}"] if one != two else []
    if wrong:
        sys.exit("\n".join(wrong))
    print(
        f"wheel: {len(wheel)} files of one package; sdist: {len(sdist)}; none of ECB+"
    )


def _package(tree: Path) -> dict[str, Path]:
    """Return installed name → file, of everything in the package."""
    homes = {"cdec": "cdec", **{name: f"cdec/{name}" for name in INSIDE}}
    return {
        f"{installed}/{file.relative_to(tree / home).as_posix()}": file
        for home, installed in homes.items()
        for file in (tree / home).rglob("*")
        if file.is_file() and file.suffix != ".pyc"
    }


def _differences(kind: str, files: Files, expected: dict[str, Path]) -> list[str]:
    """Return what is missing, what should not be there, and what is not as in the tree."""
    return [
        *(
            f"{kind}: missing: {name}"
            for name in sorted(expected.keys() - files.keys())
        ),
        *(
            f"{kind}: does not belong: {name}"
            for name in sorted(files.keys() - expected.keys())
        ),
        *(
            f"{kind}: not as in the tree: {name}"
            for name in sorted(expected.keys() & files.keys())
            if files[name] != expected[name].read_bytes()
        ),
    ]


def unportable(names: Iterable[str]) -> list[str]:
    """Return the names that Windows refuses, shortens, or takes for one another."""
    names = list(names)
    folded = Counter(name.casefold() for name in names)
    return [
        name
        for name in names
        if folded[name.casefold()] > 1
        or len(name) > LONGEST
        or SIGNS.search(name)
        or any(
            RESERVED.match(part) or part[-1:] in {".", " "} for part in name.split("/")
        )
    ]


def _only(dist: Path, pattern: str) -> Path:
    found = list(dist.glob(pattern))
    if len(found) != 1:
        sys.exit(f"{dist}: {len(found)} files {pattern}, not one")
    return found[0]


def _wheel(path: Path) -> Files:
    """Return the files of a wheel without its metadata; exit on a second top-level name."""
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    told = {name for name in files if name.endswith(".dist-info/top_level.txt")}
    names = [files.pop(name).decode().split() for name in told]
    if names != [["cdec"]]:
        sys.exit(f"{path.name}: top-level names {names}, not cdec alone")
    return {
        n: data for n, data in files.items() if not _first(n).endswith(".dist-info")
    }


def _sdist(path: Path) -> Files:
    """Return the files of an sdist by their names in the tree, without what setuptools adds."""
    with tarfile.open(path) as archive:
        links = [member.name for member in archive if member.issym() or member.islnk()]
        if links:
            sys.exit(f"{path.name}: links, not files: {', '.join(links)}")
        files = {
            member.name.partition("/")[2]: data.read()
            for member in archive
            if (data := archive.extractfile(member)) is not None
        }
    return {name: data for name, data in files.items() if not name.startswith(MADE)}


def _first(name: str) -> str:
    return PurePosixPath(name).parts[0]


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
