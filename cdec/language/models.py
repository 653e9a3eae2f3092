"""Trained spaCy models: which one is meant, told without importing spaCy, and loading it."""

from __future__ import annotations

import json
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from cdec.errors import LanguageError

if TYPE_CHECKING:
    from spacy.language import Language

_SHORT = 12
# Components that annotate what nothing here reads; without them a model is about twice as fast.
NEEDLESS = ("ner", "entity_linker", "entity_ruler", "span_ruler", "spancat", "textcat")


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
            hint=f"python -m spacy download {model}",
        ) from error


def load(model: str) -> Language:
    """Load an installed model or one in a folder, less the components that are not needed.

    Raises LanguageError where spaCy cannot load it, with spaCy's reason.
    """
    # Imported late: spaCy costs a second that a warm cache saves.
    import spacy  # noqa: PLC0415

    try:
        return spacy.load(model, exclude=NEEDLESS)
    except (OSError, ValueError, ImportError, LookupError, AttributeError, TypeError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise LanguageError(
            f"the spaCy model cannot be loaded: {reason}",
            place=model,
            hint="install the model's version that fits this spaCy: python -m spacy validate",
        ) from error


def _identify_folder(folder: Path) -> str:
    try:
        meta = json.loads((folder / "meta.json").read_bytes())
        name = f"{meta['lang']}_{meta['name']}-{meta['version']}"
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise LanguageError(
            "no spaCy model in this folder",
            place=folder,
            hint="name a folder that nlp.to_disk wrote, or an installed model",
        ) from error
    return f"{name}@{_digest(folder)[:_SHORT]}"


def _digest(folder: Path) -> str:
    digest = sha256()
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(ascii(file.relative_to(folder).as_posix()).encode())
        digest.update(sha256(file.read_bytes()).digest())
    return digest.hexdigest()
