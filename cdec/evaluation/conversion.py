"""Write the mentions and chains of any file that is read in another format.

What the other format cannot hold is named in a notice, or the file is refused: a number that means
something else afterwards is never written.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

from cdec.catalogue import added, imported
from cdec.clustering import SIDES, Side
from cdec.corpus.source import CORPORA, files_of
from cdec.errors import FormatError, Log, Notice, notice, one_of, warn_of
from cdec.files.input import STDIN, integer
from cdec.formats import reading
from cdec.formats.annotation import Annotation
from cdec.formats.registry import endings_of_formats, read, write
from cdec.matching.documents import renamed
from cdec.matching.match import across_documents, settle_labels, with_label_scope
from cdec.records import Columns

_OF_TEXTS = ("conll", "documents")  # formats of the core that have texts
_WITH_PART = re.compile(r"\(.+\); part [0-9]{3,}", re.DOTALL)


def export(
    file: Path | str,
    output: Path | str,
    to: str | None = None,
    *,
    side: str = "key",
    labels: str | None = None,
    noise: str | None = None,
    columns: Columns | None = None,
    notify: Callable[[Iterable[Notice]], None] = warn_of,
) -> None:
    r"""Write the mentions and chains of a file of any format that is read in another format.

    * ``to``: the format, one of ``cdec.formats.FORMATS``; by default that of the ending of
      ``output`` (``-`` is stdout), else CoNLL;
    * ``side``: of a file with the chains of a key and of a response, those of the ``key`` or of the
      ``response``;
    * ``labels``: where chain labels hold, ``document`` or ``corpus``; ``noise`` and ``columns`` as
      in ``evaluate``.

    CoNLL has numbers as labels, because the reference scorer reads no others: labels that are no
    numbers get new ones. ``notify`` gets a notice on all that the format does not hold.

    Raises FormatError if the format cannot hold the mentions, or what the file means is open.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "a.jsonl"
    ...     _ = path.write_text('{"doc": "d", "start": 0, "end": 1, "chain": "x"}')
    ...     export(path, Path(folder) / "a.csv")
    ...     Path(folder, "a.csv").read_text()
    'doc,start,end,chain\nd,0,1,x\n'
    """
    written = cast("Side", one_of("side", side, SIDES))
    if to is None:
        to = format_of_ending(output)
    annotation = read(file, unlabelled=True, columns=columns)
    if side == "key":
        annotation = annotation.as_key()
    annotation = settle_labels(annotation, written, noise)
    log = Log(annotation.notices)
    if to not in added("format"):
        if annotation.trees is not None:
            annotation = _without_trees(annotation, log)
        _report_losses(annotation, to, log)
    # A line that is a mention may have no place that can be written.
    reading.check_identity(annotation.reading, annotation.name)
    identity = annotation.reading.get(reading.IDENTITY)
    if identity is not None and identity.value == "names" and to != "conll":
        raise FormatError(
            "format-unsuitable",
            "each line is a mention with its id in place of a word",
            place=annotation.name,
            hint="write conll",
        )
    if to == "conll":
        annotation = _with_parts(annotation)
    labels_in_use = annotation.mentions["chain"].unique()
    are_numbers = all(integer(label) >= 0 for label in labels_in_use)
    needs_numbers = to == "conll" and not are_numbers
    # Numbers hide how labels were numbered, and a list of chains is of the whole corpus.
    if needs_numbers or to == "json" or labels is not None:
        annotation = with_label_scope(annotation, written, labels)
    if needs_numbers:
        annotation = annotation.numbered()
    write(annotation, output, to, notify)
    notify(log)


def format_of_ending(output: Path | str) -> str:
    """Return the format whose files have the ending of a path; CoNLL if there is none."""
    ending = Path(output).suffix.lower()
    by_ending = [
        name for name, endings in endings_of_formats().items() if ending in endings
    ]
    return next(iter(by_ending), "conll")


def is_corpus(place: str) -> bool:
    """Return whether a text names a corpus, rather than a file of mentions and chains."""
    path = Path(place)
    if place == STDIN:
        return False
    if not path.is_file():
        return True
    if path.suffix != ".xlsx" and zipfile.is_zipfile(path):
        return True
    return files_of(path, CORPORA["jsonl"]).is_known


def _with_parts(annotation: Annotation) -> Annotation:
    """Return an annotation with the names of blocks for documents such as ``(d); part 000``."""
    names = {}
    for doc in annotation.documents:
        names[doc] = doc
        if _WITH_PART.fullmatch(doc):
            name, part = doc.removeprefix("(").rsplit("); part ", 1)
            names[doc] = name if int(part) == 0 else f"{name}; part {part}"
    if len({*names.values()}) < len(names):
        return annotation
    return renamed(annotation, names)


def _without_trees(annotation: Annotation, log: Log) -> Annotation:
    """Return an annotation with words in place of trees; report what only trees have."""
    sentences = imported(added("trees")["sentences"])(annotation.trees)
    annotation = across_documents(annotation)
    is_zero = annotation.mentions["start"] < 0
    message = "trees, heads and entity types are left out"
    log.append(notice("format-unsuitable", message, [annotation.name], warning=False))
    zeros = annotation.mentions["mention"][is_zero]
    log.report("format-unsuitable", zeros, "zero", "(mentions without words) left out")
    return replace(
        annotation,
        mentions=annotation.mentions[~is_zero].reset_index(drop=True),
        layout=sentences,
        trees=None,
    )


def _report_losses(annotation: Annotation, format_: str, log: Log) -> None:
    """Report what the core's formats do not hold."""
    report = partial(log.report, "format-unsuitable", warning=False)
    report(annotation.unread, "field", "left out")
    if format_ in _OF_TEXTS:
        ids = annotation.mentions["mention"]
        report(ids[ids != ""], "mention id", "left out")
        return
    texts = [doc for doc, text in annotation.documents.items() if text is not None]
    report(texts, "document", "written without text")
    with_mentions = {*annotation.mentions["doc"]}
    empty = [doc for doc in annotation.documents if doc not in with_mentions]
    report(empty, "document", "without mentions left out")
