"""What a converter writes is what was there, except for the losses that it names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from hashlib import sha256
from pathlib import Path

import pytest

from cdec import build_corpus, load_corpus
from cdec.corpus import ALL_KINDS, KINDS, Corpus, Variants, content_digest, open_source, read_corpus
from cdec.corpus.store import install, locate
from cdec.formats.corpora import CONVERTERS, convert
from tests.refusals import refused

NAMES = {
    "conll": "key.conll",
    "conll8": "key.conll",
    "jsonl": "mine.jsonl",
    "ucdcr": "tables",
    "wec": "Event_gold_mentions.json",
    "store": "",  # of `cdec corpus import`
}
ODD = [
    {"doc": "dé 1", "id": "gap", "tokens": [0, 2], "chain": "Ω x"},
    {"doc": "dé 1", "id": "same", "tokens": [0, 2], "chain": "two"},
    {"doc": "dé 1", "id": "word", "tokens": [3], "chain": "Ω x"},
    {"doc": "dé 1", "id": "alone", "tokens": [4], "chain": "1", "kind": "entity", "tag": "LOC_X"},
    {"doc": "日本/2", "id": "m/é", "tokens": [1], "chain": "Ω x", "state": "no-event", "x": "y"},
]
TEXTS = {"dé 1": [["Ça", "a", "bu"], ["|", "(x)"]], "日本/2": [["火", "事"]]}
VARIANTS: Variants = {"without": {"no-event": "drop"}, "with": {"no-event": "keep"}}


def digest(corpus: Corpus, lost: Collection[str]) -> str:
    """Return the digest of what a format with these losses keeps of the selected mentions."""
    kept = [name for name in ("topics", "sub-topics") if name not in lost]
    levels = {"topics": "topic", "sub-topics": "subtopic"}
    held = set(corpus.selected["doc"])
    documents = [
        (document.id, *(getattr(document, levels[name]) for name in kept), document.sentences)
        for document in corpus.documents.values()
        if document.id in held or "ids of documents without a mention" not in lost
    ]
    if "token numbers" in lost:
        documents = [(doc,) for doc in held]
    return sha256(repr((sorted(documents), mentions_of(corpus, lost))).encode()).hexdigest()


def mentions_of(corpus: Corpus, lost: Collection[str]) -> list[tuple[object, ...]]:
    table, chains = corpus.selected, defaultdict[str, list[tuple[object, ...]]](list)
    whole = ["kind"] * ("kinds" not in lost)
    whole += ["tag", "descriptor"] if "tags" not in lost else []
    names = ["doc", "tokens", "text", "chain", *whole]
    for id_, doc, tokens, text, chain, *more in zip(
        table.index, *(table[name].tolist() for name in names), strict=True
    ):
        span = (tokens[0], tokens[-1]) if "gaps" in lost else tokens
        place = text if "token numbers" in lost else span
        known = "" if "mention ids" in lost else id_
        chains[chain].append((doc, place, known, *map(str, more)))
    named = "chain labels" not in lost
    return sorted((label if named else "", *sorted(each)) for label, each in chains.items())


def again(corpus: Corpus, folder: Path, format_: str) -> Corpus:
    if format_ == "store":
        return load_corpus(str(install.store(corpus)))
    path = folder / NAMES[format_]
    convert(corpus, path, format_)
    return read_corpus(open_source(path, "conll" if format_ == "conll8" else format_), corpus.name)


def check(corpus: Corpus, folder: Path, format_: str) -> None:
    """Compare the digests of each kind of mention after a round trip."""
    lost = CONVERTERS[format_].lost if format_ in CONVERTERS else ()
    made = again(corpus, folder, format_)
    if not lost:
        assert content_digest(made) == content_digest(corpus)
    for kind in (ALL_KINDS,) if "kinds" in lost else KINDS:
        assert digest(made.select(kind), lost) == digest(corpus.select(kind), lost), kind


@pytest.fixture(autouse=True)
def _data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(locate.DATA_VARIABLE, str(tmp_path / "data"))


@pytest.mark.parametrize("format_", NAMES)
def test_gaps_two_chains_and_unicode(tmp_path: Path, format_: str) -> None:
    texts = [
        {"id": id_, "topic": "t é", "subtopic": f"s {number}", "sentences": sentences}
        for number, (id_, sentences) in enumerate(TEXTS.items())
    ]
    check(build_corpus(ODD, texts, name="odd", variants=VARIANTS), tmp_path, format_)


@pytest.mark.parametrize("format_", NAMES)
def test_the_sample(tmp_path: Path, format_: str) -> None:
    check(load_corpus("sample"), tmp_path, format_)


@pytest.mark.parametrize("format_", NAMES)
def test_gvc(corpora: Path, tmp_path: Path, format_: str) -> None:
    check(load_corpus(str(corpora / "GVC")), tmp_path, format_)


@pytest.mark.slow
@pytest.mark.parametrize("format_", NAMES)
def test_ecbplus(whole_ecbplus: Corpus, tmp_path: Path, format_: str) -> None:
    check(whole_ecbplus, tmp_path, format_)


def test_a_corpus_without_levels_has_none_in_columns(tmp_path: Path) -> None:
    made = again(build_corpus(ODD[:4], {"dé 1": TEXTS["dé 1"]}, name="x"), tmp_path, "conll8")
    assert dict(made.levels) == {}


@pytest.mark.parametrize("name", ["any.json", "Event_gold_mentions.jsonl"])
def test_a_name_that_the_reader_does_not_find_is_refused(tmp_path: Path, name: str) -> None:
    with refused("output-ending", place=str(tmp_path / name)):
        convert(load_corpus("sample"), tmp_path / name, "wec")
    assert not list(tmp_path.iterdir())
