"""The worked example of Pradhan et al. (2014), as files and as an Explanation."""

from pathlib import Path

import pandas as pd
import pytest

from cdec.clustering import Clustering
from cdec.evaluation import SystemRun
from cdec.explanation import Explanation, explain
from cdec.settings import Setting

KEY = {"k1": "abc", "k2": "defg"}
RESPONSE = {"r1": "ab", "r2": "cd", "r3": "fghi"}


def clustering(chains: dict[str, str]) -> Clustering:
    return Clustering.from_labels(
        {mention: label for label, chain in chains.items() for mention in chain}
    )


def pradhan(metric: str, **choice: str) -> Explanation:
    """Explain the example; its mentions are the letters a to i."""
    mentions = pd.DataFrame(index=pd.Index(list("abcdefghi"), dtype=object))
    answer = SystemRun("response", mentions, clustering(KEY), clustering(RESPONSE))
    return explain(answer, Setting("none", "scope corpus", "corpus"), metric, **choice)


def conll(documents: dict[str, dict[str, str]]) -> str:
    """CoNLL text with one token per letter; ``documents``: chain number → letters."""
    lines = []
    for name, chains in documents.items():
        label = {letter: number for number, letters in chains.items() for letter in letters}
        lines.append(f"#begin document ({name}); part 000")
        for place, letter in enumerate("abcdefghi"):
            cell = f"({label[letter]})" if letter in label else "-"
            lines.append(f"{name}\t0\t{place}\t{letter}\t{cell}")
        lines += ["", "#end document"]
    return "\n".join(lines) + "\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """Key and response of the example, with chains numbered 1, 2, …"""
    key, response = tmp_path / "key.conll", tmp_path / "response.conll"
    key.write_text(conll({"d1": {"1": "abc", "2": "defg"}}))
    response.write_text(conll({"d1": {"1": "ab", "2": "cd", "3": "fghi"}}))
    return str(key), str(response)


@pytest.fixture
def two_documents(tmp_path: Path) -> tuple[str, str]:
    """The example in d1; in d2 a key chain of which the response finds a part."""
    key, response = tmp_path / "key.conll", tmp_path / "response.conll"
    key.write_text(conll({"d1": {"1": "abc", "2": "defg"}, "d2": {"1": "abcd"}}))
    response.write_text(conll({"d1": {"1": "ab", "2": "cd", "3": "fghi"}, "d2": {"1": "ab"}}))
    return str(key), str(response)
