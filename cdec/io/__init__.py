"""Files in and out: what users give, atomic output, strict JSON and TOML, the cache, progress."""
