"""JSON Lines, CSV, TSV and JSON of clusters."""

import pytest

from cdec.formats.fields import ALIASES
from tests.formats.made import parse, partition, rows

EXPECTED = {
    ("24_1ecb", 3, 4, (), "7"),
    ("24_2ecb", 5, 8, (5, 6, 8), "7"),
    ("24_2ecb", 9, 9, (), "8"),
}


@pytest.mark.parametrize(
    ("format_", "text"),
    [
        (
            "jsonl",
            '{"doc": "24_1ecb", "start": 3, "end": 4, "chain": "7", "text": "x"}\n\n'
            '{"doc": "24_2ecb", "tokens": [8, 5, 6], "chain": 7}\n'
            '{"Doc-ID": "24_2ecb", "start": 9, "end": 9, "chain": 8}\n'.replace("Doc-ID", "doc"),
        ),
        (
            "csv",
            "Doc ID,Begin,End,Tokens,Cluster\n24_1ecb,3,4,,7\n"
            '24_2ecb,,,5 6 8,7\n24_2ecb,9,9,"[9]",8\n',
        ),
        ("csv", "doc;tokens;chain\n24_1ecb;3 4;7\n24_2ecb;5,6,8;7\n24_2ecb;9;8\n"),
        (
            "tsv",
            "doc\tstart\tend\ttokens\tchain\n24_1ecb\t3\t4\t\t7\n"
            "24_2ecb\t5\t8\t5 6 8\t7\n24_2ecb\t9\t9\t\t8\n",
        ),
        (
            "json",
            '{"7": [["24_1ecb", 3, 4], {"doc": "24_2ecb", "tokens": [5, 6, 8]}],\n'
            ' "8": [{"doc": "24_2ecb", "start": 9, "end": 9}]}',
        ),
        (
            "json",
            '[{"doc_id": "24_1ecb", "start": 3, "end": 4, "coref_chain": 7},\n'
            '{"doc_id": "24_2ecb", "tokens": [5, 6, 8], "coref_chain": 7},\n'
            '{"doc_id": "24_2ecb", "tokens": [9], "coref_chain": 8}]',
        ),
    ],
)
def test_read_by_content(format_: str, text: str) -> None:
    read = parse(text)
    assert read.format == format_
    assert rows(read) == EXPECTED
    assert set(read.documents) == {"24_1ecb", "24_2ecb"}


def test_line_numbers() -> None:
    assert parse('doc,start,end,chain,text\nd,1,1,a,"x\ny"\n\nd,2,2,a,z\n').mentions[
        "line"
    ].tolist() == [2, 5]
    assert parse('\n{"mention": "d/1", "chain": 1}\n\n{"mention": "d/2", "chain": 1}').mentions[
        "line"
    ].tolist() == [2, 4]


@pytest.mark.parametrize("alias", ALIASES["chain"])
def test_aliases_of_the_chain(alias: str) -> None:
    assert rows(parse(f"doc,start,end,{alias}\nd,1,2,c\n")) == {("d", 1, 2, (), "c")}


@pytest.mark.parametrize(
    "text",
    [
        '{"mention": "37_4ecbplus/36", "chain": 1}\n{"mention": "37_4ecbplus/40", "chain": 1}\n',
        '{"doc_id": "37_4ecbplus", "m_id": 36, "cluster_id": 1}\n'
        '{"doc_id": "37_4ecbplus", "m_id": "40", "cluster_id": 1}\n',
        "mention,chain\n37_4ecbplus/36,1\n37_4ecbplus/40,1\n",
        '[["37_4ecbplus/36", "37_4ecbplus/40"]]',
        '{"any": ["37_4ecbplus/36", "37_4ecbplus/40"]}',
    ],
)
def test_mentions_by_id(text: str) -> None:
    assert partition(parse(text)) == {
        frozenset(("37_4ecbplus", -1, -1, (), f"37_4ecbplus/{n}") for n in (36, 40))
    }


def test_a_chain_may_have_the_name_of_a_field() -> None:
    read = parse('{"label": [["d", 1, 1]], "start": [["d", 2, 2]], "doc": [["d", 3, 3]]}\n')
    assert {(row[1], row[-1]) for row in rows(read)} == {(1, "label"), (2, "start"), (3, "doc")}


def test_scorch_clusters_and_end_to_end_documents() -> None:
    scorch = '{"name": "t", "type": "clusters", "clusters": {"0": ["0.0-1"], "1": [10, 962]}}'
    assert parse(scorch).mentions["mention"].tolist() == ["0.0-1", "10", "962"]
    document = '{"doc_key": "nw/1", "sentences": [["a", "b"]], "clusters": [[[0, 0], [1, 1]]]}'
    assert partition(parse(document)) == {
        frozenset([("nw/1", 0, 0, (), ""), ("nw/1", 1, 1, (), "")])
    }
