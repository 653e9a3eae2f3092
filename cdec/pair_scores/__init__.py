"""Scores of mention pairs: what they cover, how good they are, and the chains that they make."""
