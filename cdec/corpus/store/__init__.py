"""Storage of corpora: locate, download, install, load through the cache, verify."""
