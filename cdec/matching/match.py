"""Match the mentions of a response with those of its home, a corpus or a key file.

The path of a response, each step a module: its labels are settled (``labels``), its documents named
(``documents``), its tokens counted (``tokens``) and its mentions identified (``identify``) as in
the home; then both sides are laid side by side (``sides``), and missing mentions are treated
(``coverage``). What is irregular is in the ``Log``, in this order. Two files with trees (CoNLL-U)
are matched by the room that reads them.
"""

from __future__ import annotations

from typing import cast

from cdec.corpus.model import Corpus
from cdec.errors import Log
from cdec.formats.annotation import Annotation
from cdec.matching.alignment import Alignment
from cdec.matching.coverage import with_coverage
from cdec.matching.documents import name_documents
from cdec.matching.home import Home
from cdec.matching.identify import identify_in_corpus, identify_mentions
from cdec.matching.labels import settle_labels, with_label_scope
from cdec.matching.policy import DEFAULT_POLICY, FilePolicy
from cdec.matching.sides import side_by_side
from cdec.matching.tokens import place_tokens
from cdec.matching.trees import of_trees


def match(
    response: Annotation,
    key: Corpus | Annotation,
    policy: FilePolicy = DEFAULT_POLICY,
    *,
    across: bool = True,
    same_labels: bool = False,
) -> Alignment:
    """Match a response with the selected mentions of a corpus (a part), or with a key file.

    Mentions are the same if document and tokens are the same, or by the rule of the policy. A span
    without a gap also matches a mention with a gap and the same first and last token, unless the
    response names tokens. In a corpus, a response mention of another kind is twinless and keeps its
    id; one that the key leaves out, by its variant or a patch, is left out, and so are mentions in
    documents outside this part. CoNLL files with a common ``#begin document`` name are compared as
    by the reference scorer: by position in the block. Of a key file, missing documents count as
    empty, and a mention that it has in several chains is in the one that opens first.

    ``across``: whether chains can cross documents, for singletons that each side of two files
    drops; if so, ``same_labels``: the caller says that the same label is the same chain.

    Raises ScoringError for mentions that the whole corpus does not have, for many mentions of
    another kind, for texts that differ in length or in half of their words, and for a response
    without any mention of the key (unless ``policy.allow_empty``).

    >>> from cdec.formats import mention_table
    >>> key, response = (
    ...     Annotation(name, "jsonl", mention_table(["d"] * 2, at, at, ["x", "x"]), {"d": None})
    ...     for name, at in (("k", [0, 1]), ("r", [1, 2]))
    ... )
    >>> matched = match(response, key, across=False)
    >>> matched.key, [notice.code for notice in matched.notices]
    (Clustering(2 mentions in 1 chain), ['missing-mention', 'twinless'])
    """
    log = Log()
    home = Home(key)
    policy = policy.beside(home.corpus)
    response, home = settle_labels(
        response, home, policy, log, across=across, same_labels=same_labels
    )
    if (
        home.corpus is None
        and home.file.trees is not None
        and response.trees is not None
    ):
        of_room = of_trees("matched")(home.file, response, policy, log, across=across)
        return cast("Alignment", of_room)
    response, home = name_documents(response, home, policy, log)
    response, home = place_tokens(response, home, log)
    response, home = identify_mentions(response, home, policy, log, across=across)
    if home.corpus is not None:
        # Ids of a corpus name documents: only now each mention has one.
        response = with_label_scope(response, "response", policy)
    aligned = side_by_side(response, home, policy, log)
    return with_coverage(aligned, home.name, log, policy=policy, across=across)


def ids_in_corpus(
    response: Annotation, corpus: Corpus, unknown: str, log: Log
) -> dict[int, str]:
    """Return row → id in ``corpus`` of mentions that are given by ids of any form.

    A mention in a document of another part has the id '', and of all of them there is a notice.
    Mentions that the whole corpus does not have are refused, or left out, as ``unknown`` says.
    """
    policy = FilePolicy(unknown=unknown)
    of_documents = Log()
    named, home = name_documents(response, Home(corpus), policy, of_documents)
    placed, _ = place_tokens(named, home, log)
    identified = identify_in_corpus(placed, corpus, policy, log)
    log += [notice for notice in of_documents if notice.code == "outside-split"]
    rows = response.mentions.index.difference(named.mentions.index)
    return dict.fromkeys(rows.tolist(), "") | identified.mentions["id"].to_dict()
