"""Text in columns, as keys, responses and corpora have it: blocks, brackets, tables, escapes."""
