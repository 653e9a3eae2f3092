"""``cdec corpus``: one module for each command."""
