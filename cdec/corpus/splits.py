"""Named splits: which topics are train, dev and test, and the parts of a corpus under one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

from cdec.configs import read_text
from cdec.corpus.known import known_corpora
from cdec.corpus.model import Corpus, natural_key
from cdec.errors import CorpusError, UnknownNameError

ALL = "all"
_DEFAULT = "ycf"  # of a corpus without a split of its own


@dataclass(frozen=True)
class Split:
    """A division of topics into parts; ``topics`` maps part → topic ids."""

    name: str
    title: str
    topics: Mapping[str, frozenset[str]]
    reviewed_only: bool = False


def split_names() -> list[str]:
    """Return the names of the splits that come with cdec."""
    folder = files("cdec.configs") / "splits"
    return sorted(
        f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith(".toml")
    )


def load_split(name: str) -> Split:
    """Return a split by name, or from the user's TOML file.

    Raises UnknownNameError for a name that is neither, UsageError for a file that is no split.
    """
    from cdec.corpus.split_file import parse_split, read_split  # noqa: PLC0415

    if name in split_names():
        return parse_split(name, read_text(f"splits/{name}.toml"), name)
    path = Path(name)
    if path.suffix != ".toml":
        raise UnknownNameError("split", name, [*split_names(), "FILE.toml"])
    return read_split(path)


def default_split(corpus: Corpus) -> str:
    """Return the name of the corpus's own split; that of ECB+ where it has none."""
    return {known.name: known.split for known in known_corpora()}.get(corpus.name, _DEFAULT)


def part_of(corpus: Corpus, split: str) -> Corpus:
    """Return the part of a whole corpus that ``split`` names, ``[SPLIT/]PART``."""
    named, _, part = split.rpartition("/")
    return select(corpus, part, load_split(named or default_split(corpus)))


def divided(corpus: Corpus, split: str | None = None) -> dict[str, Corpus]:
    """Return each part of a whole corpus under ``split`` (default: the corpus's own)."""
    chosen = load_split(split or default_split(corpus))
    return {part: select(corpus, part, chosen) for part in chosen.topics}


def select(corpus: Corpus, part: str, split: Split) -> Corpus:
    """Return the part of ``corpus`` that ``split`` calls ``part``; ``all`` is every document.

    Raises UnknownNameError for an unknown part, CorpusError where a topic of the corpus stands
    in no part, or the part names a topic that the corpus lacks.
    """
    if part != ALL and part not in split.topics:
        raise UnknownNameError(f"part of the split '{split.name}':", part, [*split.topics, ALL])
    present = {document.topic for document in corpus.documents.values()}
    if part == ALL:
        chosen = present
    else:
        chosen = set(split.topics[part])
        _check_topics(corpus, split, part, present)
    documents = [id_ for id_, document in corpus.documents.items() if document.topic in chosen]
    subset = corpus.subset(documents, f"{split.name}-{part}" if part != ALL else ALL)
    return _reviewed(subset) if split.reviewed_only else subset


def _check_topics(corpus: Corpus, split: Split, part: str, present: set[str]) -> None:
    lost = present.difference(*split.topics.values())
    if lost:
        raise CorpusError(
            f"topic {listed(lost)} of the corpus '{corpus.name}' is in no part of the split",
            place=f"split '{split.name}'",
            cure="add it to a part, or choose another split",
        )
    missing = split.topics[part] - present
    if missing:
        raise CorpusError(
            f"topic {listed(missing)} of the part '{part}' is not in the corpus '{corpus.name}'",
            place=f"split '{split.name}'",
            cure="is it complete (`cdec corpus verify`)? is its split another (--split NAME/PART)?",
        )


def _reviewed(corpus: Corpus) -> Corpus:
    if not corpus.mentions["reviewed"].any():
        raise CorpusError(
            "the split wants reviewed sentences, and the corpus has no list of them",
            place=corpus.name,
            cure="put ECBplus_coreference_sentences.csv beside the folder ECB+",
        )
    part = f"{corpus.part}-reviewed" if corpus.part == ALL else corpus.part
    return replace(corpus, mentions=corpus.mentions[corpus.mentions["reviewed"]], part=part)


def listed(topics: Iterable[str]) -> str:
    """Return topics in their order, for a message."""
    return ", ".join(sorted(topics, key=natural_key))
