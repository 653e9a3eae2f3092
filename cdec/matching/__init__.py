"""Match the mentions of a response with those of a key: an ``Alignment``, one frame.

``match`` goes through the steps: ``names`` (documents and mentions that names mean), ``tokens``
(token numbers of the key, and the same words), ``align`` (mentions, by rule) and ``notices``.
``policy`` decides about irregular responses.
"""
