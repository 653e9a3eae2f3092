"""Statistics of files: equal to those of another program, and of any format."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cdec.formats import read
from cdec.formats.statistics import statistics
from tests.formats.made import conll, parse

FILES = {
    "gum_test": "gum-test/key",
    "onto_test": "gum-test/response-ontogum",
    "pdtc_ft": "pdtc-ft/key",
}
NAMES = {
    "docs": "documents", "sents": "sentences", "entities_per1k": "entities_per_1000",
    "avg_entity": "mean_entity", "mentions_per1k": "mentions_per_1000",
    "avg_mention": "mean_mention", "with_gaps": "with_gap", "nontreelet": "no_treelet",
}  # fmt: skip


def ours(name: str) -> str:
    name = name.replace("c_len_", "entity_length_").replace("head_upos=", "head_")
    return NAMES.get(name, re.sub("^m_len_", "mention_length_", name))


@pytest.mark.parametrize("name", FILES)
def test_the_counts_of_udapi(name: str, corefud: Path) -> None:
    listed = (corefud / "expected" / "udapi-stats.txt").read_text()
    body = re.search(rf"== {name}\n([^=]*(?:=[^=]+)*?)(?=\n==|\Z)", listed)
    assert body is not None
    found = statistics(read(corefud / f"{FILES[name]}.conllu"))
    items = [item for item in body[1].replace("\n", " ").split(";") if item.strip()]
    assert len(items) == 36
    for item in items:
        key, _, text = item.strip().rpartition(" = ")
        expected, digits = float(text.replace(",", "")), 1 if "." in text else 0
        assert round((found[ours(key)] or 0) + 1e-9, digits) == expected, key


def test_any_format_without_and_with_singletons() -> None:
    made = conll(("d", ["(1)", "(2", "2)|(1)", "(3)"]))
    found = statistics(made)
    assert (found["words"], found["entities"], found["mentions"]) == (4, 3, 4)
    assert found["entity_length_1"] == pytest.approx(200 / 3)
    assert found["mention_length_2"] == 25
    assert (found["sentences"], found["empty"]) == (1, None)
    found = statistics(made, drop_singletons=True)
    assert (found["words"], found["entities"], found["mentions"]) == (4, 1, 2)
    assert statistics(parse('[["d/1", "d/2"]]'))["words"] is None
