"""The readers of corpus formats: a function from files to documents and mentions each."""
