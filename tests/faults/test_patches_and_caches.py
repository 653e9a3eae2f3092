"""Contradictory patches and decisions, truncated files, and a damaged cache."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cdec.io import cache
from tests.faults.conftest import SetUp
from tests.faults.inputs import DECISIONS, IDS, INPUTS, PATCH
from tests.faults.test_any_file import rewritten

ONE, TWO = IDS
# Changes of the valid file, and code and value of the error.
PATCHES: dict[str, tuple[dict[str, Any], str, str]] = {
    "moved twice": ({"move": [[ONE], [ONE]]}, "patch-contradictory", ONE),
    "moved twice in one line": ({"move": [[ONE, ONE]]}, "patch-contradictory", ONE),
    "merged back": ({"move": [[ONE]], "merge": [IDS]}, "patch-contradictory", "1_1ecb/1-1"),
    "merged with itself": ({"merge": [[ONE, ONE]], "move": []}, "file-invalid", ONE),
    "a mention of a line is unknown": ({"move": [[ONE, "x/1"]]}, "input-mismatch", "x/1"),
    "all mentions are unknown": ({"move": [["x/1"]]}, "input-mismatch", ""),
}


@pytest.mark.parametrize("kind", PATCHES)
def test_a_contradictory_patch(kind: str, set_up: SetUp) -> None:
    desk = set_up(INPUTS["patch"])
    change, error, value = PATCHES[kind]
    keyed = '{{"mention": "{0}", "doc": "{1}", "start": 1, "end": 1, "chain": "e"}}\n'
    lines = [keyed.format(id_, id_.partition("/")[0]) for id_ in IDS]
    (desk.folder / "key.jsonl").write_text("".join(lines))
    content = {**PATCH, "places": {ONE: "1_1ecb/1-1", TWO: "1_2ecb/1-1"}, **change}
    desk.file.write_text(json.dumps(content))
    ran = desk.run(*desk.arguments(), "--scope", "corpus")
    assert (ran.code, ran.error) == (1, error), ran.err
    assert value in ran.err
    assert "a.json: " in ran.err
    assert ran.err.endswith(")\n")
    desk.assert_untouched()


def test_contradictory_decisions(set_up: SetUp) -> None:
    desk = set_up(INPUTS["decisions"])
    first = DECISIONS["decisions"][0]  # type: ignore[index]
    opposite = {**first, "case": "c", "verdict": "not-error"}
    desk.file.write_text(json.dumps({**DECISIONS, "decisions": [first, opposite]}))
    ran = desk.call()
    assert (ran.code, ran.error) == (1, "patch-contradictory")
    assert "case c" in ran.err
    assert ran.err.endswith(")\n")
    desk.assert_untouched()


@pytest.mark.parametrize("name", INPUTS)
def test_a_file_cut_anywhere_is_refused_or_read_whole(name: str, set_up: SetUp) -> None:
    """A table that is cut at a line is a shorter table, which is read."""
    desk = set_up(INPUTS[name])
    sound = INPUTS[name].content
    chance = random.Random(name)  # noqa: S311
    for size in sorted(chance.sample(range(1, len(sound)), 4)):
        desk.file.write_bytes(sound[:size])
        before = desk.out.read_text()
        ran = desk.call()
        if ran.code:
            assert ran.code == INPUTS[name].code, (size, ran.err)
            assert ran.err.count("\n") == 1
            assert ran.err.startswith("cdec: error: ")
            assert ran.err.endswith(")\n"), ran.err
            assert ran.error != "internal-error"
            assert desk.out.read_text() == before
        else:
            assert desk.out.read_text().endswith("\n")


def _instead(make: Callable[[Path], None]) -> Callable[[Path], None]:
    def replace(path: Path) -> None:
        path.unlink()
        make(path)

    return replace


def _with_content(body: bytes) -> Callable[[Path], None]:
    """Return what puts other content into a file that is whole."""
    return lambda path: cache.write(path.parent.name, path.name, body)


CACHE: dict[str, Callable[[Path], None]] = {
    "no content": _with_content(b""),
    "null": _with_content(b"null"),
    "an object": _with_content(b'{"head": [1], "lemma": ["a"]}'),
    "a list": _with_content(b"[[1, 2], [3]]"),
    "bytes": _with_content(bytes(range(256)) * 9),
    "missing": Path.unlink,
    "empty": rewritten(lambda _: b""),
    "cut": rewritten(lambda data: data[:-7]),
    "one bit": rewritten(lambda data: data[:-9] + bytes([data[-9] ^ 1]) + data[-8:]),
    "turned round": rewritten(lambda data: data[::-1]),
    "more": rewritten(lambda data: data + b"\n"),
    "another version": rewritten(lambda data: data.replace(b"cdec-cache/1", b"cdec-cache/0")),
    "a folder": _instead(Path.mkdir),
    "a loop": _instead(lambda path: path.symlink_to(path.name)),
    "link to nothing": _instead(lambda path: path.symlink_to("nowhere")),
    "read error": _instead(lambda path: path.symlink_to("/proc/self/mem")),
    "without end": _instead(lambda path: path.symlink_to("/dev/zero")),
}


@pytest.mark.parametrize("fault", CACHE)
def test_a_damaged_cache_does_not_change_a_result(
    fault: str, set_up: SetUp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CDEC_CACHE", str(tmp_path / "cache"))
    desk = set_up(INPUTS["config"])
    assert desk.call().code == 0
    first = desk.out.read_bytes()
    kept = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert {path.relative_to(tmp_path / "cache").parts[0] for path in kept} == {"corpus", "heads"}
    for path in kept:
        CACHE[fault](path)
    ran = desk.call()
    assert (ran.code, desk.out.read_bytes()) == (0, first), ran.err
    assert ran.err == ""
