"""The command line: help, wrong calls, outputs; and the same verbs in Python."""

from __future__ import annotations

import csv
import importlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from lxml import etree, html

import cdec as library
from tests.cases import cases, refused
from tests.program import Run

ENV = os.environ | {"PYTHONWARNINGS": "ignore"}
PROGRAM = [sys.executable, "-m", "cdec"]
PURE = ("--setting", "pure", "--metric", "conll", "-q", "-f", "json")
CALLS = cases("tables")
WRONG = cases("wrong_calls")
FIGURES = cases("figures_cases")


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a key, a response and scored pairs."""
    folder = tmp_path_factory.mktemp("once")
    for call in (["corpus", "export", "-o", "key.conll"], ["predict", "-o", "mine.conll"]):
        subprocess.run([*PROGRAM, *call, "--corpus", "sample"], check=True, cwd=folder, env=ENV)
    ids = list(library.load_corpus("sample", "test").selected.index)
    table = pd.DataFrame({"a": ids[:-1], "b": ids[1:]})
    table["score"] = [number % 10 / 10 for number in range(len(table))]
    table.to_csv(folder / "pairs.csv", index=False)
    (folder / "patch.json").write_text("{}")
    (folder / "names.csv").write_text("doc,start,end,chain,")  # without a line end
    return folder


@pytest.fixture
def files(once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of that folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(once, tmp_path, dirs_exist_ok=True)
    return tmp_path


def helps(cdec: Run, *command: str) -> dict[tuple[str, ...], str]:
    """Return the help of a command and of all commands in it."""
    text = cdec(*command, "--help").out
    found = {command: text}
    if "COMMAND [ARGS]" in text:
        for name in re.findall(r"^│ ([a-z][a-z-]*) ", text, re.MULTILINE):
            found |= helps(cdec, *command, name)
    return found


def test_the_help_of_every_command_names_an_option_once(cdec: Run) -> None:
    every = helps(cdec) | helps(cdec, "plugins")
    assert {command[:1] for command in every} >= {("eval",), ("audit",), ("reproduce",)}
    assert len(every) > 20
    for command, text in every.items():
        pages = [text]
        if "--help-all" in text:
            pages.append(cdec(*command, "--help-all").out)
        for page in pages:
            counts = Counter(re.findall(r"^│ (?:[* ]  )?(--[\w-]+)", page, re.MULTILINE))
            assert "--help" in counts, command
            assert set(counts.values()) == {1}, command


@pytest.mark.parametrize("call", WRONG)
def test_a_wrong_call_names_its_cure_and_changes_no_file(call: str, cdec: Run, files: Path) -> None:
    exit_, code, cure = WRONG[call]
    before = {path.name: path.read_bytes() for path in files.iterdir()}
    done = cdec(call)
    assert (done.exit, done.error, done.out) == (exit_, code, "")
    assert cure in done.said
    assert before == {path.name: path.read_bytes() for path in files.iterdir()}


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("call", CALLS["calls"])
def test_every_format_of_a_table_is_well_formed(call: str, cdec: Run) -> None:
    texts = {}
    for kind in ("csv", "json", "markdown", "latex", "html"):
        done = cdec(f"{call} -q -f {kind}")
        assert done.exit == 0, done.err
        texts[kind] = done.out
    assert json.loads(texts["json"])
    table = list(csv.reader(io.StringIO(texts["csv"])))
    assert len(table) > 1
    assert len({len(row) for row in table}) == 1
    assert re.search(r"^\|[ :|-]+\|$", texts["markdown"], re.MULTILINE)
    begun = re.findall(r"\\begin\{([^}]*)\}", texts["latex"])
    assert "tabular" in begun
    assert sorted(begun) == sorted(re.findall(r"\\end\{([^}]*)\}", texts["latex"]))
    assert html.fromstring(texts["html"]).xpath("//table//tr")


@pytest.mark.parametrize("ending", ["csv", "json", "md", "tex", "html"])
def test_the_ending_of_a_file_is_its_format(cdec: Run, files: Path, ending: str) -> None:
    kind = {"md": "markdown", "tex": "latex"}.get(ending, ending)
    out = files / f"out.{ending}"
    assert cdec("eval", "lemma", "-s", "pure", "-o", out).out == ""
    assert out.read_text("utf-8") == cdec("eval", "lemma", "-s", "pure", "-f", kind).out


def test_quiet_and_verbose(cdec: Run, files: Path) -> None:
    half = files / "half.jsonl"
    assert cdec("predict", "-o", "all.jsonl").exit == 0
    rows = (files / "all.jsonl").read_text("utf-8").splitlines(keepends=True)
    half.write_text("".join(rows[::2]), "utf-8")
    quiet, plain, verbose = (
        cdec("eval", half, "-s", "pure", *more) for more in (["-q"], [], ["-v"])
    )
    assert quiet.out == plain.out == verbose.out
    assert quiet.err == ""
    assert 0 < len(plain.err) < len(verbose.err)
    assert "[" not in plain.err.partition(":")[2].partition(" ")[0]
    assert "missing-mention]" in verbose.err
    # An error is shown all the same.
    assert "cdec: error" in cdec("eval", "lema", "-q").err


@pytest.mark.usefixtures("files")
def test_a_closed_pipe_is_no_error() -> None:
    with subprocess.Popen(
        [*PROGRAM, "corpus", "export", "-q"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, pipesize=4096, env=ENV,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


@pytest.mark.parametrize("room", ["", ".metrics", ".settings", ".baselines"])
def test_every_public_name_exists_and_is_documented(room: str) -> None:
    module = importlib.import_module(f"cdec{room}")
    names = module.__all__
    assert sorted(set(names)) == sorted(names)
    for name in names:
        value = getattr(module, name)
        # Constants, and names of types, have no docstring of their own.
        if callable(value) and type(value).__module__ not in {"typing", "types"}:
            assert (value.__doc__ or "").strip(), name


PLAN = library.Plan(resamples=20, exchanges=1000)
# Command → what Python does instead.
VERBS: dict[str, Callable[[Any], Any]] = {
    "eval mine.conll -s pure": lambda test: library.evaluate(test, "mine.conll", setting="pure"),
    "score key.conll mine.conll --scope corpus": lambda _: library.score(
        "key.conll", "mine.conll", scope="corpus"
    ),
    "eval lemma -s st --metric b3 --ci --resamples 20 --seed 7": lambda test: library.evaluate(
        test, "lemma", setting="st", metrics="b3", ci=library.Plan(resamples=20, seed=7)
    ),
    "compare lemma lemma-wd -s st -s pure --metric b3 --resamples 20 -j 1": lambda test: (
        library.compare(
            test, ["lemma", "lemma-wd"], setting=["st", "pure"], metrics="b3", plan=PLAN
        )
    ),
    "diagnose mine.conll": lambda test: library.diagnose(test, "mine.conll"),
    "pairs pairs.csv": lambda test: library.score_pairs(test, "pairs.csv"),
    "tune": lambda _: library.tune(library.load_corpus("sample", "dev")),
    "audit run": lambda _: library.audit(library.load_corpus("sample")),
}


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("call", VERBS)
def test_python_finds_the_numbers_of_the_command(call: str, cdec: Run) -> None:
    rows = pd.DataFrame(cdec(f"{call} -q -f json").json["rows"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame = VERBS[call](library.load_corpus("sample", "test")).to_frame()
    shared = [name for name in frame if name in rows]
    assert shared
    # A page of several tables has columns of any type.
    mine, theirs = (one[shared].reset_index(drop=True).astype(object) for one in (frame, rows))
    pd.testing.assert_frame_equal(
        mine.where(mine.notna(), None), theirs.where(theirs.notna(), None), rtol=0, atol=0
    )


@pytest.mark.parametrize("unit", ["chain", "document", "topic"])
def test_the_legend_of_a_breakdown_names_its_rows(cdec: Run, unit: str) -> None:
    call = ("eval", "lemma", "-s", "pure", "--metric", "b3", "--by", unit, "-q")
    names = {row["unit"] for row in cdec(*call, "-f", "json").json["rows"]}
    page = cdec(*call, "-f", "markdown").out
    legend = page[page.rindex("micro:") - 400 :]
    for row in ("macro", "micro"):
        assert (f"{row}:" in legend) == (row in names)


WITHOUT_EFFECT: dict[str, Callable[[Any], Any]] = {
    "singletons": lambda test: library.evaluate(test, "lemma", singletons="drop"),
    "zeros": lambda test: library.compare(test, ["lemma", "lemma-wd"], zeros="dependent"),
    "zeros of files": lambda _: library.score({"d/1": 1}, {"d/1": 1}, zeros="dependent"),
    "train, compare": lambda test: library.compare(test, ["lemma", "lemma-wd"], train=test),
    "train, diagnose": lambda test: library.diagnose(test, "lemma", train=test),
    "scope": lambda _: library.score({"d/1": 1}, {"d/1": 1}, scope="corpus", setting="simple"),
}


@pytest.mark.parametrize("name", WITHOUT_EFFECT)
def test_python_refuses_what_has_no_effect(name: str) -> None:
    with refused("option-conflict") as caught:
        WITHOUT_EFFECT[name](library.load_corpus("sample", "test"))
    assert caught.value.exit_code == 2


@pytest.mark.usefixtures("files")
def test_python_predicts_and_trains_what_the_command_does(cdec: Run) -> None:
    test = library.load_corpus("sample", "test")

    def f1(response: Any) -> Any:
        return library.evaluate(test, response, setting="pure", metrics="conll")["pure"]["conll"].f1

    (mine,) = cdec("eval", "mine.conll", *PURE).json["rows"]
    assert f1(library.predict(test, "lemma")) == mine["f1"]
    assert cdec("train", "sac", "-o", "sac.model", "-q").exit == 0
    (sac,) = cdec("eval", "--system", "sac", "--model", "sac.model", *PURE).json["rows"]
    assert f1(library.train(library.load_corpus("sample"))) == sac["f1"]


@pytest.mark.parametrize("call, exit_code", CALLS["endings"])
def test_a_file_has_not_the_ending_of_another_format(
    cdec: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, exit_code: int
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cdec(*call.split(), "--corpus", "sample").exit == exit_code
    assert [*tmp_path.iterdir()] == [] or exit_code == 0


@pytest.mark.parametrize("call", FIGURES)
def test_figures_are_written_as_a_paper_takes_them(call: str, cdec: Run, files: Path) -> None:
    names, intervals, text = FIGURES[call]
    for folder in ("one", "two"):
        assert not cdec(f"{call} --corpus sample -q -o page.html --figures {folder}").exit
    drawn = {path.name: path.read_bytes() for path in (files / "one").iterdir()}
    assert drawn == {path.name: path.read_bytes() for path in (files / "two").iterdir()}
    texts = set()
    for name, width in product(names, (3.3, 7)):
        assert drawn.pop(f"{name}-{width}in.pdf").startswith(b"%PDF")
        svg = etree.fromstring(drawn.pop(f"{name}-{width}in.svg"))
        assert float(str(svg.get("width"))[:-2]) == pytest.approx(72 * width)
        assert svg.xpath("count(//*[starts-with(@id, 'LineC')]/*[@d])") == intervals
        texts |= {str(node.text).strip() for node in svg.iter("{*}text")}
    assert not drawn and text in texts
    pictures = re.findall("<svg.*?</svg>", (files / "page.html").read_text("utf-8"), re.DOTALL)
    assert len(pictures) == len(names) and not re.search("#fff|white", "".join(pictures))
