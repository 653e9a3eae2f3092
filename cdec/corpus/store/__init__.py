"""Where corpora live: located, fetched, loaded through the cache, verified."""
