"""The main walk: response → beside its key → settings → scores → results, saved and read again."""
