"""Input files, atomic output, strict JSON and TOML, the cache, progress reporting."""
