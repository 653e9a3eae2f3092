"""The errors of a system: links by kind, edits of chains, strata, and the worst chains."""
