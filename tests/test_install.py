"""What is installed: what an import loads, what scoring needs, the page of error codes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases import cases
from tests.program import Run

ROOT = Path(__file__).parents[1]


def python(code: str, *arguments: str) -> str:
    command = [sys.executable, "-W", "ignore", *arguments, *(["-c", code] if code else [])]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    return done.stdout


def test_an_import_and_help_load_no_pandas() -> None:
    loaded = "print(*sorted({'pandas', 'numpy', 'scipy', 'sklearn'} & {*sys.modules}))"
    assert python(f"import sys, cdec; {loaded}").split() == []
    code = (
        f"import atexit, runpy, sys; sys.argv = ['cdec', '-h']; atexit.register(lambda: {loaded})"
    )
    shown = python(f"{code}; runpy.run_module('cdec', run_name='__main__')")
    assert "eval" in shown
    assert shown.splitlines()[-1].split() == []


def test_the_page_of_error_codes_has_those_of_the_package() -> None:
    page = (ROOT / "docs" / "errors.md").read_text("utf-8")
    listed = set(re.findall(r'<a id="([a-z-]+)">', page))
    rooms = (ROOT / room for room in ("cdec", "baselines", "settings"))
    source = "\n".join(path.read_text("utf-8") for room in rooms for path in room.rglob("*.py"))
    raised = re.findall(r'(?:Error|[Nn]otice|fail)\(\s*"([a-z]+(?:-[a-z]+)+)"', source)
    assert set(raised) <= listed
    assert {code for code in listed if f'"{code}"' not in source} == set()
    assert len(listed) <= 60


# What `score`, `eval` of a file and `compare` must not need; spaCy alone is 300 MB with its own.
HEAVY = ("spacy", "sklearn", "matplotlib", "lxml", "HanTa", "neleval", "requests", "tqdm", "jinja2")


def without(packages: tuple[str, ...], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command as if the packages were not installed."""
    hidden = f"sys.modules.update(dict.fromkeys({packages!r}))"
    code = f"import runpy, sys; {hidden}; sys.argv = ['cdec', *{arguments!r}]"
    code += "; runpy.run_module('cdec', run_name='__main__')"
    command = [sys.executable, "-W", "ignore", "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)


def test_scoring_files_needs_few_packages_and_names_one_that_is_missing(
    cdec: Run, tmp_path: Path
) -> None:
    key, mine = tmp_path / "key.conll", tmp_path / "mine.conll"
    corpus = tmp_path / "corpus.jsonl"
    cdec("corpus", "export", "--corpus", "sample", "-o", str(key), "-q")
    python(f"import cdec; cdec.load_corpus('sample').save({str(corpus)!r})")
    cdec("predict", "--corpus", "sample", "--system", "lemma", "-o", str(mine), "-q")
    for call in (
        ("score", str(key), str(mine), "--scope", "corpus"),
        ("eval", str(mine), "--corpus", str(corpus)),
        ("--version",),
    ):
        done = without(HEAVY, *call)
        assert done.returncode == 0, done.stderr
    done = without(("tabulate",), "score", str(key), str(mine), "--scope", "corpus",
                   "--format", "markdown")  # fmt: skip
    assert done.returncode == 1
    assert "pip install tabulate" in done.stderr


def test_a_stream_that_the_shell_has_closed_is_no_bug() -> None:
    script = '"$0" -W ignore -m cdec plugins >&-'
    command = ["sh", "-c", script, sys.executable]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")


def test_without_the_room_of_trees_mentions_match_by_their_tokens(tmp_path: Path) -> None:
    """The rooms are named in one place: an entry that is deleted is a room that is deleted."""
    lines = "".join(f"d\t0\t{at}\tw\t({at})\n" for at in range(3))
    (tmp_path / "a.conll").write_text(f"#begin document (d);\n{lines}#end document\n")
    room = "import cdec.catalogue as c; c.ROOMS = {kind: {name: c.ROOMS[kind][name] for name in "
    room += "c.ROOMS[kind] if 'core' not in c.ROOMS[kind][name]} for kind in c.ROOMS}"
    for rule, code in (("exact", 0), ("overlap:0.5", 2), ("head", 2)):
        call = ["cdec", "score", "a.conll", "a.conll", "--scope", "document", "--match", rule]
        run = f"{room}; import sys; sys.argv = {call!r}"
        run += "; from cdec.cli.start import main; sys.exit(main())"
        done = subprocess.run([sys.executable, "-c", run], capture_output=True, text=True,
                              check=False, cwd=tmp_path)  # fmt: skip
        assert done.returncode == code, done.stderr
        assert code == 0 or "--match exact" in done.stderr


@pytest.mark.parametrize("words, names", cases("tables")["completed"])
def test_the_shell_completes_names(tmp_path: Path, words: str, names: str) -> None:
    environment = {**os.environ, "_CDEC_COMPLETE": "complete_bash", "CDEC_DATA": str(tmp_path),
                   "COMP_WORDS": f"cdec {words}",
                   "COMP_CWORD": str(len(words.split()))}  # fmt: skip
    code = "import sys; sys.argv = ['cdec']; from cdec.cli.start import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          check=False, env=environment)  # fmt: skip
    assert (done.returncode, done.stdout.split()) == (0, names.split()), done.stderr
