"""Small made files of each corpus format, and how to read them."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from cdec.corpus import CORPORA, Corpus, Inspection, open_source, read_corpus

GVC = """\
#begin document (d1);
d1.DCT\t2014-06-15\tDCT\t-
d1.t1.1\tShooting\tTITLE\t(c1)
d1.t1.2\tat\tTITLE\t-
d1.b1.1\tPolice\tBODY\t-
d1.b1.2\topened\tBODY\t(0
d1.b1.3\tfire\tBODY\t0)
d1.b2.0\tHe\tBODY\t-
d1.b2.1\tdied\tBODY\t(c2)
#end document
#begin document (d2);
d2.DCT\t2014-06-16\tDCT\t-
d2.t1.1\tShot\tTITLE\t(c1)
d2.b1.1\tNEWLINE\tBODY\t-
d2.b1.2\tHe\tBODY\t-
d2.b1.3\tlived\tBODY\t(0)
#end document
"""
INCIDENTS = "doc-id,event-id\nd1,17\nd2,18\n"
FCCT = """\
#begin document test_events
football-tournaments\tfootball-tournaments_0\tfootball-tournaments_cup_d00000001\t0\t1\tIt\tTrue\t-
football-tournaments\tfootball-tournaments_0\tfootball-tournaments_cup_d00000001\t0\t2\t___\tTrue\t(0
football-tournaments\tfootball-tournaments_0\tfootball-tournaments_cup_d00000001\t0\t3\t___\tTrue\t0
football-tournaments\tfootball-tournaments_0\tfootball-tournaments_cup_d00000001\t0\t4\t___\tTrue\t0)
football-tournaments\tfootball-tournaments_0\tfootball-tournaments_cup_d00000001\t2\t5\t___\tTrue\t(1)
football-tournaments\tfootball-tournaments_0\tfootball-tournaments_cup_d00000002\t0\t1\t___\tTrue\t(0)
#end document
"""
FCCT_SPANS = """\
#begin document (0); part 000
football-tournaments_cup_d00000001_0_1_3\t(8)
football-tournaments_cup_d00000002_0_0_0\t(8)
football-tournaments_cup_d00000001_0_0_0\t(9)
#end document
"""
CD2CR = """\
#begin document test_entities
0\t0_0\t0_news_1\t0\t0\tThe\tTrue\t(7
0\t0_0\t0_news_1\t0\t1\tflood\tTrue\t7)
0\t0_0\t0_news_1\t1\t2\ta\tTrue\t-
0\t0_0\t0_news_1\t1\t3\tlake\tTrue\t-
0\t0_0\t0_science_2\t0\t0\tfloods\tTrue\t(7)
#end document
"""
ENTITIES = json.dumps(
    [
        {"doc_id": "0_news_1", "tokens_ids": [0, 1], "tokens": "The flood", "cluster_id": 7},
        {"doc_id": "0_news_1", "tokens_ids": [3], "tokens": "lake", "cluster_id": 9},
        {"doc_id": "0_science_2", "tokens_ids": [0], "tokens": "floods", "cluster_id": 7},
    ],
    indent=1,
)
MEANTIME = """\
#begin document (corpus_air/7); part 000
corpus_air/7\t0\t0\tEADS\t(ORG1)| (ORG1)
corpus_air/7\t0\t1\tdefeats\t(OTH2
corpus_air/7\t1\t0\tBoeing\t(ORG3)| OTH2)
#end document
"""
_EVENT = {"conll_doc_key": "corpus_air/7", "coref_chain": "OTH2", "sent_id": 0}
MEANTIME_EVENTS = json.dumps([_EVENT | {"tokens_number": "[1]"}])


def wec(*records: dict[str, Any]) -> str:
    """Return a file of WEC; each record is completed from a mention of one article."""
    one = {
        "coref_chain": 5,
        "coref_link": "Flood",
        "doc_id": "A",
        "mention_context": ["It", "rose"],
    }
    more = [{"mention_id": str(n), "tokens_number": [1]} for n, _ in enumerate(records)]
    whole = [one | m | r for m, r in zip(more, records, strict=True)]
    return json.dumps(whole, indent=1, ensure_ascii=False)


def ucdcr(*records: dict[str, Any]) -> list[dict[str, Any]]:
    """Return mentions in the format of uCDCR, each completed from one of one document."""
    one = {
        **{"coref_chain": "C", "mention_full_type": "ACTION_STATE", "description": "d"},
        **{"topic_id": "1", "subtopic_id": "1ecb", "doc": "1_1ecb", "conll_doc_key": "1/1ecb/1"},
        **{"sent_id": 0, "tokens_number": "[1]", "split": "val"},
        **{"mention_context": "['It', 'rose']", "tokens_number_context": "[1]"},
    }
    return [one | {"mention_id": f"m{n}"} | record for n, record in enumerate(records)]


def documents(*texts: str, split: str = "val") -> pd.DataFrame:
    """Return the table of documents of uCDCR, with one sentence in each document."""
    rows = [
        (f"1/1ecb/{n}", 0, at, token, split)
        for n, text in enumerate(texts, start=1)
        for at, token in enumerate(text.split())
    ]
    columns = ["topic/subtopic_name/doc", "sent_id", "token_id", "token", "split"]
    return pd.DataFrame(rows, columns=columns)


def parquet(table: pd.DataFrame) -> bytes:
    """Return a table as a file."""
    buffer = io.BytesIO()
    table.to_parquet(buffer)
    return buffer.getvalue()


def put(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files into a folder and return it."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def read(path: Path) -> Corpus:
    """Return the corpus at a path, in the format that is detected."""
    return read_corpus(open_source(path), "made")


def inspected(path: Path) -> Inspection:
    """Return the inspection of the corpus at a path."""
    source = open_source(path)
    inspect = CORPORA[source.layout.name].inspect
    assert inspect is not None
    return inspect(source, lambda: None)


def sizes_of(corpus: Corpus) -> list[int]:
    """Return the sizes of the chains of the key, in ascending order."""
    return sorted(corpus.selected["chain"].value_counts().tolist())


def load_json(path: Path) -> Any:
    """Return the value of a JSON file."""
    return json.loads(path.read_text("utf-8"))
