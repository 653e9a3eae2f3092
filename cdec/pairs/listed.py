"""Lists of mention pairs, with or without scores: candidates, and the scores of a system.

A list is CSV, TSV, JSON, JSON Lines, a frame or a dict. A row has two mentions (``a`` and ``b``, or
another of the names in ``fields.PAIR``) and can have a score; a notice names further columns. What
a language model writes around its JSON is left out.

A pair in both directions is one pair; its score is the mean of both. A pair of a mention with
itself is left out and counted. A pair whose score is missing has not been scored: it is a hole in
the list, and never linked.
"""

from __future__ import annotations

import io
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_integer_dtype, union_categoricals
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from cdec.arrays import Bools, Floats, Ints
from cdec.clustering import Clustering
from cdec.corpus.model import Corpus
from cdec.corpus.splits import named_part, split_of
from cdec.errors import (
    EXAMPLES,
    CdecError,
    FormatError,
    Notice,
    ScoringError,
    UsageError,
    counted,
    one_of,
    spelled,
)
from cdec.files.input import FileKind, TextFile
from cdec.files.strict_json import parse, parse_at
from cdec.formats.annotation import Annotation, mention_table
from cdec.formats.fields import PAIR, cut_row, is_last_row_cut, normal, pair_names
from cdec.formats.heading import ANSWER, without_answer
from cdec.matching.match import ids_in_corpus
from cdec.matching.names import annotated
from cdec.matching.notices import left_out, other_split

SCORE = "score"
_FIELDS = {
    **dict.fromkeys(PAIR[0], "a"),
    **dict.fromkeys(PAIR[1], "b"),
    **dict.fromkeys((SCORE, "answer"), SCORE),
}
_UNKNOWN = -2  # the position of a mention that the corpus does not have
_LARGEST = 1e30  # of a score: sums of scores must be finite
_ANSWERS = {"yes": 1.0, "no": 0.0}  # of a language model, instead of a score
_MISSING = ("", "nan", "none", "null")
_HINT = "write a table with the columns a and b, two mentions a row, or JSON lines with a and b"
_KIND = FileKind("a list of mention pairs", FormatError, "file-invalid", _HINT, 2**32)


Given = Any  # a file, a frame, a dict (mention, mention) → score, or the PairTable of one


@dataclass(frozen=True, eq=False)
class PairTable:
    """The rows of a list: ``a`` and ``b`` (categories) and, if it has scores, ``score`` (or NaN).

    The index has the lines of a file, or the numbers of the rows.

    >>> given = pd.DataFrame({"Mention 1": ["x"], "Mention 2": ["y"], "answer": ["Yes."]})
    >>> pair_table(given).rows.to_numpy().tolist()
    [['x', 'y', 1.0]]
    """

    name: str
    rows: pd.DataFrame
    notices: tuple[Notice, ...] = ()

    def refuse(self, row: int, message: str, hint: str | None = None) -> CdecError:
        """Return the error for a row, counted from 0."""
        return _KIND.refuse(f"{self.name}:{self.rows.index[row]}", message, hint)

    @property
    def mentions(self) -> pd.Series[str]:
        """The mentions of all pairs, each as a chain."""
        names = union_categoricals([self.rows["a"], self.rows["b"]]).categories.astype(str)
        return pd.Series(names, names)


def pair_table(given: Given) -> PairTable:
    """Return the pairs of a list.

    Raises FormatError with its place for a row without two mentions, two columns of one field, a
    score that is not a number up to 1e30, and a list without pairs; UsageError for another value.
    """
    if isinstance(given, PairTable):
        return given
    name, notices = "pairs", tuple[Notice, ...]()
    if isinstance(given, str | Path):
        name = str(given)
        source = TextFile(name, _KIND.read_text(Path(name)))
        if ANSWER.match(source.text):
            source, notices = without_answer(source)
        given, of_cut = _rows(source)
        notices = (*notices, *of_cut)
    elif isinstance(given, Mapping | pd.Series):
        each = [(*pair, score) if isinstance(pair, tuple) else () for pair, score in given.items()]
        names = ["a", "b", SCORE] if {*map(len, each)} <= {3} else None
        given = pd.DataFrame(each, columns=names, dtype=object)
    if not isinstance(given, pd.DataFrame):
        message = f"expected a file, a table or a dict, got {type(given).__name__}"
        hint = "such as {(mention, mention): score}"
        raise UsageError("argument-invalid", message, hint=hint)
    fields = given.columns.map(lambda title: _FIELDS.get(normal(str(title)), ""))
    if given.empty:
        raise _KIND.refuse(name, "it has no pairs")
    _check_names(given.columns, name)
    for twice in fields[(fields != "") & fields.duplicated()]:
        both = " and ".join(f"'{title}'" for title in given.columns[fields == twice])
        raise _KIND.refuse(name, f"{both} both mean '{twice}'", "rename or remove one of them")
    rows = given if is_integer_dtype(given.index) else given.reset_index(drop=True)
    rows = rows.set_axis(fields, axis=1).loc[:, fields != ""]
    table = PairTable(name, rows, (*notices, *_unread(given.loc[:, fields == ""], SCORE in rows)))
    for side in ("a", "b"):
        mentions = rows[side].map(_mention).astype("category").cat.remove_unused_categories()
        if (bad := mentions.isna().to_numpy()).any():
            hint = "a mention is an id, or doc/start-end, as text"
            raise table.refuse(int(bad.argmax()), "the row has no two mentions", hint)
        rows = rows.assign(**{side: mentions})
    if SCORE in rows:
        texts = rows[SCORE].astype(object).map(str)
        numbers = pd.to_numeric(texts, errors="coerce").to_numpy(np.float64, copy=True)
        odd = np.isnan(numbers)
        said = texts[odd].str.strip(" .\r\n").str.casefold()
        numbers[odd] = said.map(_ANSWERS)
        right = np.abs(numbers) <= _LARGEST
        right[odd] |= rows[SCORE][odd].isna() | said.isin(_MISSING)
        if not right.all():
            row = int(right.argmin())
            message = f"the score '{texts.iloc[row][:40]}' is not a number up to 1e30"
            hint = "write a number, yes or no, or leave it empty if it is unknown"
            raise table.refuse(row, message, hint)
        rows = rows.assign(**{SCORE: numbers})
    return replace(table, rows=rows)


def _check_names(names: Iterable[object], place: str) -> tuple[str, str]:
    pair = pair_names(map(str, names))
    if pair is None:
        raise _KIND.refuse(place, "the header or first line names no two mentions")
    return pair


def _rows(source: TextFile) -> tuple[pd.DataFrame, list[Notice]]:
    """Return the rows of a file, and a notice if it is a table that was cut."""
    if source.text.lstrip().startswith(("{", "[")):
        return _records(source.text, source.name), []
    return _cells(_whole_rows(source), source.name), cut_row(source)


def _whole_rows(source: TextFile) -> str:
    """Return the text of a table without a last row that was cut."""
    if not is_last_row_cut(source):
        return source.text
    last_end = max(source.text.rfind("\n"), source.text.rfind("\r"))
    return source.text[: last_end + 1]


def _cells(text: str, path: str) -> pd.DataFrame:
    """Return the cells of a table by line."""
    before = len(text) - len(text.lstrip())
    head, skipped = text[before:].partition("\n")[0], text.count("\n", 0, before)
    separator = next((sign for sign in "\t,;" if sign in head), ",")
    header = map(str.strip, head.replace('"', "").split(separator))
    kinds: Any = defaultdict(lambda: "str") | dict.fromkeys(_check_names(header, path), "category")
    how: Any = {"keep_default_na": False, "skip_blank_lines": False, "skipinitialspace": True}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)  # a row with more cells
            stream = io.StringIO(text[before:])
            cells: pd.DataFrame = pd.read_csv(
                stream, sep=separator, dtype=kinds, index_col=False, **how
            )
    except (pd.errors.ParserError, pd.errors.ParserWarning, ValueError) as error:
        raise _KIND.refuse(path, f"invalid table: {str(error).strip()}") from None
    cells.index = pd.RangeIndex(skipped + 2, skipped + 2 + len(cells))
    bare = cells[cells.iloc[:, 0].isin(["", np.nan])]
    return cells.drop(bare.index[(bare.isna() | (bare == "")).all(axis=1)])


def _records(text: str, path: str) -> pd.DataFrame:
    """Return the records of JSON lines by line, or of one array by number.

    The array may be the only value of an object, such as ``{"pairs": […]}``.
    """

    def fail(_code: str, line: int, message: str, _hint: str) -> CdecError:
        return _KIND.refuse(f"{path}:{line}" if line else path, message)

    try:
        whole = parse(text)
    except ValueError:  # JSON Lines, or an error that has a place
        whole = parse_at(text, 1, fail, last=True) if text.lstrip().startswith("[") else None
    if isinstance(whole, dict) and len(whole) == 1:
        (whole,) = whole.values()
    if isinstance(whole, list):
        records = dict(enumerate(whole, start=1))
    else:
        lines = enumerate(text.split("\n"), start=1)
        records = {at: parse_at(line, at, fail) for at, line in lines if line.strip()}
    for first in [*records.values()][:1]:
        _check_names(first if isinstance(first, dict) else (), path)
    for number in (number for number, record in records.items() if not isinstance(record, dict)):
        raise _KIND.refuse(f"{path}:{number}", "the row has no two mentions")
    return pd.DataFrame(list(records.values()), index=list(records), dtype=object)


def _unread(columns: pd.DataFrame, scored: bool) -> Iterator[Notice]:
    """Yield the notice of columns that are not read: a warning if one may be the scores."""
    if columns.empty:
        return
    names = ", ".join(f"'{name}'" for name in columns.columns)
    message = f"{counted(len(columns.columns), 'column is', 'columns are')} not read: {names}"
    values = columns.head(1000).apply(pd.to_numeric, errors="coerce")
    numbers = [name for name, given in values.items() if given.notna().any() and not scored]
    if numbers:
        message += f"; the list has no column '{SCORE}': rename '{numbers[0]}' if it has the scores"
    yield Notice("reading-assumed", len(columns.columns), message, warning=bool(numbers))


def _mention(value: object) -> str | None:
    """Return a mention as text, None for what is none."""
    known = isinstance(value, str | int | np.integer) and not isinstance(value, bool)
    return str(value).strip() or None if known else None


# ---- on a corpus ----


@dataclass(frozen=True, eq=False)
class MentionPairs:
    """Distinct pairs of mentions of ``corpus``, in text order of the first mention, then second.

    ``every``: ``first`` < ``second``, positions in ``corpus.selected``, and ``score``, which is NaN
    for a pair without one. Mentions that are not scored have the positions after those of the
    corpus: chains are made of all pairs, then restricted. All else is of the pairs ``inside``.
    ``notices`` says what was inferred or left out; ``unknown`` what became of mentions that the
    corpus does not have. ``log_odds``: whether any score of the table,
    before directions are combined, is outside [0, 1]; ``directions``: "mean" if any pair has a
    score in both directions, for the signature.

    >>> from cdec import load_corpus
    >>> corpus = load_corpus("sample", "test")
    >>> a, b, c = corpus.selected.index[:3]
    >>> pairs = MentionPairs.of({(a, b): 0.5, (b, a): 0.7, (a, c): 0.2}, corpus)
    >>> pairs.first.tolist(), pairs.second.tolist(), pairs.scores.round(2).tolist()
    ([0, 0], [1, 2], [0.6, 0.2])
    """

    name: str
    corpus: Corpus = field(repr=False)
    every: pd.DataFrame = field(repr=False)
    has_scores: bool = False
    log_odds: bool = False
    directions: str = ""
    notices: tuple[Notice, ...] = ()
    unknown: str = "error"

    @classmethod
    def of(cls, list_: Given, corpus: Corpus, unknown: str = "error") -> MentionPairs:
        """Return the pairs of a list, as ``pair_table`` reads it.

        ``unknown``: with ``drop``, pairs of a mention that the corpus does not have are left out.
        Raises ScoringError for such a mention otherwise, FormatError for one direction of a pair
        with two scores, each with its place; UsageError for ``twinless``, which pairs cannot be.
        """
        given = pair_table(list_)
        codes, notices = _positions(corpus, given, unknown)
        number, (low, high) = len(corpus.selected), np.sort(codes, axis=0)
        row, size = np.flatnonzero((low >= 0) & (low < high)), number + codes.size
        pair, group = np.unique(low[row] * size + high[row], return_inverse=True)
        swapped = (codes[0] == high)[row].astype(np.int64)
        rows = given.rows.iloc[row].assign(pair=group, swapped=swapped)
        again = rows.duplicated(["pair", "swapped"])
        if SCORE in rows and again.any():
            other = again & ~rows.duplicated(["pair", "swapped", SCORE])
            for at in row[other][:1]:
                message = "the pair has another score in an earlier line"
                raise given.refuse(int(at), message, "keep one of them")
        both = np.full((2, len(pair)), np.nan)
        both[swapped, group] = rows.get(SCORE, np.nan)
        known = ~np.isnan(both)
        score = np.where(known, both, both[::-1]).sum(axis=0) / 2
        first, second = np.divmod(pair, size)
        every = pd.DataFrame({"first": first, "second": second, SCORE: score})
        scores = given.rows.get(SCORE, pd.Series(dtype=float)).dropna()
        odd = int((~scores.between(0, 1)).sum())
        directions = "mean" if known.all(axis=0).any() else ""
        pairs = cls(given.name, corpus, every, SCORE in rows, odd > 0, directions, unknown=unknown)
        is_unknown = low == _UNKNOWN
        for why, out in {
            "of mentions that the corpus does not have left out": is_unknown,
            "of mentions that are not scored left out": (low < 0) & ~is_unknown,
            "of mentions that are not scored, but can join others": (low >= 0) & (high >= number),
            "of a mention with itself left out": (low >= 0) & (low == high) & (high < number),
            "that repeat an earlier one left out": again,
        }.items():
            if count := int(out.sum()):
                message = f"{counted(count, 'pair')} {why}"
                warning = out is is_unknown
                notices.append(Notice("pairs-left-out", count, message, warning=warning))
        if odd:
            message = f"{odd:,} of {counted(len(scores), 'score')} outside [0, 1]: "
            message += "all are read as log-odds (divide per cent by 100)"
            unusual = scores.min() >= 0 or 2 * odd < len(scores)
            notices.append(Notice("reading-assumed", odd, message, warning=unusual))
        holes = rows[np.isnan(score)[group] & rows["pair"].isin(pairs.inside.index)]
        if pairs.has_scores and len(holes):
            count = holes["pair"].nunique()
            message = f"{counted(count, 'pair has', 'pairs have')} no score; they are never linked"
            lines = tuple(f"{given.name}:{line}" for line in holes.index[:EXAMPLES])
            notices.append(Notice("pairs-left-out", count, message, lines))
        covered = {*corpus.selected["doc"].iloc[np.union1d(pairs.first, pairs.second)]}
        notices += other_split(corpus, covered)
        return replace(pairs, notices=(*given.notices, *notices))

    @cached_property
    def inside(self) -> pd.DataFrame:
        """The pairs of two mentions that are scored."""
        return self.every[self.every["second"] < len(self.corpus.selected)]

    @property
    def first(self) -> Ints:
        """The positions of the first mentions."""
        return self.inside["first"].to_numpy()

    @property
    def second(self) -> Ints:
        """The positions of the second mentions."""
        return self.inside["second"].to_numpy()

    @property
    def scores(self) -> Floats:
        """The scores; of a list without them, NaN."""
        return self.inside[SCORE].to_numpy()

    @property
    def gold(self) -> Bools:
        """Whether each pair is a link of the key."""
        chains = pd.factorize(self.corpus.gold.labels)[0]
        return np.asarray(chains[self.first] == chains[self.second])

    def __len__(self) -> int:
        return len(self.inside)

    def scored(self) -> MentionPairs:
        """Return the pairs that have a score."""
        return replace(self, every=self.every.dropna(subset=[SCORE]))

    def probabilities(self, scores: Floats) -> Floats:
        """Return scores in [0, 1]: as they are, or the sigmoid of log-odds."""
        return np.asarray(expit(scores), np.float64) if self.log_odds else scores

    @property
    def size(self) -> int:
        """The number of mentions, of the corpus and those of the pairs that are not scored."""
        last = self.every["second"].to_numpy().max(initial=-1)
        return max(len(self.corpus.selected), int(last) + 1)

    def clustering(self, chains: Any) -> Clustering:
        """Return the chains of the mentions of the corpus; ``chains`` has those of all mentions."""
        ids = self.corpus.selected.index
        return Clustering(pd.Series(chains[: len(ids)], ids))

    def closed(self, first: Any, second: Any) -> Clustering:
        """Return the chains that these links make."""
        graph = coo_array((np.ones(len(first)), (first, second)), (self.size, self.size))
        return self.clustering(connected_components(graph, directed=False)[1])

    @property
    def about(self) -> dict[str, object]:
        """The fields of the signature: the digest is the same for every format of the file."""
        columns = (self.every[name].to_numpy() for name in ("first", "second", SCORE))
        digest = sha256(b"".join(column.tobytes() for column in columns)).hexdigest()[:12]
        both = {"directions": self.directions} if self.directions else {}
        choice = {"unknown": self.unknown} if self.unknown != "error" else {}
        return {"pairs": digest, **both, **choice}


def _positions(corpus: Corpus, given: PairTable, unknown: str) -> tuple[Ints, list[Notice]]:
    """Return the positions of both mentions in ``corpus.selected``, shape (2, pairs); notices.

    A mention that the variant of the key leaves out has −1, one that the corpus does not have −2.
    Others that are not scored, removed by a patch or outside the part, follow by name.
    """
    if one_of("policy", unknown, ("error", "drop", "twinless")) == "twinless":
        message = "pairs of mentions that the corpus does not have cannot be twinless"
        hint = f"{spelled('unknown', 'drop')} leaves them out"
        raise UsageError("option-conflict", message, place=given.name, hint=hint)
    both = union_categoricals([given.rows["a"], given.rows["b"]])
    codes = both.codes.astype(np.int64).reshape(2, -1)
    names = [str(name) for name in both.categories]
    # A name has the line of its first pair, for errors.
    row = np.unique(codes.T.reshape(-1), return_index=True)[1] // 2
    lines: Ints = given.rows.index[row].to_numpy(np.int64)
    docs, nowhere = [name.rpartition("/")[0] for name in names], [-1] * len(names)
    table = mention_table(docs, nowhere, nowhere, names, mention=names, line=lines)
    listed = Annotation(given.name, "pairs", table, dict.fromkeys(docs))
    ids, notices = ids_in_corpus(listed, corpus, "drop")
    by_id = pd.Index([ids.get(at) or name for at, name in enumerate(names)], dtype=object)
    place: Ints = corpus.selected.index.get_indexer(by_id).astype(np.int64)
    away = place < 0
    known = annotated(corpus)
    dropped, left = left_out(corpus, known[known.index.isin(by_id[away])])
    elsewhere = [names[at] for at, id_ in ids.items() if id_ == ""]
    lost = away & ~by_id.isin([*dropped, *elsewhere])
    is_refused = lost.any() and unknown == "error"
    if is_refused or (lost.any() and lost.all()):
        in_order = np.flatnonzero(lost)[np.argsort(row[lost], kind="stable")]
        shown = ", ".join(f"'{names[at]}'" for at in in_order[:EXAMPLES])
        number = counted(int(lost.sum()), "mention is", "mentions are")
        message = f"{number} not in the key: {shown}{', …' if lost.sum() > EXAMPLES else ''}"
        hint = "use mention ids of the corpus, or doc/start-end"
        if is_refused:
            hint += f"; {spelled('unknown', 'drop')} leaves out the pairs of such mentions"
        where = f"{given.name}:{lines[in_order[0]]}"
        raise ScoringError("mention-unknown", message, place=where, hint=hint)
    if elsewhere and away.all():
        message = f"the mentions are of {_home(corpus, elsewhere)}, not of '{corpus.part}'"
        hint = "choose the part that the pairs are of"
        raise ScoringError("mention-unknown", message, place=f"{given.name}:{lines[0]}", hint=hint)
    # The variant says what the mentions of the corpus are: no pair of another one counts.
    away &= ~by_id.isin(corpus.mentions.index)
    away &= ~lost
    place[away] = len(corpus.selected) + np.unique(by_id[away], return_inverse=True)[1]
    place[lost] = _UNKNOWN
    return place[codes], [*notices, *left]


def _home(corpus: Corpus, names: list[str]) -> str:
    """Return the part that most mentions of another part are of, for a message."""
    split = split_of(corpus, (named_part(corpus.part) or "").rpartition("/")[0] or None)
    home = split.units(corpus.elsewhere)
    units = pd.Series(names, dtype=str).str.rpartition("/")[0].map(home)
    known = {f"'{split.name}/{part}'": units.isin(own).sum() for part, own in split.parts.items()}
    part = max(known, key=lambda one: known[one], default="")
    return part if known.get(part) else "another part"
