"""constraints.txt pins all that the tests run with, within the bounds of pyproject.toml."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

LINES = (Path(__file__).parents[1] / "constraints.txt").read_text("utf-8").splitlines()
PINS = {
    canonicalize_name(r.name): r for line in LINES if line[:1] != "#" for r in [Requirement(line)]
}


def needed(requirement: Requirement, seen: set[tuple[str, str]]) -> Iterator[Requirement]:
    """The requirement and, of those installed here, what it needs in turn."""
    for extra in ("", *requirement.extras):
        if (requirement.name, extra) in seen:
            continue
        seen.add((requirement.name, extra))
        try:
            below = [Requirement(line) for line in requires(requirement.name) or ()]
        except PackageNotFoundError:
            continue
        for other in below:
            if other.marker is None or other.marker.evaluate({"extra": extra}):
                yield other
                yield from needed(other, seen)


def test_every_library_of_the_tests_is_pinned_within_its_bounds() -> None:
    asked = [r for r in needed(Requirement("cdec[test]"), set()) if r.name != "cdec"]
    assert len({r.name for r in asked}) > 40
    assert not [r.name for r in asked if canonicalize_name(r.name) not in PINS]
    for requirement in asked:
        (pin,) = PINS[canonicalize_name(requirement.name)].specifier
        assert requirement.specifier.contains(pin.version, prereleases=True), requirement


def test_a_pin_is_one_version_without_an_address() -> None:
    operators = {
        str(pin): [specifier.operator for specifier in pin.specifier] for pin in PINS.values()
    }
    assert [pin for pin, signs in operators.items() if signs != ["=="]] == []
    assert [str(pin) for pin in PINS.values() if pin.url is not None] == []
