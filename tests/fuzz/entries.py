"""Files that reach a reader by another way than their format: detection, pairs, trees, folders."""

from __future__ import annotations

from contextlib import suppress
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from cdec.corpus import open_source, read_corpus
from cdec.detection import REVISION, Lexicon, PlainText, dump, load
from cdec.diagnosis import Candidates
from cdec.errors import CdecError
from cdec.evaluation import MentionPairs
from cdec.formats import read
from cdec.formats.statistics import statistics
from cdec.leaderboards import BOARD, Leaderboard, system_toml
from cdec.matching import FilePolicy, match_files
from tests.corpus import samples
from tests.faults.inputs import CONLL, DOCUMENT, RECORD_LINES
from tests.fuzz.corpora import BLOCK, folder_of
from tests.fuzz.formats import CONLLU, CORPUS
from tests.fuzz.formats import TOKENS as RESPONSE
from tests.fuzz.reader import Reader

CORPORA = {
    "gold.conll": samples.GVC,
    "a.conll": samples.FCCT,
    "test.conll": samples.FCCT_SPANS,
    "dev.conll": samples.CD2CR,
    "meantime.conll": samples.MEANTIME,
    "key.conll": CONLL,
    "Event_gold_mentions.json": samples.wec({}, {"doc_id": 7}),
    "corpus.jsonl": RECORD_LINES,
    "1/1_1ecb.xml": DOCUMENT,
}
COLUMNS = ("\t", "\n", "#begin document (x)\n", "#end document\n", "DCT\t", "0_news_1", "9" * 30)
PAIRS = (
    "a,b\n1_1ecb/11,1_2ecb/11\n1_1ecb.xml_13,2_1ecb_11\n",
    "mention_1\tmention_2\tscore\n1_1ecb.xml_13\t1_2ecb/11\t0.5\n",
    '{"a": "1_1ecb/11", "b": "1_2ecb/11"}\n{"first": "1_1ecb_11", "second": "2_1ecb/11"}\n',
)
WORDS = ("1_1ecb", ".xml_", "/", "_", "11", "ECB+/", "a,b\n", '{"a": ', "first", ";", "9" * 30)
TREES = (
    CONLLU,
    CONLLU.replace("\t1:nsubj\t", "\t1:nsubj|3.1:x|2\t"),
    CONLLU.replace("\t0\troot", "\t2\troot"),
    CONLLU.replace("\t1\tdep", f"\t{'9' * 20}\tdep"),
    CONLLU.replace("1:nsubj", f"{'9' * 5000}:nsubj"),
)
NODES = ("1:nsubj", "|", "2.1:x", "\t0\t", "\t3\t", "9" * 20, "9" * 5000, "e1--1-", "Entity=(")
TASK = 'name = "t"\ntitle = "T"\ncorpus = "c"\nsplit = "test"\n'
HEAD = f'format = "cdec-leaderboard/1"\ntitle = "B"\n[[tasks]]\n{TASK}'
SYSTEM = (
    'format = "cdec-leaderboard-system/1"\nname = "s"\ntitle = "S"\nfamily = "s"\n'
    f'[[responses]]\ntask = "t"\npath = "a.conll"\ndigest = "{"0" * 64}"\nseed = 1\n'
)
BOARDS = (
    f"{BLOCK}{BOARD}\n{HEAD}{BLOCK}systems/s.toml\n{SYSTEM}",
    f"{BLOCK}{BOARD}\n{HEAD}[[tasks]]\n{TASK}",
)
FIELDS = (
    "[[tasks]]\n",
    "[uses]\n",
    "[[published]]\n",
    "f1 = ",
    "../",
    "name = ",
    "= true",
    "9" * 30,
)
TEXTS = (
    f"{BLOCK}a.txt\nMr. Smith left. He was 3.5 km away\n\n{BLOCK}b/c.txt\n“Fire!”\u2028No…\n",
    f"{BLOCK}a.txt\n\ufeffx\r\ny\u200d\U0001f468\u0301 \n",
)
DETECTOR = (
    '{"format": "cdec-detector/1", "detector": "detector-lexicon", "kind": "event", "features": '
    f'{REVISION}, "nlp": "hanta", "trained_on": "x", "key": "k", "seen": ["f"], "parts": {{"event":'
    ' {"threshold": 0.5, "merge": "never", "curve": {"0.5": [1, 0.5, 0.6]}, "shares": {"a": 1}}}}'
)
JSON = ("[", "{", '"nan": [1, 1, 1]', "1e999", '"weights": {"a": [1, 2, 3]}', '"bias": [', "-1")


def readers() -> list[Reader]:
    folders = tuple(f"{BLOCK}{name}\n{text}".encode() for name, text in CORPORA.items())
    short = f"{BLOCK}a.conll\n{samples.CD2CR.split(chr(10), 1)[1].split(chr(10))[0]}\nshort\n"
    return [
        Reader("corpus-sniffing", "files", _corpus, (*folders, short.encode()), COLUMNS),
        Reader("pairs", "pairs", _pairs, _encoded(PAIRS), WORDS),
        Reader("trees", "x.conllu", _trees, _encoded(TREES), NODES + RESPONSE),
        Reader("leaderboard", "files", _board, _encoded(BOARDS), FIELDS),
        Reader("plain-texts", "files", _texts, _encoded(TEXTS), ("\x85", "\u2028", ". ", "\x00")),
        Reader("detector", "x.detector", _detector, (DETECTOR.encode(),), JSON),
    ]


def _encoded(texts: tuple[str, ...]) -> tuple[bytes, ...]:
    return tuple(text.encode() for text in texts)


def _corpus(path: Path) -> None:
    """Detect the format of a folder and read it; detection never fails on damaged content."""
    with TemporaryDirectory(dir=path.parent) as folder:
        corpus = read_corpus(open_source(folder_of(path, Path(folder))), "made")
    assert set(corpus.mentions["doc"]) <= set(corpus.documents)


def _pairs(path: Path) -> None:
    pairs = MentionPairs.read(str(path), CORPUS)
    if pairs is not None:
        candidates = Candidates.from_pairs(pairs)
        assert 0 <= candidates.gold <= candidates.pairs
        assert len(candidates.yes) == len(candidates.oracle) == len(CORPUS.selected)


def _trees(path: Path) -> None:
    """Describe a file with trees, and match it with itself by their heads and arcs."""
    annotation = read(path)
    for drop in (False, True):
        statistics(annotation, drop_singletons=drop)
    for heads, zeros in product(("file", "tree"), ("linear", "dependent")):
        policy = FilePolicy(alignment="head", heads=heads, zeros=zeros, upos="")
        with suppress(CdecError):  # a mention may occur twice, which no key may have
            matched = match_files(annotation, annotation, policy)
            assert len(matched.key) == len(matched.response)


def _board(path: Path) -> None:
    """Read a leaderboard; the systems are written and read again unchanged."""
    with TemporaryDirectory(dir=path.parent) as folder:
        board = Leaderboard.at(folder_of(path, Path(folder)))
        systems = board.systems
        for entry in systems.values():
            (board.folder / "systems" / f"{entry.name}.toml").write_text(
                system_toml(entry), "utf-8"
            )
        assert Leaderboard.at(board.folder).systems == systems


def _texts(path: Path) -> None:
    with TemporaryDirectory(dir=path.parent) as folder:
        PlainText.read(folder_of(path, Path(folder)))


def _detector(path: Path) -> None:
    model = load(path)
    assert all(isinstance(part.finder, Lexicon) or part.finder for part in model.fitted.values())
    path.write_bytes(dump(model))
    assert dump(load(path)) == path.read_bytes()
