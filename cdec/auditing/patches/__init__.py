"""Corrections of a key: the patch file, its application, and scores against the result."""
