"""Plug-ins: entries of other packages, systems by module and class, and where they come from."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from cdec.baselines import SYSTEMS, ready_names, system, system_class
from cdec.baselines.lemma import Lemma
from cdec.cli.app import main
from cdec.errors import PluginError, UnknownNameError, UsageError
from cdec.language import PIPELINES
from cdec.plugins import Entry, Origin, Registry, origin_of
from cdec.settings import SETTINGS
from cdec.system import is_learner

SYSTEM = """
from cdec.clustering import Clustering


class OneChain:
    name = "one-chain"
    parameters = {"chains": 1}

    def predict(self, corpus):
        return Clustering.from_labels(dict.fromkeys(corpus.mentions.index, "x"))
"""


BARE = """
class A:
    name, parameters = "a", {}

    def predict(self, corpus): ...

    """


class Site:
    """A folder of installed distributions, as pip would leave them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def module(self, name: str, code: str) -> None:
        path = self.folder / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(dedent(code), "utf-8")

    def install(
        self, name: str, version: str, modules: dict[str, str], points: dict[str, str]
    ) -> None:
        """``modules``: name → code; ``points``: ``"group name"`` → ``"module:attribute"``."""
        for module, code in modules.items():
            self.module(module, code)
        info = self.folder / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        (info / "METADATA").write_text(metadata, "utf-8")
        lines: list[str] = []
        for point, value in points.items():
            group, entry = point.split()
            lines += [f"[cdec.{group}]", f"{entry} = {value}"]
        (info / "entry_points.txt").write_text("\n".join(lines) + "\n", "utf-8")
        record = [f"{module}.py,," for module in modules] + [f"{info.name}/METADATA,,"]
        (info / "RECORD").write_text("\n".join(record) + "\n", "utf-8")


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A site on the path of this process; what is read from it is forgotten after the test."""
    made, before = Site(tmp_path / "site"), set(sys.modules)
    monkeypatch.syspath_prepend(str(made.folder))
    for registry in (SYSTEMS, SETTINGS, PIPELINES):
        monkeypatch.setattr(registry, "_loaded", {})
        vars(registry).pop("_points", None)
    yield made
    for registry in (SYSTEMS, SETTINGS, PIPELINES):
        vars(registry).pop("_points", None)
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run ``cdec`` in this process: exit code, stdout, stderr."""

    def call(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        monkeypatch.setenv("COLUMNS", "200")
        monkeypatch.setattr(sys, "argv", ["cdec", *arguments])
        with pytest.raises(SystemExit) as caught:
            main()
        shown = capsys.readouterr()
        return int(caught.value.code or 0), shown.out, shown.err

    return call


def numbers(check: Callable[[str, Any], None] = lambda name, value: None) -> Registry[Any]:
    return Registry("number", "cdec.numbers", {"one": 1, "pi": "math:pi"}, check)


def test_entries_of_cdec_come_first_and_a_plug_in_is_found_by_its_name(site: Site) -> None:
    site.install("more-numbers", "1.2", {"more": "TAU = 6.28"}, {"numbers tau": "more:TAU"})
    registry = numbers()
    assert list(registry) == ["one", "pi", "tau"]
    assert registry.own == ("one", "pi")
    assert (registry["tau"], registry.get("tau"), registry.get("eta")) == (6.28, 6.28, None)
    assert ("tau" in registry, "eta" in registry, len(registry)) == (True, False, 3)
    assert registry.origin("tau") == Origin("more-numbers", "1.2")
    assert registry.origin("one") is None
    assert registry.origins(["one", "tau", "tau"]) == (Origin("more-numbers", "1.2"),)
    with pytest.raises(UnknownNameError, match=r"unknown number 'tua' \(did you mean 'tau'"):
        registry["tua"]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import nowhere_at_all", "ModuleNotFoundError: No module named 'nowhere_at_all'"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("raise SystemExit('bye')", "SystemExit: bye"),
        ("OTHER = 1", "AttributeError"),
    ],
)
def test_one_that_cannot_be_imported_breaks_nothing_else(
    site: Site, code: str, reason: str
) -> None:
    site.install("broken", "0.1", {"broken_numbers": code}, {"numbers bad": "broken_numbers:X"})
    site.install("good", "2.0", {"good_numbers": "TWO = 2"}, {"numbers two": "good_numbers:TWO"})
    registry = numbers()
    assert list(registry) == ["one", "pi", "bad", "two"]
    assert registry["two"] == 2
    with pytest.raises(PluginError) as caught:
        registry["bad"]
    told = str(caught.value)
    assert told.startswith("broken_numbers:X: the number 'bad' of broken-0.1 cannot be used: ")
    assert reason in told
    assert "\n" not in told
    *_, bad, two = registry.entries()
    assert bad == Entry("number", "bad", Origin("broken", "0.1"), told)
    assert two == Entry("number", "two", Origin("good", "2.0"))


def test_one_of_another_kind_is_refused(site: Site) -> None:
    def check(name: str, value: Any) -> None:
        if not isinstance(value, int):
            raise TypeError(f"expected a whole number, got {value!r}")

    site.install("words", "1", {"words": "HI = 'hi'"}, {"numbers hi": "words:HI"})
    with pytest.raises(PluginError, match="TypeError: expected a whole number, got 'hi'"):
        numbers(check)["hi"]


def test_a_name_of_cdec_cannot_be_replaced(site: Site) -> None:
    site.install("thief", "1", {"thief": "raise SystemExit"}, {"numbers one": "thief:ONE"})
    registry = numbers()
    assert registry["one"] == 1
    assert list(registry) == ["one", "pi"]
    assert registry.origin("one") is None
    *_, last = registry.entries()
    assert last == Entry("number", "one", Origin("thief", "1"), "not used: cdec has a number 'one'")


def test_two_packages_with_one_name_are_not_chosen_between(site: Site) -> None:
    for name in ("beta", "alpha"):
        site.install(name, "1", {name: "X = 1"}, {"numbers x": f"{name}:X"})
    registry = numbers()
    assert list(registry) == ["one", "pi", "x"]
    with pytest.raises(PluginError, match="two packages add the number 'x': alpha-1 and beta-1"):
        registry["x"]
    assert [str(entry.origin) for entry in registry.entries()][2:] == ["alpha-1", "beta-1"]


def test_the_origin_of_code(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site.install("my-system", "3.1", {"mine": SYSTEM}, {"systems one-chain": "mine:OneChain"})
    site.module("loose", SYSTEM)
    site.install("other", "9", {"twin": "X = 1"}, {})
    here = tmp_path / "here"
    here.mkdir()
    (here / "twin.py").write_text(SYSTEM, "utf-8")
    monkeypatch.chdir(here)
    installed, loose = system_class("mine:OneChain"), system_class("loose:OneChain")
    digest = sha256(SYSTEM.encode()).hexdigest()[:12]
    assert origin_of(installed) == origin_of(installed()) == Origin("my-system", "3.1")
    assert origin_of(loose()) == Origin("loose", digest)
    # Of the name of an installed module, and none of its files.
    assert origin_of(system_class("twin:OneChain")) == Origin("twin", digest)
    assert origin_of(Lemma()) is None
    assert origin_of(dict) == Origin("builtins", "unknown")


def test_the_origin_where_two_distributions_share_a_package(site: Site) -> None:
    site.install("left", "1", {"shared/one": "class A: ..."}, {})
    site.install("right", "2", {"shared/two": "class B: ..."}, {})
    from importlib import import_module

    assert origin_of(import_module("shared.one").A) == Origin("left", "1")
    assert origin_of(import_module("shared.two").B) == Origin("right", "2")


def test_the_origin_of_what_is_installed_for_editing(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Site(tmp_path / "source")
    source.module("edited", SYSTEM)
    site.install("edited-dist", "0.5", {}, {})
    info = site.folder / "edited_dist-0.5.dist-info"
    (info / "top_level.txt").write_text("edited\n", "utf-8")
    where = {"url": source.folder.as_uri(), "dir_info": {"editable": True}}
    (info / "direct_url.json").write_text(json.dumps(where), "utf-8")
    monkeypatch.syspath_prepend(str(source.folder))
    assert origin_of(system_class("edited:OneChain")) == Origin("edited-dist", "0.5")


def test_a_system_by_module_and_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, site: Site
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    (here / "here_system.py").write_text(SYSTEM, "utf-8")
    monkeypatch.chdir(here)
    before = list(sys.path)
    made = system("here_system:OneChain", pipeline="hanta", progress=None)
    assert (made.name, made.parameters) == ("one-chain", {"chains": 1})
    assert sys.path == before
    assert system("cdec.baselines.lemma:Lemma", pipeline="hanta") == Lemma()


@pytest.mark.parametrize(
    ("name", "code", "message"),
    [
        ("nowhere_here:A", "", "nowhere_here:A: module 'nowhere_here' not found (run cdec in"),
        ("bad_one.sub:A", "", "bad_one.sub:A: module 'bad_one.sub' not found"),
        ("bad_two:A", "import nowhere_here", "cannot be imported: ModuleNotFoundError: No module"),
        ("bad_three:A", "1 / 0", "cannot be imported: ZeroDivisionError: division by zero"),
        ("bad_four:A", "raise SystemExit(3)", "cannot be imported: SystemExit: 3"),
        ("bad_five:A", "def f(:", "cannot be imported: SyntaxError"),
        ("bad_six:A", "B = 1", "bad_six:A: the module has no 'A' (name a class with name,"),
        ("bad_seven:A", "A = 1", "bad_seven:A: 'A' is not a system"),
        ("bad_eight:A", "class A: ...", "bad_eight:A: 'A' is not a system"),
        ("bad nine:A", "", "'bad nine:A' is not of the form module:Class"),
        ("bad_ten:", "", "'bad_ten:' is not of the form module:Class"),
    ],
)
def test_a_module_or_class_that_does_not_serve(
    site: Site, name: str, code: str, message: str
) -> None:
    if not name.startswith(("nowhere", "bad nine")):
        site.module(name.partition(":")[0].partition(".")[0], code)
    with pytest.raises(UsageError) as caught:
        system(name)
    told = str(caught.value)
    assert message in told
    assert "\n" not in told


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("def __init__(self, x): ...", "cannot be constructed: TypeError: .*missing 1 required"),
        ("def __init__(self): 1 / 0", "cannot be constructed: ZeroDivisionError"),
    ],
)
def test_a_class_that_cannot_be_made_without_arguments(site: Site, code: str, message: str) -> None:
    body = (
        f"class A:\n    name, parameters = 'a', {{}}\n    def predict(self, c): ...\n    {code}\n"
    )
    site.module("needy", body)
    with pytest.raises(PluginError, match=message):
        system("needy:A")


def test_a_class_without_a_name_is_not_run(site: Site, run: Run) -> None:
    site.module("nameless", "class A:\n    def predict(self, corpus): ...\n")
    with pytest.raises(UsageError, match="it has no name, parameters"):
        system("nameless:A")


def test_what_a_class_does_not_take_it_is_not_given(site: Site) -> None:
    code = "def __init__(self, pipeline='x', **rest): self.rest = {'pipeline': pipeline, **rest}"
    body = (
        f"class A:\n    name, parameters = 'a', {{}}\n    def predict(self, c): ...\n    {code}\n"
    )
    site.module("greedy", body)
    site.module("modest", SYSTEM)
    given: Any = system("greedy:A", pipeline="hanta", progress=1)
    assert given.rest == {"pipeline": "hanta", "progress": 1}
    with pytest.raises(PluginError, match="cannot be constructed: TypeError"):
        system("modest:OneChain", delta=0.3)


def test_a_system_of_another_package_on_the_command_line(
    site: Site, run: Run, tmp_path: Path
) -> None:
    site.install("my-system", "3.1", {"mine": SYSTEM}, {"systems one-chain": "mine:OneChain"})
    site.install("broken", "0.1", {"broken": "1 / 0"}, {"systems bad": "broken:X"})
    call = ("eval", "--corpus", "sample", "-s", "pure", "--metric", "muc", "-q", "-f", "csv")
    code, out, err = run(*call, "--system", "one-chain", "--system", "lemma")
    assert (code, err) == (0, "")
    assert [row["system"] for row in csv.DictReader(io.StringIO(out))] == ["one-chain", "lemma"]
    code, out, err = run(*call, "--system", "bad")
    assert (code, out) == (1, "")
    assert err.startswith("cdec: error: broken:X: the system 'bad' of broken-0.1 cannot be used")
    assert err.count("\n") == 1
    # Neither joins those that run unasked.
    code, out, err = run(*call)
    assert (code, err) == (0, "")
    assert {row["system"] for row in csv.DictReader(io.StringIO(out))} == {
        *("lemma", "lemma-wd", "lemma-delta", "lemma-docs")
    }


def test_a_system_by_module_and_class_on_the_command_line(tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    (here / "mine.py").write_text(SYSTEM, "utf-8")
    call = [sys.executable, "-P", "-m", "cdec", "predict", "--corpus", "sample", "-q", "--system"]
    ran = subprocess.run([*call, "mine:OneChain"], cwd=here, capture_output=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert ran.stdout.startswith(b"#begin document")
    ran = subprocess.run([*call, "mine:Two"], cwd=here, capture_output=True, check=False)
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert ran.stderr.startswith(b"cdec: error: mine:Two: the module has no 'Two'")
    assert ran.stderr.count(b"\n") == 1


def test_a_name_that_the_class_does_not_have(site: Site, run: Run) -> None:
    site.install("my-system", "3.1", {"mine": SYSTEM}, {"systems other": "mine:OneChain"})
    code, _, err = run("predict", "--corpus", "sample", "-q", "--system", "other")
    assert code == 1
    assert (
        "my-system-3.1: the entry point is named 'other', but the system's name is 'one-chain'"
        in err
    )


LEARNER = (
    SYSTEM.replace("one-chain", "copier").replace("OneChain", "Copier")
    + """
    trained_on = ""

    def has_seen(self, corpus):
        return False

    def fit(self, train, dev, *, jobs=1):
        done = Copier()
        done.trained_on = train.part
        return done

    def save(self, path):
        path.write_text(self.trained_on)

    def load(self, path):
        done = Copier()
        done.trained_on = path.read_text()
        return done
"""
)


def test_a_system_that_learns(site: Site, run: Run, tmp_path: Path) -> None:
    site.install("copier", "1", {"copier": LEARNER}, {"systems copier": "copier:Copier"})
    model = tmp_path / "copier.model"
    common = ("--corpus", "sample", "-q")
    assert run("train", "copier", *common, "-o", str(model)) == (0, "", "")
    assert model.read_text() == "sample-train"
    call = ("eval", "--system", "copier", "-s", "pure", "--metric", "muc", "-f", "csv", *common)
    trained, loaded = run(*call), run(*call, "--model", str(model))
    assert trained == loaded
    assert trained[0] == 0
    code, _, err = run("train", "copier", *common, "--ablation")
    assert code == 2
    assert "'copier' has no ablation (drop --ablation)" in err
    code, _, err = run("train", "lemma", *common)
    assert code == 2
    assert "known: sac, sac-plus, copier" in err


SETTING = "from cdec.settings import Setting\nMINE = Setting({name!r}, 'Mine', 'document')\n"


def test_a_setting_of_another_package(site: Site, run: Run) -> None:
    mine, misnamed = SETTING.format(name="mine"), SETTING.format(name="other")
    site.install("my-settings", "1.0", {"mine": mine}, {"settings mine": "mine:MINE"})
    site.install("odd-settings", "1.0", {"odd": misnamed}, {"settings odd": "odd:MINE"})
    site.install("no-settings", "1.0", {"no": "MINE = 'pure'"}, {"settings no": "no:MINE"})
    call = ("eval", "--system", "lemma", "--metric", "muc", "--corpus", "sample", "-q", "-f")
    code, out, err = run(*call, "csv", "-s", "mine", "-s", "all")
    assert (code, err) == (0, "")
    found = [row["setting"] for row in csv.DictReader(io.StringIO(out))]
    assert found == ["mine", "bh", "st", "is", "ycf", "simple", "pure"]
    assert "|setting:scope=document|" in run(*call, "table", "-s", "mine")[1]
    for name, reason in (("odd", "calls itself 'other'"), ("no", "expected a Setting, got 'pure'")):
        code, _, err = run(*call, "csv", "-s", name)
        assert code == 1
        assert reason in err
        assert err.count("\n") == 1


PIPELINE = """
from cdec.language import Pipeline, pipeline


def make(name, argument):
    if argument == "bad":
        raise ValueError("no such model")
    return None if argument == "none" else Pipeline(name, "mine-7", pipeline("hanta").load)
"""


def test_a_language_pipeline_of_another_package(site: Site, run: Run) -> None:
    site.install("my-nlp", "1.0", {"mynlp": PIPELINE}, {"pipelines mine": "mynlp:make"})
    call = ("eval", "--system", "lemma", "-s", "pure", "--corpus", "sample", "-q")
    code, out, err = run(*call, "--nlp", "mine:x")
    assert (code, err) == (0, "")
    assert "|nlp:mine-7+my-nlp-1.0|" in out
    for name, reason in (
        ("mine:bad", "the pipeline 'mine:bad' of my-nlp-1.0 cannot be made: ValueError: no such"),
        ("mine:none", "expected a Pipeline, got None"),
        ("hanta:x", "known: hanta, spacy:MODEL, mine"),
    ):
        code, _, err = run(*call, "--nlp", name)
        assert code
        assert reason in err
        assert err.count("\n") == 1


def test_the_list_of_what_there_is(site: Site, run: Run) -> None:
    site.install("my-system", "3.1", {"mine": SYSTEM}, {"systems one-chain": "mine:OneChain"})
    site.install("broken", "0.1", {"broken": "1 / 0"}, {"systems bad": "broken:X"})
    site.install("thief", "1", {"thief": SYSTEM}, {"systems lemma": "thief:OneChain"})
    code, out, err = run("plugins", "--format", "csv")
    assert (code, err) == (0, "")
    rows = {
        (row["kind"], row["name"], row["distribution"]): row
        for row in csv.DictReader(io.StringIO(out))
    }
    assert rows["system", "lemma", "cdec"]["problem"] == ""
    assert rows["system", "lemma", "thief"]["problem"] == "not used: cdec has a system 'lemma'"
    assert rows["system", "one-chain", "my-system"]["version"] == "3.1"
    assert "ZeroDivisionError" in rows["system", "bad", "broken"]["problem"]
    assert {kind for kind, *_ in rows} >= {"system", "setting", "pipeline"}
    code, out, err = run("plugins")
    assert (code, err) == (0, "")
    assert re.search(r"one-chain +my-system 3\.1", out)


def test_the_systems_that_need_no_training_are_those_that_do_not_learn() -> None:
    assert ready_names() == [name for name in SYSTEMS.own if not is_learner(SYSTEMS[name])]


def test_every_own_entry_can_be_imported() -> None:
    assert [SYSTEMS[name]().name for name in SYSTEMS.own] == list(SYSTEMS.own)
