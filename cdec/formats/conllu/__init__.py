"""CoNLL-U with coreference in MISC, as in CorefUD (``Entity=``): read and write."""
