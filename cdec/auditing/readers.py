"""Others' chains of the mentions of a key: systems and annotators who read the same documents.

A reader that links what the key separates, or separates what it links, is evidence of an error. The
evidence of systems is a detector (``detectors.systems``) and a column of the learned order. That of
annotators, who followed other guidelines, is a reason of a case and does not change its
probability: what all of them link is a further case, at the end of the list, if it is in no other.
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
from cdec.errors import Notice, ScoringError, UsageError, counted, notice
from cdec.evaluation.aligned import run_on, runs_on
from cdec.evaluation.response import Named, Response, Source, read_responses
from cdec.matching.alignment import Alignment

if TYPE_CHECKING:
    from cdec.auditing.key import Key

ANNOTATORS, SYSTEMS = "annotators", "systems"  # of a detector, and of a field of the signature
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
    if it links a mention pair of them, and at least the share ``least`` of the pairs that it has.

    >>> two = Readers("systems", ("a", "b"), np.array([[0, 0, 1], [0, 1, -1]]))
    >>> two.between(np.arange(3), np.array([[0, 1], [1, 2]]))["share"].tolist()
    [0.5, 0.0]
    """

    name: str
    voters: tuple[str, ...]
    chains: Ints = field(repr=False)
    least: float = _HALF
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
        ``agree``, the number of readings that do, ``of`` how many have mentions of both, and
        ``pairs``, the most mention pairs that one of them links.
        """
        one, two = pairs.T
        links, linked, known = [], [], []
        for table, sizes in self._tables(chain):
            linked.append(np.asarray(table[one].multiply(table[two]).sum(axis=1)).ravel())
            known.append(sizes[one] * sizes[two])
            links.append(self._links(linked[-1], known[-1]))
        counts = self._shares(np.array(links), np.array(known) > 0)
        return counts.assign(pairs=np.max(linked, axis=0))

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
        if self.name == ANNOTATORS:
            links = counted(int(said["pairs"]), "mention pair")
            return f"{self.voters[0]} linked {links} of these chains"
        several = len(set(self.voters)) < len(self.voters)
        agree, of = int(said["agree"]), counted(int(said["of"]), "run" if several else "system")
        weighed = f" ({said['share']:.0%} if each system or family counts once)" if several else ""
        verb = "links" if agree == 1 else "link"
        links = "at least half of the mention pairs of these chains"
        return (
            f"{agree} of {of}{weighed} {verb} {links if link else 'it to no member of its chain'}"
        )

    def _links(self, linked: Any, known: Any) -> Bools:
        return np.asarray((linked > 0) & (linked >= self.least * known))

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
    published systems of one family. None without responses. Raises UsageError for a value that is
    not a list and for two responses with one name, ScoringError as ``runs_on`` does.
    """
    if not _listed(responses, "responses"):
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
    return Readers(SYSTEMS, voters, chains, _HALF, whole, tuple(dict.fromkeys(notices)))


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


def annotators_of(responses: Sequence[Response], corpus: Corpus) -> Readers | None:
    """Return the annotators with these chains as one reader, who links what all of them link.

    It has the mentions that all of them annotated. None without annotators. Raises UsageError for
    a value that is not a list and for the same chains twice, ScoringError as
    ``run_on`` does and for mentions that are not in the key.
    """
    if not _listed(responses, "annotators"):
        return None
    runs = [run_on(corpus, response) for response in responses]
    for run in runs:
        foreign = run.response.labels.index.difference(corpus.selected.index)
        if len(foreign) or not len(run.response):
            message = f"{counted(len(foreign), 'mention is', 'mentions are')} not in the key"
            hint = f"expected mentions of '{corpus.part}', as those of annotators of its key"
            place = f"{run.name}: {foreign[0]}" if len(foreign) else run.name
            raise ScoringError("input-mismatch", message, place=place, hint=hint)
    digests = [run.about["response_digest"] for run in runs]
    if len(set(digests)) < len(digests):
        hint = "give the chains of each annotator once"
        raise UsageError("argument-invalid", "two annotators have the same chains", hint=hint)
    each = np.array([_codes(run.response, corpus) for run in runs])
    common = np.unique(each, axis=1, return_inverse=True)[1].reshape(-1)
    chains = np.where((each >= 0).all(axis=0), common, -1)[None, :]
    short = ",".join(digest[:12] for digest in digests)
    return Readers(ANNOTATORS, (counted(len(runs), "other annotator"),), chains, 0.0, short)


def _codes(chains: Clustering, corpus: Corpus) -> Ints:
    return np.asarray(pd.factorize(chains.labels.reindex(corpus.selected.index))[0])


def _listed(responses: Sequence[Response], name: str) -> bool:
    """Return whether there are any. Raises UsageError unless this is a list or tuple."""
    if not isinstance(responses, list | tuple):
        hint = f"write {name}=[first, second]"
        raise UsageError("argument-invalid", f"expected a list of {name}", hint=hint)
    return bool(responses)


def with_readers(cases: Sequence[Case], key: Key, readers: Readers) -> tuple[Case, ...]:
    """Return the cases, those of missing links with what the readers say of their chains.

    What annotators link is a further case behind them, without a score, if it is in no other.
    """
    pairs = readers.linked(key.chain)
    said = readers.between(key.chain, pairs)
    kept = (said["share"] >= _HALF).to_numpy()
    listed = zip(map(tuple, pairs[kept].tolist()), said[kept].to_dict("records"), strict=True)
    links: dict[Any, Mapping[Any, Any]] = dict(listed)
    left, every = dict(links), []
    for case in cases:
        asked = case.asked if case.kind.startswith(MISSING) else ()
        codes = sorted({int(key.chain[key.rows[id_]]) for id_ in asked})
        of_case = [pair for pair in combinations(codes, 2) if pair in links]
        told = not of_case or readers.name in case.detectors
        every.append(case if told else _flagged(case, readers, [links[pair] for pair in of_case]))
        for pair in of_case:
            left.pop(pair, None)
    for (one, two), what in left.items() if readers.name == ANNOTATORS else ():
        rows = readers.strongest(key.members[one], key.members[two])
        flagged = _flagged(key.link(rows), readers, [what])
        every.append(flagged.model_copy(update={"rank": len(every) + 1}))
    return tuple(every)


def alone(cases: Sequence[Case]) -> tuple[Notice, ...]:
    """Return the notice on the cases of annotators: where they are, and which are theirs only."""
    theirs = [case for case in cases if ANNOTATORS in case.detectors]
    only = [case for case in theirs if len(case.detectors) == 1]
    if not theirs:
        return ()
    message = f"annotators link chains of {counted(len(theirs), 'case')}"
    if only:
        ranks = f"{only[0].rank:,} to {only[-1].rank:,}" if len(only) > 1 else f"{only[0].rank:,}"
        message += (
            f"; {len(only):,} of them, which no detector has, are at the end of the list, without "
            f"a probability (rank {ranks})"
        )
    return (notice("result-limited", message, [], warning=False),)


def _flagged(case: Case, readers: Readers, said: Sequence[Mapping[Any, Any]]) -> Case:
    """Return a case with what is said of pairs of its chains: the strongest, and all links."""
    most = max(said, key=lambda one: float(one["share"]))
    reason = readers.sentence({**most, "pairs": sum(one["pairs"] for one in said)})
    flags = {**case.detectors, readers.name: round(float(most["share"]), _DIGITS)}
    return case.model_copy(update={"reasons": (*case.reasons, reason), "detectors": flags})
