"""The files of toolkits and of annotation tools, read as keys, responses and corpora.

Each reader makes documents with clusters of its file, in the form of ``cdec.formats.documents``,
which decides what places and labels mean. Chains of these tools hold in their document.
"""
