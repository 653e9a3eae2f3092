"""The tests. A worker of pytest-xdist has one core, and its libraries compute in one thread.

Two threads each, on cores that the workers share, wait for each other in loops: training SAC took
thirty times the processor time. Libraries read these variables when they are imported. Work that is
divided by default is done by the worker itself; tests of processes say how many they want.
"""

import os

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "LOKY_MAX_CPU_COUNT")
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.update(dict.fromkeys(THREADS, "1"))
