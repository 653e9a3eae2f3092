"""The embedded sample: valid ECB+ files that have every phenomenon of the task."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import pytest
from lxml import etree

SAMPLE = Path(str(files("cdec.corpus"))) / "sample"
FILES = sorted((SAMPLE / "ECB+").glob("*/*.xml"))
TOPICS = ("1", "2", "3", "4", "5", "6")
TEST_TOPICS = ("4", "5", "6")


class Mention(NamedTuple):
    """One mention, with the fields that the tests use; a singleton's chain is its id."""

    doc: str
    tag: str
    tokens: tuple[int, ...]
    text: str
    chain: str
    relation: str
    target: str

    @property
    def topic(self) -> str:
        return self.doc.partition("_")[0]

    @property
    def subtopic(self) -> str:
        return self.topic + self.doc.lstrip("0123456789_")


@cache
def root(path: Path) -> etree._Element:
    return etree.parse(path).getroot()


def read(path: Path) -> list[Mention]:
    tokens = {el.get("t_id"): el.text or "" for el in root(path).iter("token")}
    tags = {el.get("m_id"): str(el.tag) for el in root(path).iterfind("Markables/*")}
    links = {
        source.get("m_id"): (el, el.find("target"))
        for el in root(path).iterfind("Relations/*")
        for source in el.iterfind("source")
    }
    found = []
    for el in root(path).iterfind("Markables/*[token_anchor]"):
        anchors = [str(anchor.get("t_id")) for anchor in el]
        own = f"{path.stem}/{el.get('m_id')}"
        chain, relation, target = own, "", ""
        if el.get("m_id") in links:
            link, instance = links[el.get("m_id")]
            assert instance is not None
            chain = link.get("note") or f"{path.stem}/r{link.get('r_id')}"
            relation, target = str(link.tag), tags[instance.get("m_id")]
        text = " ".join(tokens[t_id] for t_id in anchors)
        numbers = tuple(map(int, anchors))
        found.append(Mention(path.stem, str(el.tag), numbers, text, chain, relation, target))
    return found


MENTIONS = [mention for path in FILES for mention in read(path)]
EVENTS = [mention for mention in MENTIONS if "ACTION_" in mention.tag]


def of_topics(mentions: list[Mention], topics: Iterable[str]) -> list[Mention]:
    return [mention for mention in mentions if mention.topic in topics]


def chains(mentions: list[Mention], relation: str = "CROSS_DOC_COREF") -> list[list[Mention]]:
    """Return the chains that ``relation`` makes of ``mentions``."""
    groups = defaultdict(list)
    for mention in mentions:
        if mention.relation == relation:
            groups[mention.chain].append(mention)
    return list(groups.values())


def docs(chain: Iterable[Mention]) -> set[str]:
    return {mention.doc for mention in chain}


def words(chain: Iterable[Mention]) -> set[str]:
    return {mention.text.lower() for mention in chain}


def spread(events: list[Mention], attribute: str) -> set[str]:
    """Return the words that name different events in different groups of documents."""
    groups = defaultdict(lambda: defaultdict(set))  # type: ignore[var-annotated]
    for event in events:
        groups[event.text.lower()][getattr(event, attribute)].add(event.chain)
    return {
        word
        for word, group in groups.items()
        if len(group) > 1 and len(set().union(*group.values())) > 1
    }


def test_layout() -> None:
    expected = {f"{t}/{t}_{n}{s}" for t in TOPICS for n in (1, 2, 3) for s in ("ecb", "ecbplus")}
    assert {f"{path.parent.name}/{path.stem}" for path in FILES} == expected


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_tokens_are_valid(path: Path) -> None:
    assert root(path).get("doc_name") == path.name
    tokens = root(path).findall("token")
    assert [el.get("t_id") for el in tokens] == [str(i + 1) for i in range(len(tokens))]
    assert all(el.text and not any(map(str.isspace, el.text)) for el in tokens)
    assert "\N{REPLACEMENT CHARACTER}" not in path.read_text(encoding="utf-8")
    sentences = defaultdict(list)
    for el in tokens:
        sentences[int(str(el.get("sentence")))].append(int(str(el.get("number"))))
    assert all(numbers == list(range(len(numbers))) for numbers in sentences.values())
    assert list(sentences) == list(range(len(sentences)))
    urls = int(path.stem.endswith("ecbplus"))
    assert 2 <= len(sentences) - urls <= 6
    assert [el.text for el in tokens[:4]] == ["http", ":", "/", "/"] or not urls


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_annotation_is_valid(path: Path) -> None:
    sentence = {el.get("t_id"): el.get("sentence") for el in root(path).iter("token")}
    markables = root(path).findall("Markables/*")
    ids = [el.get("m_id") for el in markables]
    assert len(ids) == len(set(ids))
    places = [{sentence[anchor.get("t_id")] for anchor in el} for el in markables if len(el)]
    assert all(len(place) == 1 for place in places)
    mentions = {el.get("m_id") for el in markables if len(el)}
    sources = [el.get("m_id") for el in root(path).iterfind("Relations/*/source")]
    assert len(sources) == len(set(sources))
    assert set(sources) <= mentions
    relations = root(path).findall("Relations/*")
    assert all(el.find("source") is not None for el in relations)
    targets = [el.get("m_id") for el in root(path).iterfind("Relations/*/target")]
    assert len(targets) == len(set(targets)) == len(relations)
    assert set(targets) == set(ids) - mentions
    used = [t for event in EVENTS if event.doc == path.stem for t in event.tokens]
    assert len(used) == len(set(used))


def test_relations_carry_a_note_only_across_documents() -> None:
    for el in (el for path in FILES for el in root(path).iterfind("Relations/*")):
        assert (el.get("note") is not None) == (el.tag == "CROSS_DOC_COREF")


def test_mentions_of_a_chain_share_their_tag() -> None:
    for relation in ("CROSS_DOC_COREF", "INTRA_DOC_COREF"):
        for chain in chains(MENTIONS, relation):
            assert len({mention.tag for mention in chain}) == 1
            assert {mention.target for mention in chain} <= {chain[0].tag, "UNKNOWN_INSTANCE_TAG"}


def test_reviewed_sentences() -> None:
    with (SAMPLE / "ECBplus_coreference_sentences.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["Topic", "File", "Sentence Number"]
    reviewed = {(f"{topic}_{name}", number) for topic, name, number in rows}
    text = {
        (path.stem, str(el.get("sentence")))
        for path in FILES
        for el in root(path).iter("token")
        if not (path.stem.endswith("ecbplus") and el.get("sentence") == "0")
    }
    assert len(reviewed) == len(rows)
    assert reviewed < text


PHENOMENA: dict[str, Callable[[list[Mention]], bool]] = {
    "30 to 50 % singletons": lambda e: 0.3 < sum(not m.relation for m in e) / len(e) < 0.5,
    "within-document chain": lambda e: bool(chains(e, "INTRA_DOC_COREF")),
    "cross-document chain": lambda e: any(len(docs(c)) > 1 for c in chains(e)),
    "repeat in one document of a cross-document chain": lambda e: any(
        1 < len(docs(c)) < len(c) for c in chains(e)
    ),
    "one event of three documents": lambda e: any(len(docs(c)) == 3 for c in chains(e)),
    "cross-document instance with one mention": lambda e: any(len(c) == 1 for c in chains(e)),
    "chain over both sub-topics": lambda e: any(
        len({m.subtopic for m in c}) == 2 for c in chains(e)
    ),
    "several words for one event": lambda e: any(len(words(c)) > 2 for c in chains(e)),
    "one word for events of both sub-topics": lambda e: len(spread(e, "subtopic")) >= 4,
    "unknown instance": lambda e: any(m.target == "UNKNOWN_INSTANCE_TAG" for m in e),
    "gap in a mention": lambda e: any(m.tokens[-1] - m.tokens[0] >= len(m.tokens) for m in e),
    "mention of several tokens": lambda e: any(
        len(m.tokens) == m.tokens[-1] - m.tokens[0] + 1 > 1 for m in e
    ),
    "negated event": lambda e: any(m.tag.startswith("NEG_ACTION_") for m in e),
}


@pytest.mark.parametrize("topic", TOPICS)
@pytest.mark.parametrize("phenomenon", PHENOMENA)
def test_every_topic_shows(phenomenon: str, topic: str) -> None:
    assert PHENOMENA[phenomenon](of_topics(EVENTS, [topic]))


@pytest.mark.parametrize("topic", TOPICS)
def test_every_topic_has_non_ascii_text_and_argument_chains(topic: str) -> None:
    mentions = of_topics(MENTIONS, [topic])
    assert any(not mention.text.isascii() for mention in mentions)
    arguments = [mention for mention in mentions if "ACTION_" not in mention.tag]
    assert any(len(docs(chain)) > 1 for chain in chains(arguments))


ACTIONS = ("OCCURRENCE", "STATE", "REPORTING", "PERCEPTION", "ASPECTUAL", "CAUSATIVE", "GENERIC")
ARGUMENTS = (
    *("HUMAN_PART_PER", "HUMAN_PART_ORG", "NON_HUMAN_PART", "LOC_GEO", "LOC_FAC"),
    *("TIME_DATE", "TIME_OF_THE_DAY", "TIME_DURATION"),
)


@pytest.mark.parametrize("tag", [*(f"ACTION_{name}" for name in ACTIONS), *ARGUMENTS])
def test_tag_occurs_in_the_test_topics(tag: str) -> None:
    assert any(mention.tag == tag for mention in of_topics(MENTIONS, TEST_TOPICS))


def test_chain_sizes_of_the_test_topics() -> None:
    assert {len(chain) for chain in chains(of_topics(EVENTS, TEST_TOPICS))} >= {2, 3, 4, 5, 6}


@pytest.mark.parametrize("word", ["said", "announced", "struck", "collapsed", "launch"])
def test_word_names_different_events_in_every_test_topic(word: str) -> None:
    events = [event for event in of_topics(EVENTS, TEST_TOPICS) if word in event.text.lower()]
    assert {event.topic for event in events} == set(TEST_TOPICS)
    assert len({event.chain for event in events}) >= 3


def test_no_chain_spans_two_topics() -> None:
    assert all(len({m.topic for m in c}) == 1 for c in chains(MENTIONS))


def same_word_precision(scope: Callable[[Mention], str], *, singletons: bool) -> float:
    """Return the share of coreferent pairs among pairs of one word in one ``scope``."""
    events = of_topics(EVENTS, TEST_TOPICS)
    members: defaultdict[str, int] = defaultdict(int)
    for event in events:
        members[event.chain] += 1
    kept = [event for event in events if singletons or members[event.chain] > 1]
    pairs = [
        first.chain == second.chain
        for first, second in combinations(kept, 2)
        if first.text.lower() == second.text.lower() and scope(first) == scope(second)
    ]
    return sum(pairs) / len(pairs)


def test_wider_scope_and_singletons_make_one_word_less_reliable() -> None:
    """The claim of the paper (Tables 2 and 3): the setting changes the score, not the system."""
    ycf = same_word_precision(lambda m: m.subtopic, singletons=False)
    subtopic = same_word_precision(lambda m: m.subtopic, singletons=True)
    topic = same_word_precision(lambda m: m.topic, singletons=True)
    corpus = same_word_precision(lambda _: "", singletons=True)
    assert ycf > subtopic > topic > corpus
