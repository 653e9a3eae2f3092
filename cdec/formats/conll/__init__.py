"""CoNLL-2012 files and variants."""
