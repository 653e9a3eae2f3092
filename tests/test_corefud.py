"""CoNLL-U and the texts of CRAC: a model that changes the text, zeros, sentences, heads."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tests.cases import cases
from tests.program import Ran, Run
from tests.test_matching import conllu
from tests.tiny_files import Answer, answer, conll, given, records

Call: TypeAlias = Callable[..., tuple[Any, ...]]
Score: TypeAlias = Callable[..., Answer]
CHANGES = cases("corefud_cases")
START = "# newdoc id = d\n# global.Entity = eid-head\n"


@pytest.fixture
def call(tmp_path: Path) -> Call:
    """The call that scores a response on a key."""

    def of(key: str, response: str, *options: object) -> tuple[Any, ...]:
        files = given(tmp_path, "key.conllu", key), given(tmp_path, "mine", response)
        return ("score", *files, "--scope", "document", *options)

    return of


@pytest.fixture
def score(cdec: Run, call: Call) -> Score:
    return lambda *of, metric="muc": answer(cdec, *call(*of), metric=metric)


def sentence(words: str, cells: dict[int, str], head: str = "") -> str:
    """A sentence in CoNLL-U; cells: the number of a word → its brackets."""
    rows = [
        f"{at}\t{word}\t_\t_\t_\t_\t{at - 1}\t{'dep' if at > 1 else 'root'}\t_\t"
        + (f"Entity={cells[at]}" if at in cells else "_")
        for at, word in enumerate(words.split(), 1)
    ]
    return head + "\n".join(rows) + "\n\n"


# A text that a model writes anew, with other words.

TEXT = ["a b c d e f g h i j k l", "m n o p q r s t u v w x y z"]
KEY = START + "".join(
    [
        sentence(TEXT[0], {2: "(e1-1)", 4: "(e2-1", 5: "e2)", 9: "(e1-1)"}),
        sentence(TEXT[1], {1: "(e3-1)", 3: "(e2-1)", 7: "(e1-1)", 10: "(e3-1)"}),
    ]
)
MARKED = "a b|[1] c d|[2 e|2] f g h i|[1] j k l m|[3] n o|[2] p q r s|[1] t u v|[3] w x y z\n"


def edits(found: Answer) -> list[int]:
    """The words dropped, added and replaced, as the notice counts them."""
    message = found.notices["text-mismatch"]["message"]
    return [*map(int, re.findall(r"(-?\d+) (?:dropped|added|replaced)", message))]


def test_the_text_of_the_key_with_brackets_is_perfect(score: Score) -> None:
    found = score(KEY, MARKED)
    assert (found.numbers, found.counts["muc"], found.said) == ((7, 7, 7), (4, 4, 4, 4), {})


@pytest.mark.parametrize(("old", "new", "counts"), CHANGES["words"])
def test_words_that_differ_outside_mentions_change_no_score(
    score: Score, old: str, new: str, counts: list[int]
) -> None:
    found = score(KEY, MARKED.replace(old, new))
    assert (found.numbers, found.counts["muc"]) == ((7, 7, 7), (4, 4, 4, 4))
    assert (found.said, edits(found)) == ({"text-mismatch": 1}, counts)
    assert found.warnings == {"text-mismatch"}


@pytest.mark.parametrize(("old", "new", "counts"), CHANGES["mentions"])
def test_a_mention_whose_words_differ_is_twinless(
    score: Score, old: str, new: str, counts: list[int]
) -> None:
    found = score(KEY, MARKED.replace(old, new))
    assert (found.numbers, edits(found)) == ((7, 7, 6), counts)
    codes = {"text-mismatch", "missing-mention", "twinless", "reading-assumed"}
    assert found.said == dict.fromkeys(codes, 1)
    # Its chain keeps its size in the response.
    assert found.counts["muc"][1] == 4


def test_a_sentence_that_is_dropped_is_noticed(score: Score) -> None:
    key = KEY + sentence("A B", {2: "(e1-1)"})
    found = score(key, MARKED)
    assert (found.numbers, found.said["missing-mention"]) == ((8, 7, 7), 1)
    assert found.notices["text-mismatch"]["examples"] == ["sentence 3 of 'd'"]


@pytest.mark.parametrize(("left", "exit_"), [(24, 0), (23, 1)])
def test_nine_of_ten_words_must_be_those_of_the_key(
    cdec: Run, call: Call, left: int, exit_: int
) -> None:
    text = " ".join(MARKED.split()[:left]) + "\n"
    ran = cdec(*call(KEY, text))
    assert (ran.exit, ran.error) == (exit_, "text-mismatch" if exit_ else "")
    assert exit_ == 0 or "mine:1:" in ran.said


def test_every_document_of_the_key_must_be_there(
    cdec: Run, score: Score, call: Call, tmp_path: Path
) -> None:
    two = KEY + KEY.replace("id = d", "id = e").replace(START.splitlines()[1] + "\n", "")
    assert score(two, MARKED + MARKED).numbers == (14, 14, 14)
    for text in (MARKED, MARKED * 3, f"{MARKED}\n{MARKED}"):
        assert cdec(*call(two, text)).error == "text-mismatch"
    given(tmp_path, "two.conllu", two)
    path = tmp_path / "turned.json"
    call_ = ("corpus", "export", "--from", tmp_path / "two.conllu", "--to", "crac-json")
    assert cdec(*call_, "-o", path).exit == 0
    turned = re.sub(r"^\[(.*\}), ?(\{.*)\]\s*$", r"[\2, \1]", path.read_text())
    assert score(two, turned).numbers == (14, 14, 14)
    assert (
        cdec(*call(two, turned.replace('"doc_id": "e"', '"doc_id": "x"'))).error == "text-mismatch"
    )


# Zeros: words that the text does not have.

ZERO: str = CHANGES["files"]["zero"]
WHOLE = "She|[a] left ##|[a] He|[b] saw his|[c,[b] dog|c]\n"


@pytest.mark.parametrize("case", CHANGES["zeros"])
def test_zeros_and_mentions_that_the_key_lacks(score: Score, case: str) -> None:
    change = CHANGES["zeros"][case]
    text = WHOLE.replace(change["old"], change["new"])
    found = score(ZERO, text, "--match", "head", "--zeros", "dependent", metric="zeros")
    assert [*found.numbers] == change["mentions"]
    assert [*found.counts["zeros"]] == change["zeros"]


def test_a_chain_keeps_its_size_where_a_mention_is_changed(score: Score) -> None:
    more = [f"w{number}" for number in range(5, 20)]
    lines = [f"{n}\t{word}\t_\t_\t_\t_\t4\tdep\t_\t_\n" for n, word in enumerate(more, start=5)]
    key = f"{ZERO.rstrip()}\n{''.join(lines)}\n"
    text = " ".join(["She|[a] left ##|[a] He|[b] saw his|[c,[b cat|c],b]", *more])
    found = score(key, text + "\n", "--match", "head", "--singletons", "drop")
    assert found.numbers == (4, 4, 3)


# Two files in CoNLL-U.


def mismatch(cdec: Run, call: Call, key: str, response: str) -> Ran:
    ran = cdec(*call(key, response))
    assert (ran.exit, ran.error) == (1, "text-mismatch")
    return ran


def test_sentences_with_other_ids_are_another_text(cdec: Run, call: Call, score: Score) -> None:
    parts = [
        sentence("a b", {1: "(e1-1)"}, "# sent_id = s1\n"),
        sentence("c d", {2: "(e1-1)"}, "# sent_id = s2\n"),
    ]
    key = START + "".join(parts)
    assert score(key, key.replace("e1", "x")).numbers == (2, 2, 2)
    ran = mismatch(cdec, call, key, key.replace("= s2", "= t2"))
    assert "mine:8:" in ran.said
    assert "mine:4:" in mismatch(cdec, call, key, key.replace("= s1", "= t1")).said
    # Ids are compared only if both files have one for each sentence.
    without = key.replace("# sent_id = s2\n", "").replace("e1", "x")
    for pair in ((key, without), (without, key)):
        assert score(*pair).numbers == (2, 2, 2)


def test_the_line_of_the_first_sentence_that_is_divided_otherwise(cdec: Run, call: Call) -> None:
    one = START + sentence("a b", {1: "(e1-1)"})
    key = one + sentence("c d e", {1: "(e1-1)"})
    response = one + sentence("c d", {1: "(e1-1)"}) + sentence("e", {})
    assert "mine:9:" in mismatch(cdec, call, key, response).said


def test_a_mention_that_is_aligned_is_not_aligned_again(score: Score) -> None:
    """The first mention of the key is equal to one of the response, another has its head."""
    files = conllu((1, 3, 2), (8, 8, 1)), conllu((1, 3, 2), (2, 2, 1), (8, 8, 1))
    for rule in ("head", "partial", "overlap:0.1"):
        assert score(*files, "--match", rule).numbers == (2, 3, 2)


# Chains across documents.

FIELDS = "# global.Entity = eid-head\n"
NAMED = "# global.Entity = eid-head-identity\n"
WORDS = "a b"
ONE_CHAIN = ("e1", "e1", "e1", "e1")
TWO_CHAINS = ("e1", "e1", "e2", "e2")


def two_documents(entities: tuple[str, ...], header: str = FIELDS) -> str:
    """Documents d1 and d2 of two words, each a mention; an entity may be ``id-head-identity``."""
    brackets = [f"({entity if '-' in entity else f'{entity}-1'})" for entity in entities]
    first = sentence(WORDS, {1: brackets[0], 2: brackets[1]})
    second = sentence(WORDS, {1: brackets[2], 2: brackets[3]})
    return f"# newdoc id = d1\n{header}{first}# newdoc id = d2\n{header}{second}"


def as_records(entities: tuple[str, ...]) -> str:
    places = [("d1", 0), ("d1", 1), ("d2", 0), ("d2", 1)]
    return records(
        *(
            {"doc": doc, "start": at, "end": at, "chain": entity}
            for (doc, at), entity in zip(places, entities, strict=True)
        )
    )


def as_conll(entities: tuple[str, ...]) -> str:
    cells = [f"({entity})" for entity in entities]
    return conll(("d1", cells[:2]), ("d2", cells[2:]))


WRITTEN: dict[str, Callable[[tuple[str, ...]], str]] = {
    "conllu": two_documents,
    "jsonl": as_records,
    "conll": as_conll,
}
TWO_IN_A_CORPUS = records(
    {"record": "corpus", "format": "cdec-corpus/1", "name": "two"},
    *({"record": "document", "id": doc, "sentences": [["a", "b"]]} for doc in ("d1", "d2")),
    *(
        {"record": "mention", "doc": doc, "tokens": [at], "chain": doc}
        for doc in ("d1", "d2")
        for at in (0, 1)
    ),
)


# Options of score → the counts of MUC and B³.
SCOPES = {
    "--scope document": ((2, 2, 2, 2), (4, 4, 4, 4)),
    "--scope corpus": ((2, 2, 2, 3), (4, 4, 2, 4)),
    # The mentions of a chain in a document are reduced to one.
    "-s pure": ((0, 0, 0, 1), (2, 2, 1, 2)),
}


@pytest.mark.parametrize("key_form", WRITTEN)
@pytest.mark.parametrize("response_form", WRITTEN)
@pytest.mark.parametrize("options", SCOPES)
def test_an_entity_is_one_chain_in_all_documents_of_the_scope(
    cdec: Run, tmp_path: Path, key_form: str, response_form: str, options: str
) -> None:
    files = (
        given(tmp_path, f"key.{key_form}", WRITTEN[key_form](ONE_CHAIN)),
        given(tmp_path, f"mine.{response_form}", WRITTEN[response_form](TWO_CHAINS)),
    )
    call = ("score", *files, *options.split())
    muc, b3 = SCOPES[options]
    assert answer(cdec, *call).counts["muc"] == muc
    assert answer(cdec, *call, metric="b3").counts["b3"] == b3


def test_entities_in_several_documents_need_a_scope_unless_a_shared_task_has_one(
    cdec: Run, tmp_path: Path
) -> None:
    files = (
        given(tmp_path, "key.conllu", two_documents(ONE_CHAIN)),
        given(tmp_path, "mine.conllu", two_documents(TWO_CHAINS)),
    )
    ran = cdec("score", *files)
    assert (ran.exit, ran.error) == (2, "scope-ambiguous")
    found = answer(cdec, "score", *files, "--preset", "crac24")
    assert (found.counts["muc"], found.signature["setting"]) == ((2, 2, 2, 2), "scope=document")


# With the field identity, ids are local; identity names the chain, at any mention of the entity.


@pytest.mark.parametrize("key_form", WRITTEN)
@pytest.mark.parametrize(
    ("entities", "muc"),
    [
        (("1-1-Rome", "1-1-", "1-1-Rome", "2-1-"), (1, 2, 1, 2)),
        (("1-1-", "1-1-", "1-1-", "1-1-"), (2, 2, 2, 2)),
        (("1-1-Rome", "1-1-", "2-1-", "2-1-Rome"), (2, 3, 2, 2)),
    ],
)
def test_identity_names_chains_across_documents(
    cdec: Run, tmp_path: Path, key_form: str, entities: tuple[str, ...], muc: tuple[int, ...]
) -> None:
    key = given(tmp_path, f"key.{key_form}", WRITTEN[key_form](TWO_CHAINS))
    mine = given(tmp_path, "mine.conllu", two_documents(entities, NAMED))
    assert answer(cdec, "score", key, mine, "--scope", "corpus").counts["muc"] == muc
    # On a corpus too.
    corpus = given(tmp_path, "corpus.jsonl", TWO_IN_A_CORPUS)
    call = ("eval", mine, "--corpus", corpus, "-s", "simple")
    assert answer(cdec, *call).counts["muc"] == muc


def test_two_identities_of_one_entity_are_refused(cdec: Run, tmp_path: Path) -> None:
    mine = given(
        tmp_path, "mine.conllu", two_documents(("1-1-Rome", "1-1-Paris", "1-1-", "1-1-"), NAMED)
    )
    ran = cdec("score", mine, mine, "--scope", "document")
    assert (ran.exit, ran.error) == (1, "brackets-invalid")
    assert "mine.conllu:4:" in ran.said


# Columns of CoNLL-U that contradict the file.

PAIR_OF_WORDS: str = CHANGES["files"]["columns"]


@pytest.mark.parametrize(("old", "new", "line"), CHANGES["columns"])
def test_a_column_that_contradicts_the_sentence_is_refused(
    cdec: Run, call: Call, old: str, new: str, line: int
) -> None:
    assert cdec(*call(PAIR_OF_WORDS, PAIR_OF_WORDS)).exit == 0
    assert old in PAIR_OF_WORDS
    ran = cdec(*call(PAIR_OF_WORDS, new.join(PAIR_OF_WORDS.rsplit(old, 1))))
    assert (ran.exit, ran.error) == (1, "conll-structure")
    assert f"mine:{2 + line}:" in ran.said


def test_heads_and_parents_may_be_unknown(cdec: Run, call: Call) -> None:
    unknown = PAIR_OF_WORDS.replace("\t0\troot\t0:root", "\t_\t_\t_").replace("1\tdep\t", "_\t_\t")
    assert cdec(*call(unknown, unknown)).exit == 0
