"""Other annotations of the mentions of a key, by systems or people, as evidence of its errors.

A reader that links what the key separates, or separates what it links, is evidence of an error
(the detector ``systems``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256

import numpy as np
import pandas as pd
from scipy.sparse import csr_array, triu

from cdec.arrays import Bools, Floats, Ints
from cdec.corpus.model import Corpus
from cdec.errors import Notice, counted
from cdec.evaluation.experiment import runs_on
from cdec.evaluation.response import Response, Scheme
from cdec.matching.alignment import Alignment

MAJORITY = 0.5  # share of the voters: at least for a link, above it for a member
_HALF = 0.5  # of the mention pairs of two chains, for a system that links the chains
# Of a response to a part of the corpus they say only that it is one.
_OF_A_PART = (
    "missing-mention",
    "missing-document",
    "singletons-left-out",
    "other-split",
)


@dataclass(frozen=True, eq=False)
class Readers:
    """The chains that readers gave the mentions of a key.

    ``chains`` has a row for each reading and a column for each mention of the key, in text order:
    its chain, −1 if the reading has no such mention, which then does not count. The ``weights`` of
    the readings of one voter have the sum 1. A reading links two chains of the key if it links a
    mention pair of them, and at least half of the pairs that it has.

    >>> two = Readers(np.ones(2), np.array([[0, 0, 1], [0, 1, -1]]))
    >>> two.links(np.arange(3), np.array([[0, 1], [1, 2]]))["share"].tolist()
    [0.5, 0.0]
    """

    weights: Floats
    chains: Ints = field(repr=False)
    digest: str = ""
    notices: tuple[Notice, ...] = ()

    def links(self, chain: Ints, pairs: Ints) -> pd.DataFrame:
        """Return the votes on these pairs of chains of the key, then on all that readings link.

        ``chain`` is the chain code of each mention. Columns: the chains ``one`` < ``two``;
        ``share`` of the voters that link them (NaN: none has mentions of both chains), ``agree``,
        the number of readings that do, and ``of`` how many have mentions of both.
        """
        tables = self._tables(chain)
        linked_pairs = []
        for table in tables:
            common_mentions = triu(table @ table.T, k=1)
            linked_pairs.append(np.column_stack(common_mentions.nonzero()))
        further = np.unique(np.concatenate(linked_pairs), axis=0)
        every_pair = np.concatenate([pairs, further])
        votes = pd.DataFrame(every_pair, columns=["one", "two"])
        votes = votes.drop_duplicates(ignore_index=True)
        first = votes["one"]
        second = votes["two"]
        linked = []
        available = []
        for table in tables:
            sizes = table.sum(axis=1)
            linked.append(table[first].multiply(table[second]).sum(axis=1))
            available.append(sizes[first] * sizes[second])
        agree = _links(np.array(linked), np.array(available))
        return votes.join(self._shares(agree, np.array(available)))

    def members(self, chain: Ints) -> pd.DataFrame:
        """Return the votes on each mention: columns as in ``links``, but the chains.

        Readings ``agree`` that link it with no other mention of its chain, of those that have one.
        """
        available = []
        separate = []
        for table, labels in zip(self._tables(chain), self.chains, strict=True):
            sizes = table.sum(axis=1)
            has_others = (labels >= 0) & (sizes[chain] > 1)
            is_single = table[chain, labels.clip(0)] == 1
            available.append(has_others)
            separate.append(has_others & is_single)
        return self._shares(np.array(separate), np.array(available))

    def share(self, mention: int, members: Ints) -> float:
        """Return the share of the voters that link a mention with half of those they have, or 0."""
        label = self.chains[:, [mention]]
        labels = self.chains[:, members]
        has_mention = label >= 0
        available = (has_mention & (labels >= 0)).sum(axis=1)
        linked = (has_mention & (labels == label)).sum(axis=1)
        if not available.any():
            return 0.0
        agree = _links(linked, available)
        return float(self.weights @ agree / (self.weights @ (available > 0)))

    def strongest(self, left: Ints, right: Ints) -> tuple[int, int]:
        """Return the pair of these mentions (rows of the key) that most readings link."""
        left_labels = self.chains[:, left, None]
        right_labels = self.chains[:, None, right]
        linked = (left_labels == right_labels) & (left_labels >= 0)
        votes = np.tensordot(self.weights, linked, axes=1)
        row, column = np.unravel_index(int(votes.argmax()), votes.shape)
        return int(left[row]), int(right[column])

    def _tables(self, chain: Ints) -> list[csr_array]:
        """Return for each reading: key chain × its chain → mentions."""
        count = int(chain.max(initial=-1)) + 1
        tables = []
        for labels in self.chains:
            present = labels >= 0
            mentions = np.ones(present.sum(), dtype=np.int64)
            shape = (count, labels.max(initial=0) + 1)
            tables.append(
                csr_array((mentions, (chain[present], labels[present])), shape=shape)
            )
        return tables

    def _shares(self, agree: Bools, available: Ints | Bools) -> pd.DataFrame:
        """Return ``share``, ``agree`` and ``of`` of each column of readings × columns."""
        votes = available > 0
        with np.errstate(invalid="ignore"):
            share = (self.weights @ agree) / (self.weights @ votes)
        return pd.DataFrame(
            {
                "share": share,
                "agree": agree.sum(axis=0),
                "of": votes.sum(axis=0),
            }
        )


def _links(linked: Ints, available: Ints) -> Bools:
    """Return where ``linked`` pairs are at least half of the ``available`` ones."""
    return np.asarray((linked > 0) & (linked >= _HALF * available))


def readers_of(responses: Sequence[Response], corpus: Corpus) -> Readers | None:
    """Return the systems with these responses as readers of the key of ``corpus``.

    A response may be to a part of the corpus. Runs of one response share a vote, and so do
    published systems of one family, unless the call names the response. None without responses.
    Raises ScoringError as ``runs_on`` does.
    """
    voters = []
    runs = []
    for response in responses:
        for voter, run in _voters(response, corpus):
            voters.append(voter)
            runs.append(run)
    if not runs:
        return None
    events = corpus.selected.index
    labels = [run.response.labels.reindex(events) for run in runs]
    chains: Ints = np.array([pd.factorize(of_run)[0] for of_run in labels]).astype(
        np.int64
    )
    voter_of_run = pd.Series(voters)
    digests = [run.response.digest for run in runs]
    notices = [_notice_of_coverage(chains, len(responses))]
    for run in runs:
        notices += [notice for notice in run.notices if notice.code not in _OF_A_PART]
    notices += _notices_of_copies(voter_of_run, digests)
    runs_of_voter = voter_of_run.groupby(voter_of_run).transform("size")
    weights = 1 / runs_of_voter.to_numpy(np.float64)
    digest = sha256(",".join(digests).encode()).hexdigest()[:12]
    return Readers(weights, chains, digest, tuple(dict.fromkeys(notices)))


def _voters(response: Response, corpus: Corpus) -> list[tuple[str, Alignment]]:
    """Return each run of a response on a corpus, with the name under which it votes."""
    voters = []
    for name, run in response.runs.items():
        voter = response.name
        response_of_run = Response(response.name, {name: run})
        if isinstance(run, Scheme):
            response_of_run = run.within(corpus)
            is_unnamed = len(response.runs) == 1 and run.name == response.name
            if is_unnamed:
                voter = run.family
        voters += [(voter, aligned) for aligned in runs_on(corpus, response_of_run)]
    return voters


def _notice_of_coverage(chains: Ints, systems: int) -> Notice:
    """Return the notice of how many mentions the readings have."""
    runs, mentions = chains.shape
    covered = int((chains >= 0).any(axis=0).sum())
    text = (
        f"{counted(systems, 'system')} in {counted(runs, 'run')} with {covered:,} of "
        f"{counted(mentions, 'mention')}: elsewhere they are no evidence"
    )
    return Notice("missing-mention", mentions - covered, text, warning=False)


def _notices_of_copies(
    voter_of_run: pd.Series[str], digests: list[str]
) -> list[Notice]:
    """Return a notice for each of several voters with the same chains."""
    notices = []
    for voters in voter_of_run.groupby(digests, sort=False).unique():
        if len(voters) > 1:
            names = " and ".join(voters)
            text = f"the systems {names} have the same chains; are they copies?"
            notices.append(Notice("name-duplicate", len(voters) - 1, text))
    return notices
