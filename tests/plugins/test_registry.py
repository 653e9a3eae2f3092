"""Registries: entries of cdec and of other packages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cdec.baselines import DEFAULT, SYSTEMS
from cdec.plugins import Entry, Origin, Registry
from cdec.system import is_learner
from tests.plugins.conftest import Site
from tests.refusals import refused


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


def test_no_default_system_must_be_trained() -> None:
    assert tuple(n for n in SYSTEMS.own if n in DEFAULT) == DEFAULT
    assert not any(is_learner(SYSTEMS[name]) for name in DEFAULT)


def test_every_own_entry_can_be_imported() -> None:
    assert [SYSTEMS[name]().name for name in SYSTEMS.own] == list(SYSTEMS.own)
