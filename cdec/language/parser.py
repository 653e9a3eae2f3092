"""Trained spaCy models as pipelines: lemmas, tags and, where they have a parser, heads."""

from __future__ import annotations

import spacy
from spacy.language import Language

from cdec.errors import LanguageError

# Components that annotate what nothing here reads; without them a model is about twice as fast.
NEEDLESS = ("ner", "entity_linker", "entity_ruler", "span_ruler", "spancat", "textcat")


def load(model: str) -> Language:
    """Load an installed model or one in a folder, less the components that are not needed.

    Raises LanguageError where spaCy cannot load it, with spaCy's reason.
    """
    try:
        return spacy.load(model, exclude=NEEDLESS)
    except (OSError, ValueError, ImportError, LookupError, AttributeError, TypeError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise LanguageError(
            f"the spaCy model cannot be loaded: {reason}",
            place=model,
            cure="install the model's version that fits this spaCy: python -m spacy validate",
        ) from error
