"""Classifiers as arrays, and SAC from end to end."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from cdec.baselines import SYSTEMS, System, names_of, run, system
from cdec.baselines.config import read_config
from cdec.baselines.sac import (
    Forest,
    Linear,
    Sac,
    SacConfig,
    SacPlus,
    best_threshold,
    label,
    mean_curve,
    recall,
    store,
    threshold_curve,
)
from cdec.baselines.sac.classifiers import _GROWTH
from cdec.corpus import Corpus
from cdec.system import is_learner
from tests.baselines.disguise import disguise
from tests.refusals import refused

CONFIGS = Path(__file__).parents[3] / "configs" / "systems"


@pytest.mark.parametrize("jobs", [0, -1, 1025, 10**30])
def test_numbers_of_threads_out_of_range(jobs: int, sample: dict[str, Corpus]) -> None:
    with refused("parameter-invalid", f"{jobs:,}", "1,024"):
        Sac().fit(sample["train"], sample["dev"], jobs=jobs)
    with refused("parameter-invalid", f"{jobs:,}"):
        Sac().learning_curve(sample["train"], sample["dev"], jobs=jobs)


def table(seed: int, rows: int = 3000) -> tuple[np.ndarray, np.ndarray]:
    chance = np.random.default_rng(seed)
    values = chance.normal(size=(rows, 6)).round(1).astype(np.float32)
    noise = chance.normal(size=rows)
    return values, values[:, 0] * values[:, 1] + values[:, 2] + noise > 1


@pytest.mark.parametrize("seed", range(3))
def test_the_forest_predicts_as_scikit_learn_does(seed: int) -> None:
    values, linked = table(seed)
    forest = Forest.fit(values, linked, 1)
    peer = HistGradientBoostingClassifier(random_state=1, **_GROWTH).fit(values, linked)
    other = np.concatenate([table(9)[0], values * 3])
    assert forest.logits(other) == pytest.approx(peer.decision_function(other), abs=1e-12)


def test_the_linear_model_predicts_as_scikit_learn_does() -> None:
    values, linked = table(0)
    scale = StandardScaler().fit(values.astype(float))
    peer = LogisticRegression(max_iter=1000).fit(scale.transform(values.astype(float)), linked)
    expected = peer.decision_function(scale.transform(values.astype(float)))
    assert Linear.fit(values, linked, 1).logits(values) == pytest.approx(expected, abs=1e-4)


def test_a_constant_column() -> None:
    values, linked = table(0)
    values[:, 3] = 2
    assert np.isfinite(Linear.fit(values, linked, 1).logits(values)).all()


def test_the_threshold_is_the_middle_of_the_best_three() -> None:
    curve = {0.1: 0.1, 0.2: 0.9, 0.3: 0.1, 0.4: 0.5, 0.5: 0.6, 0.6: 0.5, 0.7: 0.1}
    assert best_threshold(curve) == 0.5


def test_quick_has_one_seed_and_fewer_folds_and_negatives() -> None:
    quick = SacPlus().quick().choices
    assert (quick.seeds, quick.folds, quick.negatives) == (1, 3, 6)
    assert quick.extras == ()
    assert quick.families == SacPlus().choices.families


def test_the_threshold_for_other_shares(sample: dict[str, Corpus]) -> None:
    choices = replace(SacConfig.shipped("sac"), shares=(0.9, 0.95))
    data = label(sample["train"], choices, "hanta")
    p = np.where(data.linked, 0.6, 0.3)
    # Right pairs only: the best threshold is above that of the wrong pairs, at every share.
    curve = mean_curve(data, p, choices)
    assert curve[0.5] == max(curve.values())
    plain = mean_curve(data, p, replace(choices, shares=()))
    assert plain == threshold_curve(data, p, choices.link)
    part, rows = data.only(np.arange(len(data.ids)) % 2 == 0)
    assert (part.linked == data.linked[rows]).all()


def test_trained_on(fitted: Sac) -> None:
    assert Sac().trained_on == ""
    assert fitted.trained_on == "sample/sample-train"


def test_an_untrained_system(sample: dict[str, Corpus]) -> None:
    with refused("model-invalid", place="sac"):
        run(Sac(), sample["test"])


def test_one_sub_topic_is_not_enough(sample: dict[str, Corpus]) -> None:
    dev = sample["dev"]
    first = next(iter(dev.documents.values())).subtopic
    part = dev.subset([d.id for d in dev.documents.values() if d.subtopic == first], "half")
    with refused("part-too-small", place="(half)"):
        Sac().fit(part, dev)
    assert Sac().fit(dev, dev).trained_on == "sample/sample-dev"  # by its two sub-topics


def test_training_again_gives_the_same_bytes(
    fitted: Sac, sample: dict[str, Corpus], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CDEC_CACHE", str(tmp_path))
    for jobs in (1, 3):
        monkeypatch.setattr("cdec.baselines.sac.system.KIND", f"sac{jobs}")
        again = Sac().fit(sample["train"], sample["dev"], jobs=jobs)
        assert store.dump(again.fitting()) == store.dump(fitted.fitting())


def test_a_cached_model_is_used_and_a_damaged_one_replaced(
    sample: dict[str, Corpus], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CDEC_CACHE", str(tmp_path))
    trained = Sac().fit(sample["train"], sample["dev"])
    with monkeypatch.context() as patch:
        patch.setattr(Sac, "_trained", lambda *_: pytest.fail("trained again"))
        assert store.dump(Sac().fit(sample["train"], sample["dev"]).fitting()) == store.dump(
            trained.fitting()
        )
    (cached,) = (tmp_path / "sac").iterdir()
    cached.write_bytes(b"damaged")
    assert store.dump(Sac().fit(sample["train"], sample["dev"]).fitting()) == store.dump(
        trained.fitting()
    )


def test_another_gold_or_choice_is_another_model(sample: dict[str, Corpus]) -> None:
    train = sample["train"]
    first = train.selected.index[0]
    moved = replace(
        train,
        mentions=train.mentions.assign(
            chain=train.mentions["chain"].where(train.mentions.index != first, "other")
        ),
    )
    keys = {Sac()._key(train), Sac()._key(moved)}
    keys.add(Sac(choices=replace(Sac().choices, link="single"))._key(train))
    assert len(keys) == 3


def test_other_names_and_another_order_change_nothing(
    fitted: Sac, sample: dict[str, Corpus]
) -> None:
    part = sample["test"]
    other, renamed = disguise(part, seed=3)
    here, there = run(fitted, part).labels, run(fitted, other).labels
    assert there.loc[[renamed[id_] for id_ in here.index]].tolist() == here.tolist()


def test_it_beats_the_lemma_on_the_sample(fitted: Sac, sample: dict[str, Corpus]) -> None:
    from cdec.api import evaluate

    def conll(response: System) -> float:
        results = evaluate(sample["test"], response, setting="simple", metrics=["conll"])
        return float(results.to_frame()["f1"].iloc[0])

    assert conll(fitted) > conll(system("lemma")) + 0.1


def test_has_seen(fitted: Sac, sample: dict[str, Corpus]) -> None:
    assert fitted.has_seen(sample["train"])
    assert not fitted.has_seen(sample["test"])


def test_the_recall_of_the_candidates(sample: dict[str, Corpus]) -> None:
    data = label(sample["test"], Sac().chosen, "hanta")
    pairs, inside, covered, links = recall(data)
    assert 0 < inside < pairs
    assert 0 < covered <= links
    sizes = sample["test"].gold.labels.value_counts()
    assert links == int((sizes * (sizes - 1) // 2).sum())


@pytest.mark.parametrize("name", names_of(is_learner))
def test_the_shipped_configuration_is_the_default(name: str) -> None:
    assert name in SYSTEMS
    config = read_config(CONFIGS / f"{name}.toml")
    assert config.make() == system(name)


@pytest.mark.parametrize(
    ("change", "code", "value"),
    [
        ({"families": ["heads"]}, "name-unknown", "did you mean 'head'"),
        ({"families": []}, "parameter-invalid", "feature family"),
        ({"families": ["head", "head"]}, "parameter-invalid", "'head'"),
        ({"families": "head"}, "parameter-invalid", "families"),
        ({"extras": ["embeddings"]}, "name-unknown", "did you mean 'embedding'"),
        ({"link": "ward"}, "name-unknown", "ward"),
        ({"gate": 0.0}, "parameter-invalid", "gate"),
        ({"folds": 1}, "parameter-invalid", "folds"),
        ({"seeds": 0}, "parameter-invalid", "seeds"),
        ({"shares": [0.5, 1.0]}, "parameter-invalid", "shares"),
        ({"shares": 0.5}, "parameter-invalid", "shares"),
        ({"classifiers": ["svm"]}, "name-unknown", "svm"),
    ],
)
def test_invalid_parameters(change: dict[str, Any], code: str, value: str) -> None:
    with refused(code, value):
        replace(SacConfig.shipped("sac"), **change)


def test_the_hash_seed_changes_nothing(tmp_path: Path) -> None:
    code = (
        "from cdec.corpus.splits import divided; from cdec.corpus.ecbplus.assemble import read;"
        "from cdec.corpus.store.locate import sample_path;"
        "from cdec.baselines.sac.system import Sac;"
        "from cdec.baselines.sac import store; from hashlib import sha256;"
        "parts = divided(read(sample_path())); s = Sac().fit(parts['train'], parts['dev']);"
        "print(sha256(store.dump(s.fitting())).hexdigest())"
    )
    digests = set()
    for seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": seed, "CDEC_CACHE": str(tmp_path / seed)}
        command = [sys.executable, "-W", "ignore", "-c", code]
        digests.add(subprocess.run(command, capture_output=True, check=True, env=env).stdout)
    assert len(digests) == 1
