"""Files of models: what they keep, and which are refused."""

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cdec.baselines import run
from cdec.baselines.sac import Sac, SacConfig, SacPlus, store
from cdec.corpus import Corpus
from tests.refusals import refused

CONFIGS = Path(__file__).parents[3] / "configs" / "systems"


@pytest.mark.parametrize("make", [Sac, SacPlus])
def test_round_trip_of_a_model_file(
    make: type[Sac], sample: dict[str, Corpus], tmp_path: Path
) -> None:
    choices = make().choices
    plain = replace(choices, extras=(), seeds=min(choices.seeds, 2))
    trained = make(choices=plain).fit(sample["train"], sample["dev"])
    assert len(trained.fitting().members) == plain.seeds
    path = tmp_path / "sac.model"
    path.write_bytes(store.dump(trained.fitting()))
    loaded = make(model=store.load(path))
    assert store.dump(loaded.fitting()) == path.read_bytes()
    assert loaded.parameters == trained.parameters
    assert run(loaded, sample["test"]).labels.equals(run(trained, sample["test"]).labels)


def test_a_damaged_or_outdated_model_is_refused(
    fitted: Sac, sample: dict[str, Corpus], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = store.dump(fitted.fitting())
    for broken in (b"", b"no model", data[: len(data) // 2]):
        with refused("model-invalid", place="here"):
            store.parse(broken, "here")
    with refused("file-unreadable", place="none"):
        store.load(tmp_path / "none")
    foreign = Sac(model=replace(fitted.fitting(), nlp="other-1"))
    with refused("model-mismatch", "other-1", "hanta", place="sac"):
        run(foreign, sample["test"])
    monkeypatch.setattr(store, "REVISION", "0")
    with refused("model-invalid", place="here"):
        store.parse(data, "here")


@pytest.mark.parametrize("threshold", [2147483648.0, 1.5, 0.0, -0.1])
def test_a_threshold_that_is_no_probability_is_refused(fitted: Sac, threshold: float) -> None:
    with refused("model-invalid", place="here"):
        store.parse(store.dump(replace(fitted.fitting(), threshold=threshold)), "here")


def test_complex_numbers_are_refused(fitted: Sac) -> None:
    with np.load(io.BytesIO(store.dump(fitted.fitting()))) as archive:
        arrays: dict[str, Any] = {name: archive[name] for name in archive.files}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays | {"0.weights": arrays["0.weights"] + 1j})
    with refused("model-invalid", place="here"):
        store.parse(buffer.getvalue(), "here")


def test_a_model_of_another_system_is_refused(
    fitted: Sac, sample: dict[str, Corpus], tmp_path: Path
) -> None:
    path = tmp_path / "sac.model"
    fitted.save(path)
    with refused("model-mismatch", "'sac'", "'sac-plus'", place=path):
        SacPlus().load(path)
    with refused("model-mismatch", "'sac'", "'sac-plus'", place="sac-plus"):
        run(SacPlus(model=fitted.fitting()), sample["test"])
    assert Sac().load(path).parameters == fitted.parameters


def test_a_model_with_changed_parameters_belongs_to_the_nearest_system(
    fitted: Sac, tmp_path: Path
) -> None:
    path = tmp_path / "sac.model"
    changed = replace(SacConfig.shipped("sac"), negatives=4, gate=0.3, arguments="gold")
    model = replace(fitted.fitting(), choices=replace(changed, arguments="none").resolved())
    path.write_bytes(store.dump(model))
    assert Sac().load(path).chosen.negatives == 4
    with refused("model-mismatch", "'sac'", "'sac-plus'", place=path):
        SacPlus().load(path)


def test_optional_families_do_not_make_another_system() -> None:
    shipped = SacConfig.shipped("sac-plus")
    assert shipped.distance(replace(shipped, families=(*shipped.families, "embedding"))) == 0
    assert shipped.distance(SacConfig.shipped("sac")) == 2


def test_a_model_of_the_first_version_is_still_one_of_sac_plus() -> None:
    shipped = SacConfig.shipped("sac-plus")
    older = replace(shipped, families=shipped.families[:-2], seeds=1, shares=())
    assert shipped.distance(older) == 0
    assert older.distance(SacConfig.shipped("sac")) == 2
    assert not {"seeds", "shares"} & set(older.table())


def test_pickled_content_is_never_executed(tmp_path: Path) -> None:
    path = tmp_path / "evil"
    with path.open("wb") as file:
        np.savez(file, about=np.array([{"a": 1}], dtype=object))
    with refused("model-invalid", place=path):
        store.load(path)
