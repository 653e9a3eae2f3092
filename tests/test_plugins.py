"""Plug-ins: entries of other packages, systems by module and class, and their origin."""

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

from cdec.baselines import DEFAULT, SYSTEMS, system, system_class
from cdec.baselines.lemma import Lemma
from cdec.language import PIPELINES
from cdec.plugins import Entry, Origin, Registry, origin_of
from cdec.settings import SETTINGS
from cdec.system import is_learner
from tests.cli.conftest import Ran, Run, cdec
from tests.refusals import refused

__all__ = ["cdec"]  # a fixture

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
    """A folder of installed distributions, in the layout of pip."""

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


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A site on the path of this process; its modules are unloaded after the test."""
    folder, before = Site(tmp_path / "site"), set(sys.modules)
    monkeypatch.syspath_prepend(str(folder.folder))
    for registry in (SYSTEMS, SETTINGS, PIPELINES):
        monkeypatch.setattr(registry, "_loaded", {})
        vars(registry).pop("_points", None)
    yield folder
    for registry in (SYSTEMS, SETTINGS, PIPELINES):
        vars(registry).pop("_points", None)
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.fixture
def run(cdec: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run ``cdec`` in this process, on a wide terminal."""
    monkeypatch.setenv("COLUMNS", "200")
    return cdec


def numbers(check: Callable[[str, Any], None] = lambda name, value: None) -> Registry[Any]:
    return Registry("metric", "cdec.numbers", {"one": 1, "pi": "math:pi"}, check)


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
    with refused("name-unknown", "unknown metric", "'tua'", "'tau'"):
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
def test_a_failing_import_affects_one_name_only(site: Site, code: str, reason: str) -> None:
    site.install("broken", "0.1", {"broken_numbers": code}, {"numbers bad": "broken_numbers:X"})
    site.install("good", "2.0", {"good_numbers": "TWO = 2"}, {"numbers two": "good_numbers:TWO"})
    registry = numbers()
    assert list(registry) == ["one", "pi", "bad", "two"]
    assert registry["two"] == 2
    with refused("plugin-invalid", "'bad' of broken-0.1", reason) as caught:
        registry["bad"]
    message = str(caught.value)
    assert caught.value.place == "broken_numbers:X"
    assert "\n" not in message
    *_, bad, two = registry.entries()
    assert bad == Entry("metric", "bad", Origin("broken", "0.1"), message)
    assert two == Entry("metric", "two", Origin("good", "2.0"))


def test_a_value_of_another_type_is_refused(site: Site) -> None:
    def check(name: str, value: Any) -> None:
        if not isinstance(value, int):
            raise TypeError(f"expected an integer, got {value!r}")

    site.install("words", "1", {"words": "HI = 'hi'"}, {"numbers hi": "words:HI"})
    with refused("plugin-invalid", "TypeError: expected an integer, got 'hi'"):
        numbers(check)["hi"]


def test_a_name_of_cdec_cannot_be_replaced(site: Site) -> None:
    site.install("thief", "1", {"thief": "raise SystemExit"}, {"numbers one": "thief:ONE"})
    registry = numbers()
    assert registry["one"] == 1
    assert list(registry) == ["one", "pi"]
    assert registry.origin("one") is None
    *_, last = registry.entries()
    assert last == Entry("metric", "one", Origin("thief", "1"), "not used: cdec has a metric 'one'")


def test_two_packages_with_one_name_are_refused(site: Site) -> None:
    for name in ("beta", "alpha"):
        site.install(name, "1", {name: "X = 1"}, {"numbers x": f"{name}:X"})
    registry = numbers()
    assert list(registry) == ["one", "pi", "x"]
    with refused("plugin-duplicate", "'x': alpha-1 and beta-1"):
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
    # It has the name of an installed module, but is not one of its files.
    assert origin_of(system_class("twin:OneChain")) == Origin("twin", digest)
    assert origin_of(Lemma()) is None
    assert origin_of(dict) == Origin("builtins", "unknown")


def test_the_origin_where_two_distributions_share_a_package(site: Site) -> None:
    site.install("left", "1", {"shared/one": "class A: ..."}, {})
    site.install("right", "2", {"shared/two": "class B: ..."}, {})
    from importlib import import_module

    assert origin_of(import_module("shared.one").A) == Origin("left", "1")
    assert origin_of(import_module("shared.two").B) == Origin("right", "2")


def test_the_origin_of_an_editable_installation(
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
    one_chain = system("here_system:OneChain", pipeline="hanta", progress=None)
    assert (one_chain.name, one_chain.parameters) == ("one-chain", {"chains": 1})
    assert sys.path == before
    assert system("cdec.baselines.lemma:Lemma", pipeline="hanta") == Lemma()


@pytest.mark.parametrize(
    ("name", "code", "error", "value"),
    [
        ("nowhere_here:A", "", "system-invalid", "'nowhere_here'"),
        ("bad_one.sub:A", "", "system-invalid", "'bad_one.sub'"),
        ("bad_two:A", "import nowhere_here", "system-invalid", "ModuleNotFoundError"),
        ("bad_three:A", "1 / 0", "system-invalid", "ZeroDivisionError"),
        ("bad_four:A", "raise SystemExit(3)", "system-invalid", "SystemExit: 3"),
        ("bad_five:A", "def f(:", "system-invalid", "SyntaxError"),
        ("bad_six:A", "B = 1", "system-invalid", "'A'"),
        ("bad_seven:A", "A = 1", "system-invalid", "'A'"),
        ("bad_eight:A", "class A: ...", "system-invalid", "'A'"),
        ("bad nine:A", "", "system-invalid", "'bad nine:A'"),
        ("bad_ten:", "", "system-invalid", "'bad_ten:'"),
    ],
)
def test_an_invalid_module_or_class(
    site: Site, name: str, code: str, error: str, value: str
) -> None:
    if not name.startswith(("nowhere", "bad nine")):
        site.module(name.partition(":")[0].partition(".")[0], code)
    with refused(error, name, value) as caught:
        system(name)
    assert caught.value.exit_code == 2
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("def __init__(self, x): ...", "TypeError"),
        ("def __init__(self): 1 / 0", "ZeroDivisionError"),
    ],
)
def test_a_class_that_needs_arguments(site: Site, code: str, reason: str) -> None:
    body = (
        f"class A:\n    name, parameters = 'a', {{}}\n    def predict(self, c): ...\n    {code}\n"
    )
    site.module("needy", body)
    with refused("plugin-failed", "'needy:A'", reason):
        system("needy:A")


def test_a_class_without_a_name_is_refused(site: Site) -> None:
    site.module("nameless", "class A:\n    def predict(self, corpus): ...\n")
    with refused("argument-type", "name, parameters"):
        system("nameless:A")


def test_a_class_receives_only_the_arguments_that_it_accepts(site: Site) -> None:
    code = "def __init__(self, pipeline='x', **rest): self.rest = {'pipeline': pipeline, **rest}"
    body = (
        f"class A:\n    name, parameters = 'a', {{}}\n    def predict(self, c): ...\n    {code}\n"
    )
    site.module("greedy", body)
    site.module("modest", SYSTEM)
    greedy: Any = system("greedy:A", pipeline="hanta", progress=1)
    assert greedy.rest == {"pipeline": "hanta", "progress": 1}
    with refused("plugin-failed", "'modest:OneChain'", "TypeError"):
        system("modest:OneChain", delta=0.3)


def rows_of(ran: Ran) -> list[dict[str, str]]:
    assert (ran.code, ran.err) == (0, "")
    return list(csv.DictReader(io.StringIO(ran.out)))


def test_a_system_of_another_package_on_the_command_line(site: Site, run: Run) -> None:
    site.install("my-system", "3.1", {"mine": SYSTEM}, {"systems one-chain": "mine:OneChain"})
    site.install("broken", "0.1", {"broken": "1 / 0"}, {"systems bad": "broken:X"})
    call = ("eval", "--corpus", "sample", "-s", "pure", "--metric", "muc", "-q", "-f", "csv")
    rows = rows_of(run(*call, "--system", "one-chain", "--system", "lemma"))
    assert [row["system"] for row in rows] == ["one-chain", "lemma"]
    ran = run(*call, "--system", "bad")
    assert (ran.code, ran.out, ran.error) == (1, "", "plugin-invalid")
    assert ran.err.startswith("cdec: error: broken:X: ")
    assert ran.err.count("\n") == 1
    # Neither is among the systems that run by default.
    assert {row["system"] for row in rows_of(run(*call))} == {"lemma", "lemma-wd", "lemma-delta"}


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
    assert ran.stderr.startswith(b"cdec: error: mine:Two: ")
    assert ran.stderr.count(b"\n") == 1


def test_an_entry_point_with_another_name_than_its_class(site: Site, run: Run) -> None:
    site.install("my-system", "3.1", {"mine": SYSTEM}, {"systems other": "mine:OneChain"})
    ran = run("predict", "--corpus", "sample", "-q", "--system", "other")
    assert (ran.code, ran.error) == (1, "system-invalid")
    assert all(value in ran.err for value in ("my-system-3.1: ", "'other'", "'one-chain'"))


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
    assert run("train", "copier", *common, "-o", str(model)) == Ran(0, "", "")
    assert model.read_text() == "sample-train"
    call = ("eval", "--system", "copier", "-s", "pure", "--metric", "muc", "-f", "csv", *common)
    trained, loaded = run(*call), run(*call, "--model", str(model))
    assert trained == loaded
    assert trained.code == 0
    ran = run("train", "copier", *common, "--ablation")
    assert (ran.code, ran.error) == (2, "system-unsuitable")
    assert "'copier'" in ran.err
    ran = run("train", "lemma", *common)
    assert (ran.code, ran.error) == (2, "name-unknown")
    assert "sac, sac-plus, copier" in ran.err


SETTING = "from cdec.settings import Setting\nMINE = Setting({name!r}, 'Mine', 'document')\n"


def test_a_setting_of_another_package(site: Site, run: Run) -> None:
    mine, misnamed = SETTING.format(name="mine"), SETTING.format(name="other")
    site.install("my-settings", "1.0", {"mine": mine}, {"settings mine": "mine:MINE"})
    site.install("odd-settings", "1.0", {"odd": misnamed}, {"settings odd": "odd:MINE"})
    site.install("no-settings", "1.0", {"no": "MINE = 'pure'"}, {"settings no": "no:MINE"})
    call = ("eval", "--system", "lemma", "--metric", "muc", "--corpus", "sample", "-q", "-f")
    rows = rows_of(run(*call, "csv", "-s", "mine", "-s", "all"))
    settings = ["mine", "bh", "st", "is", "ycf", "simple", "pure"]
    assert [row["setting"] for row in rows] == settings
    assert "|setting:scope=document|" in run(*call, "table", "-s", "mine").out
    for name, reason in (("odd", "'other'"), ("no", "expected a Setting, got 'pure'")):
        ran = run(*call, "csv", "-s", name)
        assert (ran.code, ran.error) == (1, "plugin-invalid")
        assert reason in ran.err
        assert ran.err.count("\n") == 1


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
    ran = run(*call, "--nlp", "mine:x")
    assert (ran.code, ran.err) == (0, "")
    assert "|nlp:mine-7+my-nlp-1.0|" in ran.out
    for name, error, value in (
        ("mine:bad", "plugin-failed", "'mine:bad' of my-nlp-1.0"),
        ("mine:none", "plugin-failed", "expected a Pipeline, got None"),
        ("hanta:x", "name-unknown", "hanta, spacy:MODEL, mine"),
    ):
        ran = run(*call, "--nlp", name)
        assert ran.code
        assert ran.error == error
        assert value in ran.err
        assert ran.err.count("\n") == 1


def test_the_list_of_plug_ins(site: Site, run: Run) -> None:
    site.install("my-system", "3.1", {"mine": SYSTEM}, {"systems one-chain": "mine:OneChain"})
    site.install("broken", "0.1", {"broken": "1 / 0"}, {"systems bad": "broken:X"})
    site.install("thief", "1", {"thief": SYSTEM}, {"systems lemma": "thief:OneChain"})
    listed = rows_of(run("plugins", "--format", "csv"))
    rows = {(row["kind"], row["name"], row["distribution"]): row for row in listed}
    assert rows["system", "lemma", "cdec"]["problem"] == ""
    assert rows["system", "lemma", "thief"]["problem"] == "not used: cdec has a system 'lemma'"
    assert rows["system", "one-chain", "my-system"]["version"] == "3.1"
    assert "ZeroDivisionError" in rows["system", "bad", "broken"]["problem"]
    assert {kind for kind, *_ in rows} >= {"system", "setting", "pipeline"}
    ran = run("plugins")
    assert (ran.code, ran.err) == (0, "")
    assert re.search(r"one-chain +my-system 3\.1", ran.out)


def test_no_default_system_must_be_trained() -> None:
    assert tuple(n for n in SYSTEMS.own if n in DEFAULT) == DEFAULT
    assert not any(is_learner(SYSTEMS[name]) for name in DEFAULT)


def test_every_own_entry_can_be_imported() -> None:
    assert [SYSTEMS[name]().name for name in SYSTEMS.own] == list(SYSTEMS.own)
