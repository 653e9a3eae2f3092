"""CoNLL-2012 files and their cousins."""
