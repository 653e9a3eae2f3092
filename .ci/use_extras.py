"""Use every extra that users install, in an environment with ``cdec[all]``: ``use_extras.py``.

``test`` is used by the tests. Exits with what an extra lacks.
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import metadata
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from cdec.files.jobs import mapped, workers
from cdec.formats import read


def parquet(folder: Path) -> bool:
    """Return whether a table in Parquet can be read, as those of uCDCR are."""
    from pyarrow import parquet as tables

    table = pd.DataFrame({"mention_id": ["a", "b"], "tokens_number": [[1], [2, 3]]})
    table.to_parquet(folder / "mentions.parquet")
    return bool(tables.ParquetFile(folder / "mentions.parquet").read().num_rows == 2)


def xlsx(folder: Path) -> bool:
    """Return whether the mentions in a spreadsheet can be read."""
    mentions = {"doc": ["a", "a"], "start": [0, 2], "end": [0, 3], "chain": ["x", "x"]}
    pd.DataFrame(mentions).to_excel(folder / "mentions.xlsx", index=False)
    return len(read(folder / "mentions.xlsx")) == 2


def dask(_: Path) -> bool:
    """Return whether a worker of a cluster does the work."""
    from distributed import Client, LocalCluster

    alone = LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None)
    with alone, Client(alone) as client, workers(scheduler=client):
        there = set(mapped(_process, range(3)))
    return len(there) == 1 and os.getpid() not in there


def _process(_: int) -> int:
    return os.getpid()


USES = {"parquet": parquet, "xlsx": xlsx, "dask": dask}


def main() -> None:
    """Use each extra of the installed package."""
    wrong = set(metadata("cdec").get_all("Provides-Extra") or ()) ^ {
        *USES,
        "all",
        "test",
    }
    with TemporaryDirectory() as folder:
        wrong |= {extra for extra, use in USES.items() if not use(Path(folder))}
    if wrong:
        sys.exit(
            f"extras without a use, or that do not work: {', '.join(sorted(wrong))}"
        )
    print(f"extras that work: {', '.join(USES)}")


if __name__ == "__main__":
    main()
