"""Run a command within limits and report what it used.

``launcher.py REPORT SECONDS MEBIBYTES COMMAND…`` runs in a new process that imports little,
because the peak memory of a child starts with that of the process that started it. The limits are
of processor time and of address space.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time

NOT_STARTED = 127


def main(report: str, seconds: int, mebibytes: int, command: list[str]) -> None:
    start = time.perf_counter()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_AS, (mebibytes * 2**20,) * 2)
        try:
            os.execvp(command[0], command)  # noqa: S606  # a shell would be measured, too
        except OSError as problem:
            print(problem, file=sys.stderr)
            os._exit(NOT_STARTED)
    _, status, used = os.wait4(child, 0)
    row = {
        "status": status,
        "wall": time.perf_counter() - start,
        "cpu": used.ru_utime + used.ru_stime,
        "peak": used.ru_maxrss / 1024,
    }
    with open(report, "w", encoding="utf-8") as file:  # noqa: PTH123  # imports little
        json.dump(row, file)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
