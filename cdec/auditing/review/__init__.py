"""The review page, and the decisions exported from it."""
