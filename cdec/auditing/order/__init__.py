"""The order of the cases: the probability of each to be an error, learned from judged cases."""
