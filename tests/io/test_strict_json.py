"""No depth of nesting breaks a reader of JSON."""

from collections.abc import Callable
from pathlib import Path

import pytest

from cdec import formats
from cdec.auditing import read_patch, read_reviews, read_shortlist
from cdec.evaluation import load_results
from cdec.io import DEEPEST, parse
from tests.refusals import refused

ROW = '{"system": "a", "setting": "pure", "metric": "muc", "f1": 0.5}'
# Reader, content with NESTED for a nested list, code of its errors.
READERS: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "clusters": (formats.read, "NESTED", "json-invalid"),
    "mentions": (formats.read, '[{"doc": "d", "tokens": NESTED, "chain": "c"}]', "json-invalid"),
    "jsonl": (formats.read, '{"chain": 1, "doc": "d", "tokens": [1], "x": NESTED}', "json-invalid"),
    "results": (
        load_results,
        f'{{"signatures": [{{"system": "a", "setting": "pure", "x": NESTED}}], "rows": [{ROW}]}}',
        "file-invalid",
    ),
    "patch": (read_patch, '{"format": "cdec-key-patch/1", "merge": NESTED}', "file-invalid"),
    "decisions": (
        lambda path: read_reviews([path]),
        '{"format": "cdec-audit-decisions/1", "decisions": [], "about": {"x": NESTED}}',
        "file-invalid",
    ),
    "short-list": (read_shortlist, '{"format": "cdec-audit/1", "x": NESTED}', "file-invalid"),
}


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("opening", ["[", '{"a": '])
def test_deep_nesting_is_refused(name: str, opening: str, tmp_path: Path) -> None:
    reader, content, code = READERS[name]
    closing = "]" if opening == "[" else "}"
    path = tmp_path / "deep"
    for depth in (DEEPEST + 1, 500, *range(940, 1010, 3), 100_000):
        path.write_text(content.replace("NESTED", opening * depth + "1" + closing * depth))
        with refused(code, "deeply nested"):
            reader(path)


def test_the_deepest_value() -> None:
    assert parse(nested(DEEPEST)) is not None
    assert parse('"' + "[" * 200 + '"') == "[" * 200
    assert len(parse("[" + "[], " * 200 + "[]]")) == 201
    for text in (nested(DEEPEST + 1), f'{{"a": {nested(DEEPEST)}}}'):
        with pytest.raises(ValueError, match="deeply nested"):
            parse(text)
    with pytest.raises(ValueError, match="Extra data"):
        parse("5" + "[" * 200)
