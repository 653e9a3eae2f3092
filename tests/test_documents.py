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


def exclusive(clusters: Any) -> Any:
    return [[[start, end + 1] for start, end in cluster] for cluster in clusters]


def in_text(doc: str, clusters: Any) -> Any:
    """The characters of the mentions in the words joined by blanks; the end is exclusive."""
    text, words = " ".join(flat(doc)), flat(doc)
    begin = [len(" ".join(words[:n])) + (n > 0) for n in range(len(words))]
    spans = [[[begin[s], begin[e] + len(words[e])] for s, e in c] for c in clusters]
    return {"text": text, "clusters": spans, "clusters_strings": []}


def in_sentences(doc: str, clusters: Any) -> Any:
    """Sentence and words in it."""
    size = len(WORDS[doc][0])
    return [[[int(s >= size), s % size, s % size + e - s] for s, e in c] for c in clusters]


def documents(make: Any) -> list[Any]:
    return [make(doc, CLUSTERS[doc]) for doc in WORDS]


END_TO_END = documents(lambda d, c: {"doc_key": d, "sentences": WORDS[d], "clusters": c})
TOKENS = documents(lambda d, c: {"doc_key": d, "tokens": flat(d), "clusters": c})
FORMS = {
    "e2e, s2e, Maverick, xCoRe": records(*END_TO_END),
    "a list": json.dumps(END_TO_END, indent=1),
    "words": records(*TOKENS),
    "e2e predicts": records(
        *({**d, "clusters": [], "predicted_clusters": d["clusters"]} for d in END_TO_END)
    ),
    "Maverick's answer": records(
        *documents(lambda d, c: {"id": d, "tokens": flat(d), "clusters_token_offsets": c})
    ),
    "wl-coref": records(
        *documents(
            lambda d, c: {
                "document_id": d, "cased_words": flat(d), "word_clusters": [[0]],
                "clusters": [], "span_clusters": exclusive(c),
            }
        )
    ),
    "fastcoref": records(*documents(lambda d, c: {"doc_key": d, **in_text(d, c)})),
    "coref-data": records(
        *documents(
            lambda d, c: {
                "id": d,
                "sentences": [
                    {"id": n, "tokens": [{"id": m, "text": w} for m, w in enumerate(s)]}
                    for n, s in enumerate(WORDS[d])
                ],
                "coref_chains": in_sentences(d, c),
            }
        )
    ),
    "no text": records(*documents(lambda d, c: {"doc_key": d, "clusters": c})),
    "in a fence": f"<think>Which?\nThese.</think>\nSure:\n```json\n{json.dumps(END_TO_END)}\n```\n",
    "words before a fence": f"Sure:\n```json\n{json.dumps(END_TO_END)}\n```\n",
}  # fmt: skip


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

MENTIONS = [
    ({"doc": doc}, start, end, f"{doc}{n}")
    for doc, clusters in CLUSTERS.items()
    for n, cluster in enumerate(clusters)
    for start, end in cluster
]
IDS = [f"{where['doc']}/{start}" for where, start, _, _ in MENTIONS]
MENTION_FILES = {
    "Cattan": json.dumps(
        [
            {
                "doc_id": where["doc"], "topic": "1", "sentence_id": "0", "tokens": "A fire",
                "tokens_ids": [*range(start, end + 1)], "cluster_id": chain, "tags": "DT NN",
            }
            for where, start, end, chain in MENTIONS
        ]
    ),
    "chains of mentions": json.dumps(
        [
            {
                "cluster_id": label,
                "mentions": [[w["doc"], s, e] for w, s, e, chain in MENTIONS if chain == label],
            }
            for label in dict.fromkeys(chain for *_, chain in MENTIONS)
        ]
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", MENTION_FILES)
def test_mention_files_score_as_conll(tmp_path: Path, key: Path, form: str) -> None:
    response = given(tmp_path, "response.json", MENTION_FILES[form])
    same = given(tmp_path, "response.conll", as_conll(CLUSTERS))
    assert numbers(key, response) == numbers(key, same)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(
            [{"event": "e", "mention_ids": IDS[:2]}, {"event": "f", "mention_ids": IDS[2:]}]
        ),
        json.dumps([{"id": id_, "cluster": "ef"[n > 1]} for n, id_ in enumerate(IDS)]),
        records(*({"id": id_, "cluster": "ef"[n > 1]} for n, id_ in enumerate(IDS))),
        "id,cluster\n" + "".join(f"{id_},{'ef'[n > 1]}\n" for n, id_ in enumerate(IDS)),
        f"```json\n{json.dumps({id_: 'ef'[n > 1] for n, id_ in enumerate(IDS)})}\n```\n",
    ],
)
def test_mentions_by_id(tmp_path: Path, text: str) -> None:
    found = formats.read(given(tmp_path, "file", text)).mentions
    assert found["mention"].tolist() == IDS
    assert found["chain"].tolist() == ["e", "e", *["f"] * (len(IDS) - 2)]


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


def test_a_table_in_a_fence_is_read(tmp_path: Path) -> None:
    table = "doc,start,end,chain\nd,0,1,c\n"
    for words in ("", "Here are the chains, as a table:\n\n"):
        found = formats.read(given(tmp_path, "file", f"{words}```csv\n{table}```\nDone.\n"))
        assert (found.format, found.mentions["end"].tolist()) == ("csv", [1])
        assert [notice.code for notice in found.notices] == ["reading-assumed"]


CUT = {
    "mentions": (records(*({"mention": id_, "chain": 1} for id_ in IDS)), len(IDS)),
    "one mention": (records({"mention": "a/1", "chain": 1}), 1),
    "documents": (records(*END_TO_END), len(END_TO_END)),
    "chains": (json.dumps({"7": IDS}, indent=1), len(IDS) + 3),
    "a word of a list": (json.dumps([["a/1", None]])[:-2], 1),
}


@pytest.mark.parametrize("name", CUT)
def test_json_that_ends_in_the_middle_of_a_record_says_so(tmp_path: Path, name: str) -> None:
    text, line = CUT[name]
    for end in (2, 3):
        file = given(tmp_path, "cut.json", text.rstrip()[:-end])
        last = text.rstrip()[:-end].rstrip().count("\n") + 1
        assert last <= line
        with refused("file-invalid", f"{file}:{last}") as caught:
            formats.read(file)
        assert "the file ends in the middle of a record" in str(caught.value)


FENCES = {  # two fences, the chains of both, and what is in the signature
    "lists": ('[["d/0", "d/1"]]', '[["e/0", "e/1"]]', 2, False),
    "the same labels": ('{"1": ["d/0", "d/1"]}', '{"1": ["e/0", "e/1"]}', 2, True),
    "other labels": ('{"A": ["d/0", "d/1"]}', '{"B": ["e/0", "e/1"]}', 2, False),
    "lines": ('{"mention": "d/0", "chain": "x"}', '{"mention": "e/0", "chain": "x"}', 2, True),
    "tables": ("mention,chain\nd/0,x", "mention,chain\ne/0,y", 2, False),
}


@pytest.mark.parametrize("name", FENCES)
def test_the_fences_of_an_answer_are_merged(cdec: Run, tmp_path: Path, name: str) -> None:
    first, second, number, is_signed = FENCES[name]
    mine = tmp_path / "mine.json"
    mine.write_text(f"Topic 1:\n```\n{first}\n```\nTopic 2:\n```\n{second}\n```\n")
    annotation = formats.read(mine)
    assert annotation.mentions["chain"].nunique() == number
    assert "2 fences" in annotation.notices[0].message
    ran = cdec("score", mine, mine, "--scope", "corpus", "-f", "json", "-q")
    assert ("fences=apart" in ran.out) == is_signed


def test_a_document_in_two_fences_is_refused(tmp_path: Path) -> None:
    text = f"```\n{records(DOC)}```\n" * 2
    with refused("file-invalid"):
        formats.read(given(tmp_path, "twice.jsonl", text))


def test_an_open_fence_is_a_warning(cdec: Run, tmp_path: Path) -> None:
    mine = tmp_path / "mine.json"
    mine.write_text('```json\n[["4_1ecb/1"]]\n')
    ran = cdec("eval", mine, "--corpus", "sample", "-s", "pure")
    assert ran.exit == 0
    assert "is the answer truncated?" in ran.err


def test_results_given_as_a_response_are_named(cdec: Run, tmp_path: Path) -> None:
    results, corpus = tmp_path / "results.json", tmp_path / "corpus.jsonl"
    part = ("--corpus", "sample", "--split", "test")
    call = ("eval", "--system", "lemma", *part, "-s", "pure", "-o", results)
    assert cdec(*call).exit == 0
    assert cdec("corpus", "export", "--corpus", "sample", "-o", corpus).exit == 0
    for path, made in ((results, "cdec-results/1"), (corpus, "cdec-corpus/1")):
        ran = cdec("eval", path, *part)
        assert (ran.exit, ran.error) == (1, "format-undetected")
        assert made in ran.err
