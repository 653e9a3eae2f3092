"""The recipe of docs/guides/train-loop.md: a Lightning module that logs the CoNLL score."""

import re
from pathlib import Path
from typing import Any

import pytest

from cdec.metrics import conll
from tests.guides import ROOT

GUIDE = ROOT / "docs" / "guides" / "train-loop.md"


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # those of torch and lightning
def test_the_recipe_trains_and_logs_the_score(tmp_path: Path) -> None:
    torch, lightning = pytest.importorskip("torch"), pytest.importorskip("lightning")
    block = re.search(
        r"`lightning_model.py`:\n\n```python\n(.*?)^```", GUIDE.read_text(), re.M | re.S
    )
    assert block
    module: dict[str, Any] = {}
    exec(compile(block[1], "lightning_model.py", "exec"), module)  # noqa: S102 (the guide is ours)
    torch.manual_seed(0)
    chains = torch.tensor([0, 0, 1, 1])
    batch = (torch.nn.functional.one_hot(chains, 4).float(), chains, torch.zeros(4, dtype=int))
    loader = torch.utils.data.DataLoader([batch], batch_size=None)
    trainer = lightning.Trainer(
        max_epochs=60, accelerator="cpu", logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False, default_root_dir=tmp_path,
    )  # fmt: skip
    trainer.fit(module["Linker"](4), loader, loader)
    assert trainer.callback_metrics["conll"].item() == 1.0
    assert conll(chains, torch.tensor([0, 0, 2, 2])) == 1.0  # tensors, as in the recipe
