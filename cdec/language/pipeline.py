"""The language pipelines that a user can name, known without importing spaCy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING

from cdec.errors import UnknownNameError
from cdec.language.models import identify

if TYPE_CHECKING:
    from spacy.language import Language


@dataclass(frozen=True)
class Pipeline:
    """A pipeline by its name; ``identity`` names all that can move an annotation."""

    name: str
    identity: str
    load: Callable[[], Language] = field(repr=False, compare=False)


def pipeline(name: str) -> Pipeline:
    """Return the pipeline ``hanta`` or ``spacy:MODEL`` (an installed model or a folder).

    Raises UnknownNameError for another name and LanguageError for a model that is not there.
    """
    kind, colon, argument = name.partition(":")
    if kind not in PIPELINES or bool(colon) != (kind == "spacy") or (colon and not argument):
        raise UnknownNameError("language pipeline", name, NAMES)
    return PIPELINES[kind](name, argument)


def _hanta(name: str, _: str) -> Pipeline:
    # Imported late: spaCy and the model cost a second that a warm cache saves.
    def load() -> Language:
        return import_module("cdec.language.hanta").load()  # type: ignore[no-any-return]

    return Pipeline(name, f"hanta-{version('HanTa')}", load)


def _spacy(name: str, model: str) -> Pipeline:
    def load() -> Language:
        return import_module("cdec.language.parser").load(model)  # type: ignore[no-any-return]

    return Pipeline(name, f"spacy:{identify(model)}+spacy-{version('spacy')}", load)


PIPELINES: dict[str, Callable[[str, str], Pipeline]] = {"hanta": _hanta, "spacy": _spacy}
NAMES = ("hanta", "spacy:MODEL")
