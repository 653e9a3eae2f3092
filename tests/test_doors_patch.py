"""A mention that a patch removes from the key is left out of responses, whoever names it."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import cdec
from cdec import Corpus
from tests.program import Run

Chains = Mapping[str, str]


def patch_of(corpus: Corpus, mention: str, path: Path) -> Path:
    """Write a patch that removes one mention."""
    about = {"corpus": corpus.name, "digest": corpus.digest}
    claims = [{"mention": mention, "to": ""}]
    file = {"format": "cdec-key-patch/1", "about": about, "claims": claims}
    path.write_text(json.dumps(file))
    return path


def by_id(chains: Chains, corpus: Corpus, path: Path) -> str:
    """Write chains as JSON lines with ids."""
    rows = ({"mention": mention, "chain": chain} for mention, chain in chains.items())
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return str(path)


def by_span(chains: Chains, corpus: Corpus, path: Path) -> str:
    """Write chains as JSON lines with document and tokens."""
    places = corpus.mentions[["doc", "start", "end"]].T
    rows = ({**places[mention], "chain": chain} for mention, chain in chains.items())
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return str(path)


def as_table(chains: Chains, corpus: Corpus, path: Path) -> str:
    """Write chains as CSV with ids."""
    with path.with_suffix(".csv").open("w", newline="") as file:
        csv.writer(file).writerows([("mention", "chain"), *chains.items()])
    return str(path.with_suffix(".csv"))


def as_pairs(chains: Chains, corpus: Corpus, path: Path, *, places: bool = False) -> str:
    """Write each chain as a row of pairs, each mention with the next."""
    spans = corpus.mentions[["doc", "start", "end"]].astype(str)
    names = dict(
        zip(spans.index, spans["doc"] + "/" + spans["start"] + "-" + spans["end"], strict=True)
    )
    last: dict[str, str] = {}
    lines = ["a,b,score"]
    for mention, chain in chains.items():
        name = names[mention] if places else mention
        lines += [f"{last[chain]},{name},1"] if chain in last else []
        last[chain] = name
    path.with_suffix(".csv").write_text("\n".join(lines) + "\n")
    return f"pairs:{path.with_suffix('.csv')}"


def as_pairs_of_places(chains: Chains, corpus: Corpus, path: Path) -> str:
    """Write chains as pairs of ``doc/start-end``."""
    return as_pairs(chains, corpus, path, places=True)


DOORS = (by_id, by_span, as_table, as_pairs, as_pairs_of_places)


@pytest.fixture(scope="module")
def sample() -> Corpus:
    """The corpus in the package, its test part."""
    return cdec.load_corpus("sample", "test")


@pytest.fixture(scope="module")
def removed(sample: Corpus) -> str:
    """The second mention of a chain of three or more."""
    labels = sample.gold.labels
    sizes = labels.value_counts()
    return str(labels.index[labels == sizes[sizes >= 3].index[0]][1])


@pytest.fixture(scope="module")
def chains(sample: Corpus, removed: str) -> dict[str, str]:
    """A response with every mention: key chains, every fourth mention of them in one chain."""
    labels = sample.gold.labels
    wrong = {mention for number, mention in enumerate(labels.index) if number % 4 == 0}
    wrong -= {*labels.index[labels == labels[removed]]}
    return {str(m): "wrong" if m in wrong else str(c) for m, c in labels.items()}


@pytest.fixture(scope="module")
def case(
    sample: Corpus, removed: str, chains: dict[str, str]
) -> tuple[Corpus, str, dict[str, str]]:
    """The part, the removed mention, and the response."""
    return sample, removed, chains


def f1s(rows: list[dict[str, Any]]) -> dict[tuple[str, str], float]:
    """Return setting and metric → F1 of the system."""
    return {(r["setting"], r["metric"]): r["f1"] for r in rows}


@pytest.mark.parametrize("door", DOORS)
def test_every_door_leaves_a_removed_mention_out(
    door: Callable[[Chains, Corpus, Path], str],
    case: tuple[Corpus, str, dict[str, str]],
    cdec: Run,
    tmp_path: Path,
) -> None:
    sample, removed, chains = case
    patch = patch_of(sample, removed, tmp_path / "patch.json")
    call = ("--corpus", "sample", "-s", "all", "--metric", "all", "--key-patch", patch)
    without = {mention: chain for mention, chain in chains.items() if mention != removed}
    expected = cdec("eval", by_id(without, sample, tmp_path / "w.jsonl"), *call, "-f", "json")
    ran = cdec("eval", door(chains, sample, tmp_path / "all.jsonl"), *call, "-f", "json", "-v")
    assert len({setting for setting, _ in f1s(ran.json["rows"])}) == 6
    assert f1s(ran.json["rows"]) == f1s(expected.json["rows"])
    assert ran.err.count("note[mention-left-out]: 1 ") == 1
    assert "twinless" not in ran.err
    assert "[mention-left-out]" not in expected.err


def test_python_values_leave_a_removed_mention_out(
    sample: Corpus, removed: str, chains: dict[str, str], tmp_path: Path
) -> None:
    patch = patch_of(sample, removed, tmp_path / "patch.json")
    corpus = cdec.load_corpus("sample", "test", key_patch=patch)
    without = {mention: chain for mention, chain in chains.items() if mention != removed}
    spans = sample.mentions.loc[[*chains], ["doc", "start", "end"]].to_numpy().tolist()
    places = {(d, int(s), int(e)): c for (d, s, e), c in zip(spans, chains.values(), strict=True)}
    expected = cdec.evaluate(corpus, without, setting="all", metrics=["conll"])
    for value in (chains, places):
        results = cdec.evaluate(corpus, value, setting="all", metrics=["conll"])
        assert results.to_frame()["f1"].tolist() == expected.to_frame()["f1"].tolist()
        left = [notice.count for notice in results.notices if notice.code == "mention-left-out"]
        assert left == [1]


def test_comparisons_say_what_they_leave_out(
    sample: Corpus, removed: str, chains: dict[str, str], cdec: Run, tmp_path: Path
) -> None:
    patch = patch_of(sample, removed, tmp_path / "patch.json")
    one, two = (door(chains, sample, tmp_path / f"{door.__name__}.jsonl") for door in DOORS[:2])
    both = cdec("compare", one, two, "--corpus", "sample", "--key-patch", patch, "-v")
    assert both.exit == 0
    assert "note[mention-left-out]" in both.err


def test_a_published_response_is_scored_on_a_key_that_lacks_a_mention(
    ecbplus: Path, responses: Path, cdec: Run, tmp_path: Path
) -> None:
    assert cdec("leaderboard", "fetch", "barhom-2019-kmeans", "--from", responses).exit == 0
    corpus = globals()["cdec"].load_corpus(str(ecbplus), "cybulska/test")
    patch = patch_of(corpus, "43_5ecb/139", tmp_path / "patch.json")
    call = ("--corpus", ecbplus, "--split", "cybulska/test", "-s", "pure", "--metric", "conll")
    name = "leaderboard:barhom-2019-kmeans"
    ran = cdec("eval", name, *call, "--key-patch", patch, "-f", "json", "-v")
    assert ran.exit == 0, ran.err
    assert "note[mention-left-out]: 1 " in ran.err
    (before,), (after,) = (
        each.json["rows"] for each in (cdec("eval", name, *call, "-f", "json"), ran)
    )
    assert 0 < abs(before["f1"] - after["f1"]) < 0.002
