"""CD²CR: parts, singletons, and ids that two parts share."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cdec import load_corpus
from cdec.corpus import default_split, divided
from tests.corpus.samples import CD2CR, ENTITIES, FCCT, inspected, put, read, sizes_of
from tests.refusals import refused


def test_entities_and_their_part(tmp_path: Path) -> None:
    corpus = read(put(tmp_path, {"dev.conll": CD2CR}))
    assert corpus.kind == "entity"
    assert corpus.levels == {"topic": "topic"}
    assert not corpus.variants
    assert corpus.linked_within == "topic"
    assert corpus.documents["0_news_1"].topic == "dev-0"
    assert corpus.mentions.index.tolist() == ["0_news_1/0_0_1", "0_science_2/0_0_0"]
    assert default_split(corpus).parts == {"dev": {"0_news_1", "0_science_2"}}


def test_singletons_are_a_variant(tmp_path: Path) -> None:
    corpus = read(put(tmp_path, {"dev.conll": CD2CR, "dev_entities.json": ENTITIES}))
    sizes = {name: sizes_of(corpus.select(variant=name)) for name in corpus.variants}
    assert sizes == {"without-singletons": [2], "with-singletons": [1, 2]}


def test_a_document_of_two_parts_has_two_ids(tmp_path: Path) -> None:
    put(
        tmp_path,
        {"train.conll": CD2CR.replace("(7", "(8").replace("7)", "8)"), "test.conll": CD2CR},
    )
    corpus = read(tmp_path)
    assert list(divided(corpus)) == ["train", "test"]
    ids = ["0_news_1", "0_science_2", "train-0_news_1", "train-0_science_2"]
    assert sorted(corpus.documents) == ids
    assert {d.kind for d in inspected(tmp_path).defects} == {"document-id-repeated"}


@pytest.mark.parametrize("made", [CD2CR, FCCT])
def test_a_short_second_line_without_a_header(tmp_path: Path, made: str) -> None:
    first = made.splitlines()[1]
    with refused("corpus-file-invalid", place="dev.conll:2"):
        read(put(tmp_path, {"dev.conll": f"{first}\nshort\n#end document\n"}))


@pytest.mark.parametrize(
    ("old", "new", "code", "line"),
    [
        ("\tlake\tTrue\t-", "\tlake\t-", "corpus-file-invalid", 5),
        ("\t1\t3\tlake", "\t0\t3\tlake", "corpus-file-invalid", 5),
        ("\t1\t3\tlake", "\tx\t3\tlake", "corpus-file-invalid", 5),
        ("0_science_2", "", "conll-structure", 6),
        ("(7)", "(7", "brackets-invalid", 6),
        ("#end document\n", "", "conll-structure", 6),
    ],
)
def test_a_damaged_line_is_named(tmp_path: Path, old: str, new: str, code: str, line: int) -> None:
    with refused(code, place=f"dev.conll:{line}"):
        read(put(tmp_path, {"dev.conll": CD2CR.replace(old, new)}))


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"tokens_ids": [4]}, "corpus-record-invalid"),
        ({"tokens_ids": []}, "corpus-record-invalid"),
        ({"tokens": "other"}, "corpus-record-invalid"),
        ({"doc_id": "0_news_9"}, "corpus-file-invalid"),
        ({"doc_id": 4}, "format-undetected"),
        ({"cluster_id": None}, "format-undetected"),
    ],
)
def test_a_damaged_entity_is_named(tmp_path: Path, change: dict[str, object], code: str) -> None:
    entities = json.loads(ENTITIES)
    entities[1] |= change
    with refused(code):
        read(put(tmp_path, {"dev.conll": CD2CR, "dev_entities.json": json.dumps(entities)}))


def test_the_published_counts(corpora: Path) -> None:
    parts = divided(load_corpus(str(corpora / "CD2CR")))
    counts = {
        part: (len(c.documents), len(c.selected), c.selected["chain"].nunique())
        for part, c in parts.items()
    }
    assert counts == {"train": (300, 1808, 426), "dev": (142, 774, 199), "test": (86, 520, 101)}
    # Descriptions of the data count 4,602, 1,820 and 1,175: the files have a few more.
    every = [len(c.select(variant="with-singletons").selected) for c in parts.values()]
    assert every == [4604, 1821, 1177]
