"""Match the mentions of a response with those of a key, in passes over one table.

1. ``names``: map documents and mention ids of the response to those of the key;
2. ``words``: check that both sides have the same tokens, with the same numbers;
3. ``align``: find the key mention of each response mention, and resolve duplicates;
4. ``coverage``: build the table of both sides, and report missing and twinless mentions.

``files`` runs the passes on two files, ``corpus`` on a file and a corpus. ``policy`` decides about
irregular responses. Each pass returns its notices.
"""
