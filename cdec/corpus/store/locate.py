"""Where corpora live, and which one to use.

The order: what the caller names (a path, or the name of a corpus), the variable ``CDEC_ECBPLUS``,
the installed ECB+, the embedded sample. Installed corpora are one zip each in the data folder.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Literal

import platformdirs

from cdec.corpus.adapter import open_source, read_corpus
from cdec.corpus.known import KnownCorpus, known_corpora
from cdec.corpus.source import Source, pack
from cdec.corpus.store.difference import difference
from cdec.errors import CorpusError, UnknownNameError, UsageError
from cdec.io.inputfile import how_to_write
from cdec.io.output import write_atomic

CORPUS_VARIABLE, DATA_VARIABLE = "CDEC_ECBPLUS", "CDEC_DATA"
RELEASE, SAMPLE = "ecb+", "sample"
HOW_TO_GET = "`cdec corpus fetch`, or `cdec corpus install PATH` where you have it"
SAMPLE_NOTICE = (
    "These are numbers on the small sample corpus that comes with cdec, not on ECB+. "
    f"To get ECB+: {HOW_TO_GET}."
)

Origin = Literal["argument", "environment", "installed", "sample"]


@dataclass(frozen=True)
class Located:
    """A corpus to read: ``origin`` says why this one, ``notice`` what the user should know."""

    path: Path
    name: str
    origin: Origin
    notice: str | None = None


def data_folder() -> Path:
    """Return the data folder: the variable ``CDEC_DATA``, else the platform's place."""
    named = os.environ.get(DATA_VARIABLE)
    return Path(named) if named else platformdirs.user_data_path("cdec", appauthor=False)


def release() -> KnownCorpus:
    """Return ECB+ 1.0 as it was published: what is fetched and installed without a name."""
    return next(known for known in known_corpora() if known.name == RELEASE)


def installed() -> dict[str, Path]:
    """Return the installed corpora, name → zip."""
    return {path.stem: path for path in sorted(_corpora_folder().glob("[!.]*.zip"))}


def sample_path() -> Path:
    """Return the folder of the embedded sample."""
    return Path(str(files("cdec.corpus") / SAMPLE))


def locate(choice: str | None = None) -> Located:
    """Return the corpus to use; ``choice`` is a path, the name of a corpus, or None.

    A name wins over a file or folder of that name: write ``./sample`` for the folder. Raises
    CorpusError for a corpus that is named and missing, UnknownNameError for an unknown name.
    """
    if choice is not None:
        return _named(choice)
    ecbplus = _ecbplus()
    return ecbplus or Located(sample_path(), SAMPLE, "sample", SAMPLE_NOTICE)


def install(path: Path | str, name: str | None = None, *, known: KnownCorpus | None = None) -> Path:
    """Put the corpus at ``path`` (folder or zip) into the data folder; return the zip written.

    Without ``name`` it must be ``known`` (the ECB+ 1.0 release) to the byte; under another name
    any corpus that can be read. Doing it twice changes nothing; a break leaves the
    old copy or the new one. Raises CorpusError, and UsageError for an unfit name.
    """
    expected = known or release()
    label = _label(name, expected)
    source = open_source(path)
    if label == expected.name:
        _require(source, expected)
    else:
        read_corpus(source, label)
    return _write(_corpora_folder() / f"{label}.zip", pack(source))


def _named(choice: str) -> Located:
    aliases = {alias: known.name for known in known_corpora() for alias in known.aliases}
    name = aliases.get(choice.lower(), choice)
    if name.lower() == SAMPLE:
        return Located(sample_path(), SAMPLE, "argument", SAMPLE_NOTICE)
    if name.lower() == RELEASE:
        ecbplus = _ecbplus()
        if ecbplus is None:
            raise CorpusError("ECB+ is not installed", hint=HOW_TO_GET)
        return ecbplus
    if name in installed():
        return Located(installed()[name], name, "argument")
    if not Path(choice).exists() and not re.search(r"[/\\.]", choice):
        names = {known.name for known in known_corpora()} | installed().keys()
        raise UnknownNameError("corpus", choice, [*sorted(names), "PATH"])
    return _at_path(Path(choice), choice, "argument")


def _ecbplus() -> Located | None:
    """Return ECB+ where the variable says, else the installed one."""
    named = os.environ.get(CORPUS_VARIABLE)
    if named:
        return _at_path(Path(named), f"{CORPUS_VARIABLE}={named}", "environment")
    found = installed().get(RELEASE)
    return Located(found, RELEASE, "installed") if found else None


def _at_path(path: Path, place: str, origin: Origin) -> Located:
    """Return the corpus at a path, named as that; ``place`` is what messages call it."""
    if not path.exists():
        raise CorpusError("no such file or folder", place=place, hint=HOW_TO_GET)
    resolved = path.resolve()
    return Located(path, resolved.stem if resolved.suffix == ".zip" else resolved.name, origin)


def _label(name: str | None, expected: KnownCorpus) -> str:
    label = (name or expected.name).lower()
    if label in expected.aliases:
        return expected.name
    refused = f"'{name}' cannot be the name of a corpus"
    if label == SAMPLE:
        hint = "this is the sample that comes with cdec: choose another name"
        raise UsageError(refused, hint=hint)
    if not re.fullmatch(r"[a-z0-9][a-z0-9+_-]{0,99}", label):
        raise UsageError(refused, hint="letters, digits, '+', '-' and '_', at most 100")
    return label


def _require(source: Source, expected: KnownCorpus) -> None:
    found = difference(source, expected)
    if found:
        raise CorpusError(
            f"this is not {expected.title}: {found}",
            place=source.path,
            hint="get it again, or install it under a name of its own with --name",
        )


def _corpora_folder() -> Path:
    return data_folder() / "corpora"


def _write(target: Path, data: bytes) -> Path:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(target, data)
    except OSError as error:
        raise CorpusError(
            f"cannot be written: {error.strerror or error}",
            place=target,
            hint=f"{how_to_write(error)}, or name another folder in {DATA_VARIABLE}",
        ) from None
    return target
