"""Others' chains of the mentions of a key: responses to the same documents, of systems or people.

A reader that links what the key separates, or separates what it links, is evidence of an error: a
detector (``detectors.systems``), and a reason of the cases that other detectors find.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_array, triu

from cdec.arrays import Bools, Floats, Ints
from cdec.auditing.case import MISSING, Case
from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.errors import Notice, counted
from cdec.evaluation.aligned import runs_on
from cdec.evaluation.response import Named, Response, Source, read_responses
from cdec.matching.alignment import Alignment

if TYPE_CHECKING:
    from cdec.auditing.key import Key

SYSTEMS = "systems"  # of a detector, and of a field of the signature
_DIGITS = 6
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


def systems_of(responses: Sequence[Response], corpus: Corpus) -> Readers | None:
    """Return the systems with these responses as readers of the key of ``corpus``.

    A response may be to a part of the corpus. Runs of one response share a vote, and so do
    published systems of one family. None without responses. Raises UsageError for two responses
    with one name, ScoringError as ``runs_on`` does.
    """
    if not responses:
        return None
    runs = [pair for response in read_responses(responses) for pair in _runs(response, corpus)]
    digests = [run.response.digest for _, run in runs]
    voters = tuple(voter for voter, _ in runs)
    chains = np.array([_codes(run.response, corpus) for _, run in runs], dtype=np.int64)
    notices = [_answered(chains, responses, corpus)]
    notices += [one for _, run in runs for one in run.notices if one.code not in _OF_A_PART]
    first: dict[str, str] = {}
    for digest, voter in zip(digests, voters, strict=True):
        if (other := first.setdefault(digest, voter)) != voter:
            message = (
                f"the systems {other} and {voter} have the same chains; is one of them a copy?"
            )
            notices.append(Notice("name-duplicate", 1, message))
    whole = sha256(",".join(digests).encode()).hexdigest()[:12]
    return Readers(voters, chains, whole, tuple(dict.fromkeys(notices)))


def _runs(response: Named, corpus: Corpus) -> Iterator[tuple[str, Alignment]]:
    """Yield whose reading each run of a response is, and the run.

    It is that of the family of a published system, unless the call gives the response a name.
    """
    alone = len(response.runs) == 1
    for one in response.runs:
        source = one if isinstance(one, Source) else None
        given = source.within(corpus) if source else one
        whose = source.family if source and alone and source.name == response.name else None
        yield from ((whose or response.name, run) for run in runs_on(corpus, given))


def _answered(chains: Ints, responses: Sequence[Response], corpus: Corpus) -> Notice:
    """Return the notice on the documents and mentions that the systems have."""
    docs = corpus.selected["doc"].to_numpy()
    each = [pd.unique(docs[own >= 0]) for own in chains]
    fewest, most = min(map(len, each)), max(map(len, each))
    of = f"{fewest:,} to {most:,}" if fewest < most else f"{most:,}"
    mentions = int((chains >= 0).any(axis=0).sum())
    message = (
        f"{counted(len(responses), 'system')} in {counted(len(chains), 'run')} with mentions of "
        f"{of} of {counted(len(corpus.documents), 'document')}, {counted(mentions, 'mention')} in "
        "all: elsewhere they are no evidence"
    )
    return Notice("missing-document", len(corpus.documents) - most, message, warning=False)


def _codes(chains: Clustering, corpus: Corpus) -> Ints:
    return np.asarray(pd.factorize(chains.labels.reindex(corpus.selected.index))[0])


def with_readers(cases: Sequence[Case], key: Key, readers: Readers) -> tuple[Case, ...]:
    """Return the cases, those of missing links with what the readers say of their chains."""
    pairs = readers.linked(key.chain)
    said = readers.between(key.chain, pairs)
    kept = (said["share"] >= _HALF).to_numpy()
    listed = zip(map(tuple, pairs[kept].tolist()), said[kept].to_dict("records"), strict=True)
    links: dict[Any, Mapping[Any, Any]] = dict(listed)

    def flagged(case: Case) -> Case:
        asked = case.asked if case.kind.startswith(MISSING) else ()
        codes = sorted({int(key.chain[key.rows[id_]]) for id_ in asked})
        of_case = [links[pair] for pair in combinations(codes, 2) if pair in links]
        if not of_case or SYSTEMS in case.detectors:
            return case
        most = max(of_case, key=lambda one: float(one["share"]))
        reasons = (*case.reasons, readers.sentence(most))
        flags = {**case.detectors, SYSTEMS: round(float(most["share"]), _DIGITS)}
        return case.model_copy(update={"reasons": reasons, "detectors": flags})

    return tuple(map(flagged, cases))
