"""The kinds of file that cdec writes and reads back, and what identifies the content of each."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

from cdec import formats, load_corpus, load_results
from cdec.auditing import read_patch, read_reviews, read_shortlist
from cdec.auditing.order.model import read_calibration
from cdec.auditing.review import decoys
from cdec.baselines import run
from cdec.baselines.config import read_config
from cdec.baselines.sac import Sac
from cdec.corpus import load_split
from cdec.detection import dump
from cdec.detection import load as load_detector
from cdec.evaluation import MentionPairs
from cdec.leaderboards import BOARD_FILE, Study, site
from cdec.leaderboards.entries import SYSTEM_FILE

FIXTURES = Path(__file__).parent / "fixtures"


def _plain(value: object) -> object:
    return sorted(value) if isinstance(value, set | frozenset) else str(value)


def _digest(value: Any) -> str:
    return sha256(json.dumps(value, default=_plain, sort_keys=True).encode()).hexdigest()[:12]


def _results(path: Path) -> Any:
    read = load_results(path)
    shown = read.units if read.by else read.frame
    signed = [signature.to_dict() for signature in read.signatures]
    return [len(signed), _digest(signed), _digest(shown.round(6).to_csv(index=False))]


def _corpus(path: Path) -> Any:
    read = load_corpus(str(path))
    return [len(read.documents), len(read.mentions), read.digest]


def _annotation(path: Path) -> Any:
    read = formats.read(path)
    rows = read.mentions[["doc", "start", "end"]].to_numpy().tolist()
    return [read.format, len(read), dict(read.declared), _digest(rows)]


def _model(path: Path) -> Any:
    chains = run(Sac().load(path), load_corpus("sample", "test"))
    return [len(chains), len(set(chains.labels)), Sac().load(path).trained_on]


def _detector(path: Path) -> Any:
    read = load_detector(path)
    return [
        read.name,
        read.kind,
        read.trained_on,
        len(json.loads(dump(read))["parts"]["event"]["shares"]),
    ]


def _pairs(path: Path) -> Any:
    read = MentionPairs.read(str(path), load_corpus("sample", "dev"))
    assert read is not None and read.score is not None
    return [len(read.first), round(float(read.score.sum()), 4)]


def _study(path: Path) -> Any:
    table = getattr(Study.read(path.parent), path.stem)
    return [list(table), len(table)]


# The file, in the folder of a release → what a reader returns of it. All but those in BARE have
# their format with its version.
READERS: dict[str, Callable[[Path], Any]] = {
    "corpus.jsonl": _corpus,
    "response.conll": _annotation,
    "response.conllu": _annotation,
    "response.jsonl": _annotation,
    "results.json": _results,
    "results-by.json": _results,
    "results-ci.json": _results,
    "config.toml": lambda path: _digest([read_config(path).parameters, read_config(path).tuned]),
    "split.toml": lambda path: _digest(asdict(load_split(str(path))) | {"name": ""}),
    "model.sac": _model,
    "lexicon.detector": _detector,
    "pairs.csv": _pairs,
    "cases.jsonl": lambda path: [case.id for case in read_shortlist(path).cases],
    "decisions.json": lambda path: _digest(read_reviews([path])[0].to_json()),
    "tasks.json": lambda path: _digest(read_reviews([path])[0].to_json()),
    "decoys.json": lambda path: decoys._SCHEMA.read_json(path).digest,
    "calibration.json": lambda path: read_calibration(path).digest,
    "patch.json": lambda path: read_patch(path).digest,
    "patch-1.json": lambda path: read_patch(path).digest,
    "leaderboard/leaderboard.toml": lambda path: BOARD_FILE.read_toml(path).title,
    "leaderboard/systems/mine.toml": lambda path: _digest(SYSTEM_FILE.read_toml(path).model_dump()),
    "leaderboard/results/sample/mine.json": _results,
    **{f"leaderboard/study/{one.name}.csv": _study for one in fields(Study)},
    "site/site.json": lambda path: len(site._SCHEMA.read_json(path).files),
}
BARE = {
    *("response.conll", "response.conllu", "response.jsonl", "pairs.csv"),
    *(name for name in READERS if name.startswith("leaderboard/study/")),
}
