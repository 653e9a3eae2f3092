"""Where a system errs: links by kind, edits of chains, strata, and the worst chains."""
