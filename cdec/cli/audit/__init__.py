"""``cdec audit``: one file a command."""
