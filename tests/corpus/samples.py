"""Small made files of each corpus format, and how to read them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cdec.corpus.adapter import CORPORA, Inspection, open_source, read_corpus
from cdec.corpus.model import Corpus

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
