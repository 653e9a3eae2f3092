"""``cdec corpus``: one file a command."""
