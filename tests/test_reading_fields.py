"""Which field of a file is what: the chain of each side, who a mention is, names of the caller."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import cdec as package
from cdec import FilePolicy, formats
from cdec.errors import CdecWarning
from tests.cases import cases, refused
from tests.program import Run
from tests.tiny_files import EVENTS, answer, given, records

# ---- the chain of a key and of a response ----

CASES = cases("fields_cases")
WORDS = ["A", "storm", "hit", "it", "hard"]
GOLD = [[[0, 1], [3, 3]]]
PREDICTED = [[[0, 0], [2, 2]]]
TEXTS: dict[str, dict[str, Any]] = {
    "sentences": {"doc_key": "d", "sentences": [WORDS]},
    "words": {"doc_key": "d", "cased_words": WORDS},
    "none": {"doc_key": "d"},
}


def exclusive(clusters: Any) -> Any:
    return [[[start, end + 1] for start, end in cluster] for cluster in clusters]


@pytest.mark.parametrize(("gold", "predicted"), CASES["clusters"])
@pytest.mark.parametrize("text", TEXTS)
def test_documents_with_both_sides(
    cdec: Run, tmp_path: Path, text: str, gold: str, predicted: str
) -> None:
    """A key is read from the gold clusters, a response from the predicted ones."""
    spans = (GOLD, PREDICTED) if text != "words" else (exclusive(GOLD), exclusive(PREDICTED))
    both = {**TEXTS[text], gold: spans[0], predicted: spans[1]}
    file = given(tmp_path, "both.jsonl", records(both))
    assert cdec("score", file, file).error == "mentions-disjoint"
    found = answer(cdec, "score", file, file, "--allow-empty", metric="b3")
    assert (found.key, found.response, found.common) == (2, 2, 0)
    assert found.counts["b3"] == (0, 2, 0, 2)
    assert "swapped" not in found.said
    for name, clusters in ((gold, spans[0]), (predicted, spans[1])):
        alone = given(tmp_path, f"{name}.jsonl", records({**TEXTS[text], name: clusters}))
        pair = (file, alone) if name == gold else (alone, file)
        assert answer(cdec, "score", *pair, metric="b3").counts["b3"] == (2, 2, 2, 2)


def test_both_sides_in_the_json_of_crac(cdec: Run, tmp_path: Path) -> None:
    row = {
        "doc_id": "d",
        "tokens": WORDS,
        "clusters_token_offsets": GOLD,
        "predicted_clusters_token_offsets": PREDICTED,
    }
    file = given(tmp_path, "both.json", json.dumps([row]))
    found = answer(cdec, "score", file, file, "--allow-empty", metric="b3")
    assert (found.key, found.response, found.common) == (2, 2, 0)


def test_a_key_whose_predictions_are_empty_has_mentions(cdec: Run, tmp_path: Path) -> None:
    row = {"doc_key": "d", "sentences": [WORDS], "clusters": GOLD, "predicted_clusters": []}
    file = given(tmp_path, "key.jsonl", records(row))
    found = answer(cdec, "score", file, file, "--allow-empty", metric="muc")
    assert (found.key, found.response) == (2, 0)
    assert package.score(file, file, policy=FilePolicy(allow_empty=True))["muc"].recall == 0


def test_each_document_must_have_both_sides(tmp_path: Path) -> None:
    rows = [
        {"doc_key": "d", "clusters": GOLD, "predicted_clusters": []},
        {"doc_key": "e", "clusters": GOLD},
    ]
    file = given(tmp_path, "both.jsonl", records(*rows))
    with refused("field-invalid", f"{file}:2"):
        formats.read(file)


ROWS = [("d", 0, 1, "a", "x"), ("d", 3, 3, "a", "y"), ("d", 5, 5, "b", "y")]


def tables(gold: str, predicted: str) -> dict[str, str]:
    names = ("doc", "start", "end", gold, predicted)
    rows = [dict(zip(names, row, strict=True)) for row in ROWS]
    lines = [names, *ROWS]
    return {
        "csv": "".join(",".join(map(str, line)) + "\n" for line in lines),
        "tsv": "".join("\t".join(map(str, line)) + "\n" for line in lines),
        "jsonl": records(*rows),
        "json": json.dumps(rows),
    }


@pytest.mark.parametrize(("gold", "predicted"), CASES["chains"])
def test_tables_and_records_with_both_sides(tmp_path: Path, gold: str, predicted: str) -> None:
    for form, text in tables(gold, predicted).items():
        file = given(tmp_path, f"both.{form}", text)
        found = package.score(file, file, metrics="b3")
        assert found["b3"][:2] == (pytest.approx(2 / 3), pytest.approx(2 / 3)), form
        assert not any(notice.code == "swapped" for notice in found.notices)
    frame: Any = pd.DataFrame(ROWS, columns=["doc", "start", "end", gold, predicted])
    assert package.score(frame, frame, metrics="b3")["b3"].precision == pytest.approx(2 / 3)
    assert formats.from_frame(frame).mentions["chain"].tolist() == ["x", "y", "y"]


def test_chains_of_both_sides_in_one_object(tmp_path: Path) -> None:
    both = {
        "clusters": {"a": [["d", 0, 1], ["d", 3, 3]], "b": [["d", 5, 5]]},
        "predicted_clusters": {"x": [["d", 0, 1]], "y": [["d", 3, 3], ["d", 7, 7]]},
    }
    file = given(tmp_path, "both.json", json.dumps(both))
    found = package.score(file, file, metrics="mentions")
    assert found["mentions"][:2] == (pytest.approx(2 / 3), pytest.approx(2 / 3))


def test_a_response_to_a_corpus_is_the_predicted_side(
    cdec: Run, corpus_of_events: Path, tmp_path: Path
) -> None:
    rows = [
        {"mention": f"{doc}/{number}", "gold_chain": chain, "predicted_chain": f"{doc}{number}"}
        for doc, number, _, chain, _ in EVENTS
    ]
    file = given(tmp_path, "both.jsonl", records(*rows))
    found = answer(cdec, "eval", file, "--corpus", corpus_of_events, "-s", "pure", metric="muc")
    assert found.counts["muc"][0] == 0


@pytest.fixture
def corpus_of_events(tmp_path: Path) -> Path:
    """The key of the small corpus, as one of its own."""
    mentions = [
        {"id": f"{doc}/{number}", "doc": doc, "tokens": tokens, "chain": chain}
        for doc, number, tokens, chain, _ in EVENTS
    ]
    path = tmp_path / "corpus.jsonl"
    package.build_corpus(mentions, name="events").save(path)
    return path


def test_the_key_of_a_new_corpus_is_the_gold_side(cdec: Run, tmp_path: Path) -> None:
    texts = given(tmp_path, "texts.csv", "id,text\nd,A storm hit it hard.\n")
    for gold, predicted in (("cluster", "predicted_cluster"), ("gold_label", "label")):
        table = given(
            tmp_path,
            "mentions.csv",
            f"doc,from_char,to_char,{gold},{predicted}\nd,2,7,a,x\nd,12,14,a,y\n",
        )
        name = f"of-{gold.replace('_', '-')}"
        assert cdec("corpus", "add", texts, "--mentions", table, "--name", name).exit == 0
        assert len(set(package.load_corpus(name).gold.labels)) == 1
    rows = [
        {"doc": "d", "tokens": [1], "gold_chain": "a", "predicted_chain": "x"},
        {"doc": "d", "tokens": [3], "gold_chain": "a", "predicted_chain": "y"},
    ]
    assert len(set(package.build_corpus(rows).gold.labels)) == 1


# ---- who a mention is ----


def lines(*rows: str, name: str = "ALL") -> str:
    return "\n".join([f"#begin document ({name}); part 000", *rows, "#end document", ""])


@pytest.mark.parametrize("case", CASES["nobody"])
def test_lines_without_a_place_are_no_mentions(cdec: Run, tmp_path: Path, case: str) -> None:
    """In the same order, in another one, and with a line fewer."""
    rows = CASES["nobody"][case]
    key = given(tmp_path, "key.conll", lines(*rows))
    for number, response in enumerate((rows, rows[::-1], rows[:-1])):
        file = given(tmp_path, f"response{number}.conll", lines(*response))
        assert cdec("score", key, file, "--scope", "corpus").error == "mention-unknown"
    assert cdec("eval", key, "--corpus", "sample", "--allow-empty").error == "mention-unknown"
    assert cdec("compare", key, "lemma", "--corpus", "sample").error == "mention-unknown"


def test_such_lines_are_no_corpus(cdec: Run, tmp_path: Path) -> None:
    file = given(tmp_path, "key.conll", lines("d\t_\t_\t(1)", "d\t_\t_\t(1)", "d\t_\t_\t(2)"))
    assert cdec("corpus", "add", file).error == "mention-unknown"


@pytest.mark.parametrize("case", CASES["tokens"])
def test_lines_of_a_text_are_tokens(cdec: Run, tmp_path: Path, case: str) -> None:
    key = given(tmp_path, "key.conll", lines(*CASES["tokens"][case], name="d"))
    found = answer(cdec, "score", key, key, metric="b3")
    assert found.key == found.common > 0


def test_lines_with_ids_are_paired_by_them(cdec: Run, tmp_path: Path) -> None:
    """Whatever their order, and without one of them."""
    rows = [f"1_1ecb_0_{n}_{n}\t({chain})" for n, chain in enumerate("1122334455")]
    key = given(tmp_path, "key.conll", lines(*rows))
    others = [rows[n] for n in (3, 9, 0, 7, 1, 5, 8, 2, 6)]
    response = given(tmp_path, "response.conll", lines(*others, "1_2ecb_0_1_1\t(5)"))
    found = answer(cdec, "score", key, response, metric="muc")
    assert (found.key, found.response, found.common) == (10, 10, 9)
    assert found.counts["muc"][:2] == (4, 5)


LOCAL_IDS: list[tuple[int, str]] = [(1, "a"), (2, "a"), (3, "b"), (1, "b"), (2, "c")]


@pytest.mark.parametrize("first", [0, 1])
def test_ids_that_begin_again_are_no_mentions(cdec: Run, tmp_path: Path, first: int) -> None:
    rows = [{"id": number - 1 + first, "cluster": chain} for number, chain in LOCAL_IDS]
    table = "id,cluster\n" + "".join(f"{row['id']},{row['cluster']}\n" for row in rows)
    prefixed = [{**row, "id": f"T{row['id']}"} for row in rows]
    file = given(tmp_path, "prefixed.jsonl", records(*prefixed))
    assert cdec("score", file, file, "--scope", "corpus").error == "mention-unknown"
    for name, text in (("a.jsonl", records(*rows)), ("a.json", json.dumps(rows)), ("a.csv", table)):
        file = given(tmp_path, name, text)
        assert cdec("score", file, file, "--scope", "corpus").error == "mention-unknown"
    named = [{**row, "doc": "de"[n > 2]} for n, row in enumerate(rows)]
    file = given(tmp_path, "named.jsonl", records(*named))
    assert answer(cdec, "score", file, file, "--scope", "corpus", metric="b3").key == 5


# ---- names of no field ----


@pytest.mark.parametrize("tool", CASES["tools"])
def test_files_of_other_tools_are_refused(cdec: Run, tmp_path: Path, tool: str) -> None:
    file = given(tmp_path, "file.json", CASES["tools"][tool])
    ran = cdec("score", file, file, "--scope", "corpus")
    assert ran.exit == 1
    assert ran.error in ("field-invalid", "format-undetected", "brackets-invalid")
    assert "noise" not in ran.said


def test_an_unknown_name_beside_a_complete_mention_is_noticed(cdec: Run, tmp_path: Path) -> None:
    rows = [
        {"doc": "d", "start": n, "end": n, "chain": "a", "startOffset": 9, "coref_link": "x"}
        for n in range(2)
    ]
    file = given(tmp_path, "file.jsonl", records(*rows))
    found = answer(cdec, "score", file, file, metric="b3")
    assert found.common == 2
    assert found.said["reading-assumed"] == 1


# ---- names that the caller gives ----

OTHER = "file,from,to,who,cluster\nd,0,1,a,z\nd,3,3,a,z\nd,5,5,b,z\n"
KEY = "doc,start,end,chain\nd,0,1,a\nd,3,3,a\nd,5,5,b\n"
COLUMNS = {"doc": "file", "start": "from", "end": "to", "chain": "who"}
OPTION = ",".join(f"{field}={name}" for field, name in COLUMNS.items())


def test_columns_of_the_caller_at_every_door(cdec: Run, tmp_path: Path) -> None:
    """They go before other names, and one of the files may have the usual ones."""
    key = given(tmp_path, "key.csv", KEY)
    names = ("file", "from", "to", "who", "cluster")
    typed: list[dict[str, Any]] = [
        dict(zip(names, row, strict=True))
        for row in (("d", 0, 1, "a", "z"), ("d", 3, 3, "a", "z"), ("d", 5, 5, "b", "z"))
    ]
    files = [
        given(tmp_path, "other.csv", OTHER),
        given(tmp_path, "other.tsv", OTHER.replace(",", "\t")),
        given(tmp_path, "other.jsonl", records(*typed)),
        given(tmp_path, "other.json", json.dumps(typed)),
    ]
    policy = FilePolicy(columns=COLUMNS)
    for file in files:
        for pair in ((key, file), (file, file), (file, key)):
            found = answer(cdec, "score", *pair, "--columns", OPTION, metric="b3")
            assert found.counts["b3"] == (3, 3, 3, 3)
            assert found.signature["columns"] == COLUMNS
        assert formats.read(file, columns=COLUMNS).mentions["chain"].tolist() == ["a", "a", "b"]
        assert cdec("score", key, file).exit == 1
    frame: Any = pd.DataFrame(typed)
    assert package.score(key, frame, policy=policy)["b3"].f1 == 1
    assert formats.from_frame(frame, columns=COLUMNS).mentions["start"].tolist() == [0, 3, 5]


def test_a_name_twice_is_refused_also_if_the_caller_names_it(cdec: Run, tmp_path: Path) -> None:
    file = given(tmp_path, "twice.csv", "doc,start,end,chain,chain\nd,0,0,a,b\nd,1,1,a,c\n")
    for columns in ((), ("--columns", "chain=chain")):
        ran = cdec("score", file, file, *columns)
        assert (ran.exit, ran.error) == (1, "field-invalid")
        assert "twice.csv:1" in ran.said


def test_columns_beside_a_corpus(cdec: Run, corpus_of_events: Path, tmp_path: Path) -> None:
    rows = [f"{doc}/{number},{chain}\n" for doc, number, _, chain, _ in EVENTS]
    text = "".join(["name,group\n", *rows])
    file = given(tmp_path, "mine.csv", text)
    corpus = ("--corpus", corpus_of_events)
    columns = ("--columns", "mention=name", "--columns", "chain=group")
    found = answer(cdec, "eval", file, *corpus, *columns, "-s", "pure", metric="b3")
    assert found.common == found.key > 0
    for call in (("compare", file, "lemma", *corpus), ("diagnose", file, *corpus)):
        assert cdec(*call, *columns, "--mentions", "event").error != "format-undetected"
    results = package.evaluate(
        package.load_corpus(str(corpus_of_events)),
        file,
        policy=FilePolicy(columns={"mention": "name", "chain": "group"}),
        metrics="b3",
    )
    assert results["pure"]["b3"].f1 == 1


def test_columns_of_a_new_corpus(cdec: Run, tmp_path: Path) -> None:
    texts = given(tmp_path, "texts.csv", "id,text\nd,A storm hit it hard.\n")
    table = given(tmp_path, "m.csv", "file,a,b,who,chain\nd,2,7,x,1\nd,12,14,x,2\n")
    columns = "doc=file,from_char=a,to_char=b,chain=who"
    call = ("corpus", "add", texts, "--mentions", table, "--name", "named")
    assert cdec(*call, "--columns", columns).exit == 0
    assert len(set(package.load_corpus("named").gold.labels)) == 1
    assert cdec(*call, "--columns", f"{columns},kind=sort").error == "argument-invalid"
    assert cdec(*call, "--columns", f"{columns},colour=who").error == "name-unknown"
    assert cdec("corpus", "add", texts, "--columns", "doc=file").error == "option-conflict"
    rows = [{"file": "d", "at": [1], "who": "a"}, {"file": "d", "at": [3], "who": "a"}]
    named = {"doc": "file", "tokens": "at", "chain": "who"}
    assert len(set(package.build_corpus(rows, columns=named).gold.labels)) == 1
    with refused("argument-invalid"):
        package.build_corpus(rows, columns={**named, "kind": "sort"})


def test_columns_that_are_not_there(cdec: Run, tmp_path: Path) -> None:
    key = given(tmp_path, "key.csv", KEY)
    other = given(tmp_path, "other.csv", KEY)
    codes = {
        "chain=whom": "argument-invalid",
        "colour=who": "name-unknown",
        "chain": "argument-invalid",
        "chain=who,chain=cluster": "argument-invalid",
    }
    for columns, code in codes.items():
        assert cdec("score", key, other, "--columns", columns).error == code, columns


# ---- a table that was cut ----

WHOLE = "doc,start,end,chain\nd,0,1,ACT12\nd,3,3,ACT12\nd,5,5,ACT704\n"


@pytest.mark.parametrize(
    ("kept", "mentions"),
    [(WHOLE[:-9], 2), (WHOLE[:-8], 2), (WHOLE[:-7], 2), (WHOLE[:-5], 3), (WHOLE[:-4], 3)],
)
def test_a_table_that_ends_inside_its_last_row(
    cdec: Run, tmp_path: Path, kept: str, mentions: int
) -> None:
    """Fields are missing, or the last one is only a beginning."""
    key = given(tmp_path, "key.csv", WHOLE)
    for separator in (",", ";", "\t"):
        file = given(tmp_path, "cut.csv", kept.replace(",", separator))
        found = answer(cdec, "score", key, file, metric="b3")
        assert found.response == mentions
        assert "reading-assumed" in found.warnings
        assert found.notices["reading-assumed"]["examples"] == [f"{file}:4"]
        with pytest.warns(CdecWarning, match="reading-assumed"):
            package.score(key, file)


def test_a_table_without_a_last_line_end_is_whole(cdec: Run, tmp_path: Path) -> None:
    key = given(tmp_path, "key.csv", WHOLE)
    for text in (WHOLE[:-1], WHOLE[:-2], KEY[:-1]):
        file = given(tmp_path, "whole.csv", text)
        assert not answer(cdec, "score", key, file, metric="b3").warnings


def test_a_cut_table_of_mentions_is_a_warning(cdec: Run, tmp_path: Path) -> None:
    texts = given(tmp_path, "texts.csv", "id,text\nd,A storm hit it hard.\n")
    table = given(tmp_path, "m.csv", "doc,from_char,to_char,chain\nd,2,7,x\nd,12,14")
    ran = cdec("corpus", "add", texts, "--mentions", table, "--name", "cut", "--verbose")
    assert ran.exit == 0
    assert "warning[reading-assumed]" in ran.err
    assert len(package.load_corpus("cut").mentions) == 1


def test_a_cut_list_of_pairs_is_a_warning(cdec: Run, tmp_path: Path) -> None:
    corpus = package.load_corpus("sample", "test")
    first, second, third = corpus.selected.index[:3]
    text = f"a,b,score\n{first},{second},.9\n{first},{third}"
    table = given(tmp_path, "pairs.csv", text)
    ran = cdec("eval", f"pairs:{table}@.5", "--corpus", "sample", "--split", "test", "--verbose")
    assert ran.exit == 0
    assert f"{table}:3" in ran.err
