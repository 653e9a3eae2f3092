"""Match the mentions of a response with those of a key: an ``Alignment``, one frame.

``match`` (with a corpus) and ``files`` (two files) go through the steps: ``names`` (documents and
mentions that names mean), ``tokens`` (token numbers of the key, and the same words), both sides in
one frame, ``coverage`` (missing and twinless mentions). ``notices`` says what is irregular, and
``policy`` decides about it.
"""
