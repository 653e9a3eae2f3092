"""Others' chains of the mentions of a key: responses to the same documents, of systems or people.

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
from cdec.errors import Notice, Notices, counted
from cdec.evaluation.experiment import runs_on
from cdec.evaluation.response import Response, Scheme
from cdec.matching.alignment import Alignment

MAJORITY = 0.5  # share of the systems: at least for a link, above it for a member
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
    notices: Notices = ()

    def links(self, chain: Ints, pairs: Ints) -> pd.DataFrame:
        """Return what the readings say of these pairs of chains of the key, then of all they link.

        ``chain`` is the chain code of each mention. Columns: the chains ``one`` < ``two``;
        ``share`` of the voters that link them (NaN: none has mentions of both chains), ``agree``,
        the number of readings that do, and ``of`` how many have mentions of both.
        """
        tables = self._tables(chain)
        common = [
            np.column_stack(triu(table @ table.T, k=1).nonzero()) for table in tables
        ]
        every = np.concatenate([pairs, np.unique(np.concatenate(common), axis=0)])
        said = pd.DataFrame(every, columns=["one", "two"]).drop_duplicates(
            ignore_index=True
        )
        one = said["one"]
        two = said["two"]
        linked = [table[one].multiply(table[two]).sum(axis=1) for table in tables]
        known = [table.sum(axis=1)[one] * table.sum(axis=1)[two] for table in tables]
        return said.join(self._shares(_links(np.array(linked), np.array(known)), known))

    def members(self, chain: Ints) -> pd.DataFrame:
        """Return what the readings say of each mention: columns as in ``links``, but the chains.

        Those ``agree`` that link it with no other mention of its chain, of those that have one.
        """
        known = []
        apart = []
        for table, own in zip(self._tables(chain), self.chains, strict=True):
            known.append((own >= 0) & (table.sum(axis=1)[chain] > 1))
            apart.append(known[-1] & (table[chain, own.clip(0)] == 1))
        return self._shares(np.array(apart), known)

    def share(self, mention: int, members: Ints) -> float:
        """Return the share of the voters that link a mention with half of those they have, or 0."""
        own = self.chains[:, [mention]]
        others = self.chains[:, members]
        has = ((others >= 0) & (own >= 0)).sum(axis=1)
        agree = _links(((others == own) & (own >= 0)).sum(axis=1), has)
        voters = self.weights
        return float(voters @ agree / (voters @ (has > 0))) if has.any() else 0.0

    def strongest(self, left: Ints, right: Ints) -> tuple[int, int]:
        """Return the pair of these mentions (rows of the key) that most readings link."""
        one = self.chains[:, left, None]
        two = self.chains[:, None, right]
        linked = np.tensordot(self.weights, (one == two) & (one >= 0), axes=1)
        at = np.unravel_index(int(linked.argmax()), linked.shape)
        return int(left[at[0]]), int(right[at[1]])

    def _tables(self, chain: Ints) -> list[csr_array]:
        """Return for each reading: key chain × its chain → mentions."""
        size = int(chain.max(initial=-1)) + 1
        found = []
        for own in self.chains:
            read = own >= 0
            cells = (np.ones(read.sum(), dtype=np.int64), (chain[read], own[read]))
            found.append(csr_array(cells, shape=(size, own.max(initial=0) + 1)))
        return found

    def _shares(self, agree: Bools, known: Sequence[Ints] | Ints) -> pd.DataFrame:
        """Return ``share``, ``agree`` and ``of`` of each column of readings × columns."""
        of = np.array(known) > 0
        with np.errstate(invalid="ignore"):
            share = (self.weights @ agree) / (self.weights @ of)
        return pd.DataFrame(
            {"share": share, "agree": agree.sum(axis=0), "of": of.sum(axis=0)}
        )


def _links(linked: Ints, known: Ints) -> Bools:
    return np.asarray((linked > 0) & (linked >= _HALF * known))


def systems_of(responses: Sequence[Response], corpus: Corpus) -> Readers:
    """Return the systems with these responses as readers of the key of ``corpus``.

    A response may be to a part of the corpus. Runs of one response share a vote, and so do
    published systems of one family, unless the call names the response. Raises ScoringError as
    ``runs_on`` does.
    """
    events = corpus.selected.index
    voters = []
    runs = list[Alignment]()
    for response in responses:
        for name, one in response.runs.items():
            whose = response.name
            given = Response(response.name, {name: one})
            if isinstance(one, Scheme):
                given = one.within(corpus)
                if len(response.runs) == 1 and one.name == response.name:
                    whose = one.family
            found = runs_on(corpus, given)
            voters += [whose] * len(found)
            runs += found
    chains = np.array(
        [pd.factorize(run.response.labels.reindex(events))[0] for run in runs]
    )
    known = int((chains >= 0).any(axis=0).sum())
    systems = counted(len(responses), "system")
    message = (
        f"{systems} in {counted(len(runs), 'run')} with {known:,} of "
        f"{counted(len(events), 'mention')}: elsewhere they are no evidence"
    )
    notices = [Notice("missing-mention", len(events) - known, message, warning=False)]
    notices += [
        one for run in runs for one in run.notices if one.code not in _OF_A_PART
    ]
    digests = [run.response.digest for run in runs]
    voter = pd.Series(voters)
    for same in voter.groupby(digests, sort=False).unique():
        if len(same) > 1:
            said = f"the systems {' and '.join(same)} have the same chains; are they copies?"
            notices.append(Notice("name-duplicate", len(same) - 1, said))
    weights = 1 / voter.groupby(voter).transform("size").to_numpy(np.float64)
    whole = sha256(",".join(digests).encode()).hexdigest()[:12]
    return Readers(
        weights, chains.astype(np.int64), whole, tuple(dict.fromkeys(notices))
    )
