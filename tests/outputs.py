"""The outputs of some sixty commands, for a comparison before and after a move of the code.

    python tests/outputs.py FOLDER                # run all, keep what they write, print a digest a line
    python tests/outputs.py FOLDER --only REGEX   # run those whose name matches

Each command is a process in a folder of its own below FOLDER: `stdout`, and the files that it writes.
Two such FOLDERs are compared with `diff -r`, their lists of digests with `diff`. Commands on ECB+ need
``CDEC_ECBPLUS``; without it they are left out, and the last line says so.
"""

# ruff: noqa: E501 -- a command a line reads best

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

# What the commands below read; made first, in FOLDER/inputs, once for each corpus.
INPUTS = {
    "lemma.conll": "predict {c} --system lemma -o lemma.conll",
    "delta.conll": "predict {c} --system lemma-delta -o delta.conll",
    "wd.jsonl": "predict {c} --system lemma-wd -o wd.jsonl",
    "delta.csv": "predict {c} --system lemma-delta -o delta.csv",
    "key.conll": "corpus export {c} -o key.conll",
    "own.conll": "corpus export {c} -o own.conll --setting pure",
    "found.jsonl": "predict {c} --system lemma --mentions predicted:detector-lexicon -o found.jsonl",
    "scores.json": "eval {c} {a} -s all --system lemma --system lemma-delta -f json -o scores.json",
}
# Name → command; {c} is the corpus, {i} the folder of inputs, {a} and {b} are in CHOSEN. What is behind -o is written and compared.
COMMANDS = {
    "eval-all": "eval {c} {a} {b} -s all -f json",
    "eval-table": "eval {c} {b} -s all {m}",
    "eval-markdown": "eval {c} {a} -s pure -s simple --system lemma --format markdown",
    "eval-latex": "eval {c} {a} -s all --system lemma --system lemma-delta --format latex",
    "eval-html": "eval {c} {a} -s all --system lemma --ci --resamples 50 -f html -o page.html",
    "eval-csv": "eval {c} {a} {b} -s all --format csv",
    "eval-responses": "eval {c} {a} -s all -r a={i}/lemma.conll -r b={i}/wd.jsonl -r c={i}/delta.csv -f json",
    "eval-by-topic": "eval {c} {a} -s simple -s ycf --by topic --system lemma -f json",
    "eval-runs": "eval {c} {a} -s all -r x={i}/lemma.conll,{i}/delta.conll,{i}/wd.jsonl -f json",
    "eval-ci": "eval {c} -s all {m} --system lemma --ci --resamples 60 -f json",
    "eval-found": "eval {c} -s all {m} -r {i}/found.jsonl -f json",
    "eval-found-head": "eval {c} -s pure {m} -r {i}/found.jsonl --match head --ci --resamples 40",
    "eval-entity": "eval {c} {a} -s all --mentions entity --system lemma -f json",
    "eval-all-mentions": "eval {c} {a} -s simple --mentions all --system lemma -f json",
    "eval-neleval": "eval {c} {a} -s all --system lemma --scorer neleval -f json",
    "score-corpus": "score {i}/key.conll {i}/lemma.conll --scope corpus {m} -f json",
    "score-document": "score {i}/key.conll {i}/delta.conll --scope document {m} --by document -f csv",
    "score-table": "score {a} {i}/key.conll {i}/wd.jsonl --scope corpus",
    "score-macro": "score {a} --pair a={i}/key.conll:{i}/lemma.conll --pair b={i}/key.conll:{i}/delta.conll --scope document --macro -f json",
    "predict-conll": "predict {c} --system lemma-docs -o out.conll",
    "predict-jsonl": "predict {c} --system lemma-delta -o out.jsonl",
    "export-key": "corpus export {c} -o key.jsonl",
    "export-ycf": "corpus export {c} --setting ycf -o ycf.conll",
    "convert-interchange": "corpus convert {p} --to jsonl -o corpus.jsonl",
    "convert-conll8": "corpus convert {p} --to conll8 -o corpus.conll",
    "corpus-info": "corpus info {c} -f json",
    "compare": "compare lemma lemma-delta {c} {a} -s pure --resamples 60 --exchanges 60",
    "compare-json": "compare a={i}/lemma.conll b={i}/delta.conll {c} {a} -s all --resamples 60 --exchanges 60 -f json",
    "diagnose": "diagnose {i}/delta.conll {c} -s pure",
    "diagnose-json": "diagnose lemma b={i}/wd.jsonl {c} -s all -f json",
    "diagnose-html": "diagnose {i}/found.jsonl {c} -s simple -f html -o page.html",
    "explain-muc": "explain {c} --metric muc -s pure --document {d} --system lemma",
    "explain-b3": "explain {c} --metric b3 -s simple --document {d} -r {i}/delta.conll -f json",
    "explain-ceafe": "explain {c} --metric ceafe -s simple --document {d} --system lemma-delta -f json",
    "explain-lea": "explain {c} --metric lea -s ycf --document {d} --system lemma -f markdown",
    "explain-blanc": "explain {c} --metric blanc -s pure --document {d} --system lemma -f json",
    "explain-files": "explain {i}/key.conll {i}/lemma.conll --scope corpus --metric ceafm --document {d}",
    "stats": "corpus stats {c} -f json",
    "stats-table": "corpus stats {c} --diversity",
    "stats-files": "corpus stats {i}/key.conll {i}/lemma.conll",
    "tune": "tune lemma-delta {c} --split dev -o delta.toml -f json",
    "report": "report {i}/scores.json -r l={i}/lemma.conll -r d={i}/delta.conll {c} -s pure -o report.html",
    "report-saved": "report {i}/scores.json -o saved.md",
    "check": "check {i}/scores.json --min pure/conll=.1",
    "audit-run": "audit run {c} -o cases.jsonl",
    "audit-run-json": "audit run {c} --top 20 -f json",
    "reproduce": "reproduce table1 table2 figure3 settings {c} -f json",
    "reproduce-latex": "reproduce table2 {c} -f latex",
}
ONCE = {
    "corpus-list": "corpus list -f json",
    "plugins": "plugins -f json",
    "figure3": "reproduce figure3",
    "reproduce-all": "reproduce all -f html -o all.html",
    "audit-review": "audit review ../ecbplus-audit-run/cases.jsonl -o review.html",
    "eval-literature": "eval --system lemma-delta --literature",
    "leaderboard-show": "leaderboard show --task ecb+ --folder {board} -f csv",
    "leaderboard-board": "leaderboard show --folder {board} -o board.md",
    "reproduce-leaderboard": "reproduce leaderboard -f html -o study.html",
    "sac": "eval {a} -s all --system sac -f json",
    "gvc": "eval {a} {b} --corpus {corpora}/GVC -s all -f json",
    "crac": "score {corefud}/made/shift.key.conllu {corefud}/made/shift.response.conllu --preset crac24 -f json",
}
# More than the defaults, so that outputs can be compared with those of releases that showed all.
LEMMAS = ("lemma", "lemma-wd", "lemma-delta", "lemma-docs")
CHOSEN = {"a": "--metric all", "b": " ".join(f"--system {name}" for name in LEMMAS)}
METRICS = ("muc", "b3", "ceafm", "ceafe", "lea", "blanc", "conll", "avg4", "mentions")
DOCUMENTS = {"sample": "4_1ecb", "ecbplus": "36_1ecb"}
ROOT = Path(__file__).resolve().parents[1]


def process(call: str, here: Path, environment: dict[str, str]) -> Any:
    """Run a command in a folder."""
    command = [sys.executable, "-m", "cdec", *shlex.split(call), "--quiet"]
    return subprocess.run(command, cwd=here, env=environment, capture_output=True, check=False)


def run(name: str, call: str, folder: Path, environment: dict[str, str]) -> str:
    """Run a command in a folder of its own, and return the digest of all that it wrote."""
    here = folder / name
    here.mkdir(parents=True, exist_ok=True)
    done = process(call, here, environment)
    (here / "stdout").write_bytes(done.stdout)
    (here / "stderr").write_bytes(done.stderr)
    digest = hashlib.sha256(str(done.returncode).encode())
    for file in sorted(here.rglob("*")):
        if file.is_file() and file.name != "stderr":
            digest.update(file.relative_to(here).as_posix().encode() + b"\0" + file.read_bytes())
    return f"{digest.hexdigest()[:16]} {done.returncode} {name}"


def corpora() -> dict[str, str]:
    """Return the corpora as name → option."""
    real = {"ecbplus": os.environ["CDEC_ECBPLUS"]} if "CDEC_ECBPLUS" in os.environ else {}
    return {"sample": "sample"} | real


def main() -> None:
    """Run the commands in order."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", type=re.compile, default=re.compile(""))
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    environment = {**os.environ, "COLUMNS": "160", "PYTHONHASHSEED": "0"}
    boards = (ROOT / "configs" / "leaderboard", ROOT / "leaderboard")
    board = next(place for place in boards if (place / "leaderboard.toml").exists())
    for corpus, path in corpora().items():
        here, option = folder / f"inputs-{corpus}", f"--corpus {shlex.quote(path)}"
        here.mkdir(parents=True, exist_ok=True)
        for name, call in INPUTS.items():
            if not (here / name).exists():
                process(call.format(c=option, **CHOSEN), here, environment).check_returncode()
        places = {"p": shlex.quote(path), "i": f"../inputs-{corpus}", "d": DOCUMENTS[corpus]}
        metrics = " ".join(f"--metric {metric}" for metric in METRICS)
        for name, call in COMMANDS.items():
            if arguments.only.search(f"{corpus}-{name}"):
                words = call.format(c=option, m=metrics, **places, **CHOSEN)
                print(run(f"{corpus}-{name}", words, folder, environment), flush=True)
    homes = {n: os.environ.get(f"CDEC_{n.upper()}", "") for n in ("corpora", "corefud")}
    for name, call in ONCE.items() if "CDEC_ECBPLUS" in os.environ else ():
        if arguments.only.search(name):
            print(
                run(name, call.format(board=board, **homes, **CHOSEN), folder, environment),
                flush=True,
            )
    if "CDEC_ECBPLUS" not in os.environ:
        print("left out: the commands on ECB+ (CDEC_ECBPLUS is not set)")


if __name__ == "__main__":
    main()
