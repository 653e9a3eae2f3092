"""The other scorers: where each is, what it is asked, and the values in its output.

neleval is a dependency of cdec. The others are optional: CDEC_COVAL and CDEC_COREFUD_SCORER name
the program of a checkout (``scorer.py``, ``corefud-scorer.py``), CDEC_REFERENCE_SCORER the
``scorer.pl`` of the CoNLL reference scorer, CDEC_PEER_PYTHON a Python with udapi (which
corefud-scorer needs) and scorch, if they are not in this one.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TypeAlias

Values: TypeAlias = dict[str, tuple[float, float, float]]
"""Metric → precision, recall and F1 in percent."""
METRICS = ("muc", "b3", "ceafm", "ceafe", "blanc", "lea")
NAMES = {"muc": "MUC", "b3": "B³", "ceafm": "CEAF_m", "ceafe": "CEAF_e", "blanc": "BLANC",
         "lea": "LEA"}  # fmt: skip
THEIRS = {"bcub": "b3", "b_cubed": "b3", "B³": "b3", "MUC": "muc", "CEAF_m": "ceafm",
          "CEAF_e": "ceafe", "BLANC": "blanc", "entity_ceaf": "ceafe",
          "mention_ceaf": "ceafm"}  # fmt: skip
# neleval 3.1.1 imports a name that Python 3.10 removed, and uses one that numpy 1.24 removed.
NELEVAL = """
import collections, collections.abc, numpy
collections.Sequence, numpy.int = collections.abc.Sequence, int
from neleval.__main__ import main
main()
"""
_PERCENT = r"(?:\([^)]*\) )?([\d.]+)%?"
_LINE = re.compile(rf"Recall: {_PERCENT}\s+Precision: {_PERCENT}\s+F1: {_PERCENT}")


@dataclass(frozen=True)
class Peer:
    """``version`` is None if the tool is not here; ``where`` says how to name it.

    ``format`` is that of its files, ``ours`` that of the same annotation for cdec; ``digits`` is
    the step of the values in its output, in points.
    """

    name: str
    version: str | None
    where: str
    metrics: tuple[str, ...]
    format: str
    ours: str
    digits: float
    commands: Callable[[str, str], list[list[str]]]
    values: Callable[[tuple[str, ...]], Values]


def peers() -> list[Peer]:
    """All peers, those that are not here included."""
    python = os.environ.get("CDEC_PEER_PYTHON", sys.executable)
    return [_neleval(), _scorch(python), _coval(), _corefud(python), *_perl()]


def cdec(key: str, response: str, scope: str = "corpus") -> list[list[str]]:
    """The command of cdec for all metrics of the peers."""
    chosen = [part for metric in METRICS for part in ("--metric", metric)]
    asked = ["score", key, response, "--scope", scope, "--format", "json", "--quiet"]
    return [[sys.executable, "-m", "cdec", *asked, *chosen]]


def cdec_values(output: tuple[str, ...]) -> Values:
    rows = json.loads(output[0])["rows"]
    return {
        row["metric"]: (100 * row["precision"], 100 * row["recall"], 100 * row["f1"])
        for row in rows
        if row["metric"] in METRICS
    }


def _neleval() -> Peer:
    def values(output: tuple[str, ...]) -> Values:
        rows = json.loads(output[0])
        return {
            THEIRS.get(name, name): (100 * r["precision"], 100 * r["recall"], 100 * r["fscore"])
            for name, r in rows.items()
        }

    asked = [part for name in ("muc", "b_cubed", "entity_ceaf") for part in ("-m", name)]
    command = [sys.executable, "-c", NELEVAL, "evaluate", *asked, "-f", "json", "-g"]
    return Peer(
        "neleval", version("neleval"), "installed with cdec", ("muc", "b3", "ceafe"),
        "tsv", "json", 1e-9, lambda key, response: [[*command, key, response]], values,
    )  # fmt: skip


def _scorch(python: str) -> Peer:
    def values(output: tuple[str, ...]) -> Values:
        found = re.findall(r"^(\S+):\tR=(\S+)\tP=(\S+)\tF₁=(\S+)", output[0], re.MULTILINE)
        return {THEIRS[n]: (100 * float(p), 100 * float(r), 100 * float(f)) for n, r, p, f in found}

    call = "from scorch.main import main_entry_point as main; main()"
    return Peer(
        "scorch", _installed(python, "scorch"), "pip install scorch; CDEC_PEER_PYTHON",
        ("muc", "b3", "ceafm", "ceafe", "blanc"), "json", "json", 1e-9,
        lambda key, response: [[python, "-c", call, key, response]], values,
    )  # fmt: skip


def _coval() -> Peer:
    scorer = os.environ.get("CDEC_COVAL")
    command = [sys.executable, str(scorer)]
    return Peer(
        "coval", _commit(scorer), "CDEC_COVAL", ("muc", "b3", "ceafe", "lea"), "one.conll",
        "one.conll", 0.01, lambda key, response: [[*command, key, response]],
        lambda output: _lines(re.findall(r"^(\w+)\s+(Recall: .*)$", output[0], re.MULTILINE)),
    )  # fmt: skip


def _corefud(python: str) -> Peer:
    scorer = os.environ.get("CDEC_COREFUD_SCORER")
    known = _installed(python, "udapi") and _commit(scorer)
    asked = ["-s", "-a", "exact", "-m", "muc", "bcub", "ceafm", "ceafe", "blanc", "lea"]
    return Peer(
        "corefud-scorer", known, "CDEC_COREFUD_SCORER; udapi", METRICS, "one.conllu",
        "one.conllu", 0.01,
        lambda key, response: [[python, str(scorer), key, response, *asked]],
        lambda output: _lines(re.findall(r"^(\w+)\n(Recall: .*)$", output[0], re.MULTILINE)),
    )  # fmt: skip


def _perl() -> list[Peer]:
    """One tool in two rows: its CEAF_e takes most of the time."""
    scorer = Path(os.environ.get("CDEC_REFERENCE_SCORER", ""))
    known = None
    if scorer.is_file():  # what it calls itself differs from the name of its folder
        text = (scorer.parent / "lib" / "CorScorer.pm").read_text("utf-8", errors="replace")
        own = re.findall(r"VERSION\s*=\s*'([\d.]+)'", text)[:1]
        known = " in ".join([*own, scorer.parent.name])
    return [_perl_row(str(scorer), known, metrics) for metrics in (("muc", "bcub"), ("ceafe",))]


def _perl_row(scorer: str, known: str | None, metrics: tuple[str, ...]) -> Peer:
    def values(output: tuple[str, ...]) -> Values:
        lines = [re.findall(r"^Coreference: (.*)$", text, re.MULTILINE)[0] for text in output]
        return _lines(list(zip(metrics, lines, strict=True)))

    ours = tuple(THEIRS.get(name, name) for name in metrics)
    return Peer(
        f"CoNLL scorer, {' '.join(NAMES[name] for name in ours)}", known,
        "CDEC_REFERENCE_SCORER", ours, "one.conll", "one.conll", 0.01,
        lambda key, response: [["perl", scorer, m, key, response, "none"] for m in metrics],
        values,
    )  # fmt: skip


def _lines(found: list[tuple[str, str]]) -> Values:
    values = {}
    for name, line in found:
        parsed = _LINE.search(line)
        if parsed and THEIRS.get(name, name) in METRICS:
            recall, precision, f1 = map(float, parsed.groups())
            values[THEIRS.get(name, name)] = (precision, recall, f1)
    return values


def _installed(python: str, package: str) -> str | None:
    code = f"from importlib.metadata import version; print(version({package!r}))"
    ran = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return ran.stdout.strip() or None


def _commit(program: str | None) -> str | None:
    """The commit of the checkout that the program is in; None if there is no such program."""
    if not program or not Path(program).is_file():
        return None
    asked = ["git", "-C", str(Path(program).parent), "log", "-1", "--format=%h (%cs)"]
    ran = subprocess.run(asked, capture_output=True, text=True, check=False)
    return ran.stdout.strip() or "unknown"
