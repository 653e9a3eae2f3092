"""The review page, and the decisions that come of it."""
