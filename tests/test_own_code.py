"""Which code the signature of a system of one's own covers, and what may import it."""

from __future__ import annotations

import linecache
import subprocess
import sys
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from cdec import evaluate, load_corpus
from cdec.baselines import system
from cdec.baselines.config import read_config
from cdec.baselines.lemma import Lemma
from cdec.detection import Detecting, Detector
from cdec.plugins import Origin, origin_of, origins_of
from tests.cli.conftest import Run
from tests.plugins.conftest import SYSTEM, Site, cdec, run, site
from tests.refusals import refused

__all__ = ["cdec", "run", "site"]  # fixtures


SPLIT = """
from cdec.clustering import Clustering
from {package}helper import SIZE


class Split:
    name, parameters = "split", {{}}

    def predict(self, corpus):
        from {package}late import MORE

        ids = corpus.selected.index
        return Clustering.from_labels({{id_: n // (SIZE + MORE) for n, id_ in enumerate(ids)}})
"""


def signed(system: Any) -> str | None:
    (result,) = evaluate(load_corpus("sample", "test"), system, setting="simple")
    origin: str | None = result.signature.fields.get("plugins")
    return origin


def unload(*names: str) -> None:
    for name in names:
        sys.modules.pop(name, None)


@pytest.mark.parametrize("changed", ["helper", "late"])
@pytest.mark.parametrize("by_cdec", [True, False])
def test_a_module_beside_the_class_is_signed(site: Site, changed: str, by_cdec: bool) -> None:
    site.module("halves", SPLIT.format(package=""))
    site.module("helper", "SIZE = 2")
    site.module("late", "MORE = 0")

    def origin() -> str | None:
        unload("halves", "helper", "late")
        import_module("helper")  # before the class, as in a script that uses both
        made: Any = system("halves:Split") if by_cdec else import_module("halves").Split()
        return signed(made)

    first = origin()
    assert origin() == first
    site.module(changed, "SIZE = MORE = 7")
    assert origin() != first


def test_both_doors_sign_alike_and_without_the_other_modules(site: Site) -> None:
    site.module("halves", SPLIT.format(package=""))
    site.module("helper", "SIZE = 2")
    site.module("late", "MORE = 0")
    site.module("driver", "")
    import_module("driver")
    one = signed(import_module("halves").Split())
    unload("halves", "helper", "late", "driver")
    assert signed(system("halves:Split")) == one


def test_all_files_of_the_package_of_the_class_are_signed(site: Site) -> None:
    site.module("mine_all/__init__", "")
    site.module("mine_all/parts/__init__", "")
    site.module("mine_all/parts/halves", SPLIT.format(package=".."))
    site.module("mine_all/helper", "SIZE = 2")
    site.module("mine_all/late", "MORE = 0")
    made = system("mine_all.parts.halves:Split")
    first = signed(made)
    (site.folder / "mine_all/__pycache__").mkdir(exist_ok=True)
    (site.folder / "mine_all/__pycache__/x.pyc").write_bytes(b"1")
    assert signed(made) == first
    (site.folder / "mine_all/weights.json").write_text("[1]")
    assert signed(made) != first


def test_a_late_import_of_multiprocessing_does_not_move_the_digest(tmp_path: Path) -> None:
    # It gives the module of the script a second name, __mp_main__.
    (tmp_path / "own.py").write_text("class Own:\n    pass\n", "utf-8")
    script = tmp_path / "script.py"
    script.write_text(
        "import sys; from own import Own; assert 'multiprocessing' not in sys.modules\n"
        "import multiprocessing; from cdec.plugins import origin_of; print(origin_of(Own()))\n",
        "utf-8",
    )
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    own = sha256((tmp_path / "own.py").read_bytes()).hexdigest()[:12]
    assert ran.stdout == f"own-{own}\n"


def test_installed_modules_are_not_signed(site: Site) -> None:
    site.module("halves", SPLIT.format(package=""))
    site.install("helpers", "1", {"helper": "SIZE = 2", "late": "MORE = 0"}, {})
    digest = sha256((site.folder / "halves.py").read_bytes()).hexdigest()[:12]
    assert signed(system("halves:Split")) == f"halves-{digest}"


def test_a_class_in_a_notebook_is_signed_by_its_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    # Modules of earlier tests, whose folders are gone, would make the source unknown.
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if file and not Path(file).exists():
            monkeypatch.delitem(sys.modules, module.__name__, raising=False)

    def run(cell: str, number: int, known: bool = True) -> Any:
        name, main = f"<cell {number}>", ModuleType("__main__")
        monkeypatch.setitem(sys.modules, "__main__", main)
        if known:
            linecache.cache[name] = (len(cell), None, cell.splitlines(keepends=True), name)
        exec(compile(cell, name, "exec"), vars(main))  # noqa: S102
        return origin_of(main.OneChain())

    first = run(SYSTEM, 1)
    assert run(SYSTEM, 2) == first
    assert run(SYSTEM.replace('"x"', '"y"'), 3) != first
    assert run(SYSTEM, 4, known=False) == Origin("__main__", "unknown")


def test_a_wrapped_system_is_signed(site: Site) -> None:
    site.module("loose", SYSTEM)
    wrapped = system("loose:OneChain")
    (origin,) = origins_of(Detecting(wrapped, Detector()))
    assert origin == origin_of(wrapped)
    assert origin.distribution == "loose"
    assert origins_of(Lemma()) == ()


def test_a_configuration_does_not_import_code(site: Site, tmp_path: Path) -> None:
    site.module("unwanted", SYSTEM)
    file = tmp_path / "mine.toml"
    file.write_text('system = "unwanted:OneChain"\n', "utf-8")
    for named in ([], ["lemma"], ["unwanted"]):
        with refused("config-invalid", "the system unwanted:OneChain", place=file):
            read_config(file, named)
    assert "unwanted" not in sys.modules
    made = read_config(file, ["lemma", "unwanted:OneChain"]).make()
    assert made.name == "one-chain"
    file.write_text('system = "unwanted:OneChain"\nchains = 3\n', "utf-8")
    with refused("name-unknown", "unknown parameter", "chains"):  # it is no dataclass
        read_config(file, ["unwanted:OneChain"])


@pytest.mark.parametrize("call", ["eval", "eval --system lemma", "predict", "train sac"])
def test_no_command_imports_code_for_a_configuration(
    run: Run, site: Site, tmp_path: Path, call: str
) -> None:
    site.module("unwanted", SYSTEM)
    file = tmp_path / "mine.toml"
    file.write_text('system = "unwanted:OneChain"\n', "utf-8")
    ran = run(*call.split(), "--config", str(file), "--corpus", "sample")
    assert ran.code == 2
    assert "unwanted" not in sys.modules
