"""What the chain labels of a response and of a key file are, and where they hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cdec.clustering import Side, chains_of
from cdec.errors import Log, notice, spelled
from cdec.formats import reading
from cdec.formats.annotation import Annotation, object_array
from cdec.matching.home import Home
from cdec.matching.names import with_documents
from cdec.matching.policy import FilePolicy
from cdec.matching.trees import of_trees


def settle_labels(
    response: Annotation,
    home: Home,
    policy: FilePolicy,
    log: Log,
    *,
    across: bool,
    same_labels: bool,
) -> tuple[Annotation, Home]:
    """Return response and home with settled labels, without mentions of no chain.

    ``across``: whether chains of two files can cross documents; if so, ``same_labels``: the caller
    says of both that the same label is the same chain. Raises ScoringError for a label of no chain
    if the policy does not treat it, FormatError for a missing one, and for labels that may hold in
    their documents or in the corpus.
    """
    if home.corpus is not None:
        response = _with_settled_labels(response, "response", policy)
        return across_documents(response), home
    key = _with_settled_labels(home.file.as_key(), "key", policy)
    if key.trees is not None:
        response = of_trees("placed")(response, key.trees)
    response = _with_settled_labels(response, "response", policy)
    if across:
        key = _with_scope(key, "key", policy, log, same_labels=same_labels)
        response = _with_scope(
            response, "response", policy, log, same_labels=same_labels
        )
    return response, Home(key)


def _with_settled_labels(
    file: Annotation, side: Side, policy: FilePolicy
) -> Annotation:
    """Return the annotation with settled labels, without mentions of no chain, and with notices."""
    if file.broken is not None:
        file = replace(file.unbroken(), broken=None)
    if policy.noise is None:
        file.labelled()
    labels = file.mentions.set_index("line")["chain"]
    chains = chains_of(labels, side, policy.noise, place=file.place)
    rows = np.flatnonzero(chains.codes >= 0)
    settled = object_array([*chains.texts])[chains.codes[rows]]
    return replace(
        file,
        notices=(*file.notices, *chains.notices),
        mentions=file.mentions.iloc[rows].assign(chain=settled).reset_index(drop=True),
        trees=None if file.trees is None else file.trees.take(rows),
    )


def across_documents(file: Annotation) -> Annotation:
    """Return the annotation with the labels of chains across documents, if the file names these.

    In such a file, CoNLL-U with the field ``identity``, the label of any other chain is local.
    """
    identity = None if file.trees is None else file.trees.identity
    if identity is None:
        return file
    table = file.mentions
    local = reading.in_documents(table["doc"], table["chain"])
    labels = local.where(identity == "", identity)
    of_file = {"labels": reading.Choice("corpus", "file")}
    return replace(
        file, mentions=table.assign(chain=labels), reading={**file.reading, **of_file}
    )


def _with_scope(
    file: Annotation, side: Side, policy: FilePolicy, log: Log, *, same_labels: bool
) -> Annotation:
    """Return one of two files with labels of chains that can cross documents.

    With ``same_labels`` the caller says of both that the same label is the same chain; there is a
    warning if labels look otherwise.
    """
    file = across_documents(file)
    if same_labels and _stated_scope(file, side, policy) is None:
        _warn_of_local_labels(file, side, log)
        return file
    return with_label_scope(file, side, policy)


def with_label_scope(file: Annotation, side: Side, policy: FilePolicy) -> Annotation:
    """Return the file with labels that hold in the whole corpus, and what decided about them.

    Raises FormatError if the labels may hold in their documents or in the corpus, and neither the
    file nor the policy says it.
    """
    stated = _stated_scope(file, side, policy)
    if "labels" in file.reading and stated is None:
        return file
    documents = with_documents(file).mentions["doc"]
    choice = reading.label_choice(
        documents,
        file.mentions["chain"],
        stated,
        option=_option(side),
        place=file.name,
        what=f"the {side}",
    )
    table = file.mentions
    if choice.value == "document":
        table = table.assign(chain=reading.in_documents(documents, table["chain"]))
    return replace(file, mentions=table, reading={**file.reading, "labels": choice})


def _warn_of_local_labels(file: Annotation, side: Side, log: Log) -> None:
    """Warn of labels that look local, though the call says that the same label is one chain."""
    documents = with_documents(file).mentions["doc"]
    labels = file.mentions["chain"]
    if "labels" in file.reading or not reading.look_local(documents, labels):
        return
    message = (
        f"the {side} numbers its chains anew in each document, and a label is read as one "
        f"chain of all documents; if it is not, say {spelled(_option(side), 'document')}"
    )
    recurring = reading.recurring_labels(documents, labels)
    log.append(notice("scope-ambiguous", message, recurring))


def _stated_scope(file: Annotation, side: Side, policy: FilePolicy) -> str | None:
    """Return where labels hold as the call says it; None if it does not."""
    if side == "key":
        return policy.key_labels
    if policy.labels is None:
        return None
    return policy.labels_of(file.name)


def _option(side: Side) -> str:
    return "key_labels" if side == "key" else "labels"
