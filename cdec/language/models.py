"""Trained spaCy models: identify a model without importing spaCy, and load it."""

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
# Components whose annotations are not used; without them a model is about twice as fast.
NEEDLESS = ("ner", "entity_linker", "entity_ruler", "span_ruler", "spancat", "textcat")


def identify(model: str) -> str:
    """Return ``name-version`` of an installed model package, or of the model in a folder (``./m``).

    Two models in folders can have the same version, so the digest of the files is added. Raises
    LanguageError for a missing model.
    """
    if Path(model).name != model:  # as in spaCy, a bare word is a package, not a folder
        return _identify_folder(Path(model))
    try:
        return f"{model}-{version(model)}"
    except (PackageNotFoundError, ValueError) as error:
        raise LanguageError(
            "package-missing",
            f"the spaCy model '{model}' is not installed",
            hint=f"install it: python -m spacy download {model}",
        ) from error


def load(model: str) -> Language:
    """Return an installed model or the model in a folder, without the components in NEEDLESS.

    Raises LanguageError with spaCy's reason if spaCy cannot load it.
    """
    # Imported here: spaCy takes a second, and a warm cache does not need it.
    import spacy  # noqa: PLC0415

    try:
        return spacy.load(model, exclude=NEEDLESS)
    except (OSError, ValueError, ImportError, LookupError, AttributeError, TypeError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise LanguageError(
            "language-model-invalid",
            f"the spaCy model cannot be loaded: {reason}",
            place=model,
            hint="install the version of the model for this spaCy: python -m spacy validate",
        ) from error


def _identify_folder(folder: Path) -> str:
    try:
        meta = json.loads((folder / "meta.json").read_bytes())
        name = f"{meta['lang']}_{meta['name']}-{meta['version']}"
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise LanguageError(
            "package-missing",
            "the folder does not contain a spaCy model",
            place=folder,
            hint="give a folder written by nlp.to_disk, or an installed model",
        ) from error
    return f"{name}@{_digest(folder)[:_SHORT]}"


def _digest(folder: Path) -> str:
    digest = sha256()
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(ascii(file.relative_to(folder).as_posix()).encode())
        digest.update(sha256(file.read_bytes()).digest())
    return digest.hexdigest()
