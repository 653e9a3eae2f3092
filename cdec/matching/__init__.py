"""The mentions of a response brought beside those of a key, in passes over one table.

1. ``names``: mentions and documents under the names that the key has for them;
2. ``words``: the tokens of both sides are the same, and numbered alike;
3. ``align``: the key's mention that each mention is, each mention once;
4. ``coverage``: the table of both sides, with what is missing and twinless.

``files`` runs them on two files, ``corpus`` on a file and a corpus; ``policy`` says what they let
pass. Each pass returns what it noticed.
"""
