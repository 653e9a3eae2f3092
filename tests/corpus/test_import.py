"""`cdec corpus import`: any format, topics from a table, defects, and an interrupted import."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from cdec import load_corpus
from cdec.corpus import Source, data_folder, import_corpus, install, installed
from cdec.corpus.store import install as install_module
from tests.cli.conftest import Run, cdec
from tests.refusals import refused

__all__ = ["cdec"]  # a fixture
RECORDS = (
    {"record": "corpus", "format": "cdec-corpus/1", "name": "other"},
    {"record": "document", "id": "b", "topic": "1", "sentences": [["x", "a b"], ["y"]]},
    {"record": "document", "id": "a", "topic": "2", "sentences": [["x", "y"]]},
    {"record": "mention", "id": "1", "doc": "b", "tokens": [1, 2], "chain": "C"},
    {"record": "mention", "id": "2", "doc": "a", "tokens": [0], "chain": "C"},
    {"record": "mention", "id": "3", "doc": "a", "tokens": [0], "chain": "D"},
)


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """A corpus with a mention across sentences, a repeated span and white space in a token."""
    path = tmp_path / "records.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in RECORDS))
    return path


def test_a_corpus_is_stored_and_its_defects_are_listed(records: Path) -> None:
    imported = import_corpus(records, "Mine")
    assert installed() == {"mine": imported.path}
    assert imported.path.name == "mine.jsonl.gz"
    found = imported.defects.set_index("kind")["examples"].to_dict()
    assert found == {"spans-sentences": "b/1", "span-twice": "a/3", "white-space-in-token": "b/t1"}
    assert (imported.defects["found"] == 1).all()
    corpus = load_corpus("mine")
    assert (corpus.name, corpus.digest) == ("mine", imported.content)
    assert corpus.mentions.equals(load_corpus(str(records)).mentions)


def test_a_corpus_in_another_format(small: Source) -> None:
    imported = import_corpus(small.path, "mine", format="ecbplus")
    assert imported.format == "ecbplus"
    assert {"gap-in-event", "spans-sentences"} & set(imported.defects["kind"])
    mine, own = load_corpus("mine"), load_corpus(str(small.path))
    assert mine.mentions.equals(own.mentions)
    assert mine.documents == own.documents
    assert mine.reviewed == own.reviewed


@pytest.mark.parametrize(
    "table", ["document,topic,subtopic\na,9,9x\nb,9,9y\nz,1,1\n", "Doc-ID\tTopic ID\nb\t9\na\t9\n"]
)
def test_topics_from_a_table(records: Path, tmp_path: Path, table: str) -> None:
    topics = tmp_path / "topics.csv"
    topics.write_text(table)
    import_corpus(records, "mine", topics=topics)
    corpus = load_corpus("mine")
    assert list(corpus.documents) == ["a", "b"]
    assert corpus.mentions.index.tolist() == ["a/2", "a/3", "b/1"]
    assert set(corpus.mentions["topic"]) == {"9"}
    assert ("subtopic" in corpus.levels) == ("subtopic" in table)
    assert corpus.documents["b"].subtopic == ("9y" if "subtopic" in table else "")


def test_an_incomplete_table_of_topics(records: Path, tmp_path: Path) -> None:
    topics = tmp_path / "topics.csv"
    topics.write_text("document,topic\na,1\n")
    with refused("document-unassigned", "b", place=topics):
        import_corpus(records, "mine", topics=topics)
    assert installed() == {}


@pytest.mark.parametrize("name", ["ecb+", "ECBplus", "sample", "../x"])
def test_a_name_that_is_taken(records: Path, name: str) -> None:
    with refused("option-invalid"):
        import_corpus(records, name)


def test_texts_never_have_the_name_of_a_published_corpus(tmp_path: Path, cdec: Run) -> None:
    (tmp_path / "texts.csv").write_text("id,text\na,A fire.\n")
    table = tmp_path / "mentions.csv"
    table.write_text("doc,start,end,chain\na,1,1,1\n")
    call = ("corpus", "import", tmp_path / "texts.csv", "--mentions", table)
    assert cdec(*call, "--name", "gvc").error == "option-invalid"
    first, again = (cdec(*call, "--name", "own") for _ in range(2))
    assert (first.code, again.code) == (0, 0)
    assert first.err != again.err  # the second replaces the first
    assert "reading-assumed" in cdec(*call, "--verbose").err


def test_an_interrupted_import_leaves_nothing(
    records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> object:
        yield "{}\n"
        raise KeyboardInterrupt

    monkeypatch.setattr(install_module, "lines", interrupted)
    with pytest.raises(KeyboardInterrupt):
        import_corpus(records, "mine")
    assert list((data_folder() / "corpora").iterdir()) == []


def test_the_file_is_installed_as_it_is(records: Path, small: Source, tmp_path: Path) -> None:
    target = install(records, "mine")
    assert gzip.decompress(target.read_bytes()) == records.read_bytes()
    packed = tmp_path / "records.jsonl.gz"
    packed.write_bytes(gzip.compress(records.read_bytes()))
    assert install(packed, "mine").read_bytes() == packed.read_bytes()
    assert load_corpus("mine").digest == load_corpus(str(records)).digest
    # Another kind of file of the same name replaces it.
    assert install(small.path, "mine").name == "mine.zip"
    assert [path.name for path in target.parent.iterdir()] == ["mine.zip"]
    import_corpus(records, "mine")
    assert [path.name for path in target.parent.iterdir()] == ["mine.jsonl.gz"]


def test_every_command_uses_it(records: Path, cdec: Run, tmp_path: Path) -> None:
    ran = cdec("corpus", "import", str(records), "--name", "mine", "-f", "json", "-q")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["path"].endswith("mine.jsonl.gz")
    for call in (
        "corpus stats",
        "corpus verify",
        "corpus info",
        "eval --system lemma --setting simple --metric b3",
    ):
        ran = cdec(*call.split(), "--corpus", "mine", "-q")
        assert ran.code == 0, ran.err
    ran = cdec("corpus", "convert", "mine", "-o", str(tmp_path / "again.jsonl"), "-q")
    assert ran.code == 0, ran.err
    assert load_corpus(str(tmp_path / "again.jsonl")).digest == load_corpus("mine").digest


@pytest.mark.parametrize("empty", [",\n", ", \n,\n", "\n"])
def test_rows_of_separators_only_are_no_rows(records: Path, tmp_path: Path, empty: str) -> None:
    """A spreadsheet writes them below the last row."""
    topics = tmp_path / "topics.csv"
    topics.write_text(f"document,topic\na,1\n{empty}b,2\n{empty}")
    import_corpus(records, "mine", topics=topics)
    assert {d.id: d.topic for d in load_corpus("mine").documents.values()} == {"a": "1", "b": "2"}
