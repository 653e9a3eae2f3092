"""The corrected key: the scores of a run against it, and the making of the patch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from cdec.api import load_corpus
from cdec.auditing import (
    VERDICTS,
    Operation,
    Patch,
    certain_patch,
    direct,
    patched_corpus,
    read_patch,
)
from cdec.baselines import system
from cdec.corpus import Corpus, divided, part_of
from cdec.evaluation import run_on
from cdec.metrics.scores import score
from cdec.reproduction import Corrected, Material, shape
from cdec.settings import SETTINGS

ROOT = Path(__file__).parents[2]
JUDGED = [ROOT / "docs" / name for name in ("audit-judgement.csv", "audit-judgement-blind.csv")]


@pytest.fixture(scope="module")
def shipped() -> Patch:
    """The patch of the package."""
    return read_patch("ecbplus-duplicates")


@pytest.fixture(scope="module")
def whole(ecbplus: Path) -> Corpus:
    """All of ECB+."""
    return load_corpus(str(ecbplus))


@pytest.fixture(scope="module")
def material(whole: Corpus, cached: None) -> Material:
    """Lemma on the test part."""
    return Material.from_responses(divided(whole), [system("lemma")])


def test_only_the_key_differs(whole: Corpus, shipped: Patch, material: Material) -> None:
    """The scores are those of a run on the part of the corrected corpus."""
    both = Corrected.from_material(material)
    assert both is not None
    run = run_on(part_of(patched_corpus(whole, shipped), "test"), system("lemma"))
    values = both.scores.set_index(["setting", "metric", "field"])
    for name in ("pure", "ycf"):
        expected = score(run.meta_documents(SETTINGS[name])).values["conll"].f1
        assert values["corrected"][name, "conll", "f1"] == pytest.approx(expected)
        assert values["ours"][name, "conll", "f1"] != pytest.approx(expected)
    assert {r.signature.fields["key_patch_digest"] for r in both.after} == {shipped.digest}


def test_links_are_added_and_no_mention_is(material: Material) -> None:
    both = Corrected.from_material(material)
    assert both is not None
    before, after = shape(material.corpus.gold), shape(both.part.gold)
    assert after["links"] > before["links"]
    assert after["singletons"] < before["singletons"]
    assert len(both.part.selected) == len(material.corpus.selected)


@pytest.mark.slow
def test_the_change_on_reviewed_mentions_is_small(whole: Corpus) -> None:
    """Most of the patch is in sentences that were not reviewed, which papers do not score."""
    reviewed = Material.from_responses(divided(whole, "cybulska"), [system("lemma")])
    part, few = Corrected.from_material(reviewed), 0.005
    assert part is not None
    assert part.linked == (6, 6)
    conll = part.scores[(part.scores["metric"] == "conll") & (part.scores["field"] == "f1")]
    assert 0 < conll["change"].abs().max() < few


def test_a_key_that_is_corrected_already_is_left_alone(
    whole: Corpus, shipped: Patch, material: Material
) -> None:
    corrected = part_of(patched_corpus(whole, shipped), "test")
    assert Corrected.from_material(replace(material, corpus=corrected)) is None


def test_votes_are_those_of_the_judged_cases(shipped: Patch) -> None:
    judged = pd.concat([pd.read_csv(file) for file in JUDGED])
    cases = list(zip(judged["mentions"].str.split().map(set), judged["verdict"], strict=True))
    found = [{verdict for ids, verdict in cases if ids >= {*group}} for group in shipped.merge]
    assert not any("error-other-fix" in one for one in found)
    votes = {verdict: sum(verdict in one for one in found) for verdict in VERDICTS}
    assert shipped.about["votes"] == votes
    assert shipped.about["corrections"] == len(shipped.merge)


def test_only_singletons_are_linked_and_few_are_reviewed(whole: Corpus, shipped: Patch) -> None:
    linked = whole.selected.loc[sorted(shipped.mentions), "reviewed"]
    assert linked.mean() < 0.1
    sizes = whole.selected.groupby("chain")["doc"].transform("size")
    assert (sizes[sorted(shipped.mentions)] == 1).all()
    assert shipped.move == ()


# Corrections of version 1, by rule: chains of 32 and 4 mentions through one, and the two rapes of a
# sentence.
INDIRECT = [
    [("45_6ecbplus/30", "45_10ecbplus/39"), ("45_10ecbplus/39", "45_11ecbplus/33")],
    [("3_2ecbplus/47", "3_3ecbplus/24")],
    [("3_2ecbplus/48", "3_3ecbplus/25")],
]


@pytest.mark.parametrize("merges", INDIRECT)
def test_a_correction_with_an_indirect_effect_is_refused(
    whole: Corpus, merges: list[tuple[str, str]]
) -> None:
    other = Operation(merge=("45_2ecbplus/18", "45_9ecbplus/42"))
    refused = [Operation(merge=merge) for merge in merges]
    assert direct(whole, [*refused, other]) == [other]


@pytest.mark.slow
def test_the_rule_makes_the_patch(whole: Corpus, shipped: Patch) -> None:
    made, _ = certain_patch(whole)
    assert made.digest == shipped.digest
    assert dict(made.places) == dict(shipped.places)
    assert made.about.items() <= shipped.about.items()
