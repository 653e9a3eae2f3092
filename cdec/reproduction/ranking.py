"""How the ranking of systems changes with the setting: the data of the chart."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from cdec.evaluation.experiment import Result
from cdec.settings import BH, IS, PURE_CDEC, SIMPLE_CDEC, ST, YCF

# PURE-CDEC and SIMPLE-CDEC see all links across documents, B&H and S.T. ever fewer wrong ones; I.S.
# leaves singletons out, YCF does both.
STRICT_TO_LENIENT = (PURE_CDEC, SIMPLE_CDEC, BH, ST, IS, YCF)


def conll_by_setting(results: Iterable[Result]) -> pd.DataFrame:
    """Return CoNLL F (in [0, 1]): a row a system, a column a setting id, strict to lenient."""
    rows = [(r.system, r.setting.name, r.scores["conll"].f1) for r in results]
    table = pd.DataFrame(rows, columns=["system", "setting", "conll"])
    wide = table.pivot(index="system", columns="setting", values="conll")
    systems = list(dict.fromkeys(table["system"]))
    return wide.loc[systems, [setting.name for setting in STRICT_TO_LENIENT]]
