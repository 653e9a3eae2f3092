"""Match the mentions of a response with those of a key, in one pass over one table.

1. ``documents``, ``mention_names``: the documents and mentions that the names of a file mean;
2. ``token_numbers``, ``words``: token numbers of the key, and the same words;
3. ``region``: mentions outside the annotated sentences;
4. ``align``: the key mention of each response mention, and duplicates;
5. ``coverage``, ``missing``: missing and twinless mentions.

``corpus`` runs the pass on a file and a corpus, ``files`` on two files; two files with trees are
matched by these. ``policy`` decides about irregular responses. Each step returns its notices.
``pairing`` aligns sets of tokens, and counts their words when a metric asks for them.
"""
