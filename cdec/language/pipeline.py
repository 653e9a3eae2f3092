"""The registry of language pipelines, and how one annotates texts; it does not import spaCy.

``hanta`` takes the language of each document: its English and Dutch models, else the stems of
Snowball. ``hanta:LANGUAGE``, ``snowball:LANGUAGE`` and ``spacy:MODEL`` are for all documents.

The entry point of another package is a function of the whole name and of its part after the
colon; it returns a ``Pipeline``. Distribution and version are added to the identity.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from typing import TYPE_CHECKING, Any

from cdec.configs import read_toml
from cdec.errors import LanguageError, UnknownNameError
from cdec.language.taggers import (
    ENGLISH,
    MODELS,
    Sentence,
    hanta,
    hanta_version,
    snowball,
)
from cdec.plugins import Registry, errors_of_plugin

# Not in the workers of a tagger, which import no pandas.
if TYPE_CHECKING:
    from spacy.language import Language

    from cdec.corpus.model import Corpus, Document

Text = tuple[Sentence, ...]
Words = list[
    tuple[str, str, str, int]
]  # lemma, tag, universal part of speech, head or −1
_UNIVERSAL = {*read_toml("language.toml")["universal"]}
_BLANK = " "  # replaces an empty token, which spaCy does not accept
# Components whose annotations are not used; without them a model is about twice as fast.
_NEEDLESS = ("ner", "entity_linker", "entity_ruler", "span_ruler", "spancat", "textcat")
SNOWBALL: Mapping[str, str] = read_toml("language.toml")["snowball"]
"""Language → the algorithm of Snowball."""
# The names of cdec; spaCy finds its models itself.
_NAMES = {"hanta"}
_NAMES |= {f"hanta:{code}" for code in MODELS}
_NAMES |= {f"snowball:{code}" for code in SNOWBALL}


@dataclass(frozen=True)
class Pipeline:
    """A pipeline; ``identity`` changes whenever an annotation can change (part of cache keys).

    ``load`` returns a pipeline of spaCy, or a function that tags one sentence: its words → lemma,
    tag and universal part of speech of each. With ``by_sentence`` it is such a function, and only
    the sentences that are needed are tagged.
    """

    name: str
    identity: str
    load: Callable[[], Any] = field(repr=False, compare=False)
    by_sentence: bool = False


Factory = Callable[[str, str], Pipeline]


def pipeline(name: str) -> Pipeline:
    """Return the pipeline of a name; ``hanta`` is for English (see ``pipeline_name``).

    The model of ``spacy:MODEL`` is an installed one. Raises UnknownNameError for an
    unknown name, LanguageError for a missing model, and PluginError for a pipeline of another
    package that cannot be used.
    """
    kind, _, argument = name.partition(":")
    plugins = [other for other in PIPELINES if other not in PIPELINES.own]
    if kind not in plugins:
        names_model = kind == "spacy" and argument != ""
        if name not in _NAMES and not names_model:
            names = [
                "hanta",
                "spacy:MODEL",
                *plugins,
                "hanta:LANGUAGE",
                "snowball:LANGUAGE",
            ]
            raise UnknownNameError("pipeline", name, names)
        return PIPELINES[kind](name, argument)
    origin = PIPELINES.origin(kind)
    hint = "fix or uninstall that package"
    with errors_of_plugin(f"the pipeline '{name}' of {origin} failed", hint):
        result = PIPELINES[kind](name, argument)
        if not isinstance(result, Pipeline):
            raise TypeError(f"expected a Pipeline, got {result!r:.60}")
    return replace(result, identity=f"{result.identity}+{origin}")


def pipeline_name(name: str, document: Document) -> str:
    """Return the name of the pipeline for a document: ``hanta`` depends on its language.

    Raises LanguageError for a language that neither HanTa nor Snowball has.
    """
    language = document.language
    if name != "hanta" or language == ENGLISH:
        return name
    if language in MODELS:
        return f"hanta:{language}"
    if language in SNOWBALL:
        return f"snowball:{language}"
    raise LanguageError(
        "package-missing",
        f"no lemmatiser for the language '{language}'",
        place=document.id,
        hint="use a pipeline spacy:MODEL, or correct the attribute language (a code such as nl)",
    )


def identity(name: str, corpus: Corpus) -> str:
    """Return the identities of the pipelines that the documents of a corpus need.

    Raises as ``pipeline_name`` and ``pipeline`` do.
    """
    # One document of each language.
    documents = {document.language: document for document in corpus.documents.values()}
    names = {pipeline_name(name, document) for document in documents.values()} or {name}
    return "+".join(pipeline(pipeline_).identity for pipeline_ in sorted(names))


@lru_cache(maxsize=1)
def load_pipeline(name: str, identity: str) -> Any:
    """Return what ``load`` of the pipeline returns. To be cleared: a tagger keeps what it sees."""
    return pipeline(name).load()


def annotate_texts(texts: Sequence[Text], name: str, identity: str) -> list[Words]:
    """Return the words of each text; without a parser their heads are −1.

    Raises LanguageError for another number of words, or another part of speech.
    """
    nlp = load_pipeline(name, identity)
    if not hasattr(nlp, "pipe"):  # not spaCy
        tag = partial(_tag_sentence, nlp, name)
        return [[*chain.from_iterable(map(tag, text))] for text in texts]
    from spacy.tokens import Doc  # noqa: PLC0415  spaCy takes a second, and is rarely needed

    docs = []
    for text in texts:
        words = []
        is_start: list[Any] = []
        for sentence in text:
            words += [word or _BLANK for word in sentence]
            is_start += [position == 0 for position in range(len(sentence))]
        docs.append(Doc(nlp.vocab, words, sent_starts=is_start))
    answers = []
    for doc in nlp.pipe(docs):
        is_parsed = doc.has_annotation("DEP")
        answer = []
        for token in doc:
            head = token.head.i if is_parsed else -1
            answer.append((token.lemma_, token.tag_, token.pos_, head))
        answers.append(answer)
    return answers


def _tag_sentence(
    tag: Callable[[Sentence], Any], name: str, sentence: Sentence
) -> Words:
    words = tag(tuple(word or _BLANK for word in sentence))
    is_wrong = any(len(word) != 3 or word[2] not in _UNIVERSAL for word in words)
    if is_wrong or len(words) != len(sentence):
        raise LanguageError(
            "package-missing",
            f"not a lemma, tag and universal part of speech of each word: {words!r:.60}",
            place=name,
            hint="correct the tagger: it gets the words of a sentence",
        )
    return [(*word, -1) for word in words]


def _check(name: str, value: object) -> None:
    if not callable(value):
        raise TypeError(
            f"expected a function that returns a Pipeline, got {value!r:.60}"
        )


def _hanta(name: str, language: str) -> Pipeline:
    versioned_name = "-".join(filter(None, ["hanta", language, hanta_version()]))
    return Pipeline(
        name, versioned_name, partial(hanta, language or ENGLISH), by_sentence=True
    )


def _snowball(name: str, language: str) -> Pipeline:
    return Pipeline(
        name,
        f"snowball-{language}-{version('snowballstemmer')}",
        partial(snowball, SNOWBALL[language]),
        by_sentence=True,
    )


def _spacy(name: str, model: str) -> Pipeline:
    """Return the pipeline of an installed model."""
    try:
        versioned_name = f"{model}-{version(model)}"
    except (PackageNotFoundError, ValueError) as error:
        raise LanguageError(
            "package-missing",
            f"the spaCy model '{model}' is not installed",
            hint=f"install it: python -m spacy download {model}",
        ) from error
    return Pipeline(
        name,
        f"spacy:{versioned_name}+spacy-{version('spacy')}",
        partial(_load, model),
    )


def _load(model: str) -> Language:
    """Return a model of spaCy. Raises LanguageError with spaCy's reason if it cannot be loaded."""
    import spacy  # noqa: PLC0415  spaCy takes a second, and is rarely needed

    try:
        return spacy.load(model, exclude=_NEEDLESS)
    except Exception as error:  # what spaCy raises depends on the model
        lines = str(error).splitlines()
        reason = lines[0] if lines else type(error).__name__
        raise LanguageError(
            "package-missing",
            f"the spaCy model cannot be loaded: {reason}",
            place=model,
            hint="install the version of the model for this spaCy: python -m spacy validate",
        ) from error


PIPELINES: Registry[Factory] = Registry(
    "pipeline",
    "cdec.pipelines",
    {"hanta": _hanta, "spacy": _spacy, "snowball": _snowball},
    _check,
)
