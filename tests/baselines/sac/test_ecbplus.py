"""SAC on ECB+: the promised scores, and independence of ids and order."""

from pathlib import Path

import pytest

from cdec.api import evaluate
from cdec.baselines import run
from cdec.baselines.sac import Sac
from cdec.corpus import divided, read
from tests.baselines.disguise import disguise


@pytest.mark.slow
def test_scores_and_disguise(ecbplus: Path) -> None:
    parts = divided(read(ecbplus))
    sac = Sac().fit(parts["train"], parts["dev"])
    answer = run(sac, parts["test"])
    scores = evaluate(parts["test"], answer, setting=["simple", "pure"]).to_frame()
    f1 = scores.set_index(["setting", "metric"])["f1"]
    assert f1["simple", "conll"] > 0.634
    assert f1["simple", "avg4"] > 0.645
    assert f1["pure", "conll"] > 0.595
    assert f1["pure", "avg4"] > 0.600
    other, renamed = disguise(parts["test"], seed=5)
    there = run(sac, other).labels
    assert there.loc[[renamed[id_] for id_ in answer.labels.index]].tolist() == list(answer.labels)
