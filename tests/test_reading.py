"""What a file means: where labels hold, and which labels are no chain, at every door and format."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import cdec as package
from cdec import build_corpus
from cdec.errors import CdecWarning
from tests.cases import cases, refused
from tests.program import Run
from tests.tiny_files import brackets, given, records

Mention = tuple[str, int, str, str]
MENTIONS: list[Mention] = cases("reading_cases")["mentions"]
SIZE = 6
TEXTS = {doc: [[f"w{token}" for token in range(SIZE)]] for doc in ("d1", "d2")}
Chains = dict[tuple[str, int], str]
GLOBAL: Chains = {(doc, token): chain for doc, token, chain, _ in MENTIONS}
LOCAL: Chains = {(doc, token): number for doc, token, _, number in MENTIONS}
PREFIXED: Chains = {place: f"cluster_{number}" for place, number in LOCAL.items()}
# The numbers from 1, not in order of the text.
FROM_ONE: Chains = {place: str(2 - int(number)) for place, number in LOCAL.items()}
SEPARATE: Chains = {(doc, token): f"{doc}:{n}" for (doc, token), n in LOCAL.items()}
JOINED: Chains = {place: {"0": "fire", "1": "storm"}[n] for place, n in LOCAL.items()}


def conll(chains: Chains) -> str:
    return brackets(((doc, token, token, chain) for (doc, token), chain in chains.items()), TEXTS)


def conllu(chains: Chains) -> str:
    lines = []
    for doc in ("d1", "d2"):
        lines += [f"# newdoc id = {doc}", "# global.Entity = eid-etype-head-other"]
        lines.append(f"# sent_id = {doc}-1")
        for token in range(SIZE):
            entity = "_"
            if (doc, token) in chains:
                entity = f"Entity=({chains[doc, token]}-event-1)"
            head = f"{token}\t{'dep' if token else 'root'}"
            lines.append(f"{token + 1}\tw{token}\t_\t_\t_\t_\t{head}\t_\t{entity}")
        lines.append("")
    return "\n".join(lines) + "\n"


def rows(chains: Chains) -> list[dict[str, Any]]:
    return [
        {"doc": doc, "start": token, "end": token, "chain": chain}
        for (doc, token), chain in chains.items()
    ]


def table(chains: Chains, separator: str) -> str:
    return pd.DataFrame(rows(chains)).to_csv(index=False, sep=separator)


def documents(chains: Chains) -> str:
    made = []
    for doc, sentences in TEXTS.items():
        clusters: dict[str, list[list[int]]] = {}
        for (home, token), chain in chains.items():
            if home == doc:
                clusters.setdefault(chain, []).append([token, token])
        labels = {"clusters": [*clusters.values()], "cluster_labels": [*clusters]}
        made.append({"doc_key": doc, "sentences": sentences, **labels})
    return records(*made)


def ids(chains: Chains) -> str:
    return json.dumps({f"{doc}/{token}-{token}": chain for (doc, token), chain in chains.items()})


FORMATS: dict[str, Callable[[Chains], str]] = {
    "conll": conll,
    "conllu": conllu,
    "jsonl": lambda chains: records(*rows(chains)),
    "csv": lambda chains: table(chains, ","),
    "tsv": lambda chains: table(chains, "\t"),
    "documents.jsonl": documents,
    "json": ids,
}
IN_PYTHON: dict[str, Callable[[Chains], Any]] = {
    "frame": lambda chains: pd.DataFrame(rows(chains)),
    "dict": lambda chains: {(doc, t, t): chain for (doc, t), chain in chains.items()},
    "series": lambda chains: pd.Series(
        list(chains.values()), [f"{doc}/{t}-{t}" for doc, t in chains]
    ),
}


@pytest.fixture
def corpus_file(tmp_path: Path) -> Path:
    """A corpus with these mentions, whose chains are those of the corpus."""
    path = tmp_path / "corpus.jsonl"
    build_corpus(rows(GLOBAL), TEXTS, name="corpus").save(path)
    return path


def written(folder: Path, name: str, form: str, chains: Chains) -> Path:
    return given(folder, f"{name}.{form.rpartition('.')[2]}", FORMATS[form](chains))


def conll_f1(cdec: Run, *arguments: object) -> float:
    """The CoNLL F1 of a call under SIMPLE-CDEC, in percent."""
    ran = cdec(*arguments, "--metric", "conll", "-f", "json", "-q")
    return round(100 * float(ran.json["rows"][0]["f1"]), 3)


@pytest.mark.parametrize("form", FORMATS)
def test_eval_asks_where_the_labels_of_a_response_hold(
    cdec: Run, corpus_file: Path, tmp_path: Path, form: str
) -> None:
    options = ("--corpus", corpus_file, "-s", "simple")
    expected = {
        "document": conll_f1(cdec, "eval", written(tmp_path, "a", form, SEPARATE), *options),
        "corpus": conll_f1(cdec, "eval", written(tmp_path, "b", form, JOINED), *options),
    }
    for local in (LOCAL, PREFIXED, FROM_ONE):
        call = ("eval", written(tmp_path, "mine", form, local), *options)
        assert cdec(*call).error == "scope-ambiguous"
        for scope, f1 in expected.items():
            assert conll_f1(cdec, *call, "--labels", f"mine={scope}") == f1
            ran = cdec(*call, "--labels", scope, "--metric", "conll", "-f", "json", "-q")
            assert round(100 * ran.json["rows"][0]["f1"], 3) == f1
            assert f"reading:labels={scope}" in ran.json["signature"]
        assert cdec(*call, "--labels", "other=document").error == "name-unknown"


@pytest.mark.parametrize("form", FORMATS)
def test_score_with_a_setting_asks_on_both_sides(cdec: Run, tmp_path: Path, form: str) -> None:
    key = written(tmp_path, "key", form, LOCAL)
    mine = written(tmp_path, "mine", form, LOCAL)
    separate = written(tmp_path, "separate", form, SEPARATE)
    joined = written(tmp_path, "joined", form, JOINED)
    call = ("score", key, mine, "-s", "simple")
    assert cdec(*call).error == "scope-ambiguous"
    assert cdec(*call, "--labels", "document").error == "scope-ambiguous"
    assert conll_f1(cdec, *call, "--labels", "document", "--key-labels", "document") == 100
    local = conll_f1(cdec, *call, "--labels", "document", "--key-labels", "corpus")
    assert local == conll_f1(cdec, "score", joined, separate, "-s", "simple") < 100


@pytest.mark.parametrize("form", FORMATS)
def test_score_with_a_scope_has_an_answer(cdec: Run, tmp_path: Path, form: str) -> None:
    key = written(tmp_path, "key", form, GLOBAL)
    mine = written(tmp_path, "mine", form, LOCAL)
    separate = written(tmp_path, "separate", form, SEPARATE)
    assert conll_f1(cdec, "score", mine, mine, "--scope", "document") == 100
    ran = cdec("score", key, mine, "--scope", "corpus", "-f", "json")
    assert "scope-ambiguous" in {notice["code"] for notice in ran.json["notices"]}
    stated = conll_f1(cdec, "score", key, mine, "--scope", "corpus", "--labels", "document")
    assert stated == conll_f1(cdec, "score", key, separate, "--scope", "corpus")


@pytest.mark.parametrize("door", IN_PYTHON)
def test_python_asks_where_the_labels_of_a_response_hold(corpus_file: Path, door: str) -> None:
    corpus = package.load_corpus(str(corpus_file), "all")
    response = IN_PYTHON[door](LOCAL)
    with refused("scope-ambiguous"):
        package.evaluate(corpus, response, setting="simple")
    for scope, plain in (("document", SEPARATE), ("corpus", JOINED)):
        policy = package.FilePolicy(labels=scope)
        found = package.evaluate(corpus, response, setting="simple", policy=policy)
        other = package.evaluate(corpus, IN_PYTHON[door](plain), setting="simple")
        assert found["conll"] == other["conll"]


def test_a_list_of_the_mentions_of_a_chain_asks_nothing(
    cdec: Run, corpus_file: Path, tmp_path: Path
) -> None:
    chains: dict[str, list[list[object]]] = {}
    for (doc, token), chain in LOCAL.items():
        chains.setdefault(chain, []).append([doc, token, token])
    for name, value in (("dict", chains), ("list", list(chains.values()))):
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(value), "utf8")
        joined = written(tmp_path, "joined", "jsonl", JOINED)
        call = ("--corpus", corpus_file, "-s", "simple")
        assert conll_f1(cdec, "eval", path, *call) == conll_f1(cdec, "eval", joined, *call)
    corpus = package.load_corpus(str(corpus_file), "all")
    clustering = package.Clustering.from_labels(IN_PYTHON["series"](LOCAL))
    found = package.evaluate(corpus, clustering, setting="simple")
    other = package.evaluate(corpus, IN_PYTHON["series"](JOINED), setting="simple")
    assert found["conll"] == other["conll"]


def test_labels_that_do_not_look_local_ask_nothing(
    cdec: Run, corpus_file: Path, tmp_path: Path
) -> None:
    odd = {place: str(7 + int(number)) for place, number in LOCAL.items()}
    mine = written(tmp_path, "mine", "csv", odd)
    joined = written(tmp_path, "joined", "csv", JOINED)
    call = ("--corpus", corpus_file, "-s", "simple")
    assert conll_f1(cdec, "eval", mine, *call) == conll_f1(cdec, "eval", joined, *call)


@pytest.mark.parametrize("verb", ["compare", "diagnose"])
def test_other_verbs_ask_as_well(cdec: Run, corpus_file: Path, tmp_path: Path, verb: str) -> None:
    mine = written(tmp_path, "mine", "jsonl", LOCAL)
    other = written(tmp_path, "other", "jsonl", GLOBAL)
    call = (verb, mine, other, "--corpus", corpus_file, "-s", "simple")
    assert cdec(*call).error == "scope-ambiguous"
    assert cdec(*call, "--labels", "mine=document").error != "scope-ambiguous"


def add(cdec: Run, path: Path, *options: object) -> Any:
    """Add a corpus, and return its number of chains, or the code of the error."""
    call = ("corpus", "add", path, "--name", "added", *options)
    ran = cdec(*call)
    if ran.exit:
        return ran.error
    ran = cdec(*call, "-f", "json")
    items = {row["item"]: row["found"] for row in ran.json["rows"]}
    return items["chains"]


def test_corpus_add_asks_where_the_labels_of_a_key_hold(cdec: Run, tmp_path: Path) -> None:
    path = written(tmp_path, "key", "conll", LOCAL)
    assert add(cdec, path) == "scope-ambiguous"
    assert add(cdec, path, "--key-labels", "document") == 4
    assert add(cdec, path, "--key-labels", "corpus") == 2
    assert add(cdec, written(tmp_path, "whole", "conll", GLOBAL)) == 3
    assert cdec("eval", "lemma", "--corpus", path).error == "scope-ambiguous"


def texts_of(folder: Path) -> Path:
    """A folder with the texts of the documents, whose tokens are two characters."""
    for doc, (words,) in TEXTS.items():
        given(folder, f"{doc}.txt", " ".join(words))
    return folder


def test_mentions_of_texts_ask_where_labels_hold(cdec: Run, tmp_path: Path) -> None:
    texts = texts_of(tmp_path / "texts")
    mentions = tmp_path / "mentions.csv"
    offsets = [
        {"doc": doc, "from_char": 3 * token, "to_char": 3 * token + 2, "chain": chain}
        for (doc, token), chain in LOCAL.items()
    ]
    pd.DataFrame(offsets).to_csv(mentions, index=False)
    assert add(cdec, texts, "--mentions", mentions) == "scope-ambiguous"
    assert add(cdec, texts, "--mentions", mentions, "--key-labels", "document") == 4


def test_attributes_of_brat_ask_where_labels_hold(cdec: Run, tmp_path: Path) -> None:
    texts = texts_of(tmp_path / "texts")
    lines: dict[str, list[str]] = {"d1": [], "d2": []}
    for (doc, token), chain in LOCAL.items():
        number = len(lines[doc]) + 1
        lines[doc].append(f"T{number}\tEvent {3 * token} {3 * token + 2}\tw{token}")
        lines[doc].append(f"A{number}\tchain T{number} {chain}")
    for doc, annotated in lines.items():
        (texts / f"{doc}.ann").write_text("\n".join(annotated) + "\n", "utf8")
    assert add(cdec, texts, "--mentions", texts) == "scope-ambiguous"
    assert add(cdec, texts, "--mentions", texts, "--key-labels", "document") == 4
    # A relation is of its document, so it does not make labels of the corpus of the others.
    lines["d1"] += ["T9\tEvent 3 5\tw1", "T10\tEvent 9 11\tw3", "R1\tCoref Arg1:T9 Arg2:T10"]
    (texts / "d1.ann").write_text("\n".join(lines["d1"]) + "\n", "utf8")
    assert add(cdec, texts, "--mentions", texts) == "scope-ambiguous"


def test_build_corpus_asks_where_labels_hold() -> None:
    with refused("scope-ambiguous"):
        build_corpus(rows(LOCAL), TEXTS)
    for scope, chains in (("document", 4), ("corpus", 2)):
        assert len(build_corpus(rows(LOCAL), TEXTS, key_labels=scope).gold.chains()) == chains


def test_three_documents_of_which_one_is_not_numbered_anew() -> None:
    mentions = [
        {"doc": doc, "start": token, "end": token, "chain": chain}
        for doc, chains in (("a", "01"), ("b", "01"), ("c", "07"))
        for token, chain in enumerate(chains)
    ]
    assert len(build_corpus(mentions).gold.chains()) == 3


# ---- labels that mean no chain ----

NO_CHAIN = (
    *("-1", "-2", "-100", "nan", "None", "null", "NA", "n/a", "<NA>", "#N/A", "-", "--", "_", "*"),
    *(".", "?", "UNK", "Unknown", "NIL", "O", "no_cluster", "noise", "singleton"),
)
# Labels that only contain one of these.
CHAINS = ("0", "o", "NIL1", "unknown-1", "1-", "no", "Oil", "noise level")


def noisy(label: str) -> Chains:
    """The chains of the corpus, in which the last three mentions have this label."""
    places = list(GLOBAL)
    return {**GLOBAL, **dict.fromkeys(places[-3:], label)}


@pytest.mark.parametrize("form", ["csv", "jsonl", "json", "documents.jsonl"])
def test_a_label_of_no_chain_is_refused_or_explained(
    cdec: Run, corpus_file: Path, tmp_path: Path, form: str
) -> None:
    options = ("--corpus", corpus_file, "-s", "simple")
    key = written(tmp_path, "key", "csv", GLOBAL)
    single = {place: f"s{n}" for n, place in enumerate(list(GLOBAL)[-3:])}
    singles = written(tmp_path, "singles", form, {**GLOBAL, **single})
    of_singles = conll_f1(cdec, "eval", singles, *options)
    of_chain = conll_f1(cdec, "eval", written(tmp_path, "chain", form, noisy("q")), *options)
    for label in NO_CHAIN:
        mine = written(tmp_path, "mine", form, noisy(label))
        call = ("eval", mine, *options)
        assert cdec(*call).error == "label-ambiguous", label
        assert cdec("score", key, mine, "-s", "simple").error == "label-ambiguous", label
        assert conll_f1(cdec, *call, "--noise", "singletons") == of_singles, label
        assert conll_f1(cdec, *call, "--noise", "label") == of_chain, label


@pytest.mark.parametrize("label", ["-", "_", "*", "NIL", "-1"])
def test_a_label_of_no_chain_in_brackets(cdec: Run, tmp_path: Path, label: str) -> None:
    mine = written(tmp_path, "mine", "conll", noisy(label))
    assert cdec("score", mine, mine, "--scope", "corpus").error == "label-ambiguous"
    assert add(cdec, mine) == "label-ambiguous"
    assert add(cdec, mine, "--noise", "singletons") == 5
    assert add(cdec, mine, "--noise", "label") == 3


@pytest.mark.parametrize("label", CHAINS)
def test_a_label_that_only_contains_such_a_word(cdec: Run, tmp_path: Path, label: str) -> None:
    mine = written(tmp_path, "mine", "csv", noisy(label))
    assert conll_f1(cdec, "score", mine, mine, "--scope", "corpus") == 100


@pytest.mark.parametrize("label", ["-", "NIL", "O", "-2"])
def test_arrays_refuse_a_label_of_no_chain(label: str) -> None:
    labels = ["a", "a", label, label]
    with refused("label-ambiguous"):
        package.metrics.b3(labels, labels)
    assert package.metrics.b3(labels, labels, noise="label") == 1


@pytest.mark.parametrize("label", ["-", "NIL", "-2"])
def test_a_corpus_in_memory_asks_what_such_a_label_is(label: str) -> None:
    mentions = rows(noisy(label))
    with refused("label-ambiguous"):
        build_corpus(mentions)
    assert len(build_corpus(mentions, noise="label").gold.chains()) == 3
    assert len(build_corpus(mentions, noise="singletons").gold.chains()) == 5
    with pytest.warns(CdecWarning):
        empty = build_corpus(rows(dict.fromkeys(GLOBAL, label)), noise="singletons")
    assert len(empty.gold.chains()) == len(MENTIONS)
