"""A package of plug-ins, one of each kind: listed, used, signed; and what a broken one breaks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.cases import cases
from tests.program import Ran
from tests.tiny_files import corpus, given

PROGRAMS = cases("plugin_programs")
KINDS = PROGRAMS["kinds"]
WRONG = ("short", "half", "no_terms", "nan", "above", "no_value", "too_large")


def installed(
    folder: Path, *points: tuple[str, str, str], source: str = PROGRAMS["source"]
) -> None:
    """Put the package in a folder, with entry points (group, name, object)."""
    given(folder, "extra_kinds.py", source)
    about = folder / "extra-1.2.dist-info"
    given(about, "METADATA", "Metadata-Version: 2.1\nName: extra\nVersion: 1.2\n")
    # What an installer writes: which files are of the package.
    given(about, "RECORD", "extra_kinds.py,,\nextra-1.2.dist-info/METADATA,,\n")
    lines = [f"[{group}]\n{name} = {value}\n" for group, name, value in points]
    given(about, "entry_points.txt", "".join(lines))


def python(folder: Path, code: str, given: object = None) -> Any:
    """Run code with the package installed; it reads JSON, and prints what is returned."""
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-W", "ignore", "-c", code]
    env = os.environ | {"PYTHONPATH": path}
    done = subprocess.run(
        command, input=json.dumps(given), check=True, env=env, cwd=folder, stdout=-1, text=True
    )
    return json.loads(done.stdout)


def run(folder: Path, *calls: str) -> list[Ran]:
    return [Ran(*one) for one in python(folder, PROGRAMS["calls"], calls)]


def signature(ran: Ran) -> dict[str, Any]:
    (fields,) = ran.json["signatures"]
    return dict(fields)


def test_a_plugin_of_each_kind_is_listed_used_and_signed(tmp_path: Path) -> None:
    installed(
        tmp_path, *((group, name, f"extra_kinds:{what}") for group, name, what in KINDS.values())
    )
    given(tmp_path, "c.one", json.dumps({"d": ["a", "b", "A"], "e": ["a", "c", "c"]}))
    given(tmp_path, "c.jsonl", corpus())
    pure = "--corpus sample -s pure --metric b3 -f json"
    listed, metric, system, setting, nlp, wrote, read, plain, added, cases = run(
        tmp_path,
        "plugins -f json",
        "eval lemma --corpus sample -s pure --metric equal-chains -f json",
        f"eval same-words {pure}",
        "eval lemma --corpus sample -s topics-pure --metric b3 -f json",
        f"eval lemma --nlp letters {pure}",
        "predict --corpus sample --to words -o mine.txt",
        f"eval mine.txt {pure}",
        f"eval lemma {pure}",
        "eval lemma --corpus c.one -s simple --metric b3 -f json",
        "audit run --corpus sample --detector repeated -f json",
    )  # fmt: skip
    rows = [
        row for row in listed.json["rows"] if row["name"] in {name for _, name, _ in KINDS.values()}
    ]
    assert {row["kind"]: row["name"] for row in rows} == {
        k: name for k, (_, name, _) in KINDS.items()
    }
    for ran in (metric, system, setting, nlp, read, added, cases):
        assert ran.exit == 0, ran.err
    for ran in (metric, system, setting, cases):
        assert signature(ran)["plugins"] == "extra-1.2"
    assert signature(added)["reader"] == "extra-1.2"
    assert "extra-1.2" in signature(nlp)["nlp"]
    assert "plugins" not in signature(plain)
    f1 = {n: ran.json["rows"][0]["f1"] for n, ran in enumerate((read, plain, nlp, system))}
    assert f1[0] == f1[1]
    assert len(set(f1.values())) == 3
    assert wrote.exit == 0
    # The chains of the corpus are the words: lemmas join "a" and "A" across documents.
    assert added.json["rows"][0]["p_den"] == 6


def test_plugins_of_python_are_used_by_their_names_only(tmp_path: Path) -> None:
    installed(
        tmp_path,
        ("cdec.metrics", "least", "extra_kinds:least"),
        ("cdec.metrics", "lost", "extra_kinds:lost"),
        ("cdec.settings", "topics-pure", "extra_kinds:SETTING"),
        ("cdec.settings", "other", "extra_kinds:SETTING"),
    )
    found = python(tmp_path, PROGRAMS["in_python"])
    metrics, f1, joined, fields, codes, named, settings = found
    assert (metrics, f1["least"]) == (["muc", "b3", "least"], min(f1["muc"], f1["b3"]))
    assert (joined, fields, named, settings) == (False, ["extra-1.2"] * 2, True, 6)
    assert codes == ["plugin-invalid"] * 2


def test_an_interrupt_that_python_drops_is_asked_again(tmp_path: Path) -> None:
    installed(tmp_path, ("cdec.metrics", "waits", "extra_kinds:WAITS"))
    call = "-m cdec eval lemma --corpus sample -s pure --metric waits -q"
    env = os.environ | {"PYTHONPATH": str(tmp_path)}
    command = [sys.executable, *call.split()]
    done = subprocess.run(command, env=env, timeout=50, check=False, capture_output=True)
    assert (done.returncode, done.stderr.count(b"interrupted")) == (130, 1)


def test_the_file_format_of_the_guide_reads_what_it_writes(tmp_path: Path) -> None:
    guide = (Path(__file__).parents[1] / "docs" / "plugins.md").read_text("utf-8")
    source = guide.partition("## A file format")[2].partition("```python\n")[2].partition("```")[0]
    installed(tmp_path, ("cdec.formats", "chain-lines", "extra_kinds:FORMAT"), source=source)
    given(tmp_path, "wrong.txt", "7 = a:3-4\n8 = a:5-5 b\n")
    wrote, table, other, read, own, wrong = run(
        tmp_path,
        "predict --corpus sample --to chain-lines -o mine.txt",
        "predict --corpus sample --to chain-lines -o mine.tsv",
        "predict --corpus sample --to chain-lines -o mine.conll",
        "eval mine.txt --corpus sample -s pure --metric b3 -f json",
        "eval lemma --corpus sample -s pure --metric b3 -f json",
        "score wrong.txt wrong.txt",
    )
    assert (wrote.exit, table.exit, other.exit, read.exit) == (0, 0, 2, 0), read.err
    assert (tmp_path / "mine.tsv").read_bytes() == (tmp_path / "mine.txt").read_bytes()
    assert read.json["rows"][0]["f1"] == own.json["rows"][0]["f1"]
    assert (wrong.exit, "wrong.txt:2: " in wrong.err) == (1, True)


def test_a_broken_plugin_breaks_its_own_calls_only(tmp_path: Path) -> None:
    installed(
        tmp_path,
        ("cdec.metrics", "raises", "extra_kinds:RAISES"),
        ("cdec.systems", "fails", "extra_kinds:Fails"),
        ("cdec.metrics", "muc", "extra_kinds:EQUAL"),
        ("cdec.metrics", "other-id", "extra_kinds:EQUAL"),
        ("cdec.metrics", "missing", "no_such_module:METRIC"),
        ("cdec.systems", "nothing", "extra_kinds:NOTHING"),
        ("cdec.detectors", "a-setting", "extra_kinds:SETTING"),
        *(("cdec.metrics", name, f"extra_kinds:{name}") for name in WRONG),
        ("cdec.formats", "a-sniff", "extra_kinds:SNIFFS"),
        ("cdec.formats", "no-read", "extra_kinds:NO_READ"),
    )
    given(tmp_path, "mine.txt", "~a~b\n")
    base = "--corpus sample -s pure"
    listed, fine, raises, fails, other, missing, nothing, detector, *wrong = run(
        tmp_path,
        "plugins -f json",
        f"eval lemma {base} --metric muc -f json",
        f"eval lemma {base} --metric raises",
        f"eval fails {base}",
        f"eval lemma {base} --metric other-id",
        f"eval lemma {base} --metric missing",
        f"eval nothing {base}",
        "audit run --corpus sample --detector a-setting",
        *(f"eval lemma {base} --metric {name}" for name in WRONG),
        f"eval mine.txt {base}",
        "predict --corpus sample --to no-read -o x.txt",
    )
    problems = {row["name"] for row in listed.json["rows"] if row.get("problem")}
    assert problems == {"muc", "other-id", "missing", "nothing", "a-setting"}
    assert fine.exit == 0
    assert "plugins" not in signature(fine)
    for ran, code in (
        *((one, "plugin-failed") for one in (raises, fails, *wrong)),
        *((one, "plugin-invalid") for one in (other, missing, nothing, detector)),
    ):
        assert ran.exit == 1
        assert f"error[{code}]" in ran.err
        assert "extra-1.2" in ran.err
        assert "Traceback" not in ran.err
