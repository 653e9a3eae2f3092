"""Bridges to other libraries, each imported when it is used.

``cdec.integrations.spacy`` (chains as span groups of Docs, DocBin files) and
``cdec.integrations.evaluate`` (``compute(predictions=, references=)``, a metric of Hugging Face
evaluate). For scikit-learn see ``cdec.metrics``.
"""
