"""The language pipelines that a user can name, known without importing spaCy.

A pipeline of another package is a function of the name, as the user writes it, and of what stands
in it after a colon; it returns a ``Pipeline``. Its distribution and version join the identity.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from cdec.errors import UnknownNameError
from cdec.language import hanta_model, models
from cdec.plugins import Registry, errors_of_plugin

if TYPE_CHECKING:
    from spacy.language import Language


@dataclass(frozen=True)
class Pipeline:
    """A pipeline by its name; ``identity`` names all that can move an annotation."""

    name: str
    identity: str
    load: Callable[[], Language] = field(repr=False, compare=False)


Factory = Callable[[str, str], Pipeline]


def pipeline(name: str) -> Pipeline:
    """Return the pipeline ``hanta``, ``spacy:MODEL`` (an installed model or a folder) or a plug-in.

    Raises UnknownNameError for another name, LanguageError for a model that is not there, and
    PluginError for a pipeline of another package that cannot be used.
    """
    kind, colon, argument = name.partition(":")
    if kind in PIPELINES.own:
        if bool(argument) != (kind == "spacy") or (colon and not argument):
            raise UnknownNameError("language pipeline", name, pipeline_names())
        return PIPELINES[kind](name, argument)
    if kind not in PIPELINES:
        raise UnknownNameError("language pipeline", name, pipeline_names())
    origin = PIPELINES.origin(kind)
    hint = "repair or uninstall that package"
    with errors_of_plugin(f"the pipeline '{name}' of {origin} cannot be made", hint):
        made = PIPELINES[kind](name, argument)
        if not isinstance(made, Pipeline):
            raise TypeError(f"expected a Pipeline, got {made!r:.60}")
    return replace(made, identity=f"{made.identity}+{origin}")


def pipeline_names() -> list[str]:
    """Return the pipelines as a user names them."""
    return ["hanta", "spacy:MODEL", *(name for name in PIPELINES if name not in PIPELINES.own)]


def _check(name: str, value: Any) -> None:
    if not callable(value):
        raise TypeError(f"expected a function that returns a Pipeline, got {value!r:.60}")


def _hanta(name: str, _: str) -> Pipeline:
    # Imported late: spaCy and the model cost a second that a warm cache saves.
    def load() -> Language:
        return import_module("cdec.language.hanta").load()  # type: ignore[no-any-return]

    return Pipeline(name, hanta_model.identity(), load)


def _spacy(name: str, model: str) -> Pipeline:
    identity = f"spacy:{models.identify(model)}+spacy-{version('spacy')}"
    return Pipeline(name, identity, partial(models.load, model))


PIPELINES: Registry[Factory] = Registry(
    "pipeline", "cdec.pipelines", {"hanta": _hanta, "spacy": _spacy}, _check
)
