"""Pairs of mentions of a corpus, with or without scores: candidates, and the scores of a system.

A pair in both directions is one pair; its score is the mean of both. A pair of a mention with
itself is left out and counted. A pair whose score is missing has not been scored: it is a hole in
the list, and never linked.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from hashlib import sha256

import numpy as np
import pandas as pd
from scipy.special import expit

from cdec.arrays import Bools, Floats, Ints
from cdec.corpus.model import Corpus
from cdec.errors import EXAMPLES, Notice, ScoringError, counted
from cdec.formats import Annotation, mention_table
from cdec.matching.match import ids_in_corpus
from cdec.matching.names import annotated
from cdec.matching.notices import left_out_by_region, left_out_of_key, other_split
from cdec.pairs.pair_files import COSTS, LABEL, SCORE, PairTable, read_pairs


@dataclass(frozen=True, eq=False)
class MentionPairs:
    """Distinct pairs of mentions of ``corpus``, in text order of the first mention, then second.

    ``first`` < ``second`` are positions in ``corpus.selected``. ``score`` is NaN for a pair without
    one, and None if the list has no scores; ``notices`` says what was inferred or left out.
    ``log_odds``: whether any score of the table, before directions are combined, is outside [0, 1];
    ``directions``: "mean" if any pair has a score in both directions, for the signature; ``cost``
    has a row per measure (seconds, tokens): total, and number of pairs that have a value.
    ``every`` has all pairs of the list, if some are of mentions that are not scored: chains are
    made of all pairs, then restricted. Positions of such mentions follow those of the corpus,
    ``size`` in all.

    >>> from cdec import load_corpus
    >>> corpus = load_corpus("sample", "test")
    >>> a, b, c = corpus.selected.index[:3]
    >>> rows = pd.DataFrame({"a": [a, b, a], "b": [b, a, c], "score": [0.5, 0.7, 0.2]})
    >>> pairs = MentionPairs.of_table(PairTable.of("mine", rows), corpus)
    >>> pairs.first.tolist(), pairs.second.tolist(), pairs.score.round(2).tolist()
    ([0, 0], [1, 2], [0.6, 0.2])
    """

    name: str
    corpus: Corpus = field(repr=False)
    first: Ints
    second: Ints
    score: Floats | None = None
    notices: tuple[Notice, ...] = ()
    log_odds: bool = False
    directions: str = ""
    cost: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False)
    every: MentionPairs | None = field(default=None, repr=False)

    @classmethod
    def of_table(cls, given: PairTable, corpus: Corpus) -> MentionPairs:
        """Return the pairs of a table with ``a``, ``b`` and, optionally, ``score``.

        Raises ScoringError for a mention that is not in the corpus, FormatError for one direction
        of a pair with two scores, each with its place.
        """
        (a, b), notices = _positions(corpus, given)
        notices += given.notices
        row = _kept(a, b, number := len(corpus.selected), notices)
        ends, size = np.sort(np.stack([a[row], b[row]]), axis=0), number + 2 * len(a)
        swapped = (a > b)[row].astype(np.int64)
        pair, group = np.unique(ends[0] * size + ends[1], return_inverse=True)
        if len(pair) < len(row):
            _check_repeated(row, 2 * group + swapped, given, notices)
        score, log_odds, used = None, False, ""
        if given.has_scores:
            log_odds = _are_log_odds(given, notices)
            both = np.full((2, len(pair)), np.nan)
            both[swapped, group] = given.rows[SCORE].to_numpy()[row]
            low, high = np.fmin(*both), np.fmax(*both)  # equal if only one direction has a score
            score = (low + high) / 2
            used = "mean" if (~np.isnan(both)).all(axis=0).any() else ""
        every = cls(given.name, corpus, *np.divmod(pair, size), score, (), log_odds, used)
        inside = every.second < number
        pairs = every if inside.all() else replace(every._of(inside), every=every)
        rows = given.rows.iloc[row].assign(pair=(np.cumsum(inside) - 1)[group])[inside[group]]
        holes = np.flatnonzero(np.isnan(pairs.scores)) if given.has_scores else ()
        if len(holes):
            what = counted(len(holes), "pair has", "pairs have")
            lines = rows.index[rows["pair"].isin(holes)][:EXAMPLES]
            cases = tuple(f"{given.name}:{line}" for line in lines)
            message = f"{what} no score; they are never linked"
            notices.append(Notice("pairs-left-out", len(holes), message, cases))
        covered = {*corpus.selected["doc"].iloc[np.union1d(pairs.first, pairs.second)]}
        if corpus.elsewhere and covered and covered != corpus.documents.keys():
            notices += other_split(corpus, covered)
        notices += _contradicted(pairs, rows)
        return replace(pairs, notices=tuple(notices), cost=_cost(rows))

    @classmethod
    def read(cls, path: str, corpus: Corpus) -> MentionPairs | None:
        """Return the pairs of a file; None if its header or first line names no two mentions.

        Raises as ``read_pairs`` and ``of_table`` do.
        """
        table = read_pairs(path)
        return None if table is None else cls.of_table(table, corpus)

    @property
    def scores(self) -> Floats:
        """The scores; of a list without them, NaN."""
        return np.full(len(self), np.nan) if self.score is None else self.score

    def scored(self) -> MentionPairs:
        """Return the pairs that have a score."""
        return self._of(~np.isnan(self.scores))

    def _of(self, chosen: Bools) -> MentionPairs:
        score = None if self.score is None else self.score[chosen]
        return replace(self, first=self.first[chosen], second=self.second[chosen], score=score)

    @property
    def size(self) -> int:
        """The number of mentions, of the corpus and those of the pairs that are not scored."""
        return max(len(self.corpus.selected), int(self.second.max(initial=-1)) + 1)

    @property
    def probabilities(self) -> Floats:
        """The scores in [0, 1]: as they are, or the sigmoid of log-odds."""
        return np.asarray(expit(self.scores), np.float64) if self.log_odds else self.scores

    def __len__(self) -> int:
        return len(self.first)

    @property
    def about(self) -> dict[str, object]:
        """The fields of the signature."""
        both = {"directions": self.directions} if self.directions else {}
        return {"pairs": self.digest, **both}

    @property
    def digest(self) -> str:
        """The digest of pairs and scores, the same for every format of the file."""
        given = self.every or self
        parts = (given.first, given.second, given.scores)
        return sha256(b"".join(part.tobytes() for part in parts)).hexdigest()[:12]

    @property
    def gold(self) -> Bools:
        """Whether each pair is a link of the key."""
        chains = pd.factorize(self.corpus.gold.labels)[0]
        linked: Bools = chains[self.first] == chains[self.second]
        return linked


def _are_log_odds(given: PairTable, notices: list[Notice]) -> bool:
    """Return whether any score is outside [0, 1], with a notice: a warning if most are inside."""
    scores = given.rows[SCORE].dropna().to_numpy()
    outside = int(((scores < 0) | (scores > 1)).sum())
    if outside:
        message = f"{outside:,} of {counted(len(scores), 'score')} outside [0, 1]: "
        message += "all are read as log-odds"
        warning = 2 * outside < len(scores)
        notices.append(Notice("reading-assumed", outside, message, warning=warning))
    return outside > 0


def _kept(a: Ints, b: Ints, number: int, notices: list[Notice]) -> Ints:
    """Return the rows with two different mentions; from ``number`` on they are not scored."""
    unknown = (a < 0) | (b < 0)
    outside = ~unknown & ((a >= number) | (b >= number))
    for why, out in (
        ("of mentions that are not scored left out", unknown),
        ("of mentions that are not scored, but can join others", outside),
        ("of a mention with itself left out", (a == b) & ~unknown & ~outside),
    ):
        if count := int(out.sum()):
            message = f"{counted(count, 'pair')} {why}"
            notices.append(Notice("pairs-left-out", count, message, warning=False))
    return np.flatnonzero((a != b) & ~unknown)


def _check_repeated(row: Ints, directed: Ints, given: PairTable, notices: list[Notice]) -> None:
    """Count the rows that repeat a pair in one direction. Raises FormatError for another score."""
    rows = given.rows.iloc[row].filter([SCORE]).assign(directed=directed)
    again = rows.duplicated("directed")
    if given.has_scores and (differs := again & ~rows.duplicated()).any():
        message = "the pair has another score in an earlier line"
        raise given.refuse(int(row[differs.to_numpy()][0]), message, "keep one of them")
    if again.any():
        message = f"{counted(int(again.sum()), 'repeated pair')} left out"
        notices.append(Notice("pairs-left-out", int(again.sum()), message, warning=False))


def _contradicted(pairs: MentionPairs, rows: pd.DataFrame) -> list[Notice]:
    """Return the notice of labels that are not those of the key: a warning if most are not."""
    known = rows.dropna(subset=[LABEL]) if LABEL in rows else rows.head(0)
    wrong = known.index[pairs.gold[known["pair"]] != (known.get(LABEL) == 1)]
    if wrong.empty:
        return []
    message = f"{len(wrong):,} of {counted(len(known), 'label')} of pairs differ from the key"
    examples = tuple(f"{pairs.name}:{line}" for line in wrong[:EXAMPLES])
    warning = 2 * len(wrong) > len(known)
    return [Notice("reading-assumed", len(wrong), message, examples, warning=warning)]


def _cost(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the sums of seconds and tokens, with the number of pairs that have a value."""
    known = [(name, rows.dropna(subset=[name])) for name in COSTS if name in rows]
    totals = [(name, each["pair"].nunique(), each[name].sum()) for name, each in known if len(each)]
    return pd.DataFrame(totals, columns=["measure", "pairs", "total"])


def _positions(corpus: Corpus, given: PairTable) -> tuple[Ints, list[Notice]]:
    """Return the positions of both mentions in ``corpus.selected``, shape (2, pairs); notices.

    A mention that the variant of the key leaves out has −1. Others that are not scored, removed by
    a patch or outside the part, follow by name.
    """
    names, codes = _names(given)
    known = _known(corpus)
    # A name has the line of its first pair, for errors.
    row = np.unique(codes.T.reshape(-1), return_index=True)[1] // 2
    others = [at for at, name in enumerate(names) if name not in known]
    given_names = [names[at] for at in others]
    lines: Ints = given.rows.index[row[others]].to_numpy(np.int64)
    blank, nowhere = [""] * len(others), [-1] * len(others)
    table = mention_table(blank, nowhere, nowhere, given_names, mention=given_names, line=lines)
    listed = Annotation(given.name, "pairs", table, {"": None})
    ids, notices = ids_in_corpus(listed, corpus) if others else ({}, [])
    named = known | {given_names[number]: id_ for number, id_ in ids.items()}
    by_id = pd.Index([named.get(name) or name for name in names], dtype=object)
    place: Ints = corpus.selected.index.get_indexer(by_id).astype(np.int64)
    away = place < 0
    dropped, left = left_out_of_key(corpus, by_id[away])
    outside, beyond = left_out_by_region(corpus, by_id[away])
    # A list of another part is an error.
    elsewhere = [] if away.all() else [name for name in given_names if named.get(name) == ""]
    lost = away & ~by_id.isin([*dropped, *outside, *elsewhere])
    if lost.any():
        unknown = int(np.where(lost, row, len(given.rows)).argmin())
        message = f"mention '{names[unknown]}' is not a mention of the key"
        hint = "use mention ids of the corpus, or doc/start-end"
        where = given.place(int(row[unknown]))
        raise ScoringError("mention-unknown", message, place=where, hint=hint)
    # The variant says what the mentions of the corpus are: no pair of another one counts.
    away &= ~by_id.isin(corpus.mentions.index)
    place[away] = len(corpus.selected) + np.unique(by_id[away], return_inverse=True)[1]
    return place[codes], [*notices, *left, *beyond]


def _names(given: PairTable) -> tuple[list[str], Ints]:
    """Return the names of mentions, and the number of the name in each row, shape (2, pairs)."""
    columns = (given.rows[side].astype("category") for side in ("a", "b"))
    sides = [column.cat.remove_unused_categories().cat for column in columns]
    names = sides[0].categories.union(sides[1].categories, sort=False)
    codes = [names.get_indexer(s.categories)[s.codes.to_numpy()] for s in sides]
    return [str(name) for name in names], np.stack(codes)


def _known(corpus: Corpus) -> dict[str, str]:
    """Return id and ``doc/start-end`` of each mention of the corpus → its id."""
    table = pd.concat([annotated(corpus), corpus.selected])  # of equal places the last counts
    columns = (table[name] for name in ("doc", "start", "end"))
    places = [f"{doc}/{start}-{end}" for doc, start, end in zip(*columns, strict=True)]
    return dict(zip(places, table.index, strict=True)) | {id_: id_ for id_ in table.index}
