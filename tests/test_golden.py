"""The figures of every command, as they were frozen: on the sample, and as digests on ECB+.

    python -m tests.test_golden                 # compare, as pytest does
    python -m tests.test_golden --write         # make all frozen values anew
    python -m tests.test_golden --write --only score --all    # those with this word, also the slow ones
    python -m tests.test_golden --texts FOLDER  # also keep each canonical text, to be compared with diff

A golden value is made of what a command prints as JSON, or of the file that it writes. The canonical
text has one line a row, in sorted order: ids, chains and integers as they are, other numbers to nine
significant digits. It leaves out signature, notices, version and prose. ``tests/golden`` has, by name
of the call: its digest; signature, by field; columns, with the number of their values and their sum
(of text: the number of different values); the CoNLL F1 of each system; and the text itself if short.
"""

# ruff: noqa: E501 -- a call a line reads best

from __future__ import annotations

import argparse
import contextlib
import csv
import hashlib
import json
import math
import os
import pty
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.program import Run

FOLDER = Path(__file__).parent / "golden"
WRITE, TEXTS = "CDEC_GOLDEN_WRITE", "CDEC_GOLDEN_TEXTS"
SHORT = 2000  # characters of a text that is kept
# Not in a canonical text: of any value, of text only, and of plug-ins that may differ by machine.
LEFT_OUT = {"signature", "signatures", "notices", "format", "version", "cdec", "notes", "sentences"}
PROSE = {
    *("citation", "evidence", "interface", "intervals", "message", "note", "problem", "question"),
    *("reason", "reasons", "text", "title", "description", "rule", "check", "decided", "audit"),
}
# Digests of files with numbers of the SVM: only their form is frozen.
OF_WEIGHTS = {"model"}
OF_SVM = {"predict-pairs", "train-model", "audit-cases", "audit-run"}


@dataclass(frozen=True)
class Case:
    """A call; ``file`` is what it writes, if that is not JSON on the standard output."""

    name: str
    call: str
    file: str = ""

    @property
    def digits(self) -> int:
        """The significant digits of its numbers: fewer of the SVM."""
        return 6 if self.name in OF_SVM else 9


CALLS = tomllib.loads((FOLDER / "calls.toml").read_text("utf-8"))
INPUTS: dict[str, str] = CALLS["inputs"]
# Work that is divided is done in this process: cheaper here, and the number of workers means nothing.
DIVIDED = re.compile(
    r"(eval|score|compare|diagnose|pairs|predict|train|tune|reproduce|audit run|leaderboard score)\b"
)

# Under these names it is all of cybulska/test; archives that have them; three are files for ycf/test.
NAMES = {
    *("barhom-2019-gold", "barhom-2019-kmeans", "bugert-2021-gold", "bugert-2021-lemma-delta"),
    *("cattan-ecbp-gold", "cattan-ecbp-predicted"),
}


class Inputs:
    """A folder of the files that calls read, each made when a call first names it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def given(self, call: str, run: Run, patch: pytest.MonkeyPatch, here: Path) -> None:
        """Copy what the call names into the folder ``here``, and go there."""
        here.mkdir(exist_ok=True)
        for name in [*INPUTS, *MADE]:
            if re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])", call):
                self.make(name, run, patch)
                copy = shutil.copytree if (self.folder / name).is_dir() else shutil.copy
                copy(self.folder / name, here / name)
        patch.chdir(here)

    def make(self, name: str, run: Run, patch: pytest.MonkeyPatch) -> Path:
        """Make an input, and return its path."""
        path = self.folder / name
        if path.exists():
            return path
        if name in INPUTS:
            here = self.folder / f"for-{name}"
            self.given(f"{INPUTS[name].partition(' -o ')[0]} ", run, patch, here)
            done = run(*call_of(INPUTS[name]))
            assert done.exit == 0, done.err
            shutil.move(here / name, path)
        else:
            MADE[name](lambda other: self.make(other, run, patch), path, run)
        return path


def call_of(call: str) -> list[str]:
    """Return the arguments of a call: in one process, without notices."""
    return [*shlex.split(call), "-q", *(["-j", "1"] if DIVIDED.match(call) else [])]


Get = Callable[[str], Path]
Make = Callable[[Get, Path, Run], None]


def records_of(corpus: str) -> Make:
    """Return the maker of a response file with the events of a corpus, as they are in its file."""

    def make(get: Get, path: Path, run: Run) -> None:
        lines = []
        for row in map(json.loads, get(corpus).read_text("utf-8").splitlines()):
            if row["record"] == "mention" and row["kind"] == "event":
                first, last = (tokens := row["tokens"])[0], tokens[-1]
                place = {"doc": row["doc"], "start": first, "end": last}
                if len(tokens) <= last - first:
                    place["tokens"] = tokens
                lines.append(json.dumps(place | {"mention": row["id"], "chain": row["chain"]}))
        path.write_text("".join(f"{line}\n" for line in lines), "utf-8")

    return make


def changed_key(change: Callable[[int, dict[str, Any]], dict[str, Any] | None]) -> Make:
    """Return the maker of a response: each mention of the key, changed or left out."""

    def make(get: Get, path: Path, run: Run) -> None:
        rows = [json.loads(line) for line in get("key.jsonl").read_text("utf-8").splitlines()]
        found = filter(None, (change(number, row) for number, row in enumerate(rows)))
        path.write_text("".join(f"{json.dumps(row)}\n" for row in found), "utf-8")

    return make


def pairs_of(key: str, scored: bool = True) -> Make:
    """Return the maker of a list of pairs of a topic, with scores that follow the key by two thirds."""

    def make(get: Get, path: Path, run: Run) -> None:
        rows = [json.loads(line) for line in get(key).read_text("utf-8").splitlines()]
        lines = ["a,b,score" if scored else "a,b"]
        for (i, one), (j, two) in combinations(enumerate(rows), 2):
            if one["doc"].split("_")[0] == two["doc"].split("_")[0]:
                score = (
                    (one["chain"] == two["chain"]) * 2000 + i * 7919 % 1000 * (j % 7 + 1) / 7
                ) / 3000
                if scored or score > 0.3:
                    lines.append(f"{one['mention']},{two['mention']}" + f",{score:.4f}" * scored)
        path.write_text("\n".join(lines) + "\n", "utf-8")

    return make


def topics(get: Get, path: Path, run: Run) -> None:
    """Make a table of the topics of documents."""
    rows = map(json.loads, get("key.jsonl").read_text("utf-8").splitlines())
    documents = sorted({row["doc"] for row in rows})
    lines = [
        f"{d},{d.split('_')[0]},{d.split('_')[0]}{re.sub('.*[0-9]', '', d)}" for d in documents
    ]
    path.write_text("\n".join(["document,topic,subtopic", *lines]) + "\n", "utf-8")


def decisions(reviewer: str, errors: int) -> Make:
    """Return the maker of a reader's decisions: one in ``errors`` cases is an error, by its first fix."""

    def make(get: Get, path: Path, run: Run) -> None:
        head, *cases = map(json.loads, get("cases.jsonl").read_text("utf-8").splitlines())
        made = []
        for number, case in enumerate(cases[:60]):
            verdict = "not-error" if number % errors else "error"
            claims = case["fixes"][0]["claims"] if verdict == "error" else []
            verdict = "unsure" if number % 11 == 5 else verdict
            made.append(
                {k: case[k] for k in ("case", "kind")} | {"verdict": verdict, "claims": claims}
            )
        about = {k: head[k] for k in ("corpus", "digest")}
        content = {"format": "cdec-audit-decisions/1", "reviewer": reviewer, "about": about}
        path.write_text(json.dumps(content | {"places": {}, "decisions": made}), "utf-8")

    return make


def board(get: Get, path: Path, run: Run) -> None:
    """Make a scored leaderboard of the sample with one system of two runs."""
    path.mkdir()
    shutil.copy(FOLDER.with_name("data") / "board" / "one-task.toml", path / "leaderboard.toml")
    runs = get("lemma.conll"), get("wd.jsonl")
    options = ("--name", "mine", "--task", "sample", "--folder", path)
    assert run("leaderboard", "add", *runs, *options).exit == 0
    assert run("leaderboard", "score", "--folder", path).exit == 0


MADE: dict[str, Make] = {
    "key.jsonl": records_of("whole.jsonl"),
    "key-dev.jsonl": records_of("whole-dev.jsonl"),
    "half.jsonl": changed_key(lambda n, row: row if n % 2 else None),
    "wide.jsonl": changed_key(
        lambda n, row: (
            {**row, "end": row["end"] + (n % 3 == 0), "mention": f"m{n}"}
            if "tokens" not in row
            else None
        )
    ),
    "noise.jsonl": changed_key(lambda n, row: row | {"chain": "-1"} if n % 5 == 0 else row),
    "topics.csv": topics,
    "pairs.csv": pairs_of("key.jsonl"),
    "pairs-dev.csv": pairs_of("key-dev.jsonl"),
    "pairs-list.csv": pairs_of("key.jsonl", scored=False),
    "ann.json": decisions("ann", 2),
    "bob.json": decisions("bob", 3),
    "board": board,
}


def number(value: float, digits: int) -> float:
    """Return an integer as such, and another number with as many digits."""
    if not math.isfinite(value):
        return value
    rounded = 0.0 if abs(value) < 1e-12 else float(f"{value:.{digits}g}")
    return int(rounded) if rounded == int(rounded) and value == int(value) else rounded


def is_text(value: Any) -> bool:
    """Return whether there is text only in a value."""
    parts = value.values() if isinstance(value, dict) else value
    return isinstance(value, str) or (isinstance(value, dict | list) and all(map(is_text, parts)))


def canonical(value: Any, digits: int = 9) -> Any:
    """Return a value with rounded numbers, without what is left out or missing."""
    if isinstance(value, Mapping):
        kept = {k: v for k, v in value.items() if k not in LEFT_OUT and v is not None}
        return {
            k: canonical(v, digits) for k, v in kept.items() if k not in PROSE or not is_text(v)
        }
    if isinstance(value, list):
        return [canonical(one, digits) for one in value]
    if isinstance(value, float):
        return number(value, digits)
    return value


def rows_of(path: Path) -> list[Any]:
    """Return what a file says, row by row."""
    text = "" if path.suffix == ".model" else path.read_text("utf-8")
    if path.suffix == ".model":
        with np.load(path) as arrays:
            content = {name: arrays[name] for name in arrays}
        about = json.loads(content.pop("about").tobytes())
        return [about, *({"array": k, "values": v.tolist()} for k, v in content.items())]
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.splitlines()]
    if path.suffix == ".csv":
        return [{k: plain(v) for k, v in row.items()} for row in csv.DictReader(text.splitlines())]
    if path.suffix == ".toml":
        return [tomllib.loads(text)]
    if path.suffix == ".conll":
        lines = [line.split() for line in text.splitlines() if not line.startswith("#")]
        tokens = enumerate(line for line in lines if line)
        return [{"doc": t[0], "token": n, "chain": t[-1]} for n, t in tokens if t[-1] != "-"]
    return parts_of(json.loads(text))


def plain(text: str) -> Any:
    """Return the number that a cell has, or its text."""
    with contextlib.suppress(ValueError):
        return float(text)
    return text


def parts_of(found: Any) -> list[Any]:
    """Return JSON as rows: those of its lists of objects, and the rest as one."""
    if isinstance(found, list):
        return found
    rows, rest = list[Any](), dict[str, Any]()
    for key, value in found.items():
        if isinstance(value, list) and value and isinstance(value[0], dict) and key not in LEFT_OUT:
            rows += value if key == "rows" else [{"of": key} | row for row in value]
        else:
            rest[key] = value
    return [*rows, rest]


def signature(found: Any) -> dict[str, Any]:
    """Return the fields of the signatures of JSON: the value, or the list of different ones."""
    fields = defaultdict[str, list[Any]](list)
    for one in found.get("signatures", []) if isinstance(found, dict) else []:
        for field, value in one.items():
            kept = "digest" if field in OF_WEIGHTS else canonical(value)
            if field != "cdec" and kept not in fields[field]:
                fields[field].append(kept)
    return {field: values[0] if len(values) == 1 else values for field, values in fields.items()}


def columns(rows: list[Any]) -> dict[str, list[float]]:
    """Return for each field how many values it has, and their sum, or how many different ones."""
    values = defaultdict[str, list[Any]](list)

    def walk(value: Any, path: str) -> None:
        if isinstance(value, dict | list):
            items = value.items() if isinstance(value, dict) else (("", one) for one in value)
            for key, one in items:
                walk(one, f"{path}.{key}" if path and key else path or key)
        else:
            values[path].append(value)

    for row in rows:
        walk(row, "")
    # By document or word, a mapping is a table of its own, as sums it says nothing.
    return {
        path: [
            len(v),
            len({*map(str, v)}) if any(isinstance(x, str) for x in v) else number(math.fsum(v), 6),
        ]
        for path, v in sorted(values.items())[:60]
    }


def conll(rows: list[Any]) -> dict[str, float]:
    """Return the CoNLL F1 (in %) of each overall score, up to 40 of them."""
    found = {}
    for row in rows:
        if (
            isinstance(row, dict)
            and row.get("metric") == "conll"
            and "f1" in row
            and row.get("chosen", True)
        ):
            words = [
                str(row[k]) for k in ("of", "section", "system", "setting", "unit") if k in row
            ]
            found[" ".join(words)] = round(100 * row["f1"], 4)
    return dict([*found.items()][:40])


def value_of(rows: list[Any], found: Any, digits: int, keep: bool) -> tuple[dict[str, Any], str]:
    """Return the golden value of rows, and their canonical text."""
    clean = [one for one in canonical(rows, digits) if one not in ({}, [])]
    lines = sorted(json.dumps(one, sort_keys=True, ensure_ascii=False) for one in clean)
    text = "\n".join(lines)
    value: dict[str, Any] = {
        "digest": hashlib.sha256(text.encode()).hexdigest()[:16],
        "rows": len(lines),
        "signature": signature(found),
        "conll": conll(clean),
        "columns": columns(clean),
    }
    return value | ({"text": lines} if keep and len(text) <= SHORT else {}), text


def frozen(name: str) -> dict[str, Any]:
    """Return the golden values of a corpus."""
    path = FOLDER / f"{name}.json"
    return dict(json.loads(path.read_text("utf-8"))) if path.exists() else {}


def freeze(name: str, case: Case, value: dict[str, Any]) -> None:
    """Write a golden value: a line for each part of it."""
    values = frozen(name) | {case.name: {"call": case.call, **value}}
    items = []
    for key, parts in sorted(values.items()):
        lines = [
            f"  {json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in parts.items() if v
        ]
        items.append(f" {json.dumps(key)}: {{\n" + ",\n".join(lines) + "\n }")
    (FOLDER / f"{name}.json").write_text("{\n" + ",\n".join(items) + "\n}\n", "utf-8")


def check(corpus: str, case: Case, run: Run) -> None:
    """Run a call, and compare what it gives with the golden value, or freeze it."""
    done = run(*call_of(case.call))
    assert done.exit == 0, done.err
    path = Path(case.file)
    rows = rows_of(path) if case.file else parts_of(json.loads(done.out))
    if case.name == "plugins":
        rows = [row for row in rows if row.get("name") in CALLS["plugins"]["kept"]]
    found = {} if case.file else json.loads(done.out)
    found = json.loads(path.read_text("utf-8")) if path.suffix == ".json" else found
    value, text = value_of(rows, found, case.digits, keep=corpus == "sample")
    value = json.loads(json.dumps(value))
    if TEXTS in os.environ:
        folder = Path(os.environ[TEXTS], corpus)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{case.name}.txt").write_text(text, "utf-8")
    if WRITE in os.environ:
        freeze(corpus, case, value)
        return
    golden = frozen(corpus).get(case.name, {})
    for part in ("signature", "conll", "columns", "text", "rows", "digest"):
        assert (value.get(part) or None) == golden.get(part), part


@pytest.fixture(scope="module")
def of_sample(tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    """The inputs of calls on the sample."""
    return Inputs(tmp_path_factory.mktemp("sample"))


@pytest.fixture(scope="module")
def of_ecbplus(tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    """The inputs of calls on ECB+."""
    return Inputs(tmp_path_factory.mktemp("ecbplus"))


def cases(section: str) -> list[Any]:
    """Return the calls of a section as the parameters of a test."""
    found = []
    for part, marks in ((section, []), (f"{section}-slow", [pytest.mark.slow])):
        for name, line in CALLS.get(part, {}).items():
            call, _, file = line.partition(" => ")
            found.append(pytest.param(Case(name, call, file), id=name, marks=marks))
    return found


@pytest.mark.parametrize("case", cases("sample"))
def test_on_the_sample(
    case: Case, cdec: Run, of_sample: Inputs, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    of_sample.given(case.call, cdec, monkeypatch, tmp_path)
    check("sample", case, cdec)


@pytest.fixture
def on_ecbplus(of_ecbplus: Inputs, ecbplus: Path, monkeypatch: pytest.MonkeyPatch) -> Inputs:
    """The inputs of calls on ECB+, which is the corpus that they take."""
    monkeypatch.setenv("CDEC_ECBPLUS", str(ecbplus))
    return of_ecbplus


@pytest.fixture
def published(
    of_ecbplus: Inputs, responses: Path, cdec: Run, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """The folder of the responses of published systems, unpacked once."""
    monkeypatch.setenv("CDEC_DATA", str(of_ecbplus.folder / "data"))
    folder = of_ecbplus.folder / "data" / "responses"
    if not folder.exists():
        assert cdec("leaderboard", "fetch", *sorted(NAMES), "--from", responses).exit == 0
    return folder


@pytest.mark.parametrize("case", cases("ecbplus"))
def test_on_ecbplus(
    case: Case, cdec: Run, on_ecbplus: Inputs, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    monkeypatch = request.getfixturevalue("monkeypatch")
    if "leaderboard:" in case.call or "responses/" in case.call:
        (tmp_path / "responses").symlink_to(request.getfixturevalue("published"))
    for word in re.findall(r"ecb\.\w+\.test\.csv", case.call):
        shutil.copy(request.getfixturevalue("published_pairs") / word, tmp_path)
    on_ecbplus.given(case.call, cdec, monkeypatch, tmp_path)
    check("ecbplus", case, cdec)


def test_the_board_of_published_systems_scores_as_saved(
    cdec: Run, ecbplus: Path, corpora: Path, published: Path
) -> None:
    folders = {"ecb+": ecbplus, "gvc": corpora / "GVC", "fcc-t": corpora / "FCC-T"}
    where = [f"--corpus={name}={folder}" for name, folder in folders.items()]
    saved = Path(__file__).parents[1] / "configs" / "leaderboard"
    call = ["leaderboard", "score", "--check", "--folder", saved, "--responses", published, "-j", 1]
    assert cdec(*call, *where, "cattan-ecbp-gold").exit == 0


@pytest.mark.parametrize("call", CALLS["wrong"])
def test_a_wrong_call(
    call: str, cdec: Run, of_sample: Inputs, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    of_sample.given(call, cdec, monkeypatch, tmp_path)
    for name, text in CALLS["broken"].items():
        (tmp_path / name).write_text(text, "utf-8")
    done = cdec(call)
    assert f"{done.exit} {done.error}" == CALLS["wrong"][call]


def program(*arguments: object) -> list[str]:
    """Return the command line of a process of its own."""
    return [sys.executable, "-W", "ignore", "-m", "cdec", *map(str, arguments)]


# Seconds of work under one setting: a bar appears after two.
LONG = shlex.split("eval lemma -s all --metric all --ci --resamples 1000000 -j 1")


def test_a_bar_on_a_terminal_and_none_in_a_pipe() -> None:
    leader, follower = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(
        program(*LONG), stdout=subprocess.DEVNULL, stderr=follower, env=environment
    ) as process:
        os.close(follower)
        shown = b""
        while b"\x1b[?25l" not in shown and process.poll() is None:
            shown += os.read(leader, 65536)
        process.send_signal(signal.SIGINT)
    os.close(leader)
    assert b"\x1b[?25l" in shown  # the cursor is hidden while a bar is drawn
    with subprocess.Popen(
        program(*LONG), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        time.sleep(4)
        running_still = process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert b"\x1b" not in process.stderr.read() and running_still


def test_ctrl_c_leaves_no_file(tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    with subprocess.Popen(
        program(*LONG, "-q", "-f", "json", "-o", file), stderr=subprocess.PIPE
    ) as process:
        time.sleep(4)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert process.stderr is not None and b"interrupted" in process.stderr.read()
    assert not list(tmp_path.iterdir())


def test_a_picture(cdec: Run, tmp_path: Path) -> None:
    drawing, picture = tmp_path / "c.svg", tmp_path / "c.png"
    for file in (drawing, picture):
        assert cdec("tune", "-q", "--plot", file).exit == 0
    root = ElementTree.fromstring(drawing.read_text("utf-8"))  # noqa: S314  our own
    assert len([one for one in root.iter() if one.tag.endswith("path")]) > 3
    assert picture.read_bytes().startswith(b"\x89PNG\r\n")


@pytest.fixture
def dask() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start a part of a Dask cluster and wait for a word that it says."""
    pytest.importorskip("distributed")
    started: list[subprocess.Popen[str]] = []

    def start(until: str, *arguments: object) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "dask", *map(str, arguments), "--no-dashboard"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stderr is not None
        assert any(until in line for line in process.stderr)
        return process

    yield start
    for process in reversed(started):
        process.kill()
        process.communicate()


@pytest.mark.slow
def test_a_run_survives_a_killed_worker(
    dask: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    psutil = pytest.importorskip("psutil")
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{one.getsockname()[1]}"
    dask("Scheduler at", "scheduler", "--host", "127.0.0.1", "--port", address.split(":")[1])
    options = ("--nthreads", 1, "--host", "127.0.0.1", "--no-nanny", "--local-directory", tmp_path)
    first, _ = (dask("Registered to", "worker", f"tcp://{address}", *options) for _ in range(2))
    worker = psutil.Process(first.pid)
    begun = worker.cpu_times().user
    call = [*LONG[:-3], "100000", "-q", "-f", "json"]
    command = program(*call, "--scheduler", f"tcp://{address}")
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        while process.poll() is None and worker.cpu_times().user < begun + 1:
            time.sleep(0.05)
        assert process.poll() is None
        first.kill()
        there, _ = process.communicate()
    assert process.returncode == 0
    alone = subprocess.run(program(*call, "-j", 1), capture_output=True, check=True)
    assert json.loads(there) == json.loads(alone.stdout)


def main() -> None:
    """Compare, or freeze, by pytest."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="make the values anew")
    parser.add_argument("--only", default="", metavar="WORD", help="calls with this in their name")
    parser.add_argument("--all", action="store_true", help="also those that take long")
    parser.add_argument("--texts", metavar="FOLDER", help="also keep the canonical texts")
    given = parser.parse_args()
    if given.write:
        os.environ[WRITE] = "1"
    if given.texts:
        os.environ[TEXTS] = str(Path(given.texts).resolve())
    chosen = [f"-k={given.only}"] if given.only else ["-k=on_the_sample or on_ecbplus"]
    raise SystemExit(pytest.main([__file__, "-q", *chosen, *(["-m", ""] if given.all else [])]))


if __name__ == "__main__":
    main()
