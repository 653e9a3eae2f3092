"""Locate the corpus to use.

The order of precedence: the argument (a path or the name of a corpus), the variable
``CDEC_ECBPLUS``, the installed ECB+, the embedded sample. An installed corpus is a file in the data
folder: a zip, or the corpus in the interchange format.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Literal

import platformdirs

from cdec.corpus.known import KnownCorpus, by_name, known_corpora
from cdec.errors import CorpusError, UnknownNameError, UsageError
from cdec.errors.notices import Notice

# The endings of a stored corpus: its files as a zip, or the corpus in the interchange format.
ENDINGS = (".zip", ".jsonl.gz")
CORPUS_VARIABLE, DATA_VARIABLE = "CDEC_ECBPLUS", "CDEC_DATA"
RELEASE, SAMPLE = "ecb+", "sample"
HOW_TO_GET = "use `cdec corpus add ecb+`, or `cdec corpus add PATH` for a local copy"
SAMPLE_NOTICE = Notice(
    "sample-corpus",
    1,
    f"the results are for the small sample corpus of cdec, not ECB+ (for ECB+ {HOW_TO_GET})",
    warning=False,
)

Origin = Literal["argument", "environment", "installed", "sample"]


@dataclass(frozen=True)
class Located:
    """A corpus to read: ``origin`` is the source of the choice, ``variant`` that of the key."""

    path: Path
    name: str
    origin: Origin
    notice: Notice | None = None
    variant: str | None = None


def data_folder() -> Path:
    """Return the data folder: the value of ``CDEC_DATA``, else the default of the platform."""
    folder = os.environ.get(DATA_VARIABLE)
    return Path(folder) if folder else platformdirs.user_data_path("cdec", appauthor=False)


def release() -> KnownCorpus:
    """Return the published ECB+ 1.0."""
    return next(known for known in known_corpora() if known.name == RELEASE)


def known_named(name: str) -> KnownCorpus:
    """Return a known corpus by name or alias. Raises UnknownNameError."""
    known = by_name(name)
    if known is None:
        raise UnknownNameError("corpus", name, [k.name for k in known_corpora()])
    return known


def installed() -> dict[str, Path]:
    """Return the installed corpora, name → file."""
    found = [(path, end) for end in ENDINGS for path in corpora_folder().glob(f"[!.]*{end}")]
    return {path.name.removesuffix(end): path for path, end in sorted(found)}


def sample_path() -> Path:
    """Return the folder of the embedded sample."""
    return Path(str(files("cdec.corpus") / SAMPLE))


def locate(choice: str | None = None) -> Located:
    """Return the corpus to use; ``choice`` is a path, the name of a corpus, or None.

    A reading of its key may follow, as in ``gvc:one-chain``.

    A name takes precedence over a file or folder with that name: write ``./sample`` for the folder.
    Raises CorpusError for a missing corpus, UnknownNameError for an unknown name.
    """
    if choice is not None:
        name, variant = _divided(choice)
        return replace(_named(name), variant=variant)
    ecbplus = _ecbplus()
    return ecbplus or Located(sample_path(), SAMPLE, "sample", SAMPLE_NOTICE)


def _divided(choice: str) -> tuple[str, str | None]:
    """Return name and variant of ``gvc:one-chain``; a path may have a colon itself."""
    name, _, variant = choice.rpartition(":")
    is_named = name and re.fullmatch(r"[a-z][a-z0-9-]*", variant) and not Path(choice).exists()
    return (name, variant) if is_named else (choice, None)


def _named(choice: str) -> Located:
    if not choice.strip():
        hint = "give a name or a path; is a variable of the shell empty?"
        raise UsageError("option-invalid", "the name of the corpus is empty", hint=hint)
    known = by_name(choice)
    name = known.name if known else choice
    if name.lower() == SAMPLE:
        return Located(sample_path(), SAMPLE, "argument")
    if name.lower() == RELEASE:
        ecbplus = _ecbplus()
        if ecbplus is None:
            raise CorpusError("corpus-not-found", "ECB+ is not installed", hint=HOW_TO_GET)
        return ecbplus
    if name in installed():
        return Located(installed()[name], name, "argument")
    if known and not Path(choice).exists():
        hint = f"use `cdec corpus add PATH --name {known.name}`"
        hint += f", or `cdec corpus add {known.name}`" if known.blobs else ""
        raise CorpusError("corpus-not-found", f"{known.title} is not installed", hint=hint)
    if not Path(choice).exists() and not re.search(r"[/\\.]", choice):
        names = {known.name for known in known_corpora()} | installed().keys()
        raise UnknownNameError("corpus", choice, [*sorted(names), "PATH"])
    return _at_path(Path(choice), choice, "argument")


def _ecbplus() -> Located | None:
    """Return ECB+ at the path in ``CDEC_ECBPLUS``, else the installed one."""
    path = os.environ.get(CORPUS_VARIABLE)
    if path:
        return _at_path(Path(path), f"{CORPUS_VARIABLE}={path}", "environment")
    ecbplus = installed().get(RELEASE)
    return Located(ecbplus, RELEASE, "installed") if ecbplus else None


def _at_path(path: Path, place: str, origin: Origin) -> Located:
    """Return the corpus at a path, with its file name; ``place`` is for error messages."""
    if not path.exists():
        message = "no such file or folder"
        hint = f"check the path; for ECB+ {HOW_TO_GET}"
        raise CorpusError("corpus-not-found", message, place=place, hint=hint)
    name = path.resolve().name
    ending = next((end for end in (*ENDINGS, ".jsonl") if name.endswith(end)), "")
    return Located(path, name.removesuffix(ending), origin)


def corpora_folder() -> Path:
    """Return the folder of the installed corpora."""
    return data_folder() / "corpora"
