"""The table of docs/licences.md, from the metadata of an environment with ``cdec[all]``.

``python docs/_site/licences.py > docs/licences.md``. The table changes with a licence or a
dependency, not with a version.
"""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageNotFoundError, metadata, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))[
    "project"
]
COMMENT = re.compile(r'^    "(?P<requirement>[^"]+)",\s*# (?P<purpose>.+)$', re.MULTILINE)
EXTRAS = ("embeddings", "parquet", "dask", "responses")
# Written in whole sentences, or in several ways, in the metadata.
SHORT = {
    "3-Clause BSD License": "BSD-3-Clause", "Apache 2.0": "Apache-2.0",
    "Apache 2.0 License": "Apache-2.0", "Apache License 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0", "BSD": "BSD License", "MIT License": "MIT",
    "Apache License, Version 2.0": "Apache-2.0",
    "GNU Lesser General Public License v2 or later (LGPLv2+)": "LGPL-2.1-or-later",
    "ISC License (ISCL)": "ISC", "ISC License": "ISC",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}  # fmt: skip
RECIPROCAL = re.compile(r"\b(L?GPL|AGPL|MPL|EPL|CDDL)\b")
HEAD = """\
# Licences of the dependencies

The licence of cdec is Apache-2.0. Its wheel and sdist contain no other package: the packages below
are installed beside it, each under the licence of its metadata, and cdec imports them. All are
permissive except those in the first table. LGPL and MPL let a program of any licence import the
unchanged package; who changes and passes on one of these packages publishes the changes to it.
The table is of Linux with a CPU build of torch (extra `embeddings`). A build with CUDA brings
packages of NVIDIA under a proprietary licence.

Made by `python docs/_site/licences.py > docs/licences.md` in an environment with `cdec[all]`.
"""


def licence(name: str) -> str:
    """Return the licence in the metadata of an installed package, its identifier where known."""
    about = metadata(name)
    classified = [
        line.rpartition(" :: ")[2]
        for line in about.get_all("Classifier", [])
        if line.startswith("License ::")
    ]
    stated = about.get_all("License", [""])[0]
    if not stated or "\n" in stated or len(stated) > 40:
        stated = " OR ".join(classified)
    found = about.get_all("License-Expression", [""])[0] or stated or "not stated"
    return SHORT.get(found, found)


def direct() -> dict[str, tuple[str, str]]:
    """Return the packages that pyproject.toml names → the bound, with the extra, and the extra."""
    groups = {"": PROJECT["dependencies"]} | {
        extra: PROJECT["optional-dependencies"][extra] for extra in EXTRAS
    }
    return {
        Requirement(line).name: (line, extra) for extra, lines in groups.items() for line in lines
    }


def rows() -> list[tuple[str, str, str, str]]:
    """Return name and bound, licence, purpose, and where from, direct dependencies first."""
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8")
    purpose = {m["requirement"]: m["purpose"] for m in COMMENT.finditer(text)}
    known = direct()
    own = [
        (line, licence(name), purpose.get(line, ""), f"extra `{extra}`" if extra else "direct")
        for name, (line, extra) in known.items()
    ]
    needed: set[str] = {canonicalize_name(name) for name in known}
    further: dict[str, set[str]] = {}
    queue = sorted(needed)
    while queue:
        name = queue.pop(0)
        for other in _needs(name):
            if other not in needed:
                queue.append(other)
                needed.add(other)
                further[other] = set()
            if other in further:
                further[other].add(name)
    return [
        *own,
        *(
            (name, licence(name), "", "for " + ", ".join(sorted(further[name])))
            for name in sorted(further)
        ),
    ]


def _needs(name: str) -> list[str]:
    """Return the installed packages that a package needs here, without extras of it."""
    found: list[str] = []
    for line in requires(name) or ():
        one = Requirement(line)
        if one.marker is None or one.marker.evaluate({"extra": ""}):
            try:
                metadata(one.name)
            except PackageNotFoundError:
                continue
            found.append(canonicalize_name(one.name))
    return found


def table(chosen: list[tuple[str, str, str, str]]) -> str:
    """Return the rows as a table in Markdown."""
    lines = ["| package | licence | used for | dependency |", "|---|---|---|---|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in chosen)])


def main() -> None:
    """Print the page."""
    every = rows()
    reciprocal = [row for row in every if RECIPROCAL.search(row[1])]
    print(HEAD)
    print("## Not permissive\n")
    print(table(reciprocal), end="\n\n")
    print("## Permissive\n")
    print(table([row for row in every if row not in reciprocal]))


if __name__ == "__main__":
    main()
