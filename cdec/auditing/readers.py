"""Others' chains of the mentions of a key: responses to the same documents, of systems or people.

A reader that links what the key separates, or separates what it links, is evidence of an error
(``detectors.systems``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_array, triu

from cdec.arrays import Bools, Floats, Ints
from cdec.corpus.model import Corpus
from cdec.errors import Notice, counted
from cdec.evaluation.response import Named, Source, read_responses
from cdec.evaluation.run import runs_on
from cdec.matching.alignment import Alignment

SYSTEMS = "systems"  # of a detector, and of a field of the signature
_HALF = 0.5  # of the mention pairs of two chains, for a system that links the chains
# Of a response to a part of the corpus they say only that it is one.
_OF_A_PART = ("missing-mention", "missing-document", "singletons-left-out", "other-split")


@dataclass(frozen=True, eq=False)
class Readers:
    """The chains that readers gave the mentions of a key.

    ``chains`` has a row for each reading and a column for each mention of the key, in text order:
    its chain, −1 if the reading has no such mention, which then does not count. ``voters`` says
    whose each reading is; those of one voter share its vote. A reading links two chains of the key
    if it links a mention pair of them, and at least half of the pairs that it has.

    >>> two = Readers(("a", "b"), np.array([[0, 0, 1], [0, 1, -1]]))
    >>> two.between(np.arange(3), np.array([[0, 1], [1, 2]]))["share"].tolist()
    [0.5, 0.0]
    """

    voters: tuple[str, ...]
    chains: Ints = field(repr=False)
    digest: str = ""
    notices: tuple[Notice, ...] = ()

    @cached_property
    def weights(self) -> Floats:
        """The weight of each reading: those of a voter have the sum 1."""
        voters = pd.Series(self.voters)
        return np.asarray(1 / voters.map(voters.value_counts()), dtype=np.float64)

    def linked(self, chain: Ints) -> Ints:
        """Return the pairs of chains of the key (one < two) that any reading links.

        ``chain`` is the chain code of each mention in the key.
        """
        found = [np.zeros((0, 2), dtype=np.int64)]
        for table, sizes in self._tables(chain):
            pairs = triu(table @ table.T, k=1).tocoo()
            ends = np.column_stack(pairs.coords)
            found.append(ends[self._links(pairs.data, sizes[ends].prod(axis=1))])
        return np.unique(np.concatenate(found), axis=0).astype(np.int64)

    def between(self, chain: Ints, pairs: Ints) -> pd.DataFrame:
        """Return what the readings say of each pair of chains.

        Columns: ``share`` of the voters that link them (NaN: none has mentions of both chains),
        ``agree``, the number of readings that do, and ``of`` how many have mentions of both.
        """
        one, two = pairs.T
        links, known = [], []
        for table, sizes in self._tables(chain):
            linked = np.asarray(table[one].multiply(table[two]).sum(axis=1)).ravel()
            known.append(sizes[one] * sizes[two])
            links.append(self._links(linked, known[-1]))
        return self._shares(np.array(links), np.array(known) > 0)

    def members(self, chain: Ints) -> pd.DataFrame:
        """Return what the readings say of each mention: columns as in ``between``.

        Those ``agree`` that link it with no other mention of its chain, of those that have one.
        """
        apart, known = [], []
        for at, (_, sizes) in enumerate(self._tables(chain)):
            own = self.chains[at]
            cells = pd.Series(chain * (own.max() + 2) + own + 1)
            known.append((own >= 0) & (sizes[chain] > 1))
            apart.append(known[-1] & (cells.map(cells.value_counts()) == 1).to_numpy())
        return self._shares(np.array(apart), np.array(known))

    def share(self, mention: int, members: Ints) -> float:
        """Return the share of the voters that link a mention with half of those they have, or 0."""
        own, others = self.chains[:, mention], self.chains[:, members]
        has = (others >= 0).sum(axis=1)
        linked = (others == own[:, None]).sum(axis=1)
        known = (own >= 0) & (has > 0)
        agree = self._links(linked, has) & known
        return float(self.weights @ agree / self.weights[known].sum()) if known.any() else 0.0

    def strongest(self, left: Ints, right: Ints) -> tuple[int, int]:
        """Return the pair of these mentions (rows of the key) that most readings link."""
        one, two = self.chains[:, left, None], self.chains[:, None, right]
        linked = np.tensordot(self.weights, (one == two) & (one >= 0), axes=1)
        at = np.unravel_index(int(linked.argmax()), linked.shape)
        return int(left[at[0]]), int(right[at[1]])

    def sentence(self, said: Mapping[Any, Any], link: bool = True) -> str:
        """Return a row of ``between`` (``link``) or of ``members`` as a sentence."""
        several = len(set(self.voters)) < len(self.voters)
        agree, of = int(said["agree"]), counted(int(said["of"]), "run" if several else "system")
        weighed = f" ({said['share']:.0%} if each system or family counts once)" if several else ""
        verb = "links" if agree == 1 else "link"
        links = "at least half of the mention pairs of these chains"
        return (
            f"{agree} of {of}{weighed} {verb} {links if link else 'it to no member of its chain'}"
        )

    def _links(self, linked: Any, known: Any) -> Bools:
        return np.asarray((linked > 0) & (linked >= _HALF * known))

    def _tables(self, chain: Ints) -> Iterator[tuple[csr_array, Ints]]:
        """Yield for each reading: key chain × its chain → mentions, and the sum of each row."""
        size = int(chain.max(initial=-1)) + 1
        for own in self.chains:
            read = own >= 0
            cells = (np.ones(read.sum(), dtype=np.int64), (chain[read], own[read]))
            yield (
                csr_array(cells, shape=(size, own.max() + 1)),
                np.bincount(chain[read], None, size),
            )

    def _shares(self, agree: Bools, known: Bools) -> pd.DataFrame:
        """Return ``share``, ``agree`` and ``of`` of each column of readings × columns."""
        with np.errstate(invalid="ignore"):
            share = (self.weights @ agree) / (self.weights @ known)
        return pd.DataFrame({"share": share, "agree": agree.sum(axis=0), "of": known.sum(axis=0)})


def systems_of(responses: Sequence[Named], corpus: Corpus) -> Readers | None:
    """Return the systems with these responses as readers of the key of ``corpus``.

    A response may be to a part of the corpus. Runs of one response share a vote, and so do
    published systems of one family, unless the call names the response. None without responses.
    Raises UsageError for two responses with one name, ScoringError as ``runs_on`` does.
    """
    if not responses:
        return None
    runs: list[tuple[str, Alignment]] = []
    for response in read_responses(responses):
        for one in response.runs:
            source = one if isinstance(one, Source) else None
            given = source.within(corpus) if source else one
            unnamed = source and len(response.runs) == 1 and source.name == response.name
            voter = source.family if source and unnamed else ""
            runs += [(voter or response.name, run) for run in runs_on(corpus, given)]
    events = corpus.selected.index
    codes = [pd.factorize(run.response.labels.reindex(events))[0] for _, run in runs]
    voters, chains = tuple(voter for voter, _ in runs), np.array(codes, dtype=np.int64)
    digests = [run.response.digest for _, run in runs]
    known, systems = int((chains >= 0).any(axis=0).sum()), counted(len(responses), "system")
    message = (
        f"{systems} in {counted(len(runs), 'run')} with {known:,} of "
        f"{counted(len(events), 'mention')}: elsewhere they are no evidence"
    )
    notices = [Notice("missing-mention", len(events) - known, message, warning=False)]
    notices += [one for _, run in runs for one in run.notices if one.code not in _OF_A_PART]
    same = pd.DataFrame({"voter": voters, "digest": digests}).drop_duplicates()
    for names in same.groupby("digest", sort=False)["voter"].agg(list):
        if len(names) > 1:
            message = f"the systems {' and '.join(names)} have the same chains; are they copies?"
            notices.append(Notice("name-duplicate", len(names) - 1, message))
    whole = sha256(",".join(digests).encode()).hexdigest()[:12]
    return Readers(voters, chains, whole, tuple(dict.fromkeys(notices)))
