"""Processor time of corefud-scorer without its start: ``corefud_peer.py SCORER RUNS ARGUMENTS…``.

It runs in a process of its own, because its libraries are not those of cdec. All runs are in that
process; the least time is printed, in seconds.
"""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO
from pathlib import Path
from time import process_time


def main(scorer: Path, runs: int) -> float:
    sys.path.insert(0, str(scorer.parent))
    peer = import_module(scorer.stem)
    times = []
    for _ in range(runs):
        before = process_time()
        with redirect_stdout(StringIO()):
            peer.main()
        times.append(process_time() - before)
    return min(times)


if __name__ == "__main__":
    path, count = Path(sys.argv[1]), int(sys.argv[2])
    sys.argv[1:3] = []
    print(main(path, count))
