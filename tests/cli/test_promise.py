"""What docs/compatibility.md promises, as one list: names, options, ids, fields, formats, columns.

``CDEC_UPDATE_GOLDEN=1 pytest tests/cli/test_promise.py`` adds to ``tests/promise.txt`` what is new.
It never removes: a name is deleted by hand, in the release that its deprecation names.
"""

from __future__ import annotations

import csv
import inspect
import io
import json
import os
import pkgutil
import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from cdec.auditing import shipped
from cdec.cli.completion import STRATUM_IDS
from cdec.cli.plugins import REGISTRIES
from cdec.configs import folder, read_toml
from cdec.corpus import known_corpora, split_names
from cdec.errors import CdecError, UsageError
from cdec.errors.codes import catalogue
from cdec.evaluation import AVERAGES, UNITS
from cdec.io.schema import Schema
from cdec.rooms import PACKAGES, added, imported
from tests.cli.conftest import Done
from tests.cli.test_help import COMMANDS

ROOT = Path(__file__).parents[2]
LIST = ROOT / "tests" / "promise.txt"
MODULES = ("cdec", "cdec.metrics", "cdec.settings", "cdec.baselines")
_FORMAT = re.compile(r"cdec-[a-z-]+/[0-9]+")
# Calls on the sample, of which the columns of CSV and the keys of JSON are promised.
CALLS = {
    "eval": "eval mine.conll --system lemma-delta -s pure",
    "eval --by": "eval mine.conll -s pure --by topic",
    "eval --ci": "eval mine.conll -s pure --ci --resamples 20",
    "score": "score key.conll mine.conll --scope document",
    "compare": "compare lemma mine.conll --resamples 20 --exchanges 20",
    "diagnose": "diagnose mine.conll",
    "explain": "explain key.conll mine.conll -m muc -d 4_1ecb",
    "pairs": "pairs pairs.csv",
    "tune": "tune",
    "train": "train",
    "corpus stats": "corpus stats",
    "corpus verify": "corpus verify",
    "corpus list": "corpus list",
    "audit run": "audit run",
    "leaderboard show": "leaderboard show --task ecb+",
    "plugins": "plugins",
}
SLOW = {"train", "pairs", "diagnose", "compare", "audit run", "tune", "leaderboard show"}
_PARTS = ("json", "columns", "signature")
slow = pytest.mark.slow
_PAIRS = "first,second,score\n4_1ecb/9,4_2ecb/9,0.5\n"
Promises = set[tuple[str, str]]


def called(of: Any) -> str:
    """The parameters by which a function or class is called, as ``(corpus,setting)``."""
    known = inspect.signature(of).parameters
    return f"({','.join(name for name in known if name != 'self' and not name.startswith('_'))})"


def public(of: Any) -> Iterator[str]:
    """The own methods and fields of a class, with their parameters."""
    own = [one for one in of.__mro__ if one.__module__.startswith("cdec")]
    for key in {key for one in own for key in (*vars(one), *inspect.get_annotations(one))}:
        if not key.startswith(("_", "model_")):
            value = getattr(of, key, None)
            is_method = inspect.isfunction(value) or inspect.ismethod(value)
            yield f"{key}{called(value) if is_method else ''}"
    if not getattr(of, "_is_protocol", False) and not issubclass(of, Warning):
        yield called(of)


def names() -> Iterator[tuple[str, Iterable[str]]]:
    for module in map(import_module, MODULES):
        for name in module.__all__:
            value, key = getattr(module, name), f"python {module.__name__}"
            if inspect.isclass(value):
                yield f"{key}.{name}", public(value)
            yield key, [f"{name}{called(value) if inspect.isfunction(value) else ''}"]


def options() -> Iterator[tuple[str, Iterable[str]]]:
    for name, command in COMMANDS.items():
        shown = [o for p in command.params for o in (*p.opts, *p.secondary_opts)]
        yield f"command {f'cdec {name}'.strip()}", shown


def ids() -> Iterator[tuple[str, Iterable[str]]]:
    for kind, text in REGISTRIES.items():
        registry = imported(text)
        yield f"id {kind}", registry.own
        yield "entry-point group", [registry.group]
    kinds = ("mention detector", "response scheme", "scheduler", "artefact")
    yield from ((f"id {kind}", added(kind)) for kind in kinds)
    yield "id split", split_names()
    yield "id unit", {*UNITS, *AVERAGES}
    yield "id published corpus", [known.name for known in known_corpora()]
    yield "id key patch", shipped()
    yield "id preset", [file.stem for file in folder("presets").glob("*.toml")]
    yield "id stratum", STRATUM_IDS
    yield "code", catalogue()
    yield "exit code", map(str, (0, CdecError.exit_code, UsageError.exit_code, 129, 130, 143))
    yield from (
        (f"defaults {name}", versions) for name, versions in read_toml("defaults.toml").items()
    )


def formats() -> Iterator[tuple[str, Iterable[str]]]:
    """The formats of all schemas and of files without one."""
    packages = ("cdec", *(f"cdec.{name}" for name in PACKAGES))
    for package in packages:
        for info in pkgutil.walk_packages(import_module(package).__path__, f"{package}."):
            if info.name != "cdec.__main__":
                module = import_module(info.name)
                found = list(vars(module).values())
                yield "format", [v for v in found if isinstance(v, str) and _FORMAT.fullmatch(v)]
                yield "format", [one.format for one in found if isinstance(one, Schema)]
    sources = [file.read_text("utf-8") for file in (ROOT / "cdec").rglob("*.py")]
    yield "environment", {name for text in sources for name in re.findall(r"\bCDEC_[A-Z]+\b", text)}


def outputs(run: Done, name: str) -> Iterator[tuple[str, Iterable[str]]]:
    call = CALLS[name].split()
    content = json.loads(run(*call, "-f", "json"))
    columns = {key for row in content["rows"] for key in row}
    assert set(next(csv.reader(io.StringIO(run(*call, "-f", "csv"))))) == columns
    yield f"json {name}", content
    yield f"columns {name}", columns
    yield f"signature {name}", {key for one in content.get("signatures", ()) for key in one}


def lines(found: Iterable[tuple[str, Iterable[str]]]) -> Promises:
    return {(key, str(item)) for key, items in found for item in items}


def kept() -> Promises:
    if not LIST.exists():
        return set()
    rows = (line.split(": ", 1) for line in LIST.read_text("utf-8").splitlines())
    return {(key, item) for key, items in rows for item in items.split(" | ")}


def check(now: Promises, of: tuple[str, ...]) -> None:
    """Compare what there is now with the lines of the list that begin with ``of``."""
    known = kept()
    promised = {one for one in known if f"{one[0]}: ".startswith(of)}
    if os.environ.get("CDEC_UPDATE_GOLDEN") == "1":
        known |= now
        promised |= now
        by_key = {key: sorted(i for k, i in known if k == key) for key in sorted(dict(known))}
        text = "".join(f"{key}: {' | '.join(items)}\n" for key, items in by_key.items())
        LIST.write_text(text, "utf-8")
    assert sorted(promised - now) == [], "removed, which breaks what users have: deprecate it"
    assert sorted(now - promised) == [], "added: say so in the CHANGELOG, and regenerate the list"


def test_python_commands_ids_and_formats() -> None:
    found = (*names(), *options(), *ids(), *formats())
    parts = ("python ", "command ", "id ", "entry-point ", "code", "exit ", "defaults ", "format")
    check(lines(found), (*parts, "environment"))


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("name", [pytest.param(n, marks=slow if n in SLOW else []) for n in CALLS])
def test_outputs_and_signatures(name: str, done: Done) -> None:
    Path("pairs.csv").write_text(_PAIRS, "utf-8")
    check(lines(outputs(done, name)), tuple(f"{part} {name}:" for part in _PARTS))


def test_a_removed_name_and_a_new_one_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CDEC_UPDATE_GOLDEN", raising=False)
    codes = lines([("code", catalogue())])
    check(codes, ("code",))
    with pytest.raises(AssertionError, match="deprecate it"):
        check(codes - {("code", "twinless")}, ("code",))
    with pytest.raises(AssertionError, match="CHANGELOG"):
        check(codes | {("code", "made-up")}, ("code",))


def test_all_names_are_there() -> None:
    modules = [import_module(name) for name in MODULES]
    assert all(getattr(m, name) is not None for m in modules for name in m.__all__)
    assert set(dir(modules[0])) == set(modules[0].__all__)
