"""Documents with clusters and mention files, as toolkits write them: equal to the same as CoNLL."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import cdec as package
from cdec import formats
from cdec.errors import FormatError
from tests.cases import cases, refused
from tests.program import Run
from tests.tiny_files import brackets, given, records

WORDS = {
    "a": [["A", "fire", "broke", "out", "."], ["It", "killed", "two", "."]],
    "b": [["The", "blaze", "died", "."], ["Firemen", "left", "it", "."]],
}
# Of a response: the clusters of each document, as first and last word (inclusive).
CLUSTERS = {"a": [[[0, 1], [5, 5]], [[6, 6], [2, 3]]], "b": [[[0, 1], [6, 6]], [[4, 4], [2, 2]]]}
KEY = {"a": [[[0, 1], [5, 5]], [[2, 3]], [[6, 6]]], "b": [[[0, 1], [6, 6], [4, 4]]]}
CASES = cases("documents_cases")
END_TO_END = [{"doc_key": d, "sentences": WORDS[d], "clusters": CLUSTERS[d]} for d in WORDS]
FORMS = {**CASES["forms"], "a list": json.dumps(END_TO_END, indent=1)}
# Clusters of both documents, a and b by their positions.
ACROSS = [[[0, 0, 1], [0, 5, 5], [1, 0, 1]], [[1, 6, 6], [0, 2, 3]], [[1, 2, 2]]]


def flat(doc: str) -> list[str]:
    return [word for sentence in WORDS[doc] for word in sentence]


def as_conll(clusters: dict[str, Any], names: dict[str, str] | None = None) -> str:
    """The chains of each document, label → spans or a list of clusters with labels of their own."""
    rows = []
    called = {doc: (names or {}).get(doc, doc) for doc in WORDS}
    for doc, chains in clusters.items():
        own = chains if isinstance(chains, dict) else {f"{doc}{n}": c for n, c in enumerate(chains)}
        for label, cluster in own.items():
            rows += [(called[doc], start, end, label) for start, end in cluster]
    return brackets(rows, {called[doc]: [flat(doc)] for doc in WORDS})


def numbers(key: Path, response: Path, **how: Any) -> list[tuple[float, float]]:
    result = package.score(key, response, **how)
    return [(result[name].precision, result[name].recall) for name in ("muc", "b3", "ceafe", "lea")]


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return given(tmp_path, "key.conll", as_conll(KEY))


@pytest.mark.parametrize("form", FORMS)
def test_documents_score_as_the_same_chains_in_conll(tmp_path: Path, key: Path, form: str) -> None:
    """Labels that are positions are those of a document: no scope is asked."""
    response = given(tmp_path, "response.json", FORMS[form])
    same = given(tmp_path, "response.conll", as_conll(CLUSTERS))
    assert formats.read(response).format == "documents"
    assert numbers(key, response) == numbers(key, same)
    assert numbers(key, response)[0] != (1.0, 1.0)


@pytest.mark.parametrize("names", [None, ["a", "b"]])
def test_clusters_across_documents(tmp_path: Path, names: list[str] | None) -> None:
    """As xCoRe writes them: without names, documents are numbered."""
    record: dict[str, Any] = {
        "tokens": [[flat(doc)] for doc in WORDS],
        "clusters_token_offsets": ACROSS,
    }
    record |= {"doc_keys": names} if names else {}
    called = {} if names else {"a": "0", "b": "1"}
    by_doc = {
        doc: {n: [m[1:] for m in c if m[0] == at] for n, c in enumerate(ACROSS)}
        for at, doc in enumerate(WORDS)
    }
    key = given(tmp_path, "key.conll", as_conll(KEY, called))
    response = given(tmp_path, "response.json", json.dumps(record))
    same = given(tmp_path, "response.conll", as_conll(by_doc, called))
    found = numbers(key, response, scope="corpus")
    assert found == numbers(key, same, scope="corpus")
    assert found[1][1] < 1


def test_given_labels_are_chains_of_all_documents(tmp_path: Path, key: Path) -> None:
    """A label of two documents: the scope is a question."""
    record = [{**each, "clusters": {"7": each["clusters"][0]}} for each in END_TO_END]
    response = given(tmp_path, "response.jsonl", records(*record))
    with refused("scope-ambiguous"):
        package.score(key, response)


def test_a_corpus_is_written_and_read(cdec: Run, tmp_path: Path) -> None:
    out = tmp_path / "sample.jsonlines"
    part = ("--corpus", "sample", "--split", "test")
    assert cdec("corpus", "export", *part, "--to", "documents", "-o", out).exit == 0
    first = json.loads(out.read_text("utf-8").splitlines()[0])
    assert {"doc_key", "sentences", "clusters", "cluster_labels"} == first.keys()
    ran = cdec("eval", *part, out, "-s", "pure", "-f", "json")
    assert {row["f1"] for row in ran.json["rows"]} == {1.0}


# Mentions.


@pytest.mark.parametrize("form", CASES["mentions"])
def test_mention_files_score_as_conll(tmp_path: Path, key: Path, form: str) -> None:
    response = given(tmp_path, "response.json", CASES["mentions"][form])
    same = given(tmp_path, "response.conll", as_conll(CLUSTERS))
    assert numbers(key, response) == numbers(key, same)


@pytest.mark.parametrize("form", CASES["by_id"])
def test_mentions_by_id(tmp_path: Path, form: str) -> None:
    found = formats.read(given(tmp_path, "file", CASES["by_id"][form])).mentions
    mentions = [f"{d}/{start}" for d in CLUSTERS for chain in CLUSTERS[d] for start, _ in chain]
    assert found["mention"].tolist() == mentions
    assert found["chain"].tolist() == [*"eeffffff"]


# Wrong files.

WRONG = cases("documents_errors")
DOC = {"doc_key": "d", "tokens": ["A", "fire"], "clusters": [[[0, 1]]]}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_file_is_refused_with_its_line(tmp_path: Path, name: str) -> None:
    wrong = WRONG[name]
    file = given(tmp_path, "wrong.json", wrong["text"])
    place = f"{file}:{wrong['line']}" if wrong["line"] else str(file)
    with refused(wrong["code"], place) as caught:
        formats.read(file)
    assert isinstance(caught.value, FormatError)


def test_documents_without_a_name_are_numbered_with_a_notice(tmp_path: Path) -> None:
    """As fastcoref writes them."""
    texts = [{"text": "A fire", "clusters": [[[0, 6]]]}, {"text": "It", "clusters": [[[0, 2]]]}]
    found = formats.read(given(tmp_path, "file", records(*texts)))
    assert list(found.documents.items()) == [("0", ("A", "fire")), ("1", ("It",))]
    codes = [notice.code for notice in found.notices]
    assert codes == ["reading-assumed", "document-unnamed"]  # numbered clusters end with it


def test_documents_without_a_name_are_known_by_their_words(cdec: Run, tmp_path: Path) -> None:
    """In another order than in the corpus; with other words they are refused, never guessed."""
    corpus = package.load_corpus("sample", "test")
    mentions = corpus.selected.assign(chain=corpus.gold.labels)
    answers = []
    for doc in reversed(list(corpus.documents.values())):
        begins = [len(" ".join((*doc.tokens[:n], ""))) if n else 0 for n in range(len(doc.tokens))]
        clusters: dict[str, list[list[int]]] = {}
        own = mentions[mentions["doc"] == doc.id]
        for start, last, chain in zip(own["start"], own["end"], own["chain"], strict=True):
            end = begins[last] + len(doc.tokens[last])
            clusters.setdefault(str(chain), []).append([begins[start], end])
        answers.append({"text": " ".join(doc.tokens), "clusters": [*clusters.values()]})
    file = given(tmp_path, "fast.jsonl", records(*answers))
    call = ("eval", file, "--corpus", "sample", "--split", "test", "-s", "simple", "-f", "json")
    (row,) = [row for row in cdec(*call).json["rows"] if row["metric"] == "b3"]
    assert (row["precision"], row["p_num"] > 0) == (1.0, True)
    answers[0]["text"] = "X" + str(answers[0]["text"])[1:]
    given(tmp_path, "fast.jsonl", records(*answers))
    assert cdec(*call).exit == 1


def test_what_is_not_read_is_noticed(tmp_path: Path) -> None:
    both = {**DOC, "predicted_clusters": [[[0, 0]]]}
    inside = {"doc_key": "d", "text": "A fire.", "clusters": [[[2, 6]]]}
    fenced = f"```\n{records(DOC)}```\n"
    for text, mention in ((records(both), (0, 0)), (records(inside), (1, 1)), (fenced, (0, 1))):
        found = formats.read(given(tmp_path, "file", text))
        assert [notice.code for notice in found.notices] == ["reading-assumed"]
        assert found.mentions[["start", "end"]].to_numpy().tolist() == [list(mention)]


@pytest.mark.parametrize("name", CASES["cut"])
def test_json_that_ends_in_the_middle_of_a_record_says_so(tmp_path: Path, name: str) -> None:
    text, line = CASES["cut"][name]["text"], CASES["cut"][name]["line"]
    for end in (2, 3):
        file = given(tmp_path, "cut.json", text.rstrip()[:-end])
        last = text.rstrip()[:-end].rstrip().count("\n") + 1
        assert last <= line
        with refused("file-invalid", f"{file}:{last}") as caught:
            formats.read(file)
        assert "the file ends in the middle of a record" in str(caught.value)


@pytest.mark.parametrize("name", CASES["fences"])
def test_the_fences_of_an_answer_are_merged(cdec: Run, tmp_path: Path, name: str) -> None:
    case = CASES["fences"][name]
    mine = tmp_path / "mine.json"
    mine.write_text("Topic 1:\n```\n{first}\n```\nTopic 2:\n```\n{second}\n```\n".format(**case))
    annotation = formats.read(mine)
    assert annotation.mentions["chain"].nunique() == case["chains"]
    assert "2 fences" in annotation.notices[0].message
    ran = cdec("score", mine, mine, "--scope", "corpus", "-f", "json", "-q")
    assert ("fences=apart" in ran.out) == case["signed"]


@pytest.mark.parametrize("name", CASES["truncated"])
def test_truncated_answers_are_read(cdec: Run, tmp_path: Path, name: str) -> None:
    case = CASES["truncated"][name]
    complete = given(tmp_path, "complete", case["complete"])
    call = ("score", complete, given(tmp_path, "mine", case["text"].rstrip()), "--scope", "corpus")
    assert "--lenient" in cdec(*call).said
    ran = cdec(*call, "--lenient", "-f", "json")
    assert {row["f1"] for row in ran.json["rows"]} == {1}
    assert ("lenient=truncated" in ran.out, f"mine:{case['line']}" in ran.err) == (True, True)


def test_an_open_fence_is_a_warning(cdec: Run, tmp_path: Path) -> None:
    mine = given(tmp_path, "mine.json", '```json\n[["4_1ecb/1"]]\n')
    ran = cdec("eval", mine, "--corpus", "sample", "-s", "pure")
    assert (ran.exit, "is the answer truncated?" in ran.err) == (0, True)


def test_a_hint_names_options_of_its_command_only(cdec: Run, tmp_path: Path) -> None:
    cut = given(tmp_path, "cut.json", '[{"doc": "d", "tokens": [1], "chain": "a"}, {"doc": "d')
    for call in ("eval", "audit run --response", "corpus export --setting pure --response"):
        ran = cdec(*call.split(), cut, "--corpus", "sample")
        assert (ran.error, "--lenient" in ran.said) == ("file-invalid", call == "eval")


def test_results_given_as_a_response_are_named(cdec: Run, tmp_path: Path) -> None:
    results, corpus = tmp_path / "results.json", tmp_path / "corpus.jsonl"
    part = ("--corpus", "sample", "--split", "test")
    assert cdec("eval", "--system", "lemma", *part, "-s", "pure", "-o", results).exit == 0
    assert cdec("corpus", "export", "--corpus", "sample", "-o", corpus).exit == 0
    for path, made in ((results, "cdec-results/1"), (corpus, "cdec-corpus/1")):
        ran = cdec("eval", path, *part)
        assert (ran.exit, ran.error, made in ran.err) == (1, "format-undetected", True)
