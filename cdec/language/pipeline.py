"""The registry of language pipelines; it does not import spaCy.

``hanta`` takes the language of each document: its English and Dutch models, else the stems of
Snowball. ``hanta:LANGUAGE``, ``snowball:LANGUAGE`` and ``spacy:MODEL`` are for all documents.

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

from cdec.corpus.model import ENGLISH, Corpus, Document
from cdec.errors import LanguageError, UnknownNameError
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
SNOWBALL = {
    **{"da": "danish", "de": "german", "en": "english", "es": "spanish", "fi": "finnish"},
    **{"fr": "french", "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian"},
    **{"pt": "portuguese", "ro": "romanian", "ru": "russian", "sv": "swedish", "tr": "turkish"},
}
"""Language → the algorithm of Snowball."""
# What may follow the colon; spaCy finds its models itself.
_ARGUMENTS = {"hanta": ["", *hanta_model.FILES], "snowball": [*SNOWBALL]}


def pipeline(name: str) -> Pipeline:
    """Return the pipeline of a name; ``hanta`` is that of English documents (see ``chosen``).

    The model of ``spacy:MODEL`` is an installed one or a folder. Raises UnknownNameError for an
    unknown name, LanguageError for a missing model, and PluginError for a pipeline of another
    package that cannot be used.
    """
    kind, colon, argument = name.partition(":")
    if kind in PIPELINES.own:
        known = _ARGUMENTS.get(kind, [argument] if argument else [])
        if (colon and not argument) or argument not in known:
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


def chosen(name: str, document: Document) -> str:
    """Return the name of the pipeline for a document: ``hanta`` depends on its language.

    Raises LanguageError for a language that neither HanTa nor Snowball has.
    """
    language = document.language
    if name != "hanta" or language == ENGLISH:
        return name
    if language in hanta_model.FILES:
        return f"hanta:{language}"
    if language in SNOWBALL:
        return f"snowball:{language}"
    message = f"no lemmatiser for the language '{language}'"
    hint = "use --nlp spacy:MODEL, or correct the attribute language (a code such as nl)"
    raise LanguageError("package-missing", message, place=document.id, hint=hint)


def identity(name: str, corpus: Corpus) -> str:
    """Return the identities of the pipelines that the documents of a corpus need.

    Raises as ``chosen`` and ``pipeline`` do.
    """
    # One document of each language.
    documents = {document.language: document for document in corpus.documents.values()}
    names = {chosen(name, document) for document in documents.values()} or {name}
    return "+".join(pipeline(each).identity for each in sorted(names))


def pipeline_names() -> list[str]:
    """Return the names of the pipelines, with placeholders, for users."""
    others = (name for name in PIPELINES if name not in PIPELINES.own)
    return ["hanta", "spacy:MODEL", *others, "hanta:LANGUAGE", "snowball:LANGUAGE"]


def _check(name: str, value: Any) -> None:
    if not callable(value):
        raise TypeError(f"expected a function that returns a Pipeline, got {value!r:.60}")


def _hanta(name: str, language: str) -> Pipeline:
    # Imported here: spaCy and the model take a second, and a warm cache does not need them.
    def load() -> Language:
        module = import_module("cdec.language.hanta")
        return module.load(language or ENGLISH)  # type: ignore[no-any-return]

    identity_ = hanta_model.identity(language or ENGLISH)
    return Pipeline(name, identity_.replace("hanta-", f"hanta-{language}-", bool(language)), load)


def _snowball(name: str, language: str) -> Pipeline:
    def load() -> Language:
        module = import_module("cdec.language.stems")
        return module.load(SNOWBALL[language])  # type: ignore[no-any-return]

    return Pipeline(name, f"snowball-{language}-{version('snowballstemmer')}", load)


def _spacy(name: str, model: str) -> Pipeline:
    identity = f"spacy:{models.identify(model)}+spacy-{version('spacy')}"
    return Pipeline(name, identity, partial(models.load, model))


PIPELINES: Registry[Factory] = Registry(
    "pipeline", "cdec.pipelines", {"hanta": _hanta, "spacy": _spacy, "snowball": _snowball}, _check
)
