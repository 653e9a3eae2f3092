"""The audit from outside: the key that was read, decisions that become a patch, what is listed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import cdec as package
from tests.program import Run

READ = Path(__file__).parents[1] / "configs" / "patches" / "ecbplus-read-1.json"
WITHDRAWN = {"7320b16a57", "b970aa84e7", "f578f016ef"}


def test_the_key_that_was_read_is_version_2() -> None:
    patch = json.loads(READ.read_text("utf-8"))
    cases = [operation["case"] for operation in patch["operations"]]
    assert patch["about"]["version"] == 2
    assert len(cases) == len(set(cases)) == 84
    assert set(patch["about"]["changed"]["withdrawn"]) == WITHDRAWN
    assert not WITHDRAWN & set(cases)


def test_what_its_operations_do_to_the_chains(ecbplus: Path) -> None:
    corpus = package.load_corpus(str(ecbplus), key_patch="ecbplus-read-1")
    chains = corpus.mentions["chain"]
    announced, thrilled = chains["2_3ecbplus/24"], chains["2_3ecbplus/25"]
    assert chains["2_8ecbplus/58"] == announced != thrilled == chains["2_7ecbplus/23"]
    # Two mentions each of one sentence that two documents have.
    assert chains["36_3ecbplus/15"] == chains["36_6ecbplus/22"]
    assert chains["45_10ecbplus/36"] == chains["45_11ecbplus/27"]
    assert "40_1ecbplus/40+" not in chains
    assert corpus.correction["key_patch"] == "ecbplus-read-1.json"
    assert str(corpus.correction["key_patch_digest"]).startswith("bac452f1393c")


@pytest.fixture
def chain() -> list[str]:
    """Three mentions of one chain of the sample, then two of two other chains."""
    events = package.load_corpus("sample").selected
    (large, *_) = events["chain"].value_counts().index
    others = events.index[events["chain"] != large].to_series()
    firsts = others.groupby(events["chain"][others.index], sort=False).first()
    return [*events.index[events["chain"] == large][:3], *firsts[:2]]


def decisions(file: Path, **operations: dict[str, list[str]]) -> Path:
    """Write decisions on cases of the sample: each case is an error, with this operation."""
    corpus = package.load_corpus("sample")
    decided = [
        {"case": case, "kind": "spurious-member", "verdict": "error", "operation": operation}
        for case, operation in operations.items()
    ]
    chains = {str(id_): str(label) for id_, label in corpus.mentions["chain"].items()}
    content: dict[str, Any] = {"format": "cdec-audit-decisions/1", "reviewer": "ann", "places": {}}
    content |= {"about": {"corpus": corpus.name, "digest": corpus.digest}, "chains": chains}
    file.write_text(json.dumps({**content, "decisions": decided}), "utf-8")
    return file


@pytest.mark.parametrize("target", [0, 1])
def test_a_mention_that_leaves_its_chain_is_no_anchor_for_another(
    chain: list[str], target: int, tmp_path: Path, cdec: Run
) -> None:
    """One case adds a mention to the chain of ``leaves``, the other moves ``leaves`` out of it."""
    leaves, stays, _, new, other = chain
    move = {"move": [leaves]} | ({"merge": [leaves, other]} if target else {})
    out = tmp_path / "patch.json"
    both = decisions(tmp_path / "a.json", added={"merge": [new, leaves]}, moved=move)
    ran = cdec("audit", "apply", both, "-o", out)
    assert (ran.exit, ran.error, out.exists()) == (1, "patch-contradictory", False)
    assert "added" in ran.said
    assert "moved" in ran.said
    assert cdec("audit", "apply", both, "--skip-conflicts", "-o", out).exit == 0
    assert json.loads(out.read_text("utf-8"))["operations"] == []
    # The cure: the first case names a mention that stays.
    cured = decisions(tmp_path / "b.json", added={"merge": [new, stays]}, moved=move)
    assert cdec("audit", "apply", cured, "-o", out).exit == 0
    chains = package.load_corpus("sample", key_patch=str(out)).mentions["chain"]
    assert chains[new] == chains[stays] != chains[leaves]


def test_cases_that_link_what_another_moves_and_links_agree(
    chain: list[str], tmp_path: Path, cdec: Run
) -> None:
    leaves, stays, _, _, other = chain
    linked = {"merge": [leaves, other]}
    out = tmp_path / "patch.json"
    both = decisions(tmp_path / "a.json", one=linked, two={"move": [leaves], **linked})
    assert cdec("audit", "apply", both, "-o", out).exit == 0
    chains = package.load_corpus("sample", key_patch=str(out)).mentions["chain"]
    assert chains[leaves] == chains[other] != chains[stays]


def test_missing_mentions_are_looked_for_where_all_are_annotated(tmp_path: Path, cdec: Run) -> None:
    folder, cases = tmp_path / "made", tmp_path / "cases.jsonl"
    assert cdec("corpus", "convert", "sample", "--to", "ecbplus", "-o", folder).exit == 0
    named = ("audit", "run", "--corpus", folder, "--detector", "unmarked")
    assert cdec(*named).exit == 0
    (folder / "ECBplus_coreference_sentences.csv").unlink()
    ran = cdec(*named)
    assert (ran.exit, ran.error) == (1, "annotation-missing")
    assert cdec("audit", "run", "--corpus", folder, "-o", cases).exit == 0
    about, *found = map(json.loads, cases.read_text("utf-8").splitlines())
    assert about["left_out"] == "unmarked"
    assert found
    assert "unmarked" not in {detector for case in found for detector in case["detectors"]}


@pytest.mark.parametrize("name", ["GVC", "WEC-Eng-dev"])
def test_a_corpus_without_reviewed_sentences_has_no_such_case(
    name: str, corpora: Path, cdec: Run
) -> None:
    ran = cdec("audit", "run", "--corpus", corpora / name, "--detector", "unmarked")
    assert (ran.exit, ran.error) == (1, "annotation-missing")
