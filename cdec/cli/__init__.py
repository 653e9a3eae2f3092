"""The command line: a file for each command, which parses, calls one function and renders."""
