"""The benchmarks as a page: ``python -m tests.benchmarks.page`` writes docs/benchmarks.*."""
