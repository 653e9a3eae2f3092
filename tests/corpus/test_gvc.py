"""The Gun Violence Corpus: the layout of gold.conll, incidents, states and variants of the key."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from cdec import load_corpus
from cdec.auditing.detector import scopes
from cdec.corpus import Corpus, divided, part_of
from tests.corpus.samples import GVC, INCIDENTS, inspected, load_json, put, read, sizes_of
from tests.refusals import refused


@pytest.fixture
def made(tmp_path: Path) -> Corpus:
    return read(put(tmp_path, {"gold.conll": GVC, "gvc_doc_to_event.csv": INCIDENTS}))


def test_sentences_count_the_date_and_the_title(made: Corpus) -> None:
    document = made.documents["d1"]
    assert document.sentences[0] == ("2014-06-15",)
    assert document.sentences[1] == ("Shooting", "at")
    assert document.text_start == 1
    assert (document.topic, document.subtopic) == ("gun-violence", "17")
    assert document.attributes["date"] == "2014-06-15"
    assert list(made.mentions.index) == ["d1/1_0_0", "d1/2_1_2", "d1/3_1_1", "d2/1_0_0", "d2/2_1_1"]


def test_a_newline_token_is_left_out(made: Corpus, tmp_path: Path) -> None:
    assert made.documents["d2"].sentences[2] == ("He", "lived")
    assert [tuple(defect) for defect in inspected(tmp_path).defects] == [("newline-token", "d2")]


def test_the_variants_treat_mentions_without_an_event(made: Corpus) -> None:
    assert made.mentions.loc["d1/2_1_2", "state"] == "no-event"
    sizes = {name: sizes_of(made.select(variant=name)) for name in made.variants}
    assert made.variant == "left-out"
    assert sizes == {"left-out": [1, 2], "singletons": [1, 1, 1, 2], "one-chain": [1, 2, 2]}


def test_without_the_table_there_are_no_incidents(tmp_path: Path) -> None:
    corpus = read(put(tmp_path, {"gold.conll": GVC}))
    assert corpus.levels == {"topic": "topic"}
    assert corpus.documents["d1"].subtopic == ""
    assert corpus.linked_within == ""


def test_a_chain_is_of_one_incident(made: Corpus) -> None:
    assert made.linked_within == "subtopic"
    assert scopes(made) == {"d1": "gun-violence/17", "d2": "gun-violence/18"}


def test_a_document_without_an_incident_is_an_error(tmp_path: Path) -> None:
    table = INCIDENTS.replace("d2,18\n", "")
    put(tmp_path, {"gold.conll": GVC, "gvc_doc_to_event.csv": table})
    with refused("corpus-file-invalid", "d2"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "code", "line"),
    [
        ("d1.b1.3\tfire\tBODY\t0)", "d1.b1.3\tfire\tBODY\t-", "brackets-invalid", 6),
        ("(c2)", "c2)", "brackets-invalid", 9),
        ("(c2)", "(c2", "brackets-invalid", 9),
        ("(c2)", "()", "brackets-invalid", 9),
        ("d1.b2.1\t", "d9.b2.1\t", "corpus-file-invalid", 9),
        ("d1.b2.1\t", "d1.b1.1\t", "corpus-file-invalid", 9),
        ("d1.b2.1\t", "d1.b9999.1\t", "corpus-file-invalid", 9),
        ("d1.b2.1\tdied", "d1.b2.1 died", "corpus-file-invalid", 9),
        ("#begin document (d2);\n", "", "conll-structure", 11),
        ("#end document\n#begin", "#begin", "conll-structure", 10),
        ("(d2)", "(d1)", "conll-structure", 11),
    ],
)
def test_a_damaged_line_is_named(tmp_path: Path, old: str, new: str, code: str, line: int) -> None:
    put(tmp_path, {"gold.conll": GVC.replace(old, new, 1)})
    with refused(code, place=f"gold.conll:{line}"):
        read(tmp_path)


def test_a_truncated_file_is_an_error(tmp_path: Path) -> None:
    put(tmp_path, {"gold.conll": GVC[: GVC.rindex("#end")]})
    with refused("conll-structure", "d2"):
        read(tmp_path)


@pytest.mark.parametrize("table", ["doc,event\nd1,1\n", "doc-id,event-id\nd1\n", 'doc-id,"\n'])
def test_a_damaged_table_is_an_error(tmp_path: Path, table: str) -> None:
    put(tmp_path, {"gold.conll": GVC, "gvc_doc_to_event.csv": table})
    with refused("table-invalid"):
        read(tmp_path)


def test_a_document_twice_is_an_error(tmp_path: Path) -> None:
    put(tmp_path, {"gold.conll": GVC, "gold.more.conll": GVC})
    with refused("corpus-file-invalid", "d1"):
        read(tmp_path)


def test_the_published_counts(corpora: Path) -> None:
    whole = load_corpus(str(corpora / "GVC"))
    parts = divided(whole)
    counts = {
        part: (len(c.documents), len(c.mentions), c.mentions["chain"].nunique(), len(sizes_of(c)))
        for part, c in parts.items()
    }
    assert counts == {"dev": (78, 977, 228, 227), "test": (74, 1008, 194, 193)}
    assert part_of(whole, None).part == "gvc-test"
    assert len(parts["test"].selected) == 951


def test_every_mention_is_where_the_published_index_has_it(corpora: Path) -> None:
    whole = load_corpus(str(corpora / "GVC"))
    published = load_json(corpora / "GVC" / "mention-index.json")
    ours = {
        f"{incident}_{id_.replace('/', '_')}": chain
        for id_, incident, chain in zip(
            whole.mentions.index, whole.mentions["subtopic"], whole.mentions["chain"], strict=True
        )
    }
    assert ours == {id_: chain for id_, (_, _, _, chain) in published.items()}


@pytest.mark.parametrize("part", ["dev", "test"])
def test_the_conversion_to_ecbplus_has_the_same_text_and_key(corpora: Path, part: str) -> None:
    ours = load_corpus(str(corpora / "GVC"), part).select(variant="singletons")
    theirs = load_corpus(str(corpora / "GVC" / "ecbplus-format" / part))
    published = load_json(corpora / "GVC" / "mention-index.json")
    same = {
        f"{file}/{m_id}": id_.split("_", 1)[1].replace("_", "/", 1)
        for id_, (in_part, file, m_id, _) in published.items()
        if in_part == part
    }
    renamed = theirs.selected.rename(index=same)
    assert dict(renamed["text"]) == dict(ours.selected["text"])
    chains = pd.DataFrame({"ours": ours.selected["chain"], "theirs": renamed["chain"]})
    pairs = len(chains.drop_duplicates())
    assert pairs == chains["ours"].nunique() == chains["theirs"].nunique()
