"""The stems of Snowball.

The pure classes of snowballstemmer are used. Its function ``stemmer`` would hand over to PyStemmer
wherever that can be imported, whatever its version, and versions differ in their stems.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.metadata import version

ENGLISH_STEMS = "english"


def stemmer(algorithm: str) -> Callable[[str], str]:
    """Return the function that stems one word by an algorithm of Snowball, such as ``spanish``.

    >>> stemmer("english")("international")
    'internat'
    """
    # Imported here: a warm cache does not need it.
    module = import_module(f"snowballstemmer.{algorithm}_stemmer")
    pure = getattr(module, f"{algorithm.capitalize()}Stemmer")
    stem: Callable[[str], str] = pure().stemWord
    return stem


def stems(words: Iterable[str]) -> list[str]:
    """Return the English stem (Snowball, Porter 2) of each word."""
    stem = stemmer(ENGLISH_STEMS)
    return [str(stem(word)) for word in words]


def stemmer_identity() -> str:
    """Return the name of the English stems with the version of their package, for signatures."""
    return f"snowball-{ENGLISH_STEMS}-{version('snowballstemmer')}"
