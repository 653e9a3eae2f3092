"""Write one file of each kind that cdec saves and reads back, as the release of today does.

    python -m tests.make_fixtures      # writes tests/fixtures/VERSION, once, before a release

All are made from the packaged sample; ``expected.json`` has what today's readers return. The files
of a release are never written again: this refuses a folder that exists.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from importlib.resources import files
from pathlib import Path

import cdec
from cdec.auditing.review.decoys import DecoyKey
from tests.saved_files import FIXTURES, READERS

DOCUMENTS = ("4_1ecb", "4_2ecb")
PAIRS = 201  # lines
SAC = 'system = "sac"\n[choices]\nclassifiers = ["linear"]\nfamilies = ["head", "words"]\n'
TOPICS = '[topics]\ntrain = ["1-3"]\ndev = ["4"]\ntest = ["5-6"]\n'
SPLIT = f'format = "cdec-split/1"\ntitle = "Mine"\n{TOPICS}'
BOARD = """format = "cdec-leaderboard/1"
title = "Made"

[[tasks]]
name = "sample"
title = "The sample"
corpus = "sample"
split = "test"
"""
DETECTORS = "--detector copies --detector duplicate --detector companions"
CALLS = f"""
predict --corpus corpus.jsonl --system lemma-wd -o response.conll
predict --corpus corpus.jsonl --system lemma-wd -o response.conllu
predict --corpus corpus.jsonl --system lemma-wd -o plain.jsonl
predict --corpus sample --system lemma -o board-1.conll
predict --corpus sample --system lemma-wd -o board-2.conll
eval --corpus sample --system lemma -s all --metric conll --metric lea -f json -o results.json
eval --corpus sample --system lemma -s pure --metric conll --by topic -f json -o results-by.json
eval --corpus sample --system lemma -s bh --metric b3 --ci --resamples 9 -f json -o results-ci.json
tune --corpus sample -o config.toml
train sac --corpus sample --config sac.toml -o model.sac
train detector-lexicon --corpus sample -o lexicon.detector
predict --corpus sample --split dev --system sac --model model.sac --pairs-out pairs.csv
audit run --corpus sample {DETECTORS} -o all.jsonl
audit decide cases.jsonl answers.csv --reader ann --corpus sample -o decisions.json
audit apply decisions.json -o patch.json
audit review cases.jsonl --corpus sample -o tasks.json
leaderboard add board-1.conll board-2.conll --name mine --task sample
leaderboard add board-2.conll --name other --task sample
leaderboard score
leaderboard study --resamples 10
leaderboard site -o site
"""


def call(folder: Path, line: str) -> None:
    """Run a command of cdec in the folder, without corpora of this machine."""
    mine = {name: text for name, text in os.environ.items() if not name.startswith("CDEC_")}
    own = {"CDEC_DATA": str(folder / "data"), "CDEC_CACHE": str(folder / "cache")}
    arguments = [sys.executable, "-m", "cdec", *line.split(), "-q"]
    done = subprocess.run(arguments, cwd=folder, env=mine | own, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"{line}: {done.stderr.decode()}")


def prepare(folder: Path) -> None:
    """Write what the calls read."""
    call(folder, "corpus convert sample -o whole.jsonl")
    rows = [json.loads(line) for line in (folder / "whole.jsonl").read_text("utf-8").splitlines()]
    kept = [r for r in rows if (r.get("doc") or r.get("id")) in (None, *DOCUMENTS)]
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in kept)
    (folder / "corpus.jsonl").write_text(text, "utf-8")
    (folder / "sac.toml").write_text(SAC, "utf-8")
    (folder / "split.toml").write_text(SPLIT, "utf-8")
    (folder / "leaderboard").mkdir()
    (folder / "leaderboard" / "leaderboard.toml").write_text(BOARD, "utf-8")
    calibration = (files("cdec.auditing.order") / "ecbplus.json").read_text("utf-8")
    (folder / "calibration.json").write_text(calibration, "utf-8")


def choose(folder: Path) -> None:
    """Keep three cases, and answer them."""
    head, *cases = (folder / "all.jsonl").read_text("utf-8").splitlines(keepends=True)[:4]
    (folder / "cases.jsonl").write_text(head + "".join(cases), "utf-8")
    ids = [json.loads(case)["case"] for case in cases]
    answers = [f"{ids[0]},error,1,", f"{ids[1]},not-error,,general", f"{ids[2]},unsure,,"]
    text = "\n".join(["case,verdict,correction,reason", *answers, ""])
    (folder / "answers.csv").write_text(text, "utf-8")
    (folder / "decoys.json").write_text(DecoyKey(decoys=(ids[2],)).to_json(), "utf-8")


def finish(folder: Path) -> None:
    """Annotate a task, declare a response, and write the patch in its first version, too."""
    tasks = json.loads((folder / "tasks.json").read_text("utf-8"))
    chosen = [{"from_name": "verdict", "value": {"choices": ["not-error"]}}]
    tasks[0]["annotations"] = [{"completed_by": {"email": "ann"}, "result": chosen}]
    (folder / "tasks.json").write_text(json.dumps(tasks, ensure_ascii=False) + "\n", "utf-8")
    declared = '{"cdec": {"uses": {"mentions": "gold"}, "seed": 1}}\n'
    plain = (folder / "plain.jsonl").read_text("utf-8")
    (folder / "response.jsonl").write_text(declared + plain, "utf-8")
    pairs = (folder / "pairs.csv").read_text("utf-8").splitlines(keepends=True)
    (folder / "pairs.csv").write_text("".join(pairs[:PAIRS]), "utf-8")
    patch = json.loads((folder / "patch.json").read_text("utf-8"))
    first = {
        name: [op[name] for op in patch["operations"] if name in op] for name in ("merge", "move")
    }
    about = {"format": "cdec-key-patch/1", "about": patch["about"], "places": patch["places"]}
    (folder / "patch-1.json").write_text(json.dumps(about | first, indent=1) + "\n", "utf-8")


def main() -> None:
    """Make all files in a temporary folder, and copy those that are read back."""
    target = FIXTURES / cdec.__version__
    if target.exists():
        raise SystemExit(f"{target} exists: the files of a release are never written again")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        prepare(folder)
        for line in CALLS.strip().splitlines():
            call(folder, line)
            if "all.jsonl" in line:
                choose(folder)
        finish(folder)
        for name in READERS:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_bytes((folder / name).read_bytes())
    expected = {name: read(target / name) for name, read in READERS.items()}
    (target / "expected.json").write_text(json.dumps(expected, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
