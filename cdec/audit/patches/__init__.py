"""Corrections of a key: the file, how it is applied, what it does to scores."""
