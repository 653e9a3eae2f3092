"""The packages: those of the folder cdec, and the folders at the top that are part of it.

An sdist and a wheel are the same bytes whenever and in whatever folder they are built, with the
same Python and setuptools.
"""

import gzip
import os
import tarfile
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.sdist import sdist

TOP = ("baselines", "settings", "configs")
# The time of all files, if the environment names none: 1980-01-01, the first in a zip archive.
os.environ["SOURCE_DATE_EPOCH"] = os.environ.get("SOURCE_DATE_EPOCH") or "315532800"
TIME = int(os.environ["SOURCE_DATE_EPOCH"])
os.umask(0o022)  # a wheel has the modes of the files that setuptools makes


class PlainSdist(sdist):
    """An sdist whose bytes do not depend on the time, the user, the umask or the folder."""

    def make_archive(self, base_name, format, *, base_dir, **_):
        """Write the files in order, each with one time, one owner and one mode."""
        target = Path(f"{base_name}.tar.gz")
        target.parent.mkdir(parents=True, exist_ok=True)
        with (
            target.open("wb") as file,
            gzip.GzipFile("", "wb", fileobj=file, mtime=TIME) as packed,
            tarfile.open(
                fileobj=packed, mode="w", format=tarfile.PAX_FORMAT
            ) as archive,
        ):
            names = (
                path.as_posix() for path in Path(base_dir).rglob("*") if path.is_file()
            )
            for name in sorted(names):
                archive.add(name, name, filter=_plain)
        return str(target)


def _plain(member):
    member.mtime, member.mode = TIME, 0o644
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


setup(
    packages=[
        *find_packages(include=["cdec", "cdec.*"]),
        *(
            f"cdec.{name}"
            for name in find_packages(include=[*TOP, *(f"{top}.*" for top in TOP)])
        ),
    ],
    package_dir={f"cdec.{top}": top for top in TOP},
    cmdclass={"sdist": PlainSdist},
)
