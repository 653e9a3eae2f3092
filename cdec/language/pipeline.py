"""The registry of language pipelines; it does not import spaCy.

The entry point of another package is a function of the whole name and of its part after the
colon; it returns a ``Pipeline``. Distribution and version are added to the identity.
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
    """A pipeline; ``identity`` changes whenever an annotation can change (part of cache keys)."""

    name: str
    identity: str
    load: Callable[[], Language] = field(repr=False, compare=False)


Factory = Callable[[str, str], Pipeline]


def pipeline(name: str) -> Pipeline:
    """Return the pipeline ``hanta``, ``spacy:MODEL`` (an installed model or a folder) or a plug-in.

    Raises UnknownNameError for an unknown name, LanguageError for a missing model, and PluginError
    for a pipeline of another package that cannot be used.
    """
    kind, colon, argument = name.partition(":")
    if kind in PIPELINES.own:
        if bool(argument) != (kind == "spacy") or (colon and not argument):
            raise UnknownNameError("pipeline", name, pipeline_names())
        return PIPELINES[kind](name, argument)
    if kind not in PIPELINES:
        raise UnknownNameError("pipeline", name, pipeline_names())
    origin = PIPELINES.origin(kind)
    hint = "fix or uninstall that package"
    with errors_of_plugin(f"the pipeline '{name}' of {origin} failed", hint):
        result = PIPELINES[kind](name, argument)
        if not isinstance(result, Pipeline):
            raise TypeError(f"expected a Pipeline, got {result!r:.60}")
    return replace(result, identity=f"{result.identity}+{origin}")


def pipeline_names() -> list[str]:
    """Return the names of the pipelines, with placeholders, for users."""
    return ["hanta", "spacy:MODEL", *(name for name in PIPELINES if name not in PIPELINES.own)]


def _check(name: str, value: Any) -> None:
    if not callable(value):
        raise TypeError(f"expected a function that returns a Pipeline, got {value!r:.60}")


def _hanta(name: str, _: str) -> Pipeline:
    # Imported here: spaCy and the model take a second, and a warm cache does not need them.
    def load() -> Language:
        return import_module("cdec.language.hanta").load()  # type: ignore[no-any-return]

    return Pipeline(name, hanta_model.identity(), load)


def _spacy(name: str, model: str) -> Pipeline:
    identity = f"spacy:{models.identify(model)}+spacy-{version('spacy')}"
    return Pipeline(name, identity, partial(models.load, model))


PIPELINES: Registry[Factory] = Registry(
    "pipeline", "cdec.pipelines", {"hanta": _hanta, "spacy": _spacy}, _check
)
