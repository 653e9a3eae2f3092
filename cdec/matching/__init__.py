"""Match the mentions of a response with those of its home: an ``Alignment``, one frame.

``match`` is the path of a response. Each step is a module: ``labels``, ``documents`` (with
``names``), ``tokens`` (with ``offsets``), ``identify``, ``sides``, ``coverage``. A step takes the
response and its ``Home``, and reports what is irregular in the ``Log``; the ``policy`` decides.
"""
