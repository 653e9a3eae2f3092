"""Which spaCy model is meant, told without loading it."""

from __future__ import annotations

import json
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from cdec.errors import LanguageError

_SHORT = 12


def identify(model: str) -> str:
    """Return ``name-version`` of an installed model package, or of the model in a folder (``./m``).

    A folder's version says little (two trainings can share it), so the digest of its files is
    added. Raises LanguageError, with the command that installs it, where there is no such model.
    """
    if Path(model).name != model:  # as spaCy itself, a bare word is a package and never a folder
        return _identify_folder(Path(model))
    try:
        return f"{model}-{version(model)}"
    except (PackageNotFoundError, ValueError) as error:
        raise LanguageError(
            f"the spaCy model '{model}' is not installed",
            cure=f"python -m spacy download {model}",
        ) from error


def _identify_folder(folder: Path) -> str:
    try:
        meta = json.loads((folder / "meta.json").read_bytes())
        name = f"{meta['lang']}_{meta['name']}-{meta['version']}"
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise LanguageError(
            "no spaCy model in this folder",
            place=folder,
            cure="name a folder that nlp.to_disk wrote, or an installed model",
        ) from error
    return f"{name}@{_digest(folder)[:_SHORT]}"


def _digest(folder: Path) -> str:
    digest = sha256()
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(ascii(file.relative_to(folder).as_posix()).encode())
        digest.update(sha256(file.read_bytes()).digest())
    return digest.hexdigest()
