"""Corpora: their data model, ECB+ and its checks, splits, where copies live, the sample."""
