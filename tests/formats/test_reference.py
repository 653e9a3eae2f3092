"""Files with every use of brackets, scored by cdec and by the reference scorer v8.01."""

from collections.abc import Iterable

import numpy as np
import pytest

from cdec.matching import FilePolicy, match_files
from tests.formats.made import kinds, parse
from tests.formats.perl import MENTIONS, METRICS, PerlScorer, by_document, ours


def random_document(rng: np.random.Generator, name: str, size: int, repeated: float) -> str:
    """A document with nested mentions of up to four tokens, and some duplicates."""
    cells: list[list[str]] = [[] for _ in range(size)]
    spans: set[tuple[int, int]] = set()
    for _ in range(int(rng.integers(0, 2 * size))):
        start = int(rng.integers(size))
        end = min(size - 1, start + int(rng.choice([0, 0, 0, 1, 3])))
        chain = int(rng.integers(0, 5))
        known = (start, end) in spans
        if (known and rng.random() > repeated) or _touches(spans, start, end):
            continue
        spans.add((start, end))
        if start == end:
            cells[start].append(f"({chain})")
        else:
            cells[start].insert(0, f"({chain}")
            cells[end].append(f"{chain})")
    rng.shuffle(order := list(range(size)))
    for at in order[: size // 2]:
        rng.shuffle(cells[at])
    lines = [f"{name}\t0\t{n}\tw\t{'|'.join(cell) or '-'}" for n, cell in enumerate(cells)]
    return "\n".join([f"#begin document ({name}); part 000", *lines, "#end document\n"])


def _touches(spans: set[tuple[int, int]], start: int, end: int) -> bool:
    """Whether this mention and another overlap crosswise or meet in a token."""
    longer = [(s, e) for s, e in spans if s < e]
    return start < end and any(
        start < s <= end < e or s < start <= e < end for s, e in longer if (s, e) != (start, end)
    )


def random_file(rng: np.random.Generator, sizes: dict[str, int], repeated: float) -> str:
    return "".join(random_document(rng, name, size, repeated) for name, size in sizes.items())


def assert_same(
    perl_scorer: PerlScorer, key: str, response: str, metrics: Iterable[str] = ("all",)
) -> dict[str, int]:
    matched = match_files(
        parse(key, "key"), parse(response, "response"), FilePolicy(allow_empty=True)
    )
    expected, found = perl_scorer(key, response, metrics), ours(by_document(matched))
    for name, counts in expected.items():
        assert found[name] == pytest.approx(counts, abs=1e-9), name
    return kinds(matched)


@pytest.mark.parametrize("seed", range(60))
def test_nested_mentions_and_several_documents(perl_scorer: PerlScorer, seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = {f"d{n}": int(rng.integers(1, 12)) for n in range(int(rng.integers(1, 4)))}
    key, response = (random_file(rng, sizes, 0) for _ in range(2))
    assert_same(perl_scorer, key, response)


@pytest.mark.parametrize("seed", range(60))
def test_repeated_mentions_of_the_key(perl_scorer: PerlScorer, seed: int) -> None:
    """Each counts once, in the chain that opens first."""
    rng = np.random.default_rng(1000 + seed)
    cells = [f"({chain})" for chain in rng.integers(0, 3, 8)]
    again = [f"({a})|({b})" if b < 4 else f"({a})" for a, b in rng.integers(0, 5, (8, 2))]
    key, response = (
        "#begin document (d);\n"
        + "".join(f"d\t0\t{n}\tw\t{cell}\n" for n, cell in enumerate(side))
        + "#end document\n"
        for side in (cells, again)
    )
    found = assert_same(perl_scorer, key, response, METRICS)
    assert found.keys() & {"repeated-mention", "mention-in-two-chains"}


@pytest.mark.parametrize("seed", range(60))
def test_repeated_twinless_mentions(perl_scorer: PerlScorer, seed: int) -> None:
    """They count each time; BLANC and the identification of mentions count them once."""
    rng = np.random.default_rng(2000 + seed)
    key, response = (random_file(rng, {"d": 9}, again) for again in (0, 0.3))
    assert_same(perl_scorer, key, response, metrics=[*METRICS, MENTIONS])


BEGIN, END = "#begin document (d);\n", "#end document\n"


@pytest.mark.parametrize(
    ("key", "response"),
    [
        # the same chain inside itself
        (["(1", "(1", "1)", "1)"], ["(1", "(1)", "-", "1)"]),
        # opening before closing in one cell
        (["(1", "1)|(1", "1)", "(2)"], ["(1)", "(1)", "(1)", "(2)"]),
        # without separators
        (["(1(2)", "1)", "(2(1)", "2)"], ["(1(2", "1)2)", "(2)(1", "1)"]),
        # double antecedent
        (["(1)", "(12+3)|(1)", "-", "(12)"], ["(12+3)", "(1)", "(1)", "(12)"]),
        # twinless only
        (["(1)", "(1)", "-", "-"], ["-", "-", "(1)", "(1)"]),
        # leading zeros make another label
        (["(1)", "(01)", "(1)", "(01)"], ["(1)", "(1)", "(2)", "(2)"]),
    ],
)
def test_corner_cases_of_brackets(
    perl_scorer: PerlScorer, key: list[str], response: list[str]
) -> None:
    texts = [
        BEGIN + "".join(f"d\t0\t{n}\tw\t{cell}\n" for n, cell in enumerate(side)) + END
        for side in (key, response)
    ]
    assert_same(perl_scorer, *texts)


def test_unknown_and_missing_documents(perl_scorer: PerlScorer) -> None:
    rng = np.random.default_rng(5)
    key = random_file(rng, {"a": 9, "b": 8}, 0)
    response = random_file(rng, {"b": 8, "c": 9}, 0)
    found = assert_same(perl_scorer, key, response)
    assert {"unknown-document", "missing-document"} <= found.keys()


def test_files_with_spaces_and_blocks_over_documents(perl_scorer: PerlScorer) -> None:
    key = f"{BEGIN}x\t0\t0\ta\t(1\nx\t0\t1\tb\t1)\n\ny\t0\t0\tc\t(1)\ny\t0\t1\td\t(2)\n{END}"
    response = f"{BEGIN}x 0 0 a (4 \nx 0 1 b 4) \n\ny 0 0 c (4)\ny 0 1 d (4)\n{END}"
    assert_same(perl_scorer, key, response)
