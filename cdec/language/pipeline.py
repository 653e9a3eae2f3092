"""The registry of language pipelines; it does not import spaCy.

``hanta`` takes the language of each document: its English and Dutch models, else the stems of
Snowball. ``hanta:LANGUAGE``, ``snowball:LANGUAGE`` and ``spacy:MODEL`` are for all documents.

The entry point of another package is a function of the whole name and of its part after the
colon; it returns a ``Pipeline``. Distribution and version are added to the identity.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from hashlib import sha256
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cdec.errors import CorpusError, LanguageError, UnknownNameError
from cdec.files.jobs import mapped
from cdec.files.progress import Progress
from cdec.language import hanta_model
from cdec.language.hanta_model import ENGLISH
from cdec.plugins import Registry, errors_of_plugin

# Not in the workers of a tagger, which import no pandas.
if TYPE_CHECKING:
    from spacy.language import Language

    from cdec.corpus.model import Corpus, Document


Sentence = tuple[str, ...]
Tagger = Callable[[Sentence], Sequence[tuple[str, str, str]]]
_BLOCK = 256  # sentences that one worker tags at a time
WORTH = 100_000  # tokens from which other processes pay off
_TAGGER_HINT = "correct the tagger: it gets the words of a sentence"
_UNIVERSAL = {
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "CONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON"),
    *("PROPN", "PUNCT", "SCONJ", "SPACE", "SYM", "VERB", "X"),
}
BLANK = " "  # replaces an empty token, which spaCy does not accept


@dataclass(frozen=True)
class Pipeline:
    """A pipeline; ``identity`` changes whenever an annotation can change (part of cache keys).

    ``load`` returns a pipeline of spaCy, or a function that tags one sentence: its words → lemma,
    tag and universal part of speech of each. ``by_sentence`` says that it is such a function; spaCy
    is then not imported for the heads of mentions.
    """

    name: str
    identity: str
    load: Callable[[], Any] = field(repr=False, compare=False)
    by_sentence: bool = False


Factory = Callable[[str, str], Pipeline]
SNOWBALL = {
    **{"da": "danish", "de": "german", "en": "english", "es": "spanish", "fi": "finnish"},
    **{"fr": "french", "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian"},
    **{"pt": "portuguese", "ro": "romanian", "ru": "russian", "sv": "swedish", "tr": "turkish"},
}
"""Language → the algorithm of Snowball."""
_SHORT = 12
# Components whose annotations are not used; without them a model is about twice as fast.
_NEEDLESS = ("ner", "entity_linker", "entity_ruler", "span_ruler", "spancat", "textcat")
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


@lru_cache(maxsize=1)
def loaded(name: str, identity: str) -> Any:
    """Return what ``load`` of the pipeline returns. To be cleared: a tagger keeps what it sees."""
    return pipeline(name).load()


def tagged(sentences: Sequence[Sentence], name: str, identity: str) -> list[Any]:
    """Return lemma, tag and part of speech of each word, by a pipeline ``by_sentence``.

    Raises LanguageError for another number of words, or another part of speech.
    """
    tag = loaded(name, identity)
    found = [tag(tuple(word or BLANK for word in sentence)) for sentence in sentences]
    for sentence, words in zip(sentences, found, strict=True):
        wrong = any(len(word) != 3 or word[2] not in _UNIVERSAL for word in words)
        if wrong or len(words) != len(sentence):
            message = f"not a lemma, tag and universal part of speech of each word: {words!r:.60}"
            raise LanguageError("language-model-invalid", message, place=name, hint=_TAGGER_HINT)
    return found


def tags_of(sentences: list[Sentence], nlp: Pipeline, progress: Progress) -> dict[Sentence, Any]:
    """Return the words of each sentence, tagged by a pipeline ``by_sentence``."""
    blocks = [sentences[at : at + _BLOCK] for at in range(0, len(sentences), _BLOCK)]
    worth = sum(map(len, sentences)) >= WORTH
    made = mapped(tagged, blocks, (nlp.name, nlp.identity), worth=worth)
    parts = list(progress(made, len(blocks), f"annotating with {nlp.name}"))
    loaded.cache_clear()
    return dict(zip(sentences, chain.from_iterable(parts), strict=True))


def check_text(corpus: Corpus) -> None:
    """Raise CorpusError for a corpus without text."""
    if corpus.text == "none":
        message, hint = "the corpus has no text (its tokens are masked)", "score response files"
        raise CorpusError("annotation-missing", message, place=corpus.name, hint=hint)


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
    hint = "use a pipeline spacy:MODEL, or correct the attribute language (a code such as nl)"
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
    # Imported here: a warm cache does not need it.
    def load() -> Tagger:
        module = import_module("cdec.language.taggers")
        return module.tagger(language or ENGLISH)  # type: ignore[no-any-return]

    identity_ = hanta_model.identity(language or ENGLISH)
    identity_ = identity_.replace("hanta-", f"hanta-{language}-", bool(language))
    return Pipeline(name, identity_, load, by_sentence=True)


def _snowball(name: str, language: str) -> Pipeline:
    def load() -> Tagger:
        module = import_module("cdec.language.taggers")
        return module.stems(SNOWBALL[language])  # type: ignore[no-any-return]

    return Pipeline(name, f"snowball-{language}-{version('snowballstemmer')}", load, True)


def _spacy(name: str, model: str) -> Pipeline:
    identity = f"spacy:{_identify(model)}+spacy-{version('spacy')}"
    return Pipeline(name, identity, partial(_load, model))


def _identify(model: str) -> str:
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


def _load(model: str) -> Language:
    """Return an installed model or the model in a folder, without the components in _NEEDLESS.

    Raises LanguageError with spaCy's reason if spaCy cannot load it.
    """
    # Imported here: spaCy takes a second, and a warm cache does not need it.
    import spacy  # noqa: PLC0415

    try:
        return spacy.load(model, exclude=_NEEDLESS)
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


PIPELINES: Registry[Factory] = Registry(
    "pipeline", "cdec.pipelines", {"hanta": _hanta, "spacy": _spacy, "snowball": _snowball}, _check
)
