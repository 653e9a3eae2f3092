"""Pages of results in other layouts than a row for each setting and system."""
