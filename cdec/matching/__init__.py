"""The mentions of a response brought beside those of a key: ids, places, repeats, notices."""
