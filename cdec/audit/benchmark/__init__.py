"""Planted annotation errors, and how many of them the audit finds."""
